#include "rw/opt/opt_main.h"

#include "rw/infer/infer_shapes.h"
#include "rw/interp/constant_folder.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"
#include "rw/opt/check.h"
#include "rw/opt/lists.h"
#include "rw/opt/model_file.h"
#include "rw/opt/options.h"
#include "rw/opt/print_filter.h"
#include "rw/opt/report.h"
#include "rw/opt/reproduce.h"
#include "rw/opt/run_tests.h"
#include "rw/opt/stages.h"
#include "rw/opt/trace_files.h"
#include "rw/opt/why_not.h"
#include "rw/passes/expect_graph.h"
#include "rw/passes/knobs.h"
#include "rw/passes/pass_manager.h"

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
  std::optional<PassManager> makeManager(ModelFile &model);
  bool convert(ModelFile &model, PassManager &manager, TraceSink *sink, uint64_t start);
  bool optimize(ModelFile &model, PassManager &manager, ProgramTrace &trace);
  bool save(ModelFile &model, ProgramTrace &trace);
  bool checkExpectations(Program &);
  void report(Program &, const OpHistogram &before, const PassManagerResult &);
  /// Where people read: standard output unless the program itself goes there.
  FILE *console() const { return programToStdout_ ? stderr : stdout; }
  void print(std::string_view text) const { fwrite(text.data(), 1, text.size(), console()); }
  int fail() {
    std::string text = diags_.renderText(isatty(STDERR_FILENO));
    fwrite(text.data(), 1, text.size(), stderr);
    return 1;
  }

  Options options_;
  const Registry &registry_;
  SourceManager sources_;
  Diagnostics diags_{sources_};
  PatternFilter filter_;
  RewriteLog log_;
  LateOverrides overrides_;
  bool programToStdout_ = false, changed_ = false;
};

int OptRun::run() {
  if (options_.listsOnly()) {
    std::string text = describeRegistry(registry_, options_);
    fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  }
  uint64_t start = traceClock();
  if (options_.reproduce && !applyReproducer(options_, sources_, diags_))
    return fail();
  std::unique_ptr<ModelFile> model = loadModel(options_.input, registry_.ops, sources_, diags_);
  if (!model || diags_.hasErrors())
    return fail();
  if (!canSave(*model, options_.output, diags_))
    return fail();
  bool quiet = options_.output.empty() && model->format() == "rwir" && options_.whyNot.empty();
  programToStdout_ = quiet || options_.output == "-";
  if (!verifyProgram(model->program(), diags_))
    return fail();
  std::optional<PassManager> manager = makeManager(*model);
  if (!manager)
    return fail();
  TraceFiles traces(options_);
  TraceSinks sinks;
  sinks.add(traces.sink());
  if (options_.logRewrites)
    sinks.add(&log_);
  bool good = convert(*model, *manager, sinks.empty() ? nullptr : &sinks, start);
  if (!traces.finish(diags_) || !good)
    return fail();
  std::string warnings = diags_.renderText(isatty(STDERR_FILENO));
  fwrite(warnings.data(), 1, warnings.size(), stderr);
  return 0;
}

/// What to run; none and diagnostics if something on the command line is wrong.
std::optional<PassManager> OptRun::makeManager(ModelFile &model) {
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
  std::string pipeline(options_.whyNot.empty() ? model.defaultPipeline() : "none");
  std::optional<PassManager> manager(std::in_place, registry_, settings);
  if (!manager->parse(options_.pipeline.value_or(pipeline), sources_, diags_, "--pipeline"))
    return std::nullopt;
  filter_ = {options_.disabledPatterns, options_.onlyPatterns};
  std::string reason;
  if (!checkFilter(filter_, registry_, reason)) {
    diags_.errorInFile("unknown-pattern", "command line", reason);
    return std::nullopt;
  }
  if (!checkPrintFilter(options_, registry_, reason)) {
    diags_.errorInFile("unknown-pass", "command line", reason);
    return std::nullopt;
  }
  return manager;
}

/// The stages after reading, as one run of a trace.
bool OptRun::convert(ModelFile &model, PassManager &manager, TraceSink *sink, uint64_t start) {
  ProgramTrace trace({.backend = options_.backend, .pipeline = printPipeline(manager.items())}, model.program(), sink, start);
  trace.record(Stage::Build, start, traceClock());
  Program &program = model.program();
  bool good = readLateOverrides(options_, program, sources_, diags_, overrides_) && optimize(model, manager, trace) &&
              finishShapes(options_, program, changed_, overrides_, trace, diags_) &&
              (options_.whyNot.empty() || explainNoMatch(program, registry_, options_, diags_, [&](auto text) { print(text); })) &&
              save(model, trace);
  trace.finish(changed_, !good);
  return good;
}

bool OptRun::save(ModelFile &model, ProgramTrace &trace) {
  SpanTrace span(trace, Stage::Export);
  if (!programToStdout_ && options_.output.empty())
    return true;
  return model.save(programToStdout_ ? "-" : options_.output, diags_);
}

bool OptRun::optimize(ModelFile &model, PassManager &manager, ProgramTrace &trace) {
  SpanTrace span(trace, Stage::Optimize);
  Program &program = model.program();
  OpHistogram before = countOps(program);
  std::optional<Program> original;
  if (options_.check)
    original.emplace(program.clone());
  int opset = options_.opset ? options_.opset : model.opsetVersion();
  InterpreterFolder folder(opset);
  PassManagerOptions run;
  run.verifyEach = options_.verifyEach;
  run.strict = options_.strict;
  run.rewriteConfig.folder = &folder;
  run.within = &trace;
  run.lateOverrides = overrides_.size() ? &overrides_ : nullptr;
  run.rewriteConfig.filter = filter_.empty() ? nullptr : &filter_;
  run.rewriteConfig.merge = options_.merge;
  run.rewriteConfig.allowFastMath = options_.fastmath;
  run.rewriteConfig.timePatterns = options_.timing;
  if (options_.expensiveChecks)
    run.rewriteConfig.expensiveChecks = *options_.expensiveChecks;
  uint64_t budget = options_.maxRewrites.value_or(0);
  if (options_.maxRewrites)
    run.rewriteConfig.sharedBudget = &budget;
  run.reproducer = options_.reproducer;
  run.reproducerSettings = settingsOf(options_, opset);
  run.beforePass = [&](std::string_view pass, Function &fn) {
    if (printsBefore(options_, pass))
      print(fmt::format("// before {}\n{}", pass, printFunction(fn)));
  };
  run.afterPass = [&](const PassRecord &record, Function &fn) {
    print(log_.take());
    if ((options_.printAfterChange && record.changed) || printsAfter(options_, record.pass))
      print(fmt::format("// after {}\n{}", record.pass, printFunction(fn)));
  };
  PassManagerResult result = manager.run(program, run);
  changed_ = result.changed;
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
  if (result.stopped) {
    diags_.errorInFile("pass-failed", options_.input, "stopped at the failing pass, as --strict says; nothing was written");
    return false;
  }
  report(program, before, result);
  if (!checkExpectations(program))
    return false;
  return !original || checkAgreement(*original, program, options_, opset, diags_, [&](std::string_view text) { print(text); });
}

/// What --expect asks for, of the program's first function: the model's graph.
bool OptRun::checkExpectations(Program &program) {
  bool holds = true;
  for (const std::string &items : options_.expect) {
    if (program.functions().empty()) {
      diags_.errorInFile("unmet-expectation", options_.input, "there is no function that could hold what --expect asks for");
      return false;
    }
    ExpectResult result = expectGraph(program.functions().front(), items,
                                      options_.expectExact ? ExpectMode::Exact : ExpectMode::Contains);
    if (!result.holds)
      for (size_t at = 0, end; at < result.report.size(); at = end + 1) {
        end = std::min(result.report.find('\n', at), result.report.size());
        diags_.errorInFile(result.malformed ? "bad-expectation" : "unmet-expectation",
                           result.malformed ? "command line" : options_.input, result.report.substr(at, end - at));
      }
    holds &= result.holds;
  }
  return holds;
}

void OptRun::report(Program &program, const OpHistogram &before, const PassManagerResult &result) {
  if (!options_.whyNot.empty() && !options_.pipeline)
    return;
  OpHistogram after = countOps(program);
  bool passes = options_.stats || options_.timing || options_.passStats;
  if (options_.stats)
    print(describeChange(before, after));
  if (passes)
    print(renderStatistics(result, options_.timing));
  if (options_.timing)
    print("\n" + renderTiming(result));
  if (passes || programToStdout_)
    return;
  std::string text = fmt::format("{} ops, {} after\n", totalOf(before), totalOf(after));
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
  if (options.test)
    return runTests(registry, *options.test);
  return OptRun(std::move(options), registry).run();
}

} // namespace rw
