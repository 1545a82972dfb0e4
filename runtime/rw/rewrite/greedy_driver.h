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

/// Evaluates ops on constants. Implemented by rw/interp; declared here so that the driver needs no evaluator.
class ConstantFolder {
public:
  virtual ~ConstantFolder() = default;
  /// All results of `op` as constants if all its operands are and it can be evaluated within `maxBytes` of results.
  virtual bool fold(Op op, size_t maxBytes, std::vector<AttrId> &results) const = 0;
};

enum class RewriteOrder : uint8_t { BottomUp, TopDown };
/// Which ops the driver may touch: any; only those of the scope it was given and what patterns create; only those.
enum class RewriteStrictness : uint8_t { AnyOp, ExistingAndNewOps, ExistingOps };

struct GreedyRewriteConfig {
  /// How often an op's neighbourhood may be revisited, as rounds over the function. 0: unlimited.
  unsigned maxIterations = 10'000;
  /// Rewrites in all, 0: unlimited. Default: generous for any terminating set, finite for a cycle.
  uint64_t maxRewrites = 0;
  /// With maxRewrites == 0: the budget is this many rewrites per op of the function, at least 1,000.
  unsigned maxRewritesPerOp = 1'000;
  bool enableFolding = true;   // fold hooks, and `folder` if set
  bool enableDce = true;
  const ConstantFolder *folder = nullptr;
  size_t maxFoldBytes = 1 << 20; // constants larger than this are not created
  bool allowFastMath = false;
  bool expensiveChecks =
#ifdef RW_EXPENSIVE_CHECKS_DEFAULT
      true;
#else
      false;
#endif
  RewriteOrder order = RewriteOrder::BottomUp;
  RewriteStrictness strictness = RewriteStrictness::AnyOp;
  std::optional<RegionId> scope; // only ops inside this region
  /// Benefit of pattern `index` at an op, in place of the static one; negative: do not try.
  std::function<int(Op, size_t index)> costModel;
  RewriteListener *listener = nullptr;
  /// Measure time per pattern (costs two clock reads per attempt).
  bool timePatterns = false;
};

struct PatternCounters {
  uint64_t tried = 0, applied = 0;
  uint64_t nanoseconds = 0; // with timePatterns
};

struct RewriteResult {
  bool converged = true;
  bool changed = false;
  uint64_t rewrites = 0, folds = 0, erased = 0, pushes = 0;
  std::vector<PatternCounters> patterns; // by index in the set
  /// If the budget ran out: the patterns that were still undoing each other, in the order they fired.
  std::vector<std::string> cycle;
  /// If expensive checks failed: what, and which pattern.
  std::string checkFailure;
};

RewriteResult applyPatternsGreedily(Function &, const FrozenPatternSet &, const GreedyRewriteConfig & = {});

} // namespace rw
