#include "codegen/verify/solver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <mutex>
#include <string_view>
#include <unordered_map>

namespace rw::verify {
namespace {

// The few functions of Z3's C interface that are called, as its z3_api.h declares them.
using SolverConfig = struct ConfigOfZ3 *;
using SolverContext = struct ContextOfZ3 *;
using SolverErrorHandler = void (*)(SolverContext, int);

class Z3 {
public:
  Z3() {
    for (const char *name : {"libz3.so.4", "libz3.so"})
      if (!library_)
        library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library_ || !load(makeConfig_, "Z3_mk_config") || !load(makeContext_, "Z3_mk_context") ||
        !load(deleteConfig_, "Z3_del_config") || !load(setHandler_, "Z3_set_error_handler") ||
        !load(evaluate_, "Z3_eval_smtlib2_string"))
      return;
    const SolverConfig config = makeConfig_();
    context_ = makeContext_(config);
    deleteConfig_(config);
    setHandler_(context_, [](SolverContext, int) {}); // an error is no answer
  }
  explicit operator bool() const { return context_ != nullptr; }

  bool isUnsatisfiable(const std::string &question) {
    if (!context_)
      return false;
    // So much work and no more: not so much time, of which a machine has more than another. Floats are taken apart into
    // many more bits than they have.
    const bool hasFloats = question.find("FloatingPoint") != std::string::npos;
    const char *answer = evaluate_(
        context_,
        fmt::format("(reset)\n(set-option :rlimit {})\n{}", hasFloats ? 3'000'000 : 400'000, question).c_str());
    return answer && std::string_view(answer) == "unsat\n";
  }

private:
  template <class F> bool load(F &to, const char *name) {
    to = reinterpret_cast<F>(dlsym(library_, name));
    return to != nullptr;
  }

  void *library_ = nullptr;
  SolverConfig (*makeConfig_)() = nullptr;
  SolverContext (*makeContext_)(SolverConfig) = nullptr;
  void (*deleteConfig_)(SolverConfig) = nullptr;
  void (*setHandler_)(SolverContext, SolverErrorHandler) = nullptr;
  const char *(*evaluate_)(SolverContext, const char *) = nullptr;
  SolverContext context_ = nullptr;
};

struct Shared {
  std::mutex mutex;
  Z3 z3;
  std::unordered_map<std::string, bool> known;
};
Shared &shared() {
  static Shared all;
  return all;
}

} // namespace

bool hasSolver() { return bool(shared().z3); }

bool isUnsatisfiable(const std::string &question) {
  Shared &all = shared();
  std::lock_guard lock(all.mutex);
  auto [it, isNew] = all.known.try_emplace(question, false);
  if (isNew)
    it->second = all.z3.isUnsatisfiable(question);
  return it->second;
}

} // namespace rw::verify
