// Conversions: a program from one dialect to another, all of it or nothing.
//
// In:  a program, a pass with a ConversionEntry: which dialects go, which may be there afterwards; and the patterns and
//      C++ lowerings that must get there.
// Out: a program of legal ops alone; or it as it was, and errors that name what is left, where it stands, and what it
//      would have needed.
// Elsewhere: lowerings in C++ are lowering.h; calls are put in by inline_calls.h; what applies patterns is the greedy
//            driver.
//
//   conversion stablehlo_to_onnx { from stablehlo, chlo; to onnx 17..24; patterns label "stablehlo_to_onnx"; }
//   rw-opt model.mlir --pipeline stablehlo_to_onnx -o model.rwir
//
// A lowering is a pattern with ops of both dialects in it. Which of several is tried first their benefits say; what
// cannot be built in the version that is tried is no match, and if something is left the next version is tried, up to
// the last one. Regions of ops that are to go are left as they are until the op itself has gone: a pattern sees what a
// reduction does as it is written.
//
// Options: version=N (of the target; then no other one is tried), functions=keep|inline, and those of pattern passes.
#pragma once

#include "rw/passes/pattern_pass.h"

namespace rw {

MadePass makeConversionPass(const Registry &, const PassEntry &, const PassOptions &);

/// The conversions that lead from the ops of a program, which is one of `also` whatever ops it has, to a dialect, in
/// order; empty: none is needed, or none leads there.
std::vector<const PassEntry *> conversionsTo(const Registry &, const Program &, std::string_view dialect,
                                             std::string_view also = "");

} // namespace rw
