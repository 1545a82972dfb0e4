// Storage: whether the links between ops, regions, values and operand slots fit together. Nothing here trusts a link
// before it is checked: every walk is bounded by the size of the arrays.
#include "rw/ir/verifier_impl.h"

#include <vector>

namespace rw::detail {
namespace {

class StructureVerifier {
public:
  StructureVerifier(Function &fn, OpChecker &checker)
      : fn_(fn), checker_(checker), opSeen_(fn.opCapacity()), valueSeen_(fn.valueCapacity()),
        regionSeen_(fn.regionCapacity()) {}

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
    if (sound_)
      uses();
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
      valueSeen_[v.raw] = true;
    }
    OpId previous;
    for (OpId id = fn_.data(region).firstOp; id; id = fn_.data(id).next) {
      if (id.raw >= fn_.opCapacity() || opSeen_[id.raw])
        return broken(previous, "the op after this one is linked twice or does not exist");
      opSeen_[id.raw] = true;
      if (!op(id, region, previous))
        return;
      for (RegionId nested : fn_.regionsOf(id)) {
        if (nested.raw >= fn_.regionCapacity() || regionSeen_[nested.raw] || fn_.data(nested).parent != id)
          return broken(id, "a region of this op does not exist, belongs to another op, or is held twice");
        regionSeen_[nested.raw] = true;
        pending.push_back(nested);
      }
      previous = id;
    }
    if (fn_.data(region).lastOp != previous)
      broken(previous, "this op ends the list of its region, but the region names another as its last");
  }

  bool op(OpId id, RegionId region, OpId previous) {
    const OpData &d = fn_.data(id);
    size_t before = checker_.failures();
    if (d.flags & kErased)
      broken(id, "an erased op is still linked");
    if (d.region != region)
      broken(id, "the op stands in one region and says it stands in another");
    if (d.prev != previous)
      broken(id, "the op and the one before it are not linked both ways");
    if (previous && fn_.data(previous).order >= d.order)
      broken(id, "the order number does not grow along the region");
    if (d.kind.raw >= fn_.context().ops().size())
      broken(id, "no op is registered for its kind");
    if (d.resultCount && size_t(d.firstResult.raw) + d.resultCount > fn_.valueCapacity())
      broken(id, "its results do not exist");
    if (d.operandCount && size_t(d.firstOperand.raw) + d.operandCount > fn_.slotCapacity())
      broken(id, "its operand slots do not exist");
    if (checker_.failures() != before)
      return false;
    for (unsigned i = 0; i < d.resultCount; ++i) {
      ValueId v(d.firstResult.raw + i);
      if (fn_.data(v).def != id.raw)
        broken(id, "result " + std::to_string(i) + " belongs to another op");
      valueSeen_[v.raw] = true;
    }
    for (unsigned i = 0; i < d.operandCount; ++i) {
      const SlotData &s = fn_.data(SlotId(d.firstOperand.raw + i));
      if (s.owner != id)
        broken(id, "the slot of operand " + std::to_string(i) + " belongs to another op");
      else if (s.value && s.value.raw >= fn_.valueCapacity())
        broken(id, "operand " + std::to_string(i) + " does not exist");
    }
    return checker_.failures() == before;
  }

  /// Every use is in the list of its value exactly once, and nothing else is.
  void uses() {
    std::vector<bool> slotSeen(fn_.slotCapacity());
    for (uint32_t i = 0; i < fn_.valueCapacity(); ++i) {
      ValueId v(i);
      SlotId previous;
      for (SlotId id = fn_.data(v).firstUse; id; id = fn_.data(id).next) {
        if (id.raw >= fn_.slotCapacity() || slotSeen[id.raw])
          return broken(OpId(), "the use list of value " + std::to_string(i) + " runs in a circle or out of bounds");
        slotSeen[id.raw] = true;
        const SlotData &s = fn_.data(id);
        bool owned = s.owner.raw < fn_.opCapacity() && opSeen_[s.owner.raw] &&
                     id.raw - fn_.data(s.owner).firstOperand.raw < fn_.data(s.owner).operandCount;
        if (s.value != v || s.prev != previous || !owned)
          return broken(owned ? s.owner : OpId(),
                        "the use list of value " + std::to_string(i) + " holds what is no use of it");
        if (!valueSeen_[i])
          checker_.fail("verify-dominance", s.owner,
                        "operand " + std::to_string(id.raw - fn_.data(s.owner).firstOperand.raw) +
                            " is a result of an erased op");
        previous = id;
      }
    }
    for (uint32_t i = 0; i < fn_.opCapacity(); ++i) {
      if (!opSeen_[i])
        continue;
      const OpData &d = fn_.data(OpId(i));
      for (unsigned k = 0; k < d.operandCount; ++k) {
        SlotId slot(d.firstOperand.raw + k);
        if (fn_.data(slot).value && !slotSeen[slot.raw])
          broken(OpId(i), "operand " + std::to_string(k) + " is not in the use list of its value");
      }
    }
  }

  Function &fn_;
  OpChecker &checker_;
  std::vector<bool> opSeen_, valueSeen_, regionSeen_;
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
