#include "rw/optimize/optimize.h"

#include "rw/interp/constant_folder.h"
#include "rw/ir/text_format.h"
#include "rw/ir/verifier.h"
#include "rw/passes/refine_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace rw {
namespace {

/// Large weights that a factor goes into are computed at once: left to the model, they would be so in each of its runs.
/// (What would make a model larger is not folded anyway.)
constexpr size_t kMostFoldedBytes = size_t(1) << 28;

/// By how much constants that are computed may make a program larger. More than models need, so that a run on the
/// result has nothing to add.
uint64_t growthAllowed(Program &program) {
  uint64_t bytes = 0;
  for (Function &fn : program.functions())
    for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
      Op op = fn.op(OpId(i));
      if (op.isErased() || op.operandCount() != 0 || op.resultCount() != 1 || !op.result().constant())
        continue;
      uint64_t elements = program.context().elementCount(op.result().typeId()).value_or(0);
      bytes += elements * dtypeBytes(op.result().type().dtype);
    }
  return (uint64_t(16) << 20) + bytes / 8;
}

/// Whether some pass of the pipeline holds a pattern that the filter lets through.
bool holds(const std::vector<PipelineItem> &items, const PatternFilter &filter) {
  return std::ranges::any_of(items, [&](const PipelineItem &item) {
    const FrozenPatternSet *set = item.pass ? item.pass->patterns() : nullptr;
    for (size_t i = 0; set && i < set->size(); ++i)
      if (filter.allows(set->info(i)))
        return true;
    return holds(item.items, filter);
  });
}

} // namespace

Optimizer::Optimizer(const Registry &registry, OptimizeOptions options)
    : registry_(registry), options_(std::move(options)), manager_(registry, options_.settings) {}

bool Optimizer::readPipeline(SourceManager &sources, Diagnostics &diags) {
  if (options_.pipeline && !manager_.parse(*options_.pipeline, sources, diags, "--pipeline")) {
    ambiguous_ = std::ranges::any_of(diags.all(), [](const Diagnostic &d) { return d.tag == "name-clash"; });
    return false;
  }
  std::optional<NameError> error = checkFilter(options_.filter, registry_);
  if (error) {
    ambiguous_ = error->tag == "name-clash";
    diags.errorInFile(error->tag, std::string(options_.askedIn), error->message);
  } else if (options_.pipeline) {
    warnOfNothing(diags);
  }
  return !error;
}

/// Who names patterns that are to run, and gets none, hears of it.
void Optimizer::warnOfNothing(Diagnostics &diags) const {
  const PatternFilter &filter = options_.filter;
  if (filter.only.empty() || holds(manager_.items(), filter))
    return;
  const bool isLeftOut = holds(manager_.items(), {.disabled = {}, .only = filter.only});
  auto told =
      diags.warningInFile("nothing-runs", std::string(options_.askedIn),
                          isLeftOut ? "no pattern runs: what --only-pattern lets through --disable-pattern takes away"
                                    : "no pattern runs: no pass of the pipeline has one that --only-pattern names");
  if (!isLeftOut)
    told.note(
        fmt::format("`run_patterns{{names=\"{}\"}}` in the pipeline is a pass that has", fmt::join(filter.only, ",")));
}

bool Optimizer::readDefault(std::string_view text, SourceManager &sources, Diagnostics &diags) {
  if (options_.pipeline)
    return true;
  PassManager usual(registry_, options_.settings);
  if (!usual.parse(text, sources, diags, "--pipeline"))
    return false;
  // Who asks for a pattern by name wants it to run, also if no pass of the pipeline holds it.
  std::string missing;
  size_t count = 0;
  for (const std::string &name : text == "none" ? std::vector<std::string>() : options_.filter.only)
    if (!holds(usual.items(), {.disabled = {}, .only = {name}})) {
      missing += (missing.empty() ? "" : ",") + name;
      ++count;
      const PatternEntry *pattern = registry_.patterns.find(name);
      if (pattern && !options_.fastmath.value_or(FastMath()).allows(pattern->info.fastmath))
        diags.warningInFile("needs-fastmath", "command line",
                            fmt::format("`{}` changes results by rounding, so it runs with {} only", name,
                                        pattern->info.fastmath.flag()));
    }
  std::string all(count && count == options_.filter.only.size() ? "" : text);
  if (count)
    all += fmt::format("{}run_patterns{{names=\"{}\"}}", all.empty() ? "" : ",", missing);
  if (!manager_.parse(all, sources, diags, "--pipeline"))
    return false;
  if (text != "none")
    warnOfNothing(diags);
  return true;
}

void Optimizer::measure(Program &program, int opset) {
  opset_ = opset;
  growth_ = growthAllowed(program);
}

PassManagerResult Optimizer::run(Program &program, const std::function<void(PassManagerOptions &)> &observe) {
  InterpreterFolder folder(opset_, growth_); // which counts what it does: a new one each time
  uint64_t budget = options_.maxRewrites.value_or(0);
  PassManagerOptions run;
  run.verifyEach = options_.verifyEach;
  run.threads = options_.threads;
  run.makeFolder = [this] { return std::make_unique<InterpreterFolder>(opset_, growth_); };
  run.strict = options_.strict;
  run.rewriteConfig.folder = &folder;
  run.rewriteConfig.filter = options_.filter.empty() ? nullptr : &options_.filter;
  run.rewriteConfig.maxFoldBytes = size_t(options_.maxFoldBytes.value_or(kMostFoldedBytes));
  run.rewriteConfig.merge = options_.merge;
  run.rewriteConfig.allowFastMath = options_.fastmath.value_or(FastMath());
  run.rewriteConfig.mostFastMath = options_.fastmath.value_or(FastMath::every());
  if (options_.expensiveChecks)
    run.rewriteConfig.expensiveChecks = *options_.expensiveChecks;
  if (options_.maxRewrites)
    run.rewriteConfig.sharedBudget = &budget;
  if (observe)
    observe(run);
  return manager_.run(program, run);
}

/// What stands in the way of a pass that does all or nothing, each at its place in the text.
static void reportErrors(const PassManagerResult &result, const std::string &where, Diagnostics &diags) {
  for (const PassError &error : result.errors) {
    SourceRange at = text::wordAt(diags.sources(), error.at);
    auto told = at ? diags.error(error.tag, at, error.message) : diags.errorInFile(error.tag, where, error.message);
    for (const std::string &note : error.notes)
      told.note(note);
  }
}

bool reportRun(const PassManagerResult &result, std::string_view file, std::string_view reproducer,
               Diagnostics &diags) {
  std::string where(file);
  if (!result.errors.empty()) {
    reportErrors(result, where, diags);
    return false;
  }
  for (const PassRecord &record : result.records)
    if (record.failed)
      diags.warningInFile(
          "pass-failed", where,
          fmt::format("{} failed in @{} and was undone: {}", record.pass, record.function, record.message));
  if (!result.reproducerError.empty())
    diags.errorInFile("write-failed", std::string(reproducer), result.reproducerError);
  else if ((result.failed || result.stopped) && !reproducer.empty())
    diags.warningInFile("reproducer", std::string(reproducer),
                        fmt::format("replays the failure: rw-opt --reproduce {}", reproducer));
  for (const std::string &remark : result.remarks)
    diags.warningInFile("not-converged", where, remark);
  reportWarnings(result, file, diags);
  if (result.stopped && result.failed)
    diags.errorInFile("pass-failed", where, "stopped at the failing pass, as --strict says; nothing was written");
  return !result.stopped;
}

bool finishProgram(Program &program, bool changed, LateOverrides &table, ProgramTrace &trace, std::string_view file,
                   Diagnostics &diags) {
  std::string where(file);
  {
    SpanTrace span(trace, Stage::LateOverrides);
    LateOverrides::Outcome outcome = table.apply();
    span.setSkipped(outcome.skipped);
    changed |= outcome.applied != 0;
    for (const std::string &reason : outcome.reasons)
      diags.warningInFile("late-override", where, "skipped " + reason);
    if (outcome.skipped)
      diags.warningInFile(
          "late-override", where,
          fmt::format("{} of {} late overrides skipped", outcome.skipped, outcome.applied + outcome.skipped));
  }
  {
    SpanTrace span(trace, Stage::InferShapes);
    if (changed)
      for (Function &fn : program.functions())
        refineTypes(fn);
  }
  SpanTrace span(trace, Stage::FinalizeShapes);
  return verifyProgram(program, diags, {.file = where});
}

std::optional<PassManagerResult> optimizeProgram(Program &program, const Registry &registry,
                                                 const OptimizeOptions &options, Diagnostics &diags, int opset,
                                                 std::string_view usualPipeline, std::string_view file,
                                                 const std::function<void(PassManagerOptions &)> &observe) {
  SourceManager sources; // of pipeline texts
  Diagnostics found(sources);
  Optimizer optimizer(registry, options);
  if (!optimizer.readPipeline(sources, found) || !optimizer.readDefault(usualPipeline, sources, found)) {
    for (const Diagnostic &d : found.all()) {
      auto told = diags.errorInFile(d.tag, "options", d.message);
      for (const Diagnostic::FixIt &fix : d.fixIts)
        told.note("did you mean `" + fix.replacement + "`?");
    }
    return std::nullopt;
  }
  std::string where(file);
  if (!verifyProgram(program, diags, {.file = where}))
    return std::nullopt;
  TraceRun run{.pipeline = printPipeline(optimizer.items())};
  run.graph = "-";
  ProgramTrace trace(std::move(run), program);
  optimizer.measure(program, opset);
  PassManagerResult result;
  {
    SpanTrace span(trace, Stage::Optimize);
    result = optimizer.run(program, [&](PassManagerOptions &options) {
      options.within = &trace;
      if (observe)
        observe(options);
    });
  }
  LateOverrides none;
  bool good = reportRun(result, where, "", diags) && finishProgram(program, result.changed, none, trace, where, diags);
  trace.finish(result.changed, !good);
  return good ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace rw
