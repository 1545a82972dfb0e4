#include "rw/convert/region_lowerings.h"

#include <string>
#include <utility>

namespace rw::convert {

namespace {
/// Engines have casts of integers of 4 bits and nothing else: what patterns do not compute in 8 bits is refused.
template <bool (*lower)(LoweringContext &)> bool fromByteOn(LoweringContext &ctx) {
  Op op = ctx.op();
  bool any = false;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    any |= op.operand(i) && isInteger4(op.operand(i).type().dtype);
  for (unsigned i = 0; i < op.resultCount(); ++i)
    any |= isInteger4(op.result(i).type().dtype);
  return any ? ctx.fail("elements of 8 bits or more, or a `reduce` by one op") : lower(ctx);
}
} // namespace

void registerGeneralLowerings(Registry &registry) {
  // Behind the patterns of the same ops, which have benefits.
  const std::pair<const char *, bool (*)(LoweringContext &)> general[] = {
      {"reduce", fromByteOn<lowerReduce>},
      {"reduce_window", fromByteOn<lowerReduceWindow>},
      {"map", fromByteOn<lowerMap>},
      {"select_and_scatter", fromByteOn<lowerSelectAndScatter>},
      {"gather", fromByteOn<lowerGather>},
      {"scatter", fromByteOn<lowerScatter>},
      {"sort", fromByteOn<lowerSort>},
      {"dynamic_slice", fromByteOn<lowerDynamicSlice>},
      {"dynamic_update_slice", fromByteOn<lowerDynamicUpdateSlice>},
      {"cholesky", fromByteOn<lowerCholesky>},
      {"rng_bit_generator", fromByteOn<lowerRandomBits>},
      {"rng", refuseRandom},
  };
  for (const auto &[name, lower] : general)
    registry.addLowering(
        {.op = std::string("stablehlo.") + name, .to = "onnx", .name = std::string("general_") + name, .lower = lower});
}

} // namespace rw::convert
