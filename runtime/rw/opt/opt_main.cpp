#include "rw/opt/opt_main.h"

#include "rw/ir/dense_sweep.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"
#include "rw/opt/check.h"
#include "rw/opt/diff.h"
#include "rw/opt/emit_exec.h"
#include "rw/opt/expectations.h"
#include "rw/opt/half_precision.h"
#include "rw/opt/html_report.h"
#include "rw/opt/list_registry.h"
#include "rw/opt/load_model.h"
#include "rw/opt/onnx_file.h"
#include "rw/opt/options.h"
#include "rw/opt/print_filter.h"
#include "rw/opt/progress.h"
#include "rw/opt/read_late_overrides.h"
#include "rw/opt/report.h"
#include "rw/opt/reproduce.h"
#include "rw/opt/stats.h"
#include "rw/opt/trace_files.h"
#include "rw/opt/why_not.h"
#include "rw/optimize/interface.h"
#include "rw/optimize/optimize.h"
#include "rw/passes/conversion.h"
#include "rw/passes/knobs.h"
#include "rw/plugin/load_plugins.h"
#include "rw/support/atomic_file.h"
#include "rw/support/exec_sibling.h"
#include "rw/support/nearest_name.h"
#include "rw/support/output_files.h"
#include "rw/testing/run_tests.h"

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
  bool makeOptimizer();
  bool keepsTensors(const ModelFile &);
  bool asWanted(ModelFile &);
  std::string conversionFor(ModelFile &);
  bool append(const std::string &passes, std::string &usual);
  bool prepare(Program &);
  bool setPipeline(ModelFile &);
  bool convert(ModelFile &model, TraceSink *sink, uint64_t start);
  bool optimize(ModelFile &model, ProgramTrace &trace);
  bool save(ModelFile &model, ProgramTrace &trace);
  int diff();
  void observe(PassManagerOptions &, ProgramTrace &, int opset);
  CheckOutcome check(const Program &original, ModelFile &, const PassManagerResult &, int opset);
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
  std::optional<Optimizer> optimizer_;
  RewriteLog log_;
  LateOverrides overrides_;
  KeptOps kept_;
  std::optional<Progress> progress_;
  std::optional<RewriteRecorder> recorder_;
  bool programToStdout_ = false, changed_ = false;
  bool saysSizes_ = false; // the run was of a large program, and is summed up
  bool traced_ = false;    // events go to files
  bool wrongUse_ = false;  // what is wrong is the command line
};

/// Whether no output is a file that holds tensors of the model.
bool OptRun::keepsTensors(const ModelFile &model) {
  for (const OutputFile &output : outputsOf(options_))
    if (output.isNamed() && model.reads(output.path)) {
      diags_
          .errorInFile("written-over", output.path,
                       fmt::format("{} would be written over tensors of {}, which are in this file", output.option,
                                   options_.input))
          .note("nothing was written; name another file");
      return false;
    }
  return true;
}

int OptRun::run() {
  if (options_.listsOnly()) {
    std::string text = describeRegistry(registry_, options_);
    if (text.empty()) {
      diags_.errorInFile("no-such-op", "command line", fmt::format("no op has a name like {}", options_.listOps))
          .note("in it `*` is any text and `?` one character; --list-ops alone lists all");
      return fail();
    }
    fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  }
  uint64_t start = traceClock();
  if (!options_.diffWith.empty())
    return diff();
  progress_.emplace(start, options_.progressAfter);
  if (!makeOptimizer())
    return fail();
  if (!options_.emitExec && !canSave(options_.output, diags_))
    return fail();
  for (const OutputFile &output : outputsOf(options_))
    if (!canWrite(output.path, diags_))
      return fail();
  if (!canBeFolder(options_.dumpDir, diags_))
    return fail();
  std::unique_ptr<ModelFile> model = loadModel(options_.input, registry_.ops, sources_, diags_, options_.strict);
  if (!model || diags_.hasErrors() || !keepsTensors(*model) || !asWanted(*model))
    return fail();
  bool quiet = options_.output.empty() && (options_.emitExec || (model->format() != "onnx" && options_.whyNot.empty()));
  programToStdout_ = quiet || options_.output == "-";
  if (!verifyProgram(model->program(), diags_, {.file = options_.input}))
    return fail();
  if (!prepare(model->program()) || !setPipeline(*model))
    return fail();
  TraceFiles traces(options_);
  TraceSinks sinks;
  traced_ = traces.sink() != nullptr;
  sinks.add(traces.sink());
  if (options_.logRewrites)
    sinks.add(&log_);
  if (options_.threads == 1) // what is told of a run is told in its order
    sinks.add(&*progress_);
  if (!options_.report.empty())
    sinks.add(&recorder_.emplace());
  bool good = convert(*model, sinks.empty() ? nullptr : &sinks, start);
  if (!traces.finish(diags_) || !good)
    return fail();
  // times are for people alone: files stay the same
  if (std::string sizes = saysSizes_ ? describeSizes(options_.output, options_.input) : ""; !sizes.empty())
    print(sizes + (isatty(STDOUT_FILENO) ? fmt::format("; {:.1f} s", double(traceClock() - start) / 1e9) : "") + "\n");
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

/// What runs passes, with those of --pipeline; false and diagnostics if something on the command line is wrong.
bool OptRun::makeOptimizer() {
  wrongUse_ = !options_.reproduce; // there a file says it
  PipelineKnobs knobs = readKnobs([](const char *name) { return getenv(name); });
  for (const PipelineKnobs::Warning &warning : knobs.warnings)
    diags_.warningInFile("environment", warning.variable, warning.text);
  options_.passStats = knobs.passStats;
  OptimizeOptions recipe{.pipeline = options_.pipeline,
                         .settings = {knobs.preIterations, knobs.postIterations, nullptr},
                         .filter = {options_.disabledPatterns, options_.onlyPatterns},
                         .fastmath = options_.fastmath,
                         .strict = options_.strict,
                         .verifyEach = options_.verifyEach,
                         .threads = options_.threads,
                         .merge = options_.merge,
                         .expensiveChecks = options_.expensiveChecks,
                         .maxRewrites = options_.maxRewrites,
                         .maxFoldBytes = options_.maxFoldBytes};
  if (!options_.backend.empty()) {
    recipe.settings.backend = registry_.backend(options_.backend);
    if (!recipe.settings.backend) {
      std::string_view near = nearestName(options_.backend, registry_.backendNames());
      diags_.errorInFile("unknown-backend", "command line",
                         fmt::format("no backend is named `{}`{}", options_.backend, didYouMean(near)));
      return false;
    }
  }
  optimizer_.emplace(registry_, std::move(recipe));
  if (!optimizer_->readPipeline(sources_, diags_)) {
    wrongUse_ &= !optimizer_->isAmbiguous(); // then it is what is registered that does not go together
    return false;
  }
  if (Result<void> known = checkPrintFilter(options_, registry_); !known) {
    diags_.errorInFile("unknown-pass", "command line", known.error());
    return false;
  }
  if (!options_.whyNot.empty() && !isKnownPattern(registry_, options_, diags_)) {
    wrongUse_ &= diags_.all().back().tag != "name-clash";
    return false;
  }
  wrongUse_ = false;
  return true;
}

/// A model in the operator set that is asked for, and with the tensors that something looks at.
bool OptRun::asWanted(ModelFile &model) {
  if (model.format() != "onnx")
    return true;
  if (options_.opset && !options_.reproduce && !model.convertOpset(options_.opset, registry_.ops, diags_))
    return false;
  return (!options_.embedData && !options_.fp16) || model.readTensors(registry_.ops, diags_);
}

/// Passes behind those that run: of --pipeline, or the usual ones.
bool OptRun::append(const std::string &passes, std::string &usual) {
  if (!options_.pipeline) {
    usual = usual == "none" ? passes : usual + "," + passes;
    return true;
  }
  *options_.pipeline = *options_.pipeline == "none" ? passes : *options_.pipeline + "," + passes;
  return makeOptimizer();
}

/// A program that is to be a model, or StableHLO, and is of other dialects is converted first: the passes that do it,
/// unless the pipeline has them.
std::string OptRun::conversionFor(ModelFile &model) {
  std::string text;
  std::string_view target = isOnnxName(options_.output) ? "onnx" : isMlirName(options_.output) ? "stablehlo" : "";
  std::string_view format = model.format();
  std::string_view dialect = format == "mlir"    ? "stablehlo"
                             : format == "jaxpr" ? "jax"
                             : format == "onnx"  ? "onnx"
                                                 : "";
  if (target.empty())
    return text;
  if (dialect == target)
    return text;
  for (const PassEntry *conversion : conversionsTo(registry_, model.program(), target, dialect)) {
    std::string name = registry_.shownName(*conversion);
    if (std::ranges::none_of(optimizer_->items(), [&](const PipelineItem &item) { return item.name == name; }))
      text += (text.empty() ? "" : ",") + name;
  }
  return text;
}

/// What the command line says of the program's inputs and outputs, and of ops that stay as they are.
bool OptRun::prepare(Program &program) {
  std::vector<InputShape> shapes;
  for (const std::string &text : options_.shapes)
    shapes.push_back(*readInputShape(text)); // the command line was looked at
  if (options_.freezeDefaults)
    freezeDefaults(program);
  return fixShapes(program, shapes, options_.input, diags_) &&
         cutAt(program, options_.inputs, options_.outputs, options_.input, diags_) &&
         kept_.hide(program, options_.keep, options_.input, diags_);
}

/// The passes that run if nobody says which; and what else of the command line is read for a program. False and
/// diagnostics if that is wrong.
bool OptRun::setPipeline(ModelFile &model) {
  std::string pipeline(!options_.whyNot.empty() ? "none" : options_.emitExec ? "tenferro" : model.defaultPipeline());
  if (std::string conversion = conversionFor(model); !conversion.empty()) {
    if (isOnnxName(options_.output))
      nameEntry(model.program());
    if (options_.pipeline) {
      *options_.pipeline = *options_.pipeline == "none" ? conversion : conversion + "," + *options_.pipeline;
      if (!makeOptimizer())
        return false;
    } else if (isOnnxName(options_.output)) { // results may differ by rounding, as those of the pipeline onnx
      pipeline = conversion + "{fastmath=true},onnx";
      if (registry_.pipeline("as_written"))
        pipeline += ",as_written";
    } else if (model.format() == "onnx") { // shapes that are computed are numbers first, and nothing is fused
      pipeline = (registry_.pipeline("onnx_safe") ? "onnx_safe," : "") + conversion + ",default";
    } else {
      pipeline = conversion + "," + pipeline;
    }
  } else if (options_.opset && !options_.reproduce && model.format() != "onnx" &&
             std::ranges::none_of(optimizer_->items(),
                                  [](const PipelineItem &i) { return i.pass && i.pass->takesPrograms(); })) {
    diags_.errorInFile("wrong-opset", "command line",
                       "--opset says of which operator set a program becomes a model, and nothing is converted here");
    wrongUse_ = true;
    return false;
  }
  if (options_.fp16 && !append(halvingPasses(options_.keepFp32, options_.fp16Interface), pipeline))
    return false;
  if (!optimizer_->readDefault(pipeline, sources_, diags_))
    return false;
  if (!checkExpectationTexts(model.program(), options_, diags_))
    wrongUse_ = true;
  bool known = readLateOverrides(options_, model.program(), sources_, diags_, overrides_, wrongUse_);
  return known && !wrongUse_;
}

/// The stages after reading, as one run of a trace.
bool OptRun::convert(ModelFile &model, TraceSink *sink, uint64_t start) {
  TraceRun run{.backend = options_.backend, .pipeline = printPipeline(optimizer_->items())};
  if (!traced_)
    run.graph = "-"; // made of the program's text, weights and all: only for those who look at it
  ProgramTrace trace(std::move(run), model.program(), sink, start);
  trace.record(Stage::Build, start, traceClock());
  Program &program = model.program();
  bool good = optimize(model, trace) && finishProgram(program, changed_, overrides_, trace, options_.input, diags_) &&
              (options_.whyNot.empty() ||
               explainNoMatch(program, registry_, options_, diags_, [&](std::string_view text) { print(text); })) &&
              save(model, trace);
  trace.finish(changed_, !good);
  return good;
}

bool OptRun::save(ModelFile &model, ProgramTrace &trace) {
  SpanTrace span(trace, Stage::Export);
  if (!programToStdout_ && options_.output.empty())
    return true;
  std::string path = programToStdout_ ? "-" : options_.output;
  model.writing = {options_.bareOps, options_.externalData, options_.externalBytes};
  return options_.emitExec ? emitExec(options_, model.program(), path, diags_) : model.save(path, diags_);
}

/// What watches the run.
void OptRun::observe(PassManagerOptions &run, ProgramTrace &trace, int opset) {
  run.within = &trace;
  run.lateOverrides = overrides_.size() ? &overrides_ : nullptr;
  run.rewriteConfig.timePatterns = options_.timing;
  run.rewriteConfig.listener = recorder_ ? &*recorder_ : nullptr;
  run.reproducer = options_.reproducer;
  run.reproducerSettings = settingsOf(options_, opset);
  if (!options_.printAfterChange && options_.printBefore.empty() && options_.printAfter.empty() &&
      !options_.logRewrites)
    return;
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
}

bool OptRun::optimize(ModelFile &model, ProgramTrace &trace) {
  SpanTrace span(trace, Stage::Optimize);
  Program &program = model.program();
  OpHistogram before = countOps(program);
  std::optional<Digest> bytes = options_.statsAsJson ? digestOf(model) : std::nullopt;
  std::optional<Program> original;
  if (options_.check)
    original.emplace(program.clone());
  int opset = options_.opset ? options_.opset : model.opsetVersion();
  if (options_.opset)
    program.context().setDialectVersion("onnx", opset);
  optimizer_->measure(program, opset);
  DenseSweep sweep(program, [&](std::span<const AttrId> gone) { model.dropTensors(gone); });
  GreedyRewriteConfig config; // as the passes had it, for what looks at the result
  PassManagerResult result = optimizer_->run(program, [&](PassManagerOptions &run) {
    observe(run, trace, opset);
    if (!original && !overrides_.size()) // which hold constants themselves
      run.rewriteConfig.sweep = &sweep;
    config.filter = run.rewriteConfig.filter;
    config.allowFastMath = run.rewriteConfig.allowFastMath;
  });
  kept_.restore(program);
  if (options_.output.empty() ? model.format() == "onnx" : isOnnxName(options_.output))
    addOpsOfModel(program);
  changed_ = result.changed;
  if (bytes && options_.keep.empty()) // which are hidden before
    result.changed &= bytes != digestOf(model);
  if (!reportRun(result, options_.input, options_.reproducer, diags_))
    return false;
  if (!opset) // of what a conversion has made
    opset = int(program.context().dialectVersion("onnx"));
  // A check that fails takes the program; what others tell of the run tells of the check, too.
  OpHistogram after = countOps(program);
  NearMisses misses = recorder_ ? findNearMisses(program, optimizer_->items(), config) : NearMisses();
  report(before, after, result);
  bool good = checkExpectations(program, options_, diags_);
  std::optional<CheckOutcome> checked;
  if (original && good) {
    checked = check(*original, model, result, opset);
    good = checked->good;
  }
  std::string pipeline = printPipeline(optimizer_->items());
  if (options_.statsAsJson && ranPasses())
    print(statisticsAsJson(options_.input, pipeline, before, after, result, checked, options_.timing),
          programToStdout_ ? stderr : stdout);
  if (recorder_ && !writeReport({options_.input, pipeline, before, after, result, *recorder_, misses, checked}))
    return false;
  return good;
}

/// The program before and after on random inputs.
CheckOutcome OptRun::check(const Program &original, ModelFile &model, const PassManagerResult &result, int opset) {
  progress_->say("checking");
  std::vector<InputShape> shapes;
  for (const std::string &text : options_.checkShapes)
    shapes.push_back(*readInputShape(text));
  return checkRun(
      {*optimizer_, original, result, &kept_, shapes, opset}, model, options_, diags_,
      {.print = [&](std::string_view text) { print(text); },
       .beforeRerun = [&](PassManagerOptions &) { progress_->say("searching for the rewrite that changes results"); }});
}

bool OptRun::writeReport(const ReportContents &contents) {
  if (Result<void> written = writeFile(options_.report, renderReport(contents)); !written) {
    diags_.errorInFile("write-failed", options_.report, written.error());
    return false;
  }
  return true;
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
  if (programToStdout_)
    return;
  saysSizes_ = isLarge(before);
  if (passes)
    return;
  print(summarize(before, after, result));
}
/// The libraries of --plugin and the files of --patterns, in the registry; `patterns` gets what they declare.
bool loadMore(const Options &options, PatternLoader load, SourceManager &sources, Registry &registry,
              Diagnostics &diags, std::vector<NameRef> &patterns) {
  size_t before = registry.patterns.all().size();
  if (!loadPlugins(options.plugins, registry, diags))
    return false;
  for (size_t i = before; i < registry.patterns.all().size(); ++i) {
    const Declared pattern = registry.patterns.all()[i].info.declared();
    if (pattern.file.empty()) // declared in C++: by name alone
      patterns.emplace_back(fullName(pattern));
    else
      patterns.emplace_back(std::string(pattern.name), std::string(pattern.file), pattern.line);
  }
  if (options.patternFiles.empty())
    return true;
  if (!load) {
    diags.errorInFile("no-loader", "command line",
                      "this tool does not load pattern files: it was built without rw::load");
    return false;
  }
  std::vector<PatternSource> files;
  for (const std::string &path : options.patternFiles)
    files.push_back({path});
  const LoadOptions how{.importDirs = options.importDirs, .builtinTests = options.test.has_value()};
  std::optional<LoadedPatterns> loaded = load(files, how, sources, registry, diags);
  if (loaded)
    patterns.insert(patterns.end(), loaded->patterns.begin(), loaded->patterns.end());
  return loaded.has_value();
}

/// Without --pipeline and --why-not, what was loaded is what runs; a --pipeline may name it. A reproducer may be of
/// such a run.
bool runLoaded(Options &options, std::vector<NameRef> patterns, Registry &registry, Diagnostics &diags) {
  bool asked = !options.whyNot.empty() || options.listsOnly() || options.test;
  if (options.reproduce || options.pipeline ? patterns.empty() || options.listsOnly() : asked)
    return true;
  if (patterns.empty()) {
    diags
        .errorInFile("no-patterns",
                     options.patternFiles.empty() ? options.plugins.front() : options.patternFiles.front(),
                     "declares no patterns, so there is nothing to run")
        .note("say by --pipeline which passes run; `pattern NAME { before(x) => after(x) }` declares a pattern");
    return false;
  }
  std::string name = "loaded_patterns";
  while (registry.pass(name) || registry.pipeline(name))
    name += '_';
  registry.addPass({.name = name, .doc = "All patterns of --plugin and --patterns.", .patterns = std::move(patterns)});
  if (!options.reproduce && !options.pipeline)
    options.pipeline = name;
  return true;
}
} // namespace

static int serveWith(const PageServer &serve, char **argv, const Options &options, const Registry &given) {
  Registry registry = given;
  SourceManager sources;
  Diagnostics found(sources);
  int status = 1;
  if (!serve.program.empty())
    execSibling(serve.program, argv, found);
  else if (!serve.show)
    found.errorInFile("no-server", "command line", "this tool shows no page: it was built without the playground");
  else if (loadPlugins(options.plugins, registry, found) && registry.check(found))
    status = serve.show({.port = *options.serve,
                         .model = options.input,
                         .patternFile = options.patternFiles.empty() ? "" : options.patternFiles.front(),
                         .pipeline = options.pipeline.value_or(""),
                         .importDirs = options.importDirs},
                        registry);
  const std::string text = found.renderText(isatty(STDERR_FILENO));
  fwrite(text.data(), 1, text.size(), stderr);
  return status;
}

int optMain(int argc, char **argv, const Registry &given, PatternLoader load, const PageServer &serve) {
  Options options;
  if (std::optional<int> status = parseOptions(argc, argv, options))
    return *status;
  if (options.serve)
    return serveWith(serve, argv, options, given);
  Registry registry = given;
  SourceManager sources;
  Diagnostics found(sources);
  if (options.reproduce && !applyReproducer(options, sources, found)) {
    std::string text = found.renderText(isatty(STDERR_FILENO));
    fwrite(text.data(), 1, text.size(), stderr);
    return 1;
  }
  bool more = !options.plugins.empty() || !options.patternFiles.empty();
  size_t firstTest = more ? registry.tests().size() : 0;
  std::vector<NameRef> patterns;
  bool good = loadMore(options, load, sources, registry, found, patterns);
  good &= registry.check(found);
  good &= keepsSources(outputsOf(options), sources, found, options.input); // imports are known by now
  if (more && good)
    good = runLoaded(options, std::move(patterns), registry, found);
  std::string text = found.renderText(isatty(STDERR_FILENO));
  fwrite(text.data(), 1, text.size(), stderr);
  if (!good)
    return 1;
  if (options.test)
    return runTests(registry, *options.test, firstTest);
  int status = OptRun(std::move(options), registry).run();
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return status;
  std::fputs("error: standard output took not all that was written to it; is its disk full? [write-failed]\n", stderr);
  return 1;
}

} // namespace rw
