// MoveProbe: tries out, beside the program, whether patterns carry a mover (a transpose) from the operands of an op to
// its results.
//
// In:  patterns that sink movers, and such that tidy up; an op, which of its operands are moved, and how.
// Out: how its results are then moved, all alike, and what the patterns put beside it for its other operands; or no.
// Elsewhere: which ops are worth it is move_regions.cpp.
//
// The op is built once more in a function of the probe's own, with movers on its operands, and the patterns run on
// that. So the patterns alone say what can be crossed: nothing here knows an op.
//
//   MoveProbe probe(ctx, mover, sinks, tidy, config);
//   ProbedMove out = probe.moved(op, {true, false}, perm);   // out.perm none: it cannot be crossed
#pragma once

#include "rw/rewrite/greedy_driver.h"
#include "rw/support/inline_list.h"

namespace rw {

/// The op that moves dimensions, by an attribute `perm`.
struct Mover {
  KindId kind;
  unsigned perm = 0; // index of the attribute

  bool is(Op op) const { return op && op.kind() == kind && op.operandCount() == 1; }
  /// The permutation, its default made explicit; none if it is not known.
  AttrId permOf(Op op) const { return op.attrOrDefault(perm); }
};

/// The attribute of the permutation that undoes `perm`; none if it is no permutation.
AttrId inversePerm(Context &, AttrId perm);
/// How many dimensions it permutes.
size_t permRank(Context &, AttrId perm);

/// What moving an op comes to.
struct ProbedMove {
  AttrId perm;                  // of its results
  unsigned ops = 0, movers = 0; // beside it, not counting what is made of constants: other ops, and movers
};

class MoveProbe {
public:
  MoveProbe(Context &ctx, Mover mover, const FrozenPatternSet &sinks, const FrozenPatternSet &tidy,
            const GreedyRewriteConfig &config)
      : ctx_(ctx), mover_(mover), sinks_(sinks), tidy_(tidy), config_(config), fn_(ctx, "probe") {}

  const Mover &mover() const { return mover_; }
  ProbedMove moved(Op op, const InlineList<bool> &operands, AttrId perm);
  /// Whether patterns make what a mover by `perm` gives of the op's only result at once, with nothing beside it: an
  /// Einsum can write its letters in any order.
  bool absorbs(Op op, AttrId perm);
  /// Whether patterns that tidy up make the op's only result at once, with nothing beside it, of an operand that a
  /// mover by `perm` makes: a Gemm reads its operands as they are or transposed.
  bool takesIn(Op op, unsigned operand, AttrId perm);
  /// Whether there are patterns that carry movers past such ops at all.
  bool mayCross(Op op) const { return op.resultCount() > 0 && op.regions().empty() && !sinks_.at(op.kind()).empty(); }
  /// Runs the patterns at an op of a program, whose operands are moved; whether one applied.
  /// `counters`, if there, are by number of the pattern.
  bool sink(PatternRewriter &, Op op, std::vector<PatternCounters> *counters = nullptr) const;
  /// Whether folding makes a constant of it: it is one, or made of nothing else.
  static bool isConstant(Value);

private:
  bool apply(const FrozenPatternSet &, PatternRewriter &, Op, std::vector<PatternCounters> *counters) const;
  Value operandLike(Value, bool isMoved, AttrId perm);
  Value makeMover(Value, AttrId perm);
  Op copyOf(Op op, const InlineList<bool> &operands, AttrId perm);
  TypeId unmovedType(TypeId, AttrId perm);
  AttrId permOfResults(Op end);
  bool countBeside(Op end, ProbedMove &);
  bool isMadeAlone(Op end, KindId);
  void clear();

  Context &ctx_;
  Mover mover_;
  const FrozenPatternSet &sinks_, &tidy_;
  const GreedyRewriteConfig &config_;
  Function fn_;
  std::vector<ValueId> before_; // parameters of fn_ that stand for what is moved
};

} // namespace rw
