// What the conversion of ONNX to StableHLO needs and patterns cannot say: branches and loops. The conversion itself is
// declared, and its other lowerings are patterns (patterns/onnx_to_stablehlo).
//
// In:  a registry. Out: the lowerings in it, which conversions from `onnx` to `stablehlo` apply.
// Elsewhere: the way back is stablehlo_lowerings.h.
//
//   registerFromOnnxLowerings(registry);
#pragma once

#include "rw/passes/pass.h"

namespace rw {

void registerFromOnnxLowerings(Registry &);

} // namespace rw
