#include "rw/convert/jax_lowerings.h"

#include "rw/passes/lowering.h"

namespace rw {

namespace {
/// A size as a value: that of a dimension of some parameter, or a constant.
bool lowerDimAsValue(LoweringContext &ctx) {
  Context &types = ctx.context();
  Dim wanted = types.attr(ctx.op().attrNamed("dim")).dims[0];
  TypeId result = ctx.op().result().typeId();
  DType dtype = types.type(result).dtype;
  if (wanted.isKnown() && dtype == DType::I32) {
    int32_t size = int32_t(wanted.size());
    if (size != wanted.size())
      return ctx.fail("a size that fits an i32");
    return ctx.bind(0, ctx.constant(types.denseAttr(result, std::as_bytes(std::span(&size, 1)))));
  }
  Function &fn = ctx.function();
  for (ValueId id : fn.params(fn.body())) {
    Value param = fn.value(id);
    const TypeData &type = param.type();
    for (size_t i = 0; type.ranked && i < type.dims.size(); ++i) {
      if (!provablyEqual(type.dims[i], wanted))
        continue;
      Value size = ctx.make("stablehlo.get_dimension_size", {param}, {{"dimension", types.intAttr(int64_t(i))}});
      if (size && dtype != DType::I32)
        size = ctx.make("stablehlo.convert", {size}, {{"dtype", types.dtypeAttr(dtype)}});
      return ctx.bind(0, size);
    }
  }
  return ctx.fail("a size that some parameter has as a dimension");
}
} // namespace

void registerJaxLowerings(Registry &registry) {
  const Registry::Scope scope(registry, "rw");
  registry.addLowering(
      {.op = "jax.dim_as_value", .to = "stablehlo", .name = "dimension_of_parameter", .lower = lowerDimAsValue});
}

} // namespace rw
