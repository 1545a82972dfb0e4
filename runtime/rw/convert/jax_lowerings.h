// What the conversion of jaxprs to StableHLO needs and patterns cannot say: sizes as values. The conversion itself is
// declared, and its other lowerings are patterns (patterns/jax_to_stablehlo).
//
// In:  a registry. Out: the lowering in it, which conversions from `jax` to `stablehlo` apply.
// Elsewhere: what a conversion is, rw/passes/conversion.h says; jaxprs are read by rw/jaxpr.
//
//   registerJaxLowerings(registry);
#pragma once

#include "rw/passes/pass.h"

namespace rw {

void registerJaxLowerings(Registry &);

} // namespace rw
