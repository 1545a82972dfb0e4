// The greedy driver: applies patterns and folds until nothing matches.
//
// In:  a function, a frozen pattern set, a configuration.
// Out: the rewritten function and what happened.
// Elsewhere: patterns are pattern.h, edits rewriter.h; passes that call this are in rw/passes; the folder that
//            evaluates ops is rw/interp.
//
// Order at each op taken from the worklist: dead op, then fold, then patterns by benefit (or cost model), ties by
// order of registration. The worklist is seeded once; after a change exactly the ops whose match it could affect are
// queued again. When it reports convergence, no pattern matches anywhere.
//
//   RewriteResult r = applyPatternsGreedily(fn, frozen);
//   if (!r.converged) report(r.cycle);
#pragma once

#include "rw/rewrite/rewriter.h"

#include <optional>

namespace rw {

struct PatternCounters {
  /// Attempts; of a pattern that a matching net finds those where its shared tests hold and attributes have not ruled
  /// it out before (ruled_out.h).
  uint64_t tried = 0;
  uint64_t matched = 0;     // attempts that reported a rewrite
  uint64_t applied = 0;     // those that changed something
  uint64_t nanoseconds = 0; // if times are asked for

  void add(const PatternCounters &o) {
    tried += o.tried;
    matched += o.matched;
    applied += o.applied;
    nanoseconds += o.nanoseconds;
  }
};

/// Evaluates ops on constants. Implemented by rw/interp; declared here so that the driver needs no evaluator.
class ConstantFolder {
public:
  virtual ~ConstantFolder() = default;
  /// All results of `op` as constants of `maxBytes` at most, if they follow from constants. Its first operand is one.
  virtual bool fold(Op op, size_t maxBytes, std::vector<AttrId> &results) const = 0;
};

enum class RewriteOrder : uint8_t { BottomUp, TopDown };
/// Which ops the driver may touch: any; only those of the scope it was given and what patterns create; only those.
enum class RewriteStrictness : uint8_t { AnyOp, ExistingAndNewOps, ExistingOps };

/// What stands before a label in a filter: `label:layout`.
inline constexpr std::string_view kLabelPrefix = "label:";
/// Which patterns may run, by name (qualified_name.h) or label: exact or with `*` and `?`. `only` empty means all;
/// `disabled` is taken from these.
struct PatternFilter {
  std::vector<std::string> disabled, only;
  bool empty() const { return disabled.empty() && only.empty(); }
  bool allows(const PatternInfo &) const;
};
/// Whether `name` matches `glob`, in which `*` is any text and `?` any one character.
bool matchesGlob(std::string_view glob, std::string_view name);

class DenseSweep;

/// Whether expensive checks are on unless someone says otherwise: so built in the presets `dev` and `asan`.
bool expensiveChecksByDefault();

struct GreedyRewriteConfig {
  /// Visits of ops, as rounds over the function: the budget is this many times its ops. 0: unlimited.
  unsigned maxIterations = 10'000;
  /// Rewrites and folds in all. 0: as maxRewritesPerOp says.
  uint64_t maxRewrites = 0;
  /// With maxRewrites == 0 the budget is this many rewrites per op of the function, at least 1,000, and for large
  /// functions not more than two million plus eight per op: generous for sets that end, quick to stop a cycle.
  unsigned maxRewritesPerOp = 1'000;
  /// A function may become this many times as large (and 128 ops more) by whatever builds that much. Beyond that the
  /// run stops as soon as what was built 128 times over of what had been built before makes it larger still: a set that
  /// ends does not. 0: no such bound.
  unsigned maxGrowth = 4;
  /// If set, a budget shared by several runs: each rewrite and fold takes one, and at 0 the run stops.
  uint64_t *sharedBudget = nullptr;
  bool enableFolding = true; // fold hooks, and `folder` if set
  bool enableDce = true;
  const ConstantFolder *folder = nullptr;
  size_t maxFoldBytes = 1 << 20; // constants larger than this are not created
  bool cseConstants = false;     // a constant that a fold makes is shared by all folds of its region that make it
  FastMath allowFastMath;
  FastMath mostFastMath =
      FastMath::every();                 // passes that allow patterns more than `allowFastMath` go no further than this
  const PatternFilter *filter = nullptr; // null: every pattern of the set
  /// After each attempt: failure means unchanged, success means changed, and the ops it made verify. Slow.
  bool expensiveChecks = expensiveChecksByDefault();
  RewriteOrder order = RewriteOrder::BottomUp;
  RewriteStrictness strictness = RewriteStrictness::AnyOp;
  std::optional<RegionId> scope; // only ops inside this region
  /// If set, by kind: ops whose regions are left alone as long as they stand, since patterns want to see them as they
  /// are. What such an op is replaced by has its regions looked at.
  const std::vector<bool> *closedKinds = nullptr;
  /// Benefit of pattern `index` at an op, in place of the static one; negative: do not try.
  std::function<int(Op, size_t index)> costModel;
  RewriteListener *listener = nullptr;
  /// Give ids of erased ops to new ones, which keeps a function that is rewritten over and over small. Only without a
  /// listener and with strictness AnyOp; handles of ops erased during the run mean nothing after it.
  bool reuseIds = true;
  /// Use the set's matching net (matching_net.h). What fires is the same without; with a cost model, or a listener that
  /// wants reasons, every pattern is tried anyway.
  bool merge = true;
  /// If set: lets go of large constants that were replaced, while the driver runs.
  DenseSweep *sweep = nullptr;
  /// Measure time per pattern (costs two clock reads per attempt).
  bool timePatterns = false;
};

/// Why a run ended before nothing matched any more.
enum class RewriteStop : uint8_t {
  None,
  Visits,   // maxIterations
  Rewrites, // maxRewritesPerOp
  Asked,    // maxRewrites or sharedBudget: as many as someone wanted
  Growth,   // maxGrowth
  Check,    // an expensive check failed
};

struct RewriteResult {
  bool converged = true;
  RewriteStop stop = RewriteStop::None;
  bool changed = false;
  uint64_t rewrites = 0, folds = 0, erased = 0; // erased: dead ops, not the replaced ones
  uint64_t visits = 0, pushes = 0;
  std::vector<PatternCounters> patterns; // by index in the set
  /// If a budget ran out: the patterns that fired last, once around if they repeat, in the order they fired.
  std::vector<std::string> cycle;
  std::vector<uint32_t> cyclePatterns;  // the same as indices in the set, each once, without folds
  uint64_t opsBefore = 0, opsAfter = 0; // with constants, without the end of the function
  bool cycleRepeats = false;            // they undo each other
  std::string refusal;                  // the first edit that was refused (PatternRewriter::refusal)
  /// If expensive checks failed: what, and which pattern.
  std::string checkFailure;
};

/// "did not converge within …: A and B undo each other (A, B, A, …)"; empty if it converged.
std::string describeNonConvergence(const RewriteResult &);

RewriteResult applyPatternsGreedily(Function &, const FrozenPatternSet &, const GreedyRewriteConfig & = {});

/// One walk for sets that need no fixpoint: each op that is there at the start is looked at once, in the order of the
/// configuration, nested regions included: dead, folded, or its patterns tried. What the walk makes is not looked at.
/// Converged means that no budget ran out, not that nothing matches any more.
RewriteResult applyPatternsOnce(Function &, const FrozenPatternSet &, const GreedyRewriteConfig & = {});

/// The same as the greedy driver by looking at every op again after each change: quadratic, and so simple that tests
/// hold the greedy driver against it. Where the greedy driver has converged, this changes nothing.
RewriteResult applyPatternsExhaustively(Function &, const FrozenPatternSet &, const GreedyRewriteConfig & = {});

} // namespace rw
