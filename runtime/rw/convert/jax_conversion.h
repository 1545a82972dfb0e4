// The conversion of jaxprs to StableHLO: `jax_to_stablehlo`. Its lowerings are patterns (patterns/jax_to_stablehlo),
// but for sizes as values.
//
// In:  a registry. Out: the conversion in it.
// Elsewhere: what a conversion is, rw/passes/conversion.h says; jaxprs are read by rw/jaxpr.
//
//   registerJaxConversion(registry);
#pragma once

#include "rw/passes/pass.h"

namespace rw {

void registerJaxConversion(Registry &);

} // namespace rw
