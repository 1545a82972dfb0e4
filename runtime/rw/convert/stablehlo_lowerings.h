// Ops of StableHLO that hold regions, call something or only say something of other ops, as ops of ONNX: in C++, since
// patterns cannot put regions together. Everything else of StableHLO is lowered by patterns
// (patterns/stablehlo_to_onnx).
//
// In:  a registry. Out: the lowerings in it, which conversions from `stablehlo` to `onnx` apply.
// Elsewhere: what a lowering is, rw/passes/lowering.h says; who applies them, rw/passes/conversion.h.
//
//   registerStablehloLowerings(registry);
#pragma once

#include "rw/passes/pass.h"

namespace rw {

void registerStablehloLowerings(Registry &);

} // namespace rw
