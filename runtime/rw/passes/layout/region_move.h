// RegionMove: the ops that can be computed before a mover (a transpose) instead of behind it, and which of them are
// worth it.
//
// In:  a function, every op of it with operands before users, and a permutation in use.
// Out: plan() says how much less the movers will cost, apply() puts them where the plan has them and carries them past
//      the ops.
// Elsewhere: which permutations, whether it holds in the end, and what tidies up is move_regions.cpp; what can be
//            crossed is move_probe.h; the choice is min_cut.h.
//
//   RegionMove regions(fn, probe, perm, false);
//   if (regions.plan(order)) regions.apply(rewriter);
#pragma once

#include "rw/passes/layout/min_cut.h"
#include "rw/passes/layout/move_probe.h"
#include "rw/passes/pattern_pass.h"

#include <map>

namespace rw {

/// What movers cost, those that only move dimensions of 1, and other ops. An op may be put in place of a mover, but not
/// two in place of one; of so many that these numbers would say otherwise, the count of ops in the end says it.
constexpr uint32_t kMoverCost = 10, kReshapeCost = 5, kOpCost = 9;

/// Whether moving v by `perm` leaves its elements in their order: it only moves dimensions of 1. Then it is a reshape,
/// which merges with others.
bool keepsOrder(Context &ctx, Value v, AttrId perm);

/// The regions that can be moved by one permutation, and the choice among them.
class RegionMove {
public:
  /// `alone`: only past ops beside which nothing is put.
  RegionMove(Function &fn, MoveProbe &probe, AttrId perm, bool alone)
      : fn_(fn), ctx_(fn.context()), mover_(probe.mover()), probe_(probe), perm_(perm),
        inverse_(inversePerm(ctx_, perm)), alone_(alone) {}

  /// How much less the movers will cost; 0: nothing to do.
  uint64_t plan(const std::vector<OpId> &order);
  /// Whether what is planned puts ops beside others.
  bool addsOps() const;
  void apply(PatternRewriter &);
  /// What the patterns did that moved movers past ops, by number of the pattern.
  const std::vector<PatternCounters> &sunk() const { return sunk_; }

private:
  struct Crossing {
    OpId op;
    AttrId perm, resultPerm; // of its operands, of its results
    InlineList<bool> moved;  // its operands
    uint32_t beside = 0;     // what that which is put beside it costs
    uint32_t node = UINT32_MAX;
  };
  AttrId formOf(Value v) const { return v.id.raw < form_.size() ? form_[v.id.raw] : AttrId(); }
  Crossing *crossingOf(Op op) {
    uint32_t i = op.id.raw < crossing_.size() ? crossing_[op.id.raw] : UINT32_MAX;
    return i == UINT32_MAX ? nullptr : &crossings_[i];
  }
  bool isSource(Op op) const { return mover_.is(op) && role_[op.id.raw] == Role::Source; }
  bool isSink(Op op) const { return mover_.is(op) && role_[op.id.raw] == Role::Sink; }
  void assignRoles(const std::vector<OpId> &order);
  bool visit(Op op, AttrId perm);
  bool sweep(const std::vector<OpId> &order);
  bool feedsCrossing(Value v);
  uint32_t price(Value v, AttrId form) const;
  void cost(Value v);
  void costs();
  Value before(PatternRewriter &, Value v, AttrId perm, Op user);
  Value move(PatternRewriter &, Value v, AttrId perm);

  Function &fn_;
  Context &ctx_;
  Mover mover_;
  MoveProbe &probe_;
  std::vector<PatternCounters> sunk_;
  AttrId perm_, inverse_;
  bool alone_;
  enum class Role : uint8_t { None, Source, Sink };
  std::vector<Role> role_;         // by op
  std::vector<AttrId> form_;       // by value: the permutation it comes from where it is moved
  std::vector<AttrId> wanted_;     // by value: the form in which users that can be crossed would take it
  std::vector<uint32_t> crossing_; // by op
  std::vector<bool> tried_;        // by op: cannot be crossed by the form it was met with
  std::vector<Crossing> crossings_;
  MinCut cut_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Value> made_; // value, permutation, region → the value before it
};

} // namespace rw
