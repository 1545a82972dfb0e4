#include "rw/ir/stand_ins.h"

#include "rw/ir/expr_helpers.h"

namespace rw {

AttrId standInDefault(Context &ctx, const StandInSchema &s) {
  if (!s.hasDefault)
    return {};
  return s.type == AttrType::Int ? ctx.intAttr(int64_t(s.byDefault)) : ctx.floatAttr(s.byDefault);
}

AttrId standInAttr(Op op, unsigned which) {
  const OpSchema &schema = op.schema();
  if (which >= schema.standIns.size())
    return {};
  Context &ctx = op.context();
  const StandInSchema &s = schema.standIns[which];
  Value operand = s.operand < op.operandCount() ? op.operand(s.operand) : Value();
  if (!operand)
    return standInDefault(ctx, s);
  AttrId held = operand.constant();
  if (!held || ctx.attr(held).kind != AttrKind::Dense)
    return {};
  bool one = s.type == AttrType::Int || s.type == AttrType::Float;
  if (s.type == AttrType::Int || s.type == AttrType::Ints) {
    std::optional<Ints> ints = intsOfTensor(ctx, held);
    if (!ints || (one && ints->size() != 1))
      return {};
    return one ? ctx.intAttr((*ints)[0]) : ctx.intsAttr({ints->data(), ints->size()});
  }
  std::optional<InlineList<double>> floats = floatsOfTensor(ctx, held);
  if (!floats || (one && floats->size() != 1))
    return {};
  for (double n : *floats) // attributes are floats of 32 bits
    if (n == n && double(float(n)) != n)
      return {};
  return one ? ctx.floatAttr((*floats)[0]) : ctx.floatsAttr({floats->data(), floats->size()});
}

AttrId standInTensor(Context &ctx, const StandInSchema &s, AttrId attr, DType first) {
  DType dtype = s.dtype == DType::Unknown ? first : s.dtype;
  if (dtype == DType::Unknown)
    return {};
  const AttrData &data = ctx.attr(attr);
  if (s.type == AttrType::Ints || s.type == AttrType::Floats) {
    Dims dims;
    dims.push_back(Dim(int64_t(s.type == AttrType::Ints ? data.ints.size() : data.floats.size())));
    TypeId type = ctx.tensorType(dtype, dims);
    if (s.type == AttrType::Ints)
      return tensorOf(ctx, std::span<const int64_t>(data.ints), type);
    return tensorOf(ctx, std::span<const double>(data.floats), type);
  }
  Dims dims;
  for (unsigned i = 0; i < s.rank; ++i)
    dims.push_back(Dim(1));
  return splatOf(ctx, attr, ctx.tensorType(dtype, dims));
}

} // namespace rw
