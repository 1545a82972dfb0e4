// Function::compact: renumbers everything that is still alive, in program order.

#include "rw/ir/function.h"

#include <algorithm>

namespace rw {
namespace {
/// Live ops in program order, the ops of nested regions right after the op that holds them.
std::vector<OpId> programOrder(const Function &fn) {
  std::vector<OpId> order, stack; // the stack holds where to go on in each open region
  order.reserve(fn.liveOps());
  if (OpId first = fn.data(fn.body()).firstOp)
    stack.push_back(first);
  while (!stack.empty()) {
    OpId op = stack.back();
    stack.pop_back();
    order.push_back(op);
    if (OpId next = fn.data(op).next)
      stack.push_back(next);
    std::span<const RegionId> regions = fn.regionsOf(op);
    for (size_t i = regions.size(); i-- > 0;)
      if (OpId first = fn.data(regions[i]).firstOp)
        stack.push_back(first);
  }
  return order;
}
} // namespace

void Function::compact() {
  std::vector<OpId> order = programOrder(*this);
  Function out(*ctx_, name_);
  out.paramInfos_ = paramInfos_;
  out.resultNames_ = resultNames_;
  out.reserve(order.size(), order.size(), order.size());
  std::vector<OpId> opMap(ops_.size());
  std::vector<ValueId> valueMap(values_.size());
  std::vector<RegionId> regionMap(regions_.size());

  auto takeRegion = [&](RegionId old, RegionId fresh) {
    regionMap[old.raw] = fresh;
    for (ValueId param : regions_[old.raw].params) {
      Value v = out.addRegionParam(fresh, values_[param.raw].type);
      valueMap[param.raw] = v.id;
      if (StringId name = valueName(param))
        out.setValueName(v.id, name);
    }
  };
  takeRegion(body(), out.body());

  // First all ops without operands, so that captures and any order of definition resolve; then the operands.
  for (OpId old : order) {
    const OpData &d = ops_[old.raw];
    OpId fresh(uint32_t(out.ops_.size()));
    opMap[old.raw] = fresh;
    OpData &n = out.ops_.emplace_back(d);
    n.flags = d.flags & kHasRegions;
    n.prev = n.next = OpId();
    if (d.resultCount)
      n.firstResult = ValueId(uint32_t(out.values_.size()));
    for (unsigned i = 0; i < d.resultCount; ++i) {
      ValueId v(d.firstResult.raw + i);
      valueMap[v.raw] = ValueId(uint32_t(out.values_.size()));
      out.values_.push_back({values_[v.raw].type, SlotId(), fresh.raw});
      if (StringId name = valueName(v))
        out.setValueName(valueMap[v.raw], name);
    }
    if (StringId name = opName(old))
      out.setOpName(fresh, name);
    if (Loc at = loc(old))
      out.setLoc(fresh, at);
    out.linkBefore(fresh, regionMap[d.region.raw], OpId());
    for (RegionId region : regionsOf(old))
      takeRegion(region, out.addRegion(fresh));
    ++out.liveOps_;
  }
  for (OpId old : order) {
    const OpData &d = ops_[old.raw];
    OpId fresh = opMap[old.raw];
    out.ops_[fresh.raw].firstOperand = SlotId(uint32_t(out.slots_.size()));
    for (uint32_t i = 0; i < d.operandCount; ++i) {
      ValueId v = slots_[d.firstOperand.raw + i].value;
      SlotId slot(uint32_t(out.slots_.size()));
      out.slots_.push_back({ValueId(), fresh, SlotId(), SlotId()});
      out.addUse(slot, v ? valueMap[v.raw] : ValueId());
    }
  }
  *this = std::move(out);
}

} // namespace rw
