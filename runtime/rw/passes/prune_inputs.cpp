#include "rw/passes/prune_inputs.h"

#include "rw/ir/derivation.h"
#include "rw/passes/pattern_pass.h"
#include "rw/support/failure.h"

#include <algorithm>

namespace rw {
namespace {

/// "in_" and digits.
bool isNumbered(std::string_view name) {
  constexpr std::string_view kPrefix = "in_";
  return name.size() > kPrefix.size() && name.starts_with(kPrefix) &&
         std::ranges::all_of(name.substr(kPrefix.size()), [](char c) { return c >= '0' && c <= '9'; });
}

class InputPruner {
public:
  InputPruner(Program &program, Function &fn, bool numbered) : program_(program), fn_(fn), numbered_(numbered) {
    for (unsigned i = 0; i < count(); ++i)
      numbered_ |= isNumbered(nameOf(i));
  }

  unsigned run() {
    unsigned removed = 0;
    // Derived parameters come after what they are derived from.
    for (unsigned i = count(); i-- > 0;)
      if (!fn_.value(param(i)).hasUses() && !isPositional(i) && !isNeededByOthers(i)) {
        fn_.removeParam(i);
        ++removed;
      }
    return removed;
  }

private:
  unsigned count() const { return unsigned(fn_.params(fn_.body()).size()); }
  ValueId param(unsigned i) const { return fn_.params(fn_.body())[i]; }
  std::string_view nameOf(unsigned i) const {
    StringId name = fn_.valueName(param(i));
    return name ? fn_.context().text(name) : std::string_view();
  }

  bool isPositional(unsigned i) const {
    const ParamInfo &info = fn_.paramInfo(i);
    return info.role == ParamRole::Arg && !info.defaultValue && (!numbered_ || isNumbered(nameOf(i)));
  }

  /// Whether the function that derives another parameter reads this one.
  bool isNeededByOthers(unsigned i) {
    uint64_t id = fn_.paramInfo(i).stableId;
    for (unsigned other = 0; id && other < count(); ++other)
      if (std::optional<Derivation> d = derivationOf(fn_, other); d && other != i)
        if (Function *by = program_.function(d->function))
          for (unsigned k = 0; k < by->params(by->body()).size(); ++k)
            if (by->paramInfo(k).stableId == id)
              return true;
    return false;
  }

  Program &program_;
  Function &fn_;
  bool numbered_; // whether numbered arguments alone are positional
};

class PruneInputsPass : public FunctionPass {
public:
  explicit PruneInputsPass(bool numbered) : numbered_(numbered) {}
  std::string_view name() const override { return "prune_inputs"; }
  bool mayFail() const override { return false; }
  PassResult run(Function &fn, PassContext &context) override {
    PassResult result;
    if (&fn != &context.program.functions().front())
      return result;
    result.rewrites.rewrites = InputPruner(context.program, fn, numbered_).run();
    result.changed = result.rewrites.changed = result.rewrites.rewrites != 0;
    return result;
  }

private:
  bool numbered_;
};

} // namespace

MadePass makePruneInputs(const Registry &, const PassOptions &options) {
  if (Result<void> known = checkOptionNames(options, {"positional"}); !known)
    return known.failure();
  auto option = options.find("positional");
  if (option != options.end() && option->second != "numbered")
    return failure("option `positional` can be `numbered`, not `{}`", option->second);
  return std::make_unique<PruneInputsPass>(option != options.end());
}

} // namespace rw
