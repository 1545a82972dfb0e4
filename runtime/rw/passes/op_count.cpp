#include "rw/passes/op_count.h"

#include "rw/ir/schema.h"

#include <algorithm>

namespace rw {

bool computes(Op op) {
  if (op.kind() == kReturnKind)
    return false;
  if (op.kind() != kOpaqueKind)
    return !op.hasTrait(Trait::Constant);
  if (op.operandCount() || !op.regions().empty())
    return true;
  const Context &ctx = op.context(); // data in a form that only its format reads
  return std::ranges::none_of(ctx.attrs(op.attrsId()).extra,
                              [&](const NamedAttr &a) { return ctx.attr(a.value).kind == AttrKind::Bytes; });
}

size_t computingOps(Function &fn) {
  size_t count = 0;
  for (uint32_t i = 0; i < fn.opCapacity(); ++i)
    if (Op op = fn.op(OpId(i)); !op.isErased())
      count += computes(op);
  return count;
}

} // namespace rw
