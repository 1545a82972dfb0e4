// Patterns with several roots: users in order, and where what replaces them can stand; declared in match_helpers.h.
#include "rw/rewrite/match_helpers.h"

#include <algorithm>

namespace rw {

InlineList<Op> usersBelow(Value from, unsigned uses, Op root) {
  InlineList<Op> found;
  InlineList<Value> values;
  if (from) // else nothing binds it in this alternative
    values.push_back(from);
  for (unsigned level = 0; level < uses; ++level) {
    found.clear();
    for (Value v : values) {
      unsigned seen = 0;
      for (Use use : v.uses()) {
        if (++seen > kMaxUsersSeen)
          break;
        if (use.owner.region() == root.region() && use.owner.kind() != kReturnKind)
          found.push_back(use.owner);
      }
    }
    std::sort(found.begin(), found.end(), [](Op a, Op b) { return a.isBefore(b); });
    found.resize(size_t(std::unique(found.begin(), found.end()) - found.begin()));
    values.clear();
    for (Op op : found)
      for (unsigned i = 0; i < op.resultCount() && values.size() < kMaxUsersSeen; ++i)
        values.push_back(op.result(i));
  }
  return found;
}

InlineList<Op> usersBelow(Op op, unsigned uses, Op root) {
  InlineList<Op> found;
  for (unsigned i = 0; op && i < op.resultCount(); ++i)
    for (Op user : usersBelow(op.result(i), uses, root))
      found.push_back(user);
  std::sort(found.begin(), found.end(), [](Op a, Op b) { return a.isBefore(b); });
  found.resize(size_t(std::unique(found.begin(), found.end()) - found.begin()));
  return found;
}

/// The op of `region` that is `op` or holds it; none if neither.
static Op inRegion(Op op, RegionId region) {
  while (op && op.region() != region)
    op = op.parent();
  return op;
}

bool placeBefore(PatternRewriter &rw, std::span<const Op> roots, std::span<const Op> replaced) {
  Op place = *roots.begin();
  RegionId region = place.region();
  for (Op root : roots) {
    if (root.region() != region)
      return false;
    if (place.isBefore(root))
      place = root;
  }
  for (Op op : replaced) {
    if (op.region() != region)
      return false;
    for (unsigned i = 0; i < op.resultCount(); ++i)
      for (Use use : op.result(i).uses())
        if (Op user = inRegion(use.owner, region); user && user.isBefore(place))
          place = user;
  }
  rw.setInsertionPoint(place);
  return true;
}

static bool standsAbove(Value v, Op user) {
  Op def = v.definingOp();
  if (!def)
    return bool(inRegion(user, v.paramRegion()));
  Op there = inRegion(user, def.region());
  return there && def.isBefore(there);
}

bool createdInOrder(PatternRewriter &rw) {
  for (OpId id : rw.created()) {
    Op op = rw.function().op(id);
    if (op.isErased())
      continue;
    for (unsigned i = 0; i < op.operandCount(); ++i)
      if (Value v = op.operand(i); v && !standsAbove(v, op))
        return false;
  }
  return true;
}

bool reachesUses(Op op, std::span<const Value> values) {
  for (unsigned i = 0; i < values.size(); ++i)
    for (Use use : op.result(i).uses())
      if (!values[i] || !standsAbove(values[i], use.owner))
        return false;
  return true;
}

} // namespace rw
