#include "rw/passes/layout/region_move.h"

#include "rw/ir/expr_helpers.h"

#include <algorithm>

namespace rw {

static constexpr unsigned kMaxSweeps = 6;
static constexpr uint32_t kNoNode = UINT32_MAX;

/// A mover by P is a way in, one by its inverse a way out. If both are the same, what comes from a way in is a way out.
void RegionMove::assignRoles(const std::vector<OpId> &order) {
  role_.assign(fn_.opCapacity(), Role::None);
  std::vector<bool> fed(perm_ == inverse_ ? fn_.valueCapacity() : 0);
  for (OpId id : order) {
    Op op = fn_.op(id);
    if (mover_.is(op)) {
      AttrId p = mover_.permOf(op);
      bool out = p == inverse_ && (perm_ != inverse_ || fed[op.operand(0).id.raw]);
      role_[id.raw] = out ? Role::Sink : p == perm_ ? Role::Source : Role::None;
      if (perm_ == inverse_ && role_[id.raw] == Role::Source)
        fed[op.result().id.raw] = true;
      continue;
    }
    if (perm_ != inverse_)
      continue;
    for (unsigned i = 0; i < op.operandCount(); ++i)
      for (unsigned r = 0; op.operand(i) && fed[op.operand(i).id.raw] && r < op.resultCount(); ++r)
        fed[op.result(r).id.raw] = true;
  }
}

/// Whether the op can be crossed with its operands moved by `perm`; then it is recorded.
bool RegionMove::visit(Op op, AttrId perm) {
  if (!perm || crossingOf(op) || tried_[op.id.raw])
    return false;
  Crossing c;
  c.op = op.id;
  c.perm = perm;
  bool any = false;
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    Value v = op.operand(i);
    bool moved = false;
    if (v && !v.constant()) {
      std::optional<int64_t> rank = rankOf(ctx_, v.typeId());
      Op def = v.definingOp();
      bool here = (def ? def.region() : v.paramRegion()) == op.region();
      moved = here && (formOf(v) ? formOf(v) == perm
                                 : rank && size_t(*rank) == permRank(ctx_, perm) && !isSingleElement(ctx_, v.typeId()));
      if (!moved && !rank && !formOf(v))
        return false; // perhaps later, when more is known of it
      if (moved && wanted_[v.id.raw] && wanted_[v.id.raw] != perm)
        return false; // another user takes it in another form
    }
    c.moved.push_back(moved);
    any |= moved;
  }
  if (!any)
    return false;
  tried_[op.id.raw] = true;
  ProbedMove probed = probe_.moved(op, c.moved, perm);
  c.resultPerm = probed.perm;
  c.beside = probed.ops * kOpCost + probed.movers * kMoverCost;
  if (!c.resultPerm || (alone_ && c.beside))
    return false;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (AttrId wanted = wanted_[op.result(i).id.raw]; wanted && wanted != c.resultPerm)
      return false;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    form_[op.result(i).id.raw] = c.resultPerm;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    if (c.moved[i] && !formOf(op.operand(i)))
      wanted_[op.operand(i).id.raw] = perm;
  crossing_[op.id.raw] = uint32_t(crossings_.size());
  crossings_.push_back(std::move(c));
  return true;
}

/// Downwards from what is moved, then upwards from what is wanted; whether anything new came up.
bool RegionMove::sweep(const std::vector<OpId> &order) {
  bool grown = false;
  for (OpId id : order) {
    Op op = fn_.op(id);
    if (mover_.is(op))
      continue;
    for (unsigned i = 0; i < op.operandCount() && !crossingOf(op); ++i)
      if (op.operand(i) && formOf(op.operand(i)))
        grown |= visit(op, formOf(op.operand(i)));
  }
  for (size_t i = order.size(); i-- > 0;) {
    Op op = fn_.op(order[i]);
    for (unsigned r = 0; r < op.resultCount() && !mover_.is(op) && !crossingOf(op); ++r)
      if (wanted_[op.result(r).id.raw])
        grown |= visit(op, wanted_[op.result(r).id.raw]);
  }
  return grown;
}

bool RegionMove::feedsCrossing(Value v) {
  for (Use use : v.uses())
    if (crossingOf(use.owner))
      return true;
  return false;
}

bool keepsOrder(Context &ctx, Value v, AttrId perm) {
  std::optional<std::span<const Dim>> shape = shapeOf(ctx, v.typeId());
  std::optional<std::span<const int64_t>> p = attrAs<std::span<const int64_t>>(ctx, perm);
  int64_t last = -1;
  for (size_t i = 0; p && i < p->size(); ++i) {
    int64_t from = (*p)[i];
    bool one = shape && shape->size() == p->size() && (*shape)[size_t(from)] == Dim(1);
    if (!one && from < last)
      return false;
    last = one ? last : from;
  }
  return p.has_value();
}

/// What a mover of v, or of what gives v when moved by `form`, costs: nothing where it moves nothing. One that only
/// moves dimensions of 1 is a reshape, which merges with others: less than a mover.
uint32_t RegionMove::price(Value v, AttrId form) const {
  std::optional<std::span<const int64_t>> p = attrAs<std::span<const int64_t>>(ctx_, form);
  if (p && std::ranges::is_sorted(*p))
    return 0;
  return keepsOrder(ctx_, v, inversePerm(ctx_, form)) ? kReshapeCost : kMoverCost;
}

/// What the forms of a value cost, given who uses it.
void RegionMove::cost(Value v) {
  Op def = v.definingOp();
  Crossing *own = def ? crossingOf(def) : nullptr;
  bool source = def && isSource(def);
  AttrId form = own ? own->resultPerm : source ? perm_ : wanted_[v.id.raw];
  if (!form)
    return;
  uint32_t mover = price(v, form);
  std::vector<uint32_t> users;
  bool plainUser = false, movedUser = false;
  for (Use use : v.uses()) {
    Crossing *user = crossingOf(use.owner);
    if (user && use.index < user->moved.size() && user->moved[use.index] && user->perm == form)
      users.push_back(user->node);
    else if (isSink(use.owner) && form == perm_)
      movedUser = true;
    else if (mover_.is(use.owner) && !feedsCrossing(use.owner.result()))
      continue; // one mover either way: it merges with what the value comes from
    else
      plainUser = true;
  }
  // Moved, with users that take it as it is: one mover.
  if (own && plainUser) {
    cut_.addCost(own->node, 0, mover);
  } else if ((own || source) && !plainUser && !users.empty()) {
    uint32_t any = cut_.addNode();
    for (uint32_t user : users)
      cut_.addArc(any, user, MinCut::kAlways);
    if (own)
      cut_.addArc(own->node, any, mover);
    else
      cut_.addCost(any, mover, 0);
  }
  // As it is, with users that take it moved: one mover.
  if (source)
    return;
  if (movedUser) {
    if (own)
      cut_.addCost(own->node, mover, 0);
  } else if (!users.empty()) {
    uint32_t any = cut_.addNode();
    for (uint32_t user : users)
      cut_.addArc(user, any, MinCut::kAlways);
    if (own)
      cut_.addArc(any, own->node, mover);
    else
      cut_.addCost(any, 0, mover);
  }
}

void RegionMove::costs() {
  for (Crossing &c : crossings_) {
    c.node = cut_.addNode();
    cut_.addCost(c.node, 0, c.beside);
  }
  std::vector<bool> seen(fn_.valueCapacity());
  auto once = [&](Value v) {
    if (v && !seen[v.id.raw]) {
      seen[v.id.raw] = true;
      cost(v);
    }
  };
  for (Crossing &c : crossings_) {
    Op op = fn_.op(c.op);
    for (unsigned i = 0; i < op.operandCount(); ++i)
      if (c.moved[i])
        once(op.operand(i));
    for (unsigned i = 0; i < op.resultCount(); ++i)
      once(op.result(i));
  }
}

uint64_t RegionMove::plan(const std::vector<OpId> &order) {
  if (!inverse_)
    return 0;
  form_.assign(fn_.valueCapacity(), {});
  wanted_.assign(fn_.valueCapacity(), {});
  crossing_.assign(fn_.opCapacity(), kNoNode);
  assignRoles(order);
  for (OpId id : order) {
    Op op = fn_.op(id);
    if (isSource(op))
      form_[op.result().id.raw] = perm_;
    else if (isSink(op) && !op.operand(0).constant())
      wanted_[op.operand(0).id.raw] = perm_;
  }
  for (unsigned i = 0; i < kMaxSweeps; ++i) {
    tried_.assign(fn_.opCapacity(), false);
    if (!sweep(order))
      break;
  }
  costs();
  return cut_.solve();
}

bool RegionMove::addsOps() const {
  return std::ranges::any_of(crossings_, [&](const Crossing &c) { return c.beside && cut_.isSource(c.node); });
}

Value RegionMove::move(PatternRewriter &rw, Value v, AttrId perm) {
  std::vector<AttrId> attrs(mover_.perm + 1);
  attrs[mover_.perm] = perm;
  return rw.create(ctx_.ops().schema(mover_.kind), std::span(&v.id, 1), ctx_.attrs(attrs)).result();
}

/// The value that gives v when moved by `perm`, for a user that comes later in the same region.
Value RegionMove::before(PatternRewriter &rw, Value v, AttrId perm, Op user) {
  Op def = v.definingOp();
  if (mover_.is(def) && mover_.permOf(def) == perm)
    return def.operand(0);
  Value &made = made_[{v.id.raw, perm.raw, user.region().raw}];
  if (made)
    return made;
  // What moves it already has other users, so that it stays where it is; one that comes later would be a second one.
  AttrId inverse = inversePerm(ctx_, perm);
  std::vector<Op> later;
  for (Use use : v.uses()) {
    if (!mover_.is(use.owner) || mover_.permOf(use.owner) != inverse || use.owner.region() != user.region())
      continue;
    if (use.owner.isBefore(user))
      return made = use.owner.result();
    later.push_back(use.owner);
  }
  made = move(rw, v, inverse);
  for (Op again : later)
    if (rw.mayReplace(again.result(), made))
      rw.replaceOp(again, made);
  return made;
}

void RegionMove::apply(PatternRewriter &rw) {
  std::sort(crossings_.begin(), crossings_.end(), [&](const Crossing &a, const Crossing &b) {
    RegionId ra = fn_.op(a.op).region(), rb = fn_.op(b.op).region();
    return ra == rb ? fn_.op(a.op).isBefore(fn_.op(b.op)) : ra.raw < rb.raw;
  });
  for (const Crossing &c : crossings_) {
    if (!cut_.isSource(c.node))
      continue;
    Op op = fn_.op(c.op);
    rw.begin(op);
    for (unsigned i = 0; i < op.operandCount(); ++i)
      if (c.moved[i])
        rw.setOperand(op, i, move(rw, before(rw, op.operand(i), c.perm, op), c.perm));
    probe_.sink(rw, op, &sunk_);
  }
}

} // namespace rw
