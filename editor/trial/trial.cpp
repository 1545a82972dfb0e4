#include "editor/trial/trial.h"

#include "rw/infer/infer_shapes.h"
#include "rw/load/load_patterns.h"
#include "rw/onnx_infer/onnx_infer.h"
#include "rw/opt/load_model.h"
#include "rw/opt/rewrite_recorder.h"
#include "rw/opt/svg_drawing.h"
#include "rw/passes/pass_manager.h"
#include "rw/testing/run_tests.h"

#include <span>

namespace rw::editor {

namespace fs = std::filesystem;

Trial::Trial(void (*registerAll)(Registry &), std::string builtinDir)
    : registerAll_(registerAll), builtinDir_(std::move(builtinDir)) {}
Trial::Trial(const Registry &known, std::string builtinDir)
    : registerAll_(nullptr), builtinDir_(std::move(builtinDir)), base_(std::make_unique<Registry>(known)) {}
Trial::~Trial() = default;

const Registry &Trial::base() {
  if (!base_) {
    base_ = std::make_unique<Registry>();
    registerAll_(*base_);
  }
  return *base_;
}

static std::string firstOf(const Diagnostics &diags) {
  for (const Diagnostic &d : diags.all())
    if (d.severity == Severity::Error)
      return d.range ? diags.sources().describe(d.range.begin) + ": " + d.message : d.message;
  return {};
}

std::unique_ptr<Trial::Model> Trial::read(const std::string &path, const Registry &registry) const {
  auto model = std::make_unique<Model>();
  std::error_code error;
  model->time = fs::last_write_time(path, error);
  model->sources = std::make_unique<SourceManager>();
  Diagnostics diags(*model->sources);
  model->file = opt::loadModel(path, registry.ops, *model->sources, diags);
  if (!model->file || diags.hasErrors()) {
    model->file = nullptr;
    const std::string why = firstOf(diags);
    model->trouble = "the model " + path + (why.starts_with("cannot be read") ? " " : " cannot be read: ") + why;
    return model;
  }
  // Patterns ask for types that the file does not state.
  PassManager passes(registry);
  if (passes.parse("infer_shapes", *model->sources, diags))
    passes.run(model->file->program());
  for (const Function &fn : model->file->program().functions())
    for (uint32_t i = 0; i < fn.opCapacity(); ++i)
      model->ops += !(fn.data(OpId(i)).flags & kErased);
  return model;
}

std::unique_ptr<Trial::Loaded> Trial::load(const std::string &path, const std::string &text,
                                           const std::vector<std::string> &importDirs) {
  auto out = std::make_unique<Loaded>();
  // A built-in file that is edited is registered already: it is tried on a registry that has nothing but passes in C++.
  const bool builtin = !builtinDir_.empty() && path.starts_with(fs::weakly_canonical(builtinDir_).string() + "/");
  if (builtin) {
    registerCorePasses(out->registry);
    registerInferencePasses(out->registry);
    registerOnnxInference();
  } else {
    out->registry = base();
  }
  const size_t knownOps = out->registry.ops.size();
  SourceManager sources;
  Diagnostics diags(sources);
  LoadOptions options{.importDirs = importDirs, .wholeImports = builtin, .threads = 1};
  out->patterns = loadPatterns({{path, text}}, options, sources, out->registry, diags);
  // With ops of its own a file gives those of the model a meaning, so the model is read with them.
  out->knowsMoreOps = builtin || out->registry.ops.size() != knownOps;
  if (out->patterns)
    return out;
  for (const Diagnostic &d : diags.all())
    if (d.tag == "native-not-loadable")
      out->trouble = "conditions in C++ run where they are compiled: " + d.message;
  if (out->trouble.empty())
    out->trouble = firstOf(diags);
  return out;
}

Trial::Model &Trial::model(const std::string &path, const Loaded &loaded) {
  own_.reset();
  if (loaded.knowsMoreOps) {
    own_ = read(path, loaded.registry);
    return *own_;
  }
  std::unique_ptr<Model> &known = models_[path];
  std::error_code error;
  if (!known || fs::last_write_time(path, error) != known->time)
    known = read(path, base());
  return *known;
}

void Trial::forget(const std::string &path) {
  own_.reset();
  models_.erase(path);
}

void Trial::runTests(const Loaded &loaded, Outcome &out) {
  for (const TestEntry &test : std::span(loaded.registry.tests()).subspan(loaded.patterns->firstTest))
    out.tests.push_back({std::string(test.name), test.line, runTest(loaded.registry, test)});
}

void Trial::findMatches(const Loaded &loaded, const Model &model, Outcome &out) {
  out.modelOps = model.ops;
  for (const NameRef &name : loaded.patterns->patterns)
    for (const PatternEntry *entry : loaded.registry.patterns.meant(name)) {
      NamedPattern pattern = loaded.registry.patterns.make(*entry, loaded.registry.ops);
      out.patterns.push_back(
          {std::string(entry->info.name), entry->info.line, opt::findFiring(model.file->program(), pattern)});
    }
}

std::vector<Trial::Drawing> Trial::draw(Loaded &loaded, const Model &model, unsigned line) {
  std::vector<NameRef> chosen;
  for (const NameRef &name : loaded.patterns->patterns)
    for (const PatternEntry *entry : loaded.registry.patterns.meant(name))
      if (entry->info.line == line)
        chosen.push_back(name);
  std::vector<Drawing> out;
  const std::string pass = "patterns_of_a_line";
  if (chosen.empty() || loaded.registry.pass(pass))
    return out;
  loaded.registry.addPass({.name = pass, .doc = "Patterns that stand in one line.", .patterns = std::move(chosen)});
  SourceManager sources;
  Diagnostics diags(sources);
  PassManager passes(loaded.registry);
  if (!passes.parse(pass, sources, diags))
    return out;
  Program copy = model.file->program().clone();
  opt::RewriteRecorder recorder;
  PassManagerOptions options;
  options.rewriteConfig.listener = &recorder;
  options.rewriteConfig.enableFolding = false;
  options.rewriteConfig.allowFastMath = FastMath::every();
  options.rewriteConfig.maxRewrites = 20;
  options.trace = &recorder;
  options.traceRun.graph = "-";
  passes.run(copy, options);
  for (const opt::RecordedRewrite &rewrite : recorder.rewrites())
    if (rewrite.drawn)
      out.push_back({rewrite.pattern, rewrite.root, opt::drawSvg(rewrite.before, "before"),
                     rewrite.after.nodes.empty() ? "" : opt::drawSvg(rewrite.after, "after")});
  return out;
}

Trial::Outcome Trial::run(const std::string &path, const std::string &text, const std::vector<std::string> &importDirs,
                          const std::string &modelPath) {
  Outcome out;
  const std::unique_ptr<Loaded> loaded = load(path, text, importDirs);
  if (!loaded->patterns) {
    out.trouble = loaded->trouble;
    return out;
  }
  out.loaded = true;
  runTests(*loaded, out);
  if (modelPath.empty())
    return out;
  const Model &tried = model(modelPath, *loaded);
  if (tried.file)
    findMatches(*loaded, tried, out);
  else
    out.trouble = tried.trouble;
  own_.reset();
  return out;
}

} // namespace rw::editor
