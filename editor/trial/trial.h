// Patterns of a document as they run: its tests, and what they do on a model.
//
// In:  the text of a .rw file, which need not be saved; perhaps the path of a model. Imports are read from disk.
// Out: which tests fail and why; per pattern how often it matches on the model, and where it nearly does and why not.
// Elsewhere: who asks is editor/server; near misses are rw/opt/near_misses.h.
//
//   Trial trial(rw::registerAll, builtinPatternDir());
//   Trial::Outcome outcome = trial.run("/w/my.rw", text, {}, "/w/model.onnx");
#pragma once

#include "rw/load/load_patterns.h"
#include "rw/opt/model_file.h"
#include "rw/opt/near_misses.h"
#include "rw/passes/pass.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rw::editor {

class Trial {
public:
  struct Test {
    std::string name;
    unsigned line = 0;
    std::string why; // it fails; empty: it passes
  };
  struct Pattern {
    std::string name;
    unsigned line = 0;
    opt::Firing firing;
  };
  struct Outcome {
    bool loaded = false;
    std::string trouble; // why there is nothing of the patterns, or of the model
    std::vector<Test> tests;
    std::vector<Pattern> patterns; // where there is a model
    size_t modelOps = 0;
  };

  /// What a text declares, registered beside what was known.
  struct Loaded {
    Registry registry;
    std::optional<LoadedPatterns> patterns; // none: see `trouble`
    std::string trouble;
    bool knowsMoreOps = false; // than those that models are read with otherwise
  };
  /// A model with its types inferred.
  struct Model {
    std::filesystem::file_time_type time;
    std::unique_ptr<SourceManager> sources;
    std::unique_ptr<opt::ModelFile> file; // null: see `trouble`
    std::string trouble;
    size_t ops = 0;
  };

  /// `registerAll`: what a tool knows, the built-in files below the folder included.
  Trial(void (*registerAll)(Registry &), std::string builtinDir);
  /// `known`: likewise, registered already.
  Trial(const Registry &known, std::string builtinDir);
  ~Trial();

  /// `model`: empty: none. A model is read once, and again when its file changes.
  Outcome run(const std::string &path, const std::string &text, const std::vector<std::string> &importDirs,
              const std::string &model);

  // The steps of run(), for who does more with what is loaded.
  std::unique_ptr<Loaded> load(const std::string &path, const std::string &text,
                               const std::vector<std::string> &importDirs);
  /// The model as these patterns see it; it stays until its file changes or the next call with the path.
  Model &model(const std::string &path, const Loaded &);
  /// Lets go of a model.
  void forget(const std::string &path);
  static void runTests(const Loaded &, Outcome &);
  static void findMatches(const Loaded &, const Model &, Outcome &);
  /// What the patterns that stand in a line of the text make of a model, which stays as it is: the first rewrites,
  /// drawn before and after as SVG.
  struct Drawing {
    std::string pattern, root, before, after;
  };
  static std::vector<Drawing> draw(Loaded &, const Model &, unsigned line);

private:
  const Registry &base();
  std::unique_ptr<Model> read(const std::string &path, const Registry &) const;

  void (*registerAll_)(Registry &);
  std::string builtinDir_;
  std::unique_ptr<Registry> base_;
  std::map<std::string, std::unique_ptr<Model>> models_; // by path, read with the ops of base_
  std::unique_ptr<Model> own_;                           // read with the ops of a text
};

} // namespace rw::editor
