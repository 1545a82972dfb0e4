#include "editor/trial/trial.h"

#include "rw/infer/infer_shapes.h"
#include "rw/load/load_patterns.h"
#include "rw/passes/pass_manager.h"
#include "rw/testing/run_tests.h"

#include <span>

namespace rw::editor {

namespace fs = std::filesystem;

Trial::Trial(void (*registerAll)(Registry &), std::string builtinDir)
    : registerAll_(registerAll), builtinDir_(std::move(builtinDir)) {}
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
    model->trouble = "the model cannot be read: " + firstOf(diags);
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

Trial::Outcome Trial::run(const std::string &path, const std::string &text, const std::vector<std::string> &importDirs,
                          const std::string &modelPath) {
  Outcome out;
  // A built-in file that is edited is registered already: it is tried on a registry that has nothing but passes in C++.
  const bool builtin = !builtinDir_.empty() && path.starts_with(fs::weakly_canonical(builtinDir_).string() + "/");
  Registry registry;
  if (builtin) {
    registerCorePasses(registry);
    registerInferencePasses(registry);
  } else {
    registry = base();
  }
  const size_t knownOps = registry.ops.size();
  SourceManager sources;
  Diagnostics diags(sources);
  LoadOptions options{.importDirs = importDirs, .wholeImports = builtin, .threads = 1};
  std::optional<LoadedPatterns> loaded = loadPatterns({{path, text}}, options, sources, registry, diags);
  if (!loaded) {
    for (const Diagnostic &d : diags.all())
      if (d.tag == "native-not-loadable")
        out.trouble = "conditions in C++ run where they are compiled: " + d.message;
    if (out.trouble.empty())
      out.trouble = firstOf(diags);
    return out;
  }
  out.loaded = true;
  for (const TestEntry &test : std::span(registry.tests()).subspan(loaded->firstTest))
    out.tests.push_back({std::string(test.name), test.line, runTest(registry, test)});
  if (modelPath.empty())
    return out;

  // With ops of its own a file gives those of the model a meaning, so the model is read with them.
  std::unique_ptr<Model> own;
  Model *model = nullptr;
  if (builtin || registry.ops.size() != knownOps) {
    own = read(modelPath, registry);
    model = own.get();
  } else {
    std::unique_ptr<Model> &known = models_[modelPath];
    std::error_code error;
    if (!known || fs::last_write_time(modelPath, error) != known->time)
      known = read(modelPath, base());
    model = known.get();
  }
  if (!model->file) {
    out.trouble = model->trouble;
    return out;
  }
  out.modelOps = model->ops;
  for (const NameRef &name : loaded->patterns)
    for (const PatternEntry *entry : registry.patterns.meant(name)) {
      NamedPattern pattern = registry.patterns.make(*entry, registry.ops);
      out.patterns.push_back(
          {std::string(entry->info.name), entry->info.line, opt::findFiring(model->file->program(), pattern)});
    }
  return out;
}

} // namespace rw::editor
