// Storage: whether the links between ops, regions, values and operand slots fit together. Nothing here trusts a link
// before it is checked: every walk is bounded by the size of the arrays. Ops and use lists that are as they should be
// are told quickly, in one sweep; only when something is wrong is it worked out what.
#include "rw/ir/verifier_impl.h"

#include <vector>

namespace rw::detail {
namespace {

class StructureVerifier {
public:
  StructureVerifier(Function &fn, OpChecker &checker) : fn_(fn), checker_(checker), regionSeen_(fn.regionCapacity()) {}

  bool run() {
    // A list of regions still to be walked, rather than recursion: nothing bounds nesting here yet.
    std::vector<RegionId> pending{fn_.body()};
    regionSeen_[0] = true;
    if (fn_.data(fn_.body()).parent)
      broken(OpId(), "the body of the function has a parent op");
    while (!pending.empty() && sound_) {
      RegionId region = pending.back();
      pending.pop_back();
      walk(region, pending);
    }
    if (sound_ && wrongList_) {
      bool owned = wrongUse_.raw < fn_.slotCapacity() && isOperand(wrongUse_);
      broken(owned ? fn_.data(wrongUse_).owner : OpId(), "the use list of value " + std::to_string(wrongList_.raw) +
                                                             " runs in a circle or holds what is no use of it");
    }
    if (sound_ && listed_ != used_)
      findMissingUses();
    return sound_;
  }

private:
  void broken(OpId op, std::string message) {
    sound_ = false;
    checker_.fail("verify-structure", op, std::move(message));
  }

  void walk(RegionId region, std::vector<RegionId> &pending) {
    for (ValueId v : fn_.params(region)) {
      if (v.raw >= fn_.valueCapacity() || fn_.data(v).def != (ValueData::kParam | region.raw))
        return broken(fn_.data(region).parent, "a parameter of a region is not marked as one");
      usesOf(v);
    }
    OpId previous;
    uint32_t order = 0;
    for (OpId id = fn_.data(region).firstOp; id; id = fn_.data(id).next) {
      if (id.raw >= fn_.opCapacity())
        return broken(previous, "the op after this one does not exist");
      const OpData &d = fn_.data(id);
      // One predecessor each, the first one none: so no op can be met twice.
      bool fits = !(d.flags & kErased) && d.region == region && d.prev == previous && (!previous || order < d.order) &&
                  d.kind.raw < fn_.context().ops().size();
      if (!fits || !values(id, d))
        return explain(id, region, previous);
      if (d.flags & kHasRegions)
        for (RegionId nested : fn_.regionsOf(id)) {
          if (nested.raw >= fn_.regionCapacity() || regionSeen_[nested.raw] || fn_.data(nested).parent != id)
            return broken(id, "a region of this op does not exist, belongs to another op, or is held twice");
          regionSeen_[nested.raw] = true;
          pending.push_back(nested);
        }
      order = d.order;
      previous = id;
    }
    if (fn_.data(region).lastOp != previous)
      broken(previous, "this op ends the list of its region, but the region names another as its last");
  }

  /// Results with their use lists, and operands. False if something is wrong with the op.
  bool values(OpId id, const OpData &d) {
    if (size_t(d.firstResult.raw) + d.resultCount > fn_.valueCapacity() && d.resultCount)
      return false;
    if (size_t(d.firstOperand.raw) + d.operandCount > fn_.slotCapacity() && d.operandCount)
      return false;
    for (uint32_t i = 0; i < d.operandCount; ++i) {
      const SlotData &s = fn_.data(SlotId(d.firstOperand.raw + i));
      if (s.owner != id || (s.value && s.value.raw >= fn_.valueCapacity()))
        return false;
      used_ += bool(s.value);
    }
    for (unsigned i = 0; i < d.resultCount; ++i) {
      ValueId v(d.firstResult.raw + i);
      if (fn_.data(v).def != id.raw)
        return false;
      usesOf(v);
    }
    return true;
  }

  /// The use list of a value that is defined: each entry is an operand of an op and reads the value, and knows the
  /// entry before it, so that none is met twice. All operands are in their lists if there are as many of both.
  void usesOf(ValueId v) {
    SlotId previous;
    for (SlotId id = fn_.data(v).firstUse; id; id = fn_.data(id).next) {
      if (id.raw >= fn_.slotCapacity() || !isOperand(id) || fn_.data(id).value != v || fn_.data(id).prev != previous) {
        wrongList_ = v; // said last: it may follow from something else
        wrongUse_ = id;
        return;
      }
      ++listed_;
      previous = id;
    }
  }
  bool isOperand(SlotId id) const {
    OpId owner = fn_.data(id).owner;
    if (owner.raw >= fn_.opCapacity())
      return false;
    const OpData &d = fn_.data(owner);
    return !(d.flags & kErased) && id.raw - d.firstOperand.raw < d.operandCount;
  }

  /// What is wrong with an op.
  void explain(OpId id, RegionId region, OpId previous) {
    const OpData &d = fn_.data(id);
    if (d.flags & kErased)
      broken(id, "an erased op is still linked");
    if (d.region != region)
      broken(id, "the op stands in one region and says it stands in another");
    if (d.prev != previous)
      broken(id, "the op is linked twice, or it and the one before it are not linked both ways");
    if (previous && fn_.data(previous).order >= d.order)
      broken(id, "the order number does not grow along the region");
    if (d.kind.raw >= fn_.context().ops().size())
      broken(id, "no op is registered for its kind");
    if (d.resultCount && size_t(d.firstResult.raw) + d.resultCount > fn_.valueCapacity())
      broken(id, "its results do not exist");
    if (d.operandCount && size_t(d.firstOperand.raw) + d.operandCount > fn_.slotCapacity())
      broken(id, "its operand slots do not exist");
    if (!sound_)
      return;
    for (unsigned i = 0; i < d.resultCount; ++i)
      if (fn_.data(ValueId(d.firstResult.raw + i)).def != id.raw)
        broken(id, "result " + std::to_string(i) + " belongs to another op");
    for (unsigned i = 0; i < d.operandCount; ++i) {
      const SlotData &s = fn_.data(SlotId(d.firstOperand.raw + i));
      if (s.owner != id)
        broken(id, "the slot of operand " + std::to_string(i) + " belongs to another op");
      else if (s.value && s.value.raw >= fn_.valueCapacity())
        broken(id, "operand " + std::to_string(i) + " does not exist");
    }
  }

  /// Not as many operands as entries of use lists: some are not listed, or read a value of an erased op (which the
  /// check of dominance reports), or are not operands of an op that is linked.
  void findMissingUses() {
    std::vector<bool> listed(fn_.slotCapacity());
    for (uint32_t i = 0; i < fn_.valueCapacity(); ++i) {
      size_t steps = 0; // lists of values of erased ops have not been walked and may run in a circle
      for (SlotId id = fn_.data(ValueId(i)).firstUse; id && id.raw < fn_.slotCapacity() && steps <= fn_.slotCapacity();
           id = fn_.data(id).next, ++steps)
        if (fn_.data(id).value.raw == i)
          listed[id.raw] = true;
    }
    for (uint32_t i = 0; i < fn_.opCapacity(); ++i) {
      const OpData &d = fn_.data(OpId(i));
      if (d.flags & kErased)
        continue;
      for (unsigned k = 0; k < d.operandCount; ++k) {
        SlotId slot(d.firstOperand.raw + k);
        ValueId value = fn_.data(slot).value;
        if (!value)
          continue;
        if (!listed[slot.raw])
          broken(OpId(i), "operand " + std::to_string(k) + " is not in the use list of its value");
      }
    }
    if (sound_ && listed_ > used_)
      broken(OpId(), "use lists hold operands of ops that stand in no region");
  }

  Function &fn_;
  OpChecker &checker_;
  std::vector<bool> regionSeen_;
  uint64_t used_ = 0, listed_ = 0; // operands, and entries of use lists
  ValueId wrongList_;              // a value whose list is broken, and where
  SlotId wrongUse_;
  bool sound_ = true;
};
} // namespace

bool verifyStructure(Function &fn, OpChecker &checker) { return StructureVerifier(fn, checker).run(); }

bool verifyLinks(Op op, OpChecker &checker) {
  Function &fn = *op.fn;
  const OpData &d = fn.data(op.id);
  size_t before = checker.failures();
  auto broken = [&](const char *message) { checker.fail("verify-structure", op.id, message); };
  if (d.flags & kErased) {
    broken("the op is erased");
    return false;
  }
  const RegionData &region = fn.data(d.region);
  if ((d.prev ? fn.data(d.prev).next : region.firstOp) != op.id ||
      (d.next ? fn.data(d.next).prev : region.lastOp) != op.id)
    broken("the op and its neighbours are not linked both ways");
  if ((d.prev && fn.data(d.prev).order >= d.order) || (d.next && fn.data(d.next).order <= d.order))
    broken("the order number does not grow along the region");
  for (unsigned i = 0; i < d.resultCount; ++i)
    if (fn.data(ValueId(d.firstResult.raw + i)).def != op.id.raw)
      broken("a result belongs to another op");
  for (unsigned i = 0; i < d.operandCount; ++i) {
    SlotId id(d.firstOperand.raw + i);
    const SlotData &s = fn.data(id);
    if (s.owner != op.id)
      broken("an operand slot belongs to another op");
    else if (s.value && (s.prev ? fn.data(s.prev).next : fn.data(s.value).firstUse) != id)
      broken("an operand is not in the use list of its value");
  }
  for (RegionId nested : op.regions())
    if (fn.data(nested).parent != op.id)
      broken("a region of this op belongs to another op");
  return checker.failures() == before;
}

} // namespace rw::detail
