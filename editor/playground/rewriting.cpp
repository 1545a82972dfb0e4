#include "editor/playground/rewriting.h"

#include "rw/opt/diff.h"
#include "rw/opt/stats.h"

#include <algorithm>

namespace rw::editor {

/// Keeps rewrites, and ends the run when it is to end.
class Rewriting::Recorder : public opt::RewriteRecorder {
public:
  explicit Recorder(const Rewriting &of) : of_(of) {}
  void patternBegin(const PatternInfo &pattern, Op root) override {
    stopIfAsked();
    RewriteRecorder::patternBegin(pattern, root);
  }
  void folding(Op op) override {
    stopIfAsked();
    RewriteRecorder::folding(op);
  }

private:
  void stopIfAsked() {
    if (++steps_ % 64 == 0 && of_.shouldStop())
      throw Stopped{};
  }
  const Rewriting &of_;
  unsigned steps_ = 0;
};

/// The model with its program as it was, for what compares two files while the other one holds the program that came.
class Rewriting::AsBefore : public opt::ModelFile {
public:
  AsBefore(const opt::ModelFile &file, Program &program) : file_(file), program_(program) {}
  Program &program() override { return program_; }
  std::string_view format() const override { return file_.format(); }
  std::string_view defaultPipeline() const override { return file_.defaultPipeline(); }
  int opsetVersion() const override { return file_.opsetVersion(); }
  Result<std::string> stored(Op op) const override { return file_.stored(op); }
  std::vector<std::pair<std::string, std::string>> properties() const override { return file_.properties(); }
  bool save(const std::string &, Diagnostics &) override { return false; }
  bool bytes(std::string_view, const std::string &, std::string &, Diagnostics &) override { return false; }

private:
  const opt::ModelFile &file_;
  Program &program_;
};

namespace {
/// While it lives the file holds another program.
struct Exchanged {
  Exchanged(opt::ModelFile &file, Program program)
      : file(file), was(std::exchange(file.program(), std::move(program))) {}
  ~Exchanged() { file.program() = std::move(was); }
  Exchanged(const Exchanged &) = delete;
  Exchanged &operator=(const Exchanged &) = delete;

  opt::ModelFile &file;
  Program was;
};
} // namespace

Rewriting::Rewriting(Trial::Loaded &loaded, Trial::Model &model, RewritingOptions options)
    : loaded_(loaded), model_(model), options_(std::move(options)) {
  if (!loaded.patterns->patterns.empty() && !loaded.registry.pass(kLoadedPatterns) &&
      !loaded.registry.pipeline(kLoadedPatterns)) {
    loaded.registry.addPass(
        {.name = kLoadedPatterns, .doc = "All patterns of the text.", .patterns = loaded.patterns->patterns});
    if (options_.pipeline.empty())
      options_.pipeline = kLoadedPatterns;
  }
  if (options_.pipeline.empty())
    options_.pipeline = "none";
}
Rewriting::~Rewriting() = default;

bool Rewriting::shouldStop() const {
  return (options_.stop && *options_.stop) || std::chrono::steady_clock::now() > options_.deadline;
}

void Rewriting::observe(PassManagerOptions &run, Recorder *recorder) {
  run.rewriteConfig.listener = recorder;
  run.beforePass = [this](std::string_view, Function &) {
    if (shouldStop())
      throw Stopped{};
  };
}

bool Rewriting::run(Diagnostics &diags) {
  SourceManager sources;
  optimizer_.emplace(loaded_.registry,
                     OptimizeOptions{.pipeline = options_.pipeline,
                                     .fastmath = options_.fastmath ? std::optional(FastMath(true)) : std::nullopt});
  Diagnostics ofPipeline(sources);
  if (!optimizer_->readPipeline(sources, ofPipeline)) {
    for (const Diagnostic &d : ofPipeline.all()) {
      Diagnostics::Builder error = diags.errorInFile(d.tag, "the pipeline", d.message);
      for (const Diagnostic::Note &note : d.notes)
        error.note(note.message);
    }
    return false;
  }
  countBefore_ = opt::countOps(before());
  after_.emplace(before().clone());
  optimizer_->measure(*after_, model_.file->opsetVersion());
  recorder_ = std::make_unique<Recorder>(*this);
  TraceRun traced{.pipeline = printPipeline(optimizer_->items())};
  traced.graph = "-";
  ProgramTrace trace(std::move(traced), *after_, recorder_.get());
  LateOverrides none;
  result_ = optimizer_->run(*after_, [&](PassManagerOptions &run) {
    observe(run, recorder_.get());
    run.within = &trace;
  });
  const bool good = reportRun(result_, "the model", "", diags) &&
                    finishProgram(*after_, result_.changed, none, trace, "the model", diags);
  countAfter_ = opt::countOps(*after_);
  return good;
}

const std::vector<opt::RecordedRewrite> &Rewriting::rewrites() const { return recorder_->rewrites(); }
size_t Rewriting::rewritesNotListed() const { return recorder_->notListed(); }

std::string Rewriting::statistics(const std::string &input) const {
  return opt::statisticsAsJson(input, printPipeline(optimizer_->items()), countBefore_, countAfter_, result_, {},
                               false);
}

std::string Rewriting::difference(size_t most) {
  Exchanged exchanged(*model_.file, after_->clone());
  AsBefore was(*model_.file, exchanged.was);
  std::string text = opt::describeDifference(was, *model_.file);
  if (text.size() > most) {
    text.resize(text.rfind('\n', most) + 1);
    text += "... and more: rw-opt --diff says all of it\n";
  }
  return text;
}

std::string_view Rewriting::format() {
  const std::string_view own = model_.file->format();
  size_t onnx = 0, stablehlo = 0, others = 0;
  for (const auto &[name, count] : countAfter_.kinds)
    (name.starts_with("onnx.") ? onnx : name.starts_with("stablehlo.") ? stablehlo : others) += count;
  if (own == "rwir")
    return own;
  if (onnx && !stablehlo && !others)
    return "onnx";
  if (stablehlo && !onnx && !others)
    return "mlir";
  return own == "jaxpr" ? "rwir" : own;
}

bool Rewriting::bytes(std::string &out, Diagnostics &diags) {
  Exchanged exchanged(*model_.file, after_->clone());
  return model_.file->bytes(format(), "the model", out, diags);
}

std::vector<std::string> Rewriting::check(unsigned inputs, bool &differs) {
  SourceManager sources;
  Diagnostics diags(sources);
  opt::Options options;
  options.input = "the model";
  options.check = inputs;
  Exchanged exchanged(*model_.file, after_->clone());
  const opt::CheckOutcome outcome =
      opt::checkRun({*optimizer_, exchanged.was, result_, nullptr, {}, model_.file->opsetVersion()}, *model_.file,
                    options, diags, {.beforeRerun = [&](PassManagerOptions &run) { observe(run, nullptr); }});
  differs = !outcome.good;
  std::vector<std::string> out;
  for (const opt::CheckedFunction &function : outcome.functions)
    out.push_back(opt::describeCheck(function));
  for (const Diagnostic &d : diags.all())
    if (d.severity == Severity::Error)
      for (const Diagnostic::Note &note : d.notes)
        if (!note.message.starts_with("with -o") && !note.message.starts_with("--max-rewrites"))
          out.push_back(note.message);
  return out;
}

} // namespace rw::editor
