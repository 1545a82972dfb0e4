#include "rw/ir/clone.h"

#include <vector>

namespace rw {

InlineList<ValueId, 6> OpCloner::operandsOf(Op op) const {
  InlineList<ValueId, 6> operands;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    operands.push_back(mapped(op.operand(i).id));
  return operands;
}

InlineList<TypeId, 4> OpCloner::typesOf(Op op) {
  InlineList<TypeId, 4> types;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    types.push_back(op.result(i).typeId());
  return types;
}

void OpCloner::note(Op op, Op copied) {
  for (unsigned i = 0; i < op.resultCount(); ++i)
    map(op.result(i).id, copied.result(i).id);
}

/// Level by level, so that nesting may be as deep as it likes. Ops of one region are in order of definition.
void OpCloner::copyRegions(Op op, Op copied) {
  std::vector<std::pair<OpId, OpId>> pending{{op.id, copied.id}};
  for (size_t next = 0; next < pending.size(); ++next) {
    auto [source, target] = pending[next];
    std::vector<RegionId> regions(from_.regionsOf(source).begin(), from_.regionsOf(source).end());
    for (RegionId original : regions) {
      RegionId region = to_.addRegion(target);
      std::vector<ValueId> params(from_.params(original).begin(), from_.params(original).end());
      for (ValueId param : params)
        map(param, to_.addRegionParam(region, from_.data(param).type).id);
      for (OpId id = from_.data(original).firstOp; id; id = from_.data(id).next) {
        Op inner = from_.op(id);
        InlineList<ValueId, 6> operands = operandsOf(inner);
        InlineList<TypeId, 4> types = typesOf(inner);
        Op innerCopy =
            to_.appendOp(region, inner.kind(), operands, inner.attrsId(), types, keepLocs_ ? inner.loc() : Loc());
        note(inner, innerCopy);
        if (!inner.regions().empty())
          pending.push_back({inner.id, innerCopy.id});
      }
    }
  }
}

} // namespace rw
