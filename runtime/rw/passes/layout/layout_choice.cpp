#include "rw/passes/layout/layout_choice.h"

#include "rw/ir/expr_helpers.h"

#include <algorithm>
#include <map>

namespace rw {
namespace {

AttrId composePerms(Context &ctx, AttrId inner, AttrId outer) {
  std::span<const int64_t> in = *attrAs<std::span<const int64_t>>(ctx, inner),
                           out = *attrAs<std::span<const int64_t>>(ctx, outer);
  std::vector<int64_t> both;
  for (int64_t i : out)
    both.push_back(in[size_t(i)]);
  return makeAttr(ctx, std::span<const int64_t>(both));
}

Value makeMover(PatternRewriter &rw, const Mover &mover, Value v, AttrId perm) {
  Context &ctx = rw.function().context();
  std::vector<AttrId> attrs(mover.perm + 1);
  attrs[mover.perm] = perm;
  return rw.create(ctx.ops().schema(mover.kind), std::span(&v.id, 1), ctx.attrs(attrs)).result();
}

/// Puts movers in front of ops, one for all that want a value moved alike.
class LayoutMove {
public:
  LayoutMove(PatternRewriter &rw, MoveProbe &probe)
      : rw_(rw), fn_(rw.function()), ctx_(fn_.context()), mover_(probe.mover()) {}

  /// A mover by `perm` of what gives v when moved so, for an operand of `user`.
  Value movedBack(Value v, AttrId perm, Op user) {
    AttrId undo = inversePerm(ctx_, perm); // from v to what is looked for
    while (true) {                         // what movers on the way from where v comes from do is taken together
      Op def = v.definingOp();
      AttrId by = mover_.is(def) && def.region() == user.region() ? mover_.permOf(def) : AttrId();
      if (!by || permRank(ctx_, by) != permRank(ctx_, undo))
        break;
      undo = composePerms(ctx_, by, undo);
      v = def.operand(0);
    }
    Value front = make(before(v, undo, user), perm);
    fronts_.push_back(front.definingOp().id);
    return front;
  }
  /// The movers in front of an op were carried past it.
  void forgetFronts() { fronts_.clear(); }

private:
  Value make(Value v, AttrId perm) { return makeMover(rw_, mover_, v, perm); }
  Value before(Value v, AttrId perm, Op user) {
    if (std::ranges::is_sorted(*attrAs<std::span<const int64_t>>(ctx_, perm)))
      return v;
    Value &made = made_[{v.id.raw, perm.raw, user.region().raw}];
    if (made)
      return made;
    for (Use use : v.uses())
      if (mover_.is(use.owner) && mover_.permOf(use.owner) == perm && use.owner.region() == user.region() &&
          use.owner.isBefore(user) &&
          // those have one user, so that they can be carried past it
          std::ranges::find(fronts_, use.owner.id) == fronts_.end())
        return made = use.owner.result();
    return made = make(v, perm);
  }

  PatternRewriter &rw_;
  Function &fn_;
  Context &ctx_;
  Mover mover_;
  std::vector<OpId> fronts_;                                       // movers in front of the op at hand
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Value> made_; // by value, permutation and region
};

} // namespace

void moveTo(const std::vector<LayoutModel::Moved> &layouts, PatternRewriter &rw, MoveProbe &probe,
            std::vector<PatternCounters> &counters) {
  Function &fn = rw.function();
  std::vector<LayoutModel::Moved> ordered = layouts;
  std::ranges::stable_sort(ordered, [&](const LayoutModel::Moved &a, const LayoutModel::Moved &b) {
    Op first = fn.op(a.op), second = fn.op(b.op);
    if (first == second) // its operands one by one, then its result
      return a.perm && !b.perm;
    return first.region() == second.region() ? first.isBefore(second) : first.region().raw < second.region().raw;
  });
  LayoutMove move(rw, probe);
  for (const LayoutModel::Moved &moved : ordered) {
    Op op = fn.op(moved.op);
    rw.begin(op);
    if (!moved.perm) { // its result is taken from what it is to make, and the patterns make that
      rw.setInsertionPoint(op.next());
      Value result = op.result(),
            made = makeMover(rw, probe.mover(), result, inversePerm(fn.context(), moved.resultPerm));
      rw.replaceAllUses(result, makeMover(rw, probe.mover(), made, moved.resultPerm));
      probe.sink(rw, made.definingOp(), &counters);
      continue;
    }
    for (unsigned i = 0; i < op.operandCount(); ++i)
      if (moved.operands[i])
        rw.setOperand(op, i, move.movedBack(op.operand(i), moved.perm, op));
    if (!moved.takesIn)
      probe.sink(rw, op, &counters);
    move.forgetFronts();
  }
}

bool mergeMovers(PatternRewriter &rw, const Mover &mover) {
  Function &fn = rw.function();
  Context &ctx = fn.context();
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, OpId> first; // by root, permutation and region
  bool changed = false;
  auto replace = [&](Op op, Value by) {
    if (!rw.mayReplace(op.result(), by))
      return false;
    rw.begin(op);
    rw.replaceOp(op, by);
    return changed = true;
  };
  for (uint32_t i = 0; i < fn.opCapacity(); ++i) { // those that are made here as well
    Op op = fn.op(OpId(i));
    if (op.isErased() || !mover.is(op) || !mover.permOf(op))
      continue;
    Value root = op.operand(0);
    AttrId perm = mover.permOf(op);
    while (mover.is(root.definingOp()) && root.definingOp().region() == op.region() &&
           mover.permOf(root.definingOp()) && permRank(ctx, mover.permOf(root.definingOp())) == permRank(ctx, perm)) {
      perm = composePerms(ctx, mover.permOf(root.definingOp()), perm);
      root = root.definingOp().operand(0);
    }
    if (std::ranges::is_sorted(*attrAs<std::span<const int64_t>>(ctx, perm))) {
      replace(op, root);
      continue;
    }
    if (root != op.operand(0)) {
      rw.begin(op);
      Value merged = makeMover(rw, mover, root, perm);
      if (!replace(op, merged))
        rw.erase(merged.definingOp());
      continue;
    }
    auto [at, isNew] = first.try_emplace({root.id.raw, perm.raw, op.region().raw}, op.id);
    if (isNew)
      continue;
    Op other = fn.op(at->second);
    bool comes = other.isBefore(op);
    at->second = comes ? other.id : op.id;
    replace(comes ? op : other, (comes ? other : op).result());
  }
  return changed;
}

} // namespace rw
