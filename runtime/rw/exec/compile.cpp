#include "rw/exec/compile.h"

#include "rw/interp/constant_folder.h"
#include "rw/ir/attr_values.h"
#include "rw/ir/verifier.h"
#include "rw/passes/pass_manager.h"

#include <algorithm>
#include <fmt/format.h>

namespace rw {
namespace {
/// The program after the pipeline; nothing and diagnostics if that cannot be run.
std::optional<Program> optimized(const Program &given, const Registry &registry, Diagnostics &diags,
                                 const ExecOptions &options, bool machineNumbers) {
  std::optional<Program> program(given.clone());
  if (!verifyProgram(*program, diags))
    return std::nullopt;
  SourceManager sources;
  Diagnostics own(sources);
  PassManager manager(registry);
  if (!manager.parse(options.pipeline, sources, own, "pipeline")) {
    const Diagnostic &first = own.all().front();
    auto told =
        diags.errorInFile("bad-pipeline", "exec", "in the pipeline `" + options.pipeline + "`: " + first.message);
    for (const Diagnostic::FixIt &fix : first.fixIts)
      told.note("did you mean `" + fix.replacement + "`?");
    return std::nullopt;
  }
  InterpreterFolder folder;
  PassManagerOptions run;
  run.strict = options.strict;
  run.rewriteConfig.enableFolding = machineNumbers;
  run.rewriteConfig.folder = machineNumbers ? &folder : nullptr;
  PassManagerResult result = manager.run(*program, run);
  for (const PassRecord &record : result.records) {
    std::string what = fmt::format("{} failed in @{} and was undone: {}", record.pass, record.function, record.message);
    if (record.failed && options.strict)
      diags.errorInFile("pass-failed", "exec", what);
    else if (record.failed)
      diags.warningInFile("pass-failed", "exec", what);
  }
  reportWarnings(result, "exec", diags);
  return result.stopped ? std::nullopt : std::move(program);
}

/// Whether each op of a function, and of those it calls, means something over a semiring.
class SemiringCheck {
public:
  SemiringCheck(Program &program, const SemiringTarget &target, Diagnostics &diags)
      : program_(program), target_(target), diags_(diags), movement_(movementKernels()) {}

  bool function(Function &fn) {
    if (std::ranges::find(seen_, &fn) == seen_.end()) {
      seen_.push_back(&fn);
      region(fn, fn.body());
    }
    return good_;
  }

private:
  void region(Function &fn, RegionId id) {
    for (Op op : fn.ops(id)) {
      if (op.kind() != kReturnKind)
        check(op);
      for (RegionId nested : op.regions())
        region(fn, nested);
    }
  }

  void check(Op op) {
    std::string_view name = op.fullName();
    if (!target_.kernels->find(name)) {
      bool control = canEvaluate(name) && !kernels().find(name); // which only chooses what is run
      if (!control)
        return refuse(
            op, fmt::format(
                    "`{}` means nothing over a semiring, which has ⊕, ⊗, 0 and 1 alone: say it by add, mul, "
                    "reduce_sum, reduce_prod, dot_general and what moves elements, or compile with compileStdToExec",
                    name));
      if (Function *other = program_.function(attrOr(op, "callee", "")))
        function(*other);
      return;
    }
    DType dtype = op.resultCount() ? op.result().type().dtype : DType::Unknown;
    if (!movement_.find(name) && dtype != DType::Unknown && dtypeBytes(dtype) != target_.elementBytes)
      refuse(op, fmt::format("`{}` computes elements of {}, but those of the semiring take {} bytes", name,
                             dtypeName(dtype), target_.elementBytes));
  }

  void refuse(Op op, std::string why) {
    good_ = false;
    // Programs that were not read from a text have no places.
    if (Loc at = op.loc(); at && diags_.sources().fileOf(at))
      diags_.error("not-in-semiring", {at, at}, std::move(why));
    else
      diags_.errorInFile("not-in-semiring", fmt::format("@{}", op.fn->name()), std::move(why));
  }

  Program &program_;
  const SemiringTarget &target_;
  Diagnostics &diags_;
  KernelTable movement_;
  std::vector<Function *> seen_;
  bool good_ = true;
};
} // namespace

std::optional<ExecProgram> compileStdToExec(const Program &program, std::string_view function, const Registry &registry,
                                            Diagnostics &diags, const ExecOptions &options) {
  std::optional<Program> ready = optimized(program, registry, diags, options, true);
  return ready ? lowerToExec(*ready, function, diags, options.bounds) : std::nullopt;
}

std::optional<SemiringExec> compileSemiringToExec(const Program &given, std::string_view function,
                                                  const Registry &registry, Diagnostics &diags,
                                                  const SemiringTarget &target, const ExecOptions &options) {
  Program program = given.clone();
  if (Function *fn = program.function(function); fn && !SemiringCheck(program, target, diags).function(*fn))
    return std::nullopt;
  std::optional<Program> ready = optimized(program, registry, diags, options, false);
  std::optional<ExecProgram> exec = ready ? lowerToExec(*ready, function, diags, options.bounds) : std::nullopt;
  return exec ? std::optional(SemiringExec{std::move(*exec), target.kernels}) : std::nullopt;
}

} // namespace rw
