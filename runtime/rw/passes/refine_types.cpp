#include "rw/passes/refine_types.h"

#include "rw/ir/builder.h"

namespace rw {
namespace {

uint64_t refineResults(Op op) {
  if (!op.schema().inferTypes)
    return 0;
  Context &ctx = op.context();
  InlineList<TypeId, 4> types(op.resultCount(), TypeId());
  inferResultTypes(*InputsOf(op), types);
  uint64_t refined = 0;
  for (unsigned i = 0; i < op.resultCount(); ++i) {
    Value result = op.result(i);
    TypeId both = ctx.meet(result.typeId(), types[i]);
    if (!both || both == result.typeId())
      continue;
    op.fn->setType(result.id, both);
    ++refined;
  }
  return refined;
}

} // namespace

uint64_t refineTypes(Function &fn) {
  uint64_t refined = 0;
  // An op with regions is inferred when these are: it is on the stack until they are through.
  struct Place {
    OpId next, holder;
  };
  std::vector<Place> places{{fn.data(fn.body()).firstOp, OpId()}};
  while (!places.empty()) {
    OpId op = places.back().next;
    if (!op) {
      OpId holder = places.back().holder;
      places.pop_back();
      if (holder)
        refined += refineResults(fn.op(holder));
      continue;
    }
    places.back().next = fn.data(op).next;
    if (!(fn.data(op).flags & kHasRegions)) {
      refined += refineResults(fn.op(op));
      continue;
    }
    std::span<const RegionId> regions = fn.regionsOf(op);
    for (size_t i = regions.size(); i-- > 0;)
      places.push_back({fn.data(regions[i]).firstOp, i + 1 == regions.size() ? op : OpId()});
  }
  return refined;
}

} // namespace rw
