// Edits of ops that hold regions: copying the regions, and erasing them with all that they captured.

#include "rw/rewrite/rewriter.h"
#include "rw/rewrite/worklist.h"

#include <algorithm>

namespace rw {

/// Copies the regions of `from` into `to`; what they capture stays captured.
void PatternRewriter::cloneRegions(Op from, Op to) {
  std::vector<std::pair<ValueId, ValueId>> map; // original → copy, sorted by original: ids grow as regions are read
  auto copyOf = [&](ValueId v) {
    auto it = std::lower_bound(map.begin(), map.end(), v, [](auto &entry, ValueId id) { return entry.first < id; });
    return it != map.end() && it->first == v ? it->second : v;
  };
  auto note = [&](ValueId original, ValueId copy) {
    auto it = std::lower_bound(map.begin(), map.end(), original, [](auto &entry, ValueId id) { return entry.first < id; });
    map.insert(it, {original, copy});
  };
  std::vector<std::pair<OpId, OpId>> pending{{from.id, to.id}};
  for (size_t next = 0; next < pending.size(); ++next) {
    auto [source, target] = pending[next];
    std::vector<RegionId> regions(fn_.regionsOf(source).begin(), fn_.regionsOf(source).end());
    for (RegionId original : regions) {
      RegionId copy = fn_.addRegion(target);
      std::vector<ValueId> params(fn_.params(original).begin(), fn_.params(original).end());
      for (ValueId param : params)
        note(param, fn_.addRegionParam(copy, fn_.data(param).type).id);
      for (OpId inner = fn_.data(original).firstOp; inner; inner = fn_.data(inner).next) {
        OpData d = fn_.data(inner);
        InlineList<ValueId, 6> operands;
        for (uint32_t i = 0; i < d.operandCount; ++i)
          operands.push_back(copyOf(fn_.data(SlotId(d.firstOperand.raw + i)).value));
        InlineList<TypeId, 4> types;
        for (unsigned i = 0; i < d.resultCount; ++i)
          types.push_back(fn_.data(ValueId(d.firstResult.raw + i)).type);
        Op innerCopy = finish(fn_.appendOp(copy, d.kind, operands, d.attrs, types, fn_.loc(inner)));
        for (unsigned i = 0; i < d.resultCount; ++i)
          note(ValueId(d.firstResult.raw + i), innerCopy.result(i).id);
        if (d.flags & kHasRegions)
          pending.push_back({inner, innerCopy.id});
      }
    }
  }
}

/// An op with regions: what they captured lost uses too.
void PatternRewriter::eraseHolder(Op op) {
  std::vector<ValueId> used;
  std::vector<OpId> pending{op.id};
  while (!pending.empty()) {
    OpId at = pending.back();
    pending.pop_back();
    const OpData &d = fn_.data(at);
    for (uint32_t i = 0; i < d.operandCount; ++i)
      if (ValueId v = fn_.data(SlotId(d.firstOperand.raw + i)).value)
        used.push_back(v);
    for (RegionId region : fn_.regionsOf(at))
      for (OpId inner = fn_.data(region).firstOp; inner; inner = fn_.data(inner).next) {
        if (listener_)
          listener_->erasing(fn_.op(inner));
        pending.push_back(inner);
      }
  }
  fn_.erase(op.id);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (ValueId v : used) {
    Value value = fn_.value(v);
    Op def = value.definingOp();
    if (def ? def.isErased() : value.paramRegion() != fn_.body() && fn_.op(fn_.data(value.paramRegion()).parent).isErased())
      continue; // it was inside
    if (worklist_)
      worklist_->useRemoved(v);
    if (listener_)
      listener_->useRemoved(value);
  }
}

} // namespace rw
