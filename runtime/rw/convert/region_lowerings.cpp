#include "rw/convert/region_lowerings.h"

#include <string>
#include <utility>

namespace rw::convert {

void registerGeneralLowerings(Registry &registry) {
  // Behind the patterns of the same ops, which have benefits.
  const std::pair<const char *, bool (*)(LoweringContext &)> general[] = {
      {"reduce", lowerReduce},
      {"reduce_window", lowerReduceWindow},
      {"map", lowerMap},
      {"select_and_scatter", lowerSelectAndScatter},
      {"gather", lowerGather},
      {"scatter", lowerScatter},
      {"sort", lowerSort},
      {"dynamic_slice", lowerDynamicSlice},
      {"dynamic_update_slice", lowerDynamicUpdateSlice},
      {"cholesky", lowerCholesky},
      {"rng_bit_generator", lowerRandomBits},
      {"rng", refuseRandom},
  };
  for (const auto &[name, lower] : general)
    registry.addLowering(
        {.op = std::string("stablehlo.") + name, .to = "onnx", .name = std::string("general_") + name, .lower = lower});
}

} // namespace rw::convert
