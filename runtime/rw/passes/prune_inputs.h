// Unused inputs taken off the program's interface.
//
// In:  a program whose first function is its entry. Out: that function without the parameters that nothing reads and
//      that callers do not pass by position. Other functions keep their signatures: they are called.
// Elsewhere: ops that nothing reads are dce.h.
//
// Positional are plain arguments. Model parameters and inputs with a default are given by name, and go. Where arguments
// are numbered `in_0`, `in_1`, … as jax2onnx numbers positional ones, those of other names are given by name too; with
// the option `positional=numbered` they are so whether or not any is numbered.
// A model parameter from which one that stays is derived stays with it.
#pragma once

#include "rw/passes/pass.h"

namespace rw {

MadePass makePruneInputs(const Registry &, const PassOptions &);

} // namespace rw
