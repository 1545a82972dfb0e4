// Passes, pipelines and the registry that tools and generated code fill.
//
// In:  passes (C++ classes, or sets of patterns declared in .rw), pipelines as text.
// Out: a PassManager that runs them over a program with checks, statistics and reports.
// Elsewhere: patterns are rw/rewrite; running pipelines is pass_manager.h, their text pipeline.h; the passes made of
//            patterns are pattern_pass.h; the greedy driver does their rewriting.
//
//   Registry registry;
//   registerCorePasses(registry);
//   registerBuiltin(registry);                                   // generated
//   for (const PassEntry &pass : registry.passes()) list(pass.name, pass.doc);
#pragma once

#include "rw/ir/program.h"
#include "rw/passes/backend_pipeline.h"
#include "rw/rewrite/greedy_driver.h"
#include "rw/support/diagnostics.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rw {

class Registry;

/// One option of a pass in pipeline text: `my-pass{max-iterations=3}`.
using PassOptions = std::map<std::string, std::string>;

struct PassResult {
  bool changed = false;
  bool failed = false;
  std::string message; // why it failed, or a remark
  RewriteResult rewrites; // of pattern passes
};

/// What a pass may use while it runs.
struct PassContext {
  Program &program;
  const Registry &registry;
  const GreedyRewriteConfig &rewriteConfig; // listener, fast math, folder, budgets as the tool set them
};

class FunctionPass {
public:
  virtual ~FunctionPass() = default;
  virtual std::string_view name() const = 0;
  virtual PassResult run(Function &, PassContext &) = 0;
  /// The patterns it applies, if it is a pattern pass.
  virtual const FrozenPatternSet *patterns() const { return nullptr; }
  /// Whether it may report failure; the pass manager then keeps what it needs to roll back.
  virtual bool mayFail() const { return true; }
};

/// A pass by name: either `make`, or a set of patterns named one by one or by label.
struct PassEntry {
  std::string name;
  std::string doc;
  std::unique_ptr<FunctionPass> (*make)(const Registry &, const PassOptions &, std::string &error) = nullptr;
  std::vector<std::string> patterns; // of a declared pass
  std::vector<std::string> labels;
  unsigned maxIterations = 0; // 0: the driver's default
  std::string file;
  unsigned line = 0;
};

struct PipelineEntry {
  std::string name;
  std::string text; // pipeline text, may name passes and pipelines
  std::string doc;
  std::string file;
  unsigned line = 0;
};

/// A `test` declaration.
struct TestEntry {
  enum class Kind : uint8_t { Pattern, Pass, Pipeline };
  std::string_view name; // of what is tested
  Kind kind = Kind::Pattern;
  std::string_view file;
  unsigned line = 0;
  bool unchanged = false; // there is nothing right of `=>` to build
  /// Adds parameters and ops of what stands left of `=>`, or right of it (`after`); false if that has no value.
  std::function<bool(PatternRewriter &, bool after, InlineList<Value> &results)> build;
};

/// Everything a tool knows: ops, patterns, passes, pipelines. Generated `register…` functions fill it; constant after.
class Registry {
public:
  OpRegistry ops;
  PatternRegistry patterns;
  /// A later pass or pipeline of the same name takes the place of the earlier one, also in pipelines that name it: a tool's
  /// own win over ours. check() says so.
  void addPass(PassEntry);
  void addPipeline(PipelineEntry);
  void addBackend(BackendPipeline);
  /// A pattern named by an op's `canonicalize` clause.
  void addCanonicalization(std::string_view pattern) { canonicalizations_.emplace_back(pattern); }
  void addTest(const TestEntry &test) { tests_.push_back(test); }
  const std::vector<TestEntry> &tests() const { return tests_; }
  const PassEntry *pass(std::string_view name) const;
  const PipelineEntry *pipeline(std::string_view name) const;
  const BackendPipeline *backend(std::string_view name) const;
  const std::vector<PassEntry> &passes() const { return passes_; }
  const std::vector<PipelineEntry> &pipelines() const { return pipelines_; }
  const std::vector<BackendPipeline> &backends() const { return backends_; }
  const std::vector<std::string> &canonicalizations() const { return canonicalizations_; }
  /// What entries refer to lives as long as the registry: code that was loaded from a file, a library.
  void keep(std::shared_ptr<const void> owner) { kept_.push_back(std::move(owner)); }
  /// A new object of the pass with these options; null and a reason if an option or a pattern name is wrong.
  std::unique_ptr<FunctionPass> makePass(const PassEntry &, const PassOptions &, std::string &error) const;
  /// Reports, once for everything added: patterns and ops of one name (errors), and passes and pipelines that took the place
  /// of others (warnings; not of `default` and `onnx`, which a tool runs unasked and is free to choose). False after an error.
  bool check(Diagnostics &) const;
  /// Names, for suggestions.
  std::vector<std::string_view> passNames() const;
  std::vector<std::string_view> pipelineNames() const;
  std::vector<std::string_view> backendNames() const;
  std::vector<std::string_view> patternNames() const;

private:
  std::vector<std::shared_ptr<const void>> kept_; // first, so that it goes last
  std::vector<PassEntry> passes_;
  std::vector<PipelineEntry> pipelines_;
  std::vector<BackendPipeline> backends_;
  std::vector<std::string> canonicalizations_;
  std::vector<TestEntry> tests_;
  struct Replaced {
    std::string what, name, before, now; // "pass", and where the two are declared
  };
  std::vector<Replaced> replaced_;
};

/// Adds the C++ passes of the runtime (canonicalize, cse, dce, hoist_params) and the pipeline `full`.
void registerCorePasses(Registry &);

/// Whether each name, glob or label of the filter matches some pattern; else false and a reason with a suggestion.
bool checkFilter(const PatternFilter &, const Registry &, std::string &error);

} // namespace rw
