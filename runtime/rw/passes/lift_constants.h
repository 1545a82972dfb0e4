// lift_constants: constants at the top level of a function become the constant op that stands for stored data.
//
// In:  a function whose dialect has several constant ops (ONNX: `Constant` nodes, and initializers of the graph).
// Out: those at the top level all of the dialect's first kind, under the same names; nested regions keep theirs.
// Elsewhere: making equal ones one is cse.h.
//
//   rw-opt model.onnx --pipeline lift_constants
#pragma once

#include "rw/passes/pass.h"

namespace rw {

MadePass makeLiftConstants(const Registry &, const PassOptions &);

} // namespace rw
