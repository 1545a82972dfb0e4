// Passes, pipelines and the registry that tools and generated code fill.
//
// In:  passes (C++ classes, or sets of patterns declared in .rw), pipelines as text.
// Out: a PassManager that runs them over a program with checks, statistics and reports.
// Elsewhere: patterns are rw/rewrite; running pipelines is pass_manager.h, their text pipeline.h; the passes made of
//            patterns are pattern_pass.h; the greedy driver does their rewriting.
//
// Names are qualified (rewrite/qualified_name.h): several libraries may declare a pattern, pass or pipeline of one
// name. What a name means is asked where it is used, and a name that may mean several things is an error there.
//
//   Registry registry;
//   registerAll(registry);                   // rw/builtin.h: the passes and patterns that come with rw
//   my::opt::register_my_patterns(registry); // generated
//   for (const PassEntry &pass : registry.passes()) list(pass.name, pass.doc);
#pragma once

#include "rw/ir/program.h"
#include "rw/passes/backend_pipeline.h"
#include "rw/rewrite/greedy_driver.h"
#include "rw/support/diagnostics.h"
#include "rw/support/result.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rw {

class Registry;

/// One option of a pass in pipeline text: `my-pass{max-iterations=3}`.
using PassOptions = std::map<std::string, std::string>;

/// Something that went wrong in a pass and leaves a right program.
struct PassWarning {
  enum Kind : uint8_t {
    GivenUp,     // a pattern whose conditions compute without end
    NoEnd,       // the pass stopped at its budget; with `strict` an error
    RefusedEdit, // a pattern wanted what would break the program
  };
  Kind kind;
  std::string message;
  std::vector<std::string> notes;
  bool operator==(const PassWarning &) const = default;
};

/// A pattern that did not run, since it takes freedoms with floats that are not allowed.
struct HeldBack {
  std::string pattern;
  FastMath freedoms; // all that it takes
  /// "Regroup (reassoc)"; of one that takes all of them its name alone.
  std::string text() const { return freedoms.all() ? pattern : pattern + " (" + freedoms.list() + ")"; }
};

/// What of a program stands in the way of a pass that does all of it or nothing: nothing is written.
struct PassError {
  std::string tag, message;
  Loc at; // in the program's text; none: nowhere
  std::vector<std::string> notes;
};

struct PassResult {
  /// Whether the program's text (ir/printer.h) is another one: ops, attributes, types, results, and names. `repeat`
  /// goes on while a pass says so, and the program is verified and its ops are counted anew only then.
  /// Expensive checks compare the text with that before the pass, which fails if it said what is not so.
  bool changed = false;
  bool failed = false;
  std::vector<PassError> errors; // then the run stops
  std::string message;           // why it failed, or a remark
  /// What the remark says the state of ("onnx.Transpose"): then only the last run on a function speaks of it, and
  /// remarks of runs before are dropped.
  std::string stateOf;
  std::vector<PassWarning> warnings;
  std::vector<HeldBack> needFastmath; // patterns that might not run, since they change results by rounding
  RewriteResult rewrites;             // of pattern passes
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
  /// Whether it takes the program as a whole (runOnProgram) rather than function by function.
  virtual bool takesPrograms() const { return false; }
  virtual PassResult runOnProgram(Program &, PassContext &) { return {}; }
  /// The patterns it applies, if it is a pattern pass.
  virtual const FrozenPatternSet *patterns() const { return nullptr; }
  /// Whether it looks at its function alone and keeps nothing in the object: then one object may work on several
  /// functions at once (PassManagerOptions::threads). Each is then in a program with a context of its own, so the pass
  /// may intern there; the program has no other function, and what is static must be constant.
  virtual bool worksOnFunctionsAlone() const { return false; }
  /// Whether it may report failure; the pass manager then keeps what it needs to roll back.
  virtual bool mayFail() const { return true; }
};

/// A new pass, never null; or why there is none.
using MadePass = Result<std::unique_ptr<FunctionPass>>;

/// A `conversion` declaration: from which dialects to which a program goes as a whole (passes/conversion.h).
struct ConversionEntry {
  std::vector<std::string> from;  // dialects of which nothing may be left
  std::vector<std::string> to;    // dialects that may be there
  std::vector<std::string> legal; // single ops that may be there as well
  /// Versions of the first dialect of `to`: the one that is tried first, and the last one that may be; 0: it has none.
  int version = 0, lastVersion = 0;
  struct Refused {
    std::string type, reason; // an element type that no value may have
  };
  std::vector<Refused> refused;
  bool keepsFunctions = false; // calls stay calls, where the target has functions
};

class LoweringContext;
/// How ops of one name become others, in C++ (passes/lowering.h).
struct LoweringEntry {
  std::string op;                             // "stablehlo.while"
  std::vector<std::string> aliases;           // other names of it
  std::string to;                             // the dialect of what it becomes
  std::string name;                           // what reports call it; empty: by its names
  bool (*lower)(LoweringContext &) = nullptr; // false: it does not apply, LoweringContext::fail has said why
  unsigned benefit = 0;
};

/// A pass by name: either `make`, or a set of patterns named one by one or by label.
struct PassEntry {
  std::string name;
  std::string doc;
  /// Fails where an option is wrong.
  MadePass (*make)(const Registry &, const PassOptions &) = nullptr;
  std::vector<NameRef> patterns; // of a declared pass: as its file knows them
  std::vector<std::string> labels;
  unsigned maxIterations = 0; // 0: the driver's default
  std::string file;
  unsigned line = 0;
  std::string space;                                 // the C++ namespace; empty: that of the registry's scope
  std::shared_ptr<const ConversionEntry> conversion; // of a conversion: `patterns` and `labels` are what must get there
  Declared declared() const { return {space, file, name, line}; }
};

struct PipelineEntry {
  std::string name;
  std::string text; // pipeline text, may name passes and pipelines
  std::string doc;
  std::string file;
  unsigned line = 0;
  std::vector<NameRef> imports; // what names in the text mean that the file imports
  std::string space;            // as of passes
  Declared declared() const { return {space, file, name, line}; }
};

/// An op's `canonicalize` clause, and where it stands.
struct Canonicalization {
  NameRef pattern;
  std::string_view space, file;
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
  NameRef::Text target = {""}; // what is tested, if another file declares it
  std::string_view space;      // as of passes
};

/// What is wrong with a name on a command line: a diagnostic's tag and text.
struct NameError {
  std::string tag, message;
};

/// What a name of a pipeline's text means: a pass, a pipeline, or neither and, if it is not clear which, why.
struct PassOrPipeline {
  const PassEntry *pass = nullptr;
  const PipelineEntry *pipeline = nullptr;
  std::string clash;
};

/// Everything a tool knows: ops, patterns, passes, pipelines. Generated `register…` functions fill it; constant after.
class Registry {
public:
  /// While it lives, what is added belongs to this C++ namespace and file; both are texts that stay.
  ///
  ///   Registry::Scope scope(registry, "my::opt", "fusion.rw");
  ///   registry.patterns.add(entry);                            // my::opt::fusion::NAME
  class Scope {
  public:
    Scope(Registry &, std::string_view space, std::string_view file = "");
    ~Scope();
    Scope(const Scope &) = delete;

  private:
    Registry &registry_;
    std::string_view space_, file_;
  };

  OpRegistry ops;
  PatternRegistry patterns;
  /// What was added before, from the same place, is not added again.
  void addPass(PassEntry);
  void addPipeline(PipelineEntry);
  void addBackend(BackendPipeline);
  /// A pattern named by an op's `canonicalize` clause.
  void addCanonicalization(NameRef pattern) { canonicalizations_.push_back({std::move(pattern), space_, file_}); }
  void addTest(TestEntry);
  /// A lowering in C++ for conversions to its dialect. Two of one name are an error that `check` reports.
  void addLowering(LoweringEntry);
  const std::vector<LoweringEntry> &lowerings() const { return lowerings_; }
  const std::vector<TestEntry> &tests() const { return tests_; }
  /// What a name means to a command line; null if that is nothing, or not clear.
  const PassEntry *pass(std::string_view name) const { return stage(name).pass; }
  const PipelineEntry *pipeline(std::string_view name) const { return stage(name).pipeline; }
  const BackendPipeline *backend(std::string_view name) const;
  /// What a name means to a pipeline declared there. Of several pipelines called `default` or `onnx`, which tools run
  /// unasked, the one added last is meant: a tool's own win over ours.
  PassOrPipeline stage(const NameRef &, const NameScope & = {}) const;
  const std::vector<PassEntry> &passes() const { return passes_; }
  const std::vector<PipelineEntry> &pipelines() const { return pipelines_; }
  const std::vector<BackendPipeline> &backends() const { return backends_; }
  /// What entries refer to lives as long as the registry: code that was loaded from a file, a library.
  void keep(std::shared_ptr<const void> owner) { kept_.push_back(std::move(owner)); }
  const std::vector<Canonicalization> &canonicalizations() const { return canonicalizations_; }
  /// How reports and pipeline texts call it: its name, qualified if several passes or pipelines have it.
  std::string shownName(const PassEntry &entry) const { return shownName(entry.declared()); }
  std::string shownName(const PipelineEntry &entry) const { return shownName(entry.declared()); }
  /// The patterns of a pass: those it names, in its order, then those that have its labels. Fails if one that it names
  /// is not registered, or not clear.
  Result<std::vector<const PatternEntry *>> patternsOf(const PassEntry &) const;
  /// The one that a name means to a command line; null and what is wrong if that is none or several.
  const PatternEntry *pattern(std::string_view name, NameError &) const;
  /// A new object of the pass with these options; fails if an option or a pattern name is wrong.
  MadePass makePass(const PassEntry &, const PassOptions &) const;
  /// The patterns of a file, embedded as data, could not be read; `check` reports it.
  void addUnreadable(std::string file, std::string why) { unreadable_.emplace_back(std::move(file), std::move(why)); }
  /// Reports ops that two libraries declare and embedded patterns that could not be read, once for everything added.
  /// False after an error.
  bool check(Diagnostics &) const;
  /// Names, for suggestions.
  std::vector<std::string_view> passNames() const;
  std::vector<std::string_view> pipelineNames() const;
  std::vector<std::string_view> backendNames() const;
  std::vector<std::string_view> patternNames() const;

private:
  std::vector<std::shared_ptr<const void>> kept_; // first, so that it goes last
  void enter(std::string_view space, std::string_view file);
  std::string shownName(const Declared &) const;

  std::vector<PassEntry> passes_;
  std::vector<PipelineEntry> pipelines_;
  std::vector<BackendPipeline> backends_;
  std::vector<Canonicalization> canonicalizations_;
  std::vector<TestEntry> tests_;
  std::set<bool (*)(PatternRewriter &, bool, InlineList<Value> &)> generatedTests_; // of tests_
  std::vector<LoweringEntry> lowerings_;
  std::vector<std::string> doubleLowerings_;                    // names that two lowerings to one dialect have
  std::vector<std::pair<std::string, std::string>> unreadable_; // file, why
  std::string_view space_, file_;                               // of the scope
};

/// Adds the passes of this folder that are written in C++, and the pipelines `full` and `name_fix`.
void registerCorePasses(Registry &);

/// Whether each name, glob or label of the filter matches some pattern, and each name but one; else what is wrong.
std::optional<NameError> checkFilter(const PatternFilter &, const Registry &);

} // namespace rw
