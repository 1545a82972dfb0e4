#include "rw/opt/opt_main.h"

#include "rw/infer/infer_shapes.h"
#include "rw/interp/constant_folder.h"
#include "rw/ir/dense_sweep.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"
#include "rw/opt/check.h"
#include "rw/opt/diff.h"
#include "rw/opt/emit_exec.h"
#include "rw/opt/expectations.h"
#include "rw/opt/html_report.h"
#include "rw/opt/lists.h"
#include "rw/opt/model_file.h"
#include "rw/opt/options.h"
#include "rw/opt/print_filter.h"
#include "rw/opt/progress.h"
#include "rw/opt/report.h"
#include "rw/opt/reproduce.h"
#include "rw/opt/run_tests.h"
#include "rw/opt/stages.h"
#include "rw/opt/stats.h"
#include "rw/opt/trace_files.h"
#include "rw/opt/why_not.h"
#include "rw/passes/knobs.h"
#include "rw/support/atomic_file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace rw {
namespace {
using namespace opt;

/// One run of the tool: its parts share sources, diagnostics and the streams.
class OptRun {
public:
  OptRun(Options options, const Registry &registry) : options_(std::move(options)), registry_(registry) {}
  int run();

private:
  std::optional<PassManager> makeManager();
  bool setPipeline(PassManager &, ModelFile &);
  bool convert(ModelFile &model, PassManager &manager, TraceSink *sink, uint64_t start);
  bool optimize(ModelFile &model, PassManager &manager, ProgramTrace &trace);
  bool save(ModelFile &model, ProgramTrace &trace);
  int diff();
  PassManagerOptions passOptions(const InterpreterFolder &) const;
  PassManagerOptions observed(PassManagerOptions, ProgramTrace &, int opset);
  bool describeRun(const PassManagerResult &);
  CheckOutcome check(Program &original, ModelFile &, PassManager &, const PassManagerResult &, uint64_t growth, int opset);
  bool writeReport(const ReportContents &);
  bool ranPasses() const { return options_.whyNot.empty() || options_.pipeline; } ///< beyond those of --why-not
  void report(const OpHistogram &before, const OpHistogram &after, const PassManagerResult &);
  void print(std::string_view text, FILE *to) {
    if (progress_)
      progress_->clear();
    fwrite(text.data(), 1, text.size(), to);
  }
  /// Where people read: standard output unless the program itself or data goes there.
  void print(std::string_view text) { print(text, programToStdout_ || options_.statsAsJson ? stderr : stdout); }
  int fail() {
    if (progress_)
      progress_->clear();
    std::string text = diags_.renderText(isatty(STDERR_FILENO));
    fwrite(text.data(), 1, text.size(), stderr);
    return wrongUse_ ? 2 : 1;
  }

  Options options_;
  const Registry &registry_;
  SourceManager sources_;
  Diagnostics diags_{sources_};
  PatternFilter filter_;
  RewriteLog log_;
  LateOverrides overrides_;
  std::optional<Progress> progress_;
  std::optional<RewriteRecorder> recorder_;
  bool programToStdout_ = false, changed_ = false;
  bool traced_ = false;   // events go to files
  bool wrongUse_ = false; // what is wrong is the command line
};

int OptRun::run() {
  if (options_.listsOnly()) {
    std::string text = describeRegistry(registry_, options_);
    fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  }
  uint64_t start = traceClock();
  if (!options_.diffWith.empty())
    return diff();
  progress_.emplace(start, options_.progressAfter);
  if (options_.reproduce && !applyReproducer(options_, sources_, diags_))
    return fail();
  std::optional<PassManager> manager = makeManager();
  if (!manager)
    return fail();
  if ((!options_.emitExec && !canSave(options_.output, diags_)) || !canWrite(options_.output, diags_) || !canWrite(options_.report, diags_))
    return fail();
  std::unique_ptr<ModelFile> model = loadModel(options_.input, registry_.ops, sources_, diags_, options_.strict);
  if (!model || diags_.hasErrors())
    return fail();
  bool quiet = options_.output.empty() && (options_.emitExec || (model->format() == "rwir" && options_.whyNot.empty()));
  programToStdout_ = quiet || options_.output == "-";
  if (!verifyProgram(model->program(), diags_, {.file = options_.input}))
    return fail();
  if (!setPipeline(*manager, *model))
    return fail();
  TraceFiles traces(options_);
  TraceSinks sinks;
  traced_ = traces.sink() != nullptr;
  sinks.add(traces.sink());
  if (options_.logRewrites)
    sinks.add(&log_);
  sinks.add(&*progress_);
  if (!options_.report.empty())
    sinks.add(&recorder_.emplace());
  bool good = convert(*model, *manager, sinks.empty() ? nullptr : &sinks, start);
  if (!traces.finish(diags_) || !good)
    return fail();
  print(diags_.renderText(isatty(STDERR_FILENO)), stderr);
  return 0;
}

/// What the input has that the other model has not: exit status 0 if nothing, 1 if something, 2 if that is not known.
int OptRun::diff() {
  std::unique_ptr<ModelFile> a = loadModel(options_.diffWith, registry_.ops, sources_, diags_);
  std::unique_ptr<ModelFile> b = loadModel(options_.input, registry_.ops, sources_, diags_);
  if (!a || !b || diags_.hasErrors()) {
    fail();
    return 2;
  }
  std::string text = describeDifference(*a, *b);
  print(text, stdout);
  return text.empty() ? 0 : 1;
}

/// What runs passes, with those of --pipeline; none and diagnostics if something on the command line is wrong.
std::optional<PassManager> OptRun::makeManager() {
  wrongUse_ = !options_.reproduce; // there a file says it
  PipelineKnobs knobs = readKnobs([](const char *name) { return getenv(name); });
  for (const PipelineKnobs::Warning &warning : knobs.warnings)
    diags_.warningInFile("environment", warning.variable, warning.text);
  options_.passStats = knobs.passStats;
  PipelineSettings settings{knobs.preIterations, knobs.postIterations, nullptr};
  if (!options_.backend.empty()) {
    settings.backend = registry_.backend(options_.backend);
    if (!settings.backend) {
      std::string_view near = nearestName(options_.backend, registry_.backendNames());
      diags_.errorInFile("unknown-backend", "command line",
                         fmt::format("no backend is named `{}`{}", options_.backend,
                                     near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
      return std::nullopt;
    }
  }
  std::optional<PassManager> manager(std::in_place, registry_, settings);
  if (options_.pipeline && !manager->parse(*options_.pipeline, sources_, diags_, "--pipeline"))
    return std::nullopt;
  filter_ = {options_.disabledPatterns, options_.onlyPatterns};
  if (std::optional<NameError> error = checkFilter(filter_, registry_)) {
    diags_.errorInFile(error->tag, "command line", error->message);
    return std::nullopt;
  }
  std::string reason;
  if (!checkPrintFilter(options_, registry_, reason)) {
    diags_.errorInFile("unknown-pass", "command line", reason);
    return std::nullopt;
  }
  if (!options_.whyNot.empty() && !isKnownPattern(registry_, options_, diags_))
    return std::nullopt;
  wrongUse_ = false;
  return manager;
}

/// The passes that run if nobody says which; and what else of the command line is read for a program. False and diagnostics if that is wrong.
bool OptRun::setPipeline(PassManager &manager, ModelFile &model) {
  std::string pipeline(!options_.whyNot.empty() ? "none" : options_.emitExec ? "tenferro" : model.defaultPipeline());
  if (!options_.pipeline && !manager.parse(pipeline, sources_, diags_, "--pipeline"))
    return false;
  if (!checkExpectationTexts(model.program(), options_, diags_))
    wrongUse_ = true;
  bool known = readLateOverrides(options_, model.program(), sources_, diags_, overrides_, wrongUse_);
  return known && !wrongUse_;
}

/// The stages after reading, as one run of a trace.
bool OptRun::convert(ModelFile &model, PassManager &manager, TraceSink *sink, uint64_t start) {
  TraceRun run{.backend = options_.backend, .pipeline = printPipeline(manager.items())};
  if (!traced_)
    run.graph = "-"; // made of the program's text, weights and all: only for those who look at it
  ProgramTrace trace(std::move(run), model.program(), sink, start);
  trace.record(Stage::Build, start, traceClock());
  Program &program = model.program();
  bool good = optimize(model, manager, trace) &&
              finishShapes(options_, program, changed_, overrides_, trace, diags_) &&
              (options_.whyNot.empty() || explainNoMatch(program, registry_, options_, diags_, [&](std::string_view text) { print(text); })) &&
              save(model, trace);
  trace.finish(changed_, !good);
  return good;
}

bool OptRun::save(ModelFile &model, ProgramTrace &trace) {
  SpanTrace span(trace, Stage::Export);
  if (!programToStdout_ && options_.output.empty())
    return true;
  std::string path = programToStdout_ ? "-" : options_.output;
  return options_.emitExec ? emitExec(options_, model.program(), path, diags_) : model.save(path, diags_);
}

/// Large weights that a factor goes into are computed at once: left to the model, they would be so in each of its runs. (What
/// would make a model larger is not folded anyway.)
static constexpr size_t kMostFoldedBytes = size_t(1) << 28;

/// By how much constants that are computed may make a program larger. More than models need, so that a run on the result has nothing to add.
static uint64_t growthAllowed(Program &program) {
  uint64_t bytes = 0;
  for (Function &fn : program.functions())
    for (uint32_t i = 0; i < fn.opCapacity(); ++i)
      if (Op op = fn.op(OpId(i)); !op.isErased() && op.operandCount() == 0 && op.resultCount() == 1 && op.result().constant())
        bytes += uint64_t(program.context().elementCount(op.result().typeId()).value_or(0)) * dtypeBytes(op.result().type().dtype);
  return (uint64_t(16) << 20) + bytes / 8;
}

/// What the passes may do: the same each time they run on the same program.
PassManagerOptions OptRun::passOptions(const InterpreterFolder &folder) const {
  PassManagerOptions run;
  run.verifyEach = options_.verifyEach;
  run.strict = options_.strict;
  run.rewriteConfig.folder = &folder;
  run.rewriteConfig.filter = filter_.empty() ? nullptr : &filter_;
  run.rewriteConfig.maxFoldBytes = kMostFoldedBytes;
  run.rewriteConfig.merge = options_.merge;
  run.rewriteConfig.allowFastMath = options_.fastmath;
  if (options_.expensiveChecks)
    run.rewriteConfig.expensiveChecks = *options_.expensiveChecks;
  return run;
}

/// The same, with what watches the run.
PassManagerOptions OptRun::observed(PassManagerOptions run, ProgramTrace &trace, int opset) {
  run.within = &trace;
  run.lateOverrides = overrides_.size() ? &overrides_ : nullptr;
  run.rewriteConfig.timePatterns = options_.timing;
  run.rewriteConfig.listener = recorder_ ? &*recorder_ : nullptr;
  run.reproducer = options_.reproducer;
  run.reproducerSettings = settingsOf(options_, opset);
  run.beforePass = [this](std::string_view pass, Function &fn) {
    if (printsBefore(options_, pass))
      print(fmt::format("// before {}\n{}", pass, printFunction(fn)));
  };
  run.afterPass = [this](const PassRecord &record, Function &fn) {
    if (std::string lines = log_.take(); !lines.empty())
      print(lines);
    if ((options_.printAfterChange && record.changed) || printsAfter(options_, record.pass))
      print(fmt::format("// after {}\n{}", record.pass, printFunction(fn)));
  };
  return run;
}

bool OptRun::optimize(ModelFile &model, PassManager &manager, ProgramTrace &trace) {
  SpanTrace span(trace, Stage::Optimize);
  Program &program = model.program();
  OpHistogram before = countOps(program);
  std::optional<Program> original;
  if (options_.check)
    original.emplace(program.clone());
  int opset = options_.opset ? options_.opset : model.opsetVersion();
  if (options_.opset)
    program.context().setDialectVersion("onnx", opset);
  uint64_t growth = growthAllowed(program);
  InterpreterFolder folder(opset, growth);
  PassManagerOptions run = observed(passOptions(folder), trace, opset);
  DenseSweep sweep(program, [&](std::span<const AttrId> gone) { model.dropTensors(gone); });
  if (!original && !overrides_.size()) // which hold constants themselves
    run.rewriteConfig.sweep = &sweep;
  uint64_t budget = options_.maxRewrites.value_or(0);
  if (options_.maxRewrites)
    run.rewriteConfig.sharedBudget = &budget;
  PassManagerResult result = manager.run(program, run);
  changed_ = result.changed;
  if (!describeRun(result))
    return false;
  // A check that fails takes the program; what others tell of the run tells of the check, too.
  OpHistogram after = countOps(program);
  NearMisses misses = recorder_ ? findNearMisses(program, manager.items(), run.rewriteConfig) : NearMisses();
  report(before, after, result);
  bool good = checkExpectations(program, options_, diags_);
  std::optional<CheckOutcome> checked;
  if (original && good) {
    checked = check(*original, model, manager, result, growth, opset);
    good = checked->good;
  }
  std::string pipeline = printPipeline(manager.items());
  if (options_.statsAsJson && ranPasses())
    print(statisticsAsJson(options_.input, pipeline, before, after, result, checked, options_.timing), programToStdout_ ? stderr : stdout);
  if (recorder_ && !writeReport({options_.input, pipeline, before, after, result, *recorder_, misses, checked}))
    return false;
  return good;
}

/// The program before and after on random inputs.
CheckOutcome OptRun::check(Program &original, ModelFile &model, PassManager &manager, const PassManagerResult &result, uint64_t growth, int opset) {
  progress_->say("checking");
  auto runAnew = [&](Rerun &again) {
    Program copy = original.clone();
    InterpreterFolder another(opset, growth);
    PassManagerOptions rerun = passOptions(another);
    uint64_t left = again.limit;
    rerun.rewriteConfig.sharedBudget = &left;
    rerun.trace = again.sink;
    if (again.afterPass)
      rerun.afterPass = [&](const PassRecord &record, Function &) { again.afterPass(record, copy); };
    progress_->say("searching for the rewrite that changes results");
    manager.run(copy, rerun);
    again.done = again.limit - left;
    return copy;
  };
  auto isChanged = [&](std::string_view function) {
    return std::ranges::any_of(result.records, [&](const PassRecord &r) { return r.changed && r.function == function; });
  };
  return checkAgreement(original, model, options_, opset, diags_, {runAnew, isChanged, [&](std::string_view text) { print(text); }});
}

bool OptRun::writeReport(const ReportContents &contents) {
  std::string error;
  if (writeFile(options_.report, renderReport(contents), error))
    return true;
  diags_.errorInFile("write-failed", options_.report, error);
  return false;
}

/// Diagnostics of what went wrong in the passes; false if nothing may be written.
bool OptRun::describeRun(const PassManagerResult &result) {
  for (const PassRecord &record : result.records)
    if (record.failed)
      diags_.warningInFile("pass-failed", options_.input,
                           fmt::format("{} failed in @{} and was undone: {}", record.pass, record.function, record.message));
  if (!result.reproducerError.empty())
    diags_.errorInFile("write-failed", options_.reproducer, result.reproducerError);
  else if (result.failed && !options_.reproducer.empty())
    diags_.warningInFile("reproducer", options_.reproducer, "replays the failure: rw-opt --reproduce " + options_.reproducer);
  for (const std::string &remark : result.remarks)
    diags_.warningInFile("not-converged", options_.input, remark);
  if (result.stopped)
    diags_.errorInFile("pass-failed", options_.input, "stopped at the failing pass, as --strict says; nothing was written");
  return !result.stopped;
}

/// What a run without JSON says.
void OptRun::report(const OpHistogram &before, const OpHistogram &after, const PassManagerResult &result) {
  if (!ranPasses() || options_.statsAsJson)
    return;
  bool passes = options_.stats || options_.timing || options_.passStats;
  if (options_.stats)
    print(describeChange(before, after));
  if (passes)
    print(renderStatistics(result, options_.timing));
  if (options_.timing)
    print("\n" + renderTiming(result));
  if (passes || programToStdout_)
    return;
  std::string text = fmt::format("{} op{}, {} after\n", before.total, before.total == 1 ? "" : "s", after.total);
  for (const PassRecord::PatternUse &use : result.patterns)
    if (use.counters.applied)
      text += fmt::format("  {:>6} x {}\n", use.counters.applied, use.name);
  print(text);
}
} // namespace

int optMain(int argc, char **argv, const Registry &given) {
  Registry registry = given;
  if (!registry.pass("fold_shapes")) // the pipelines of the built-in patterns name it
    registerInferencePasses(registry);
  Options options;
  if (std::optional<int> status = parseOptions(argc, argv, options))
    return *status;
  SourceManager sources;
  Diagnostics found(sources);
  bool consistent = registry.check(found);
  std::string text = found.renderText(isatty(STDERR_FILENO));
  fwrite(text.data(), 1, text.size(), stderr);
  if (!consistent)
    return 1;
  if (options.test)
    return runTests(registry, *options.test);
  int status = OptRun(std::move(options), registry).run();
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return status;
  std::fputs("error: standard output took not all that was written to it; is its disk full? [write-failed]\n", stderr);
  return 1;
}

} // namespace rw
