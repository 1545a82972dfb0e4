// to_f16: a program of ONNX's ops computes in floats of 16 bits where it computed in 32.
//
// In:  a program; ops that stay as they are, by kind, by their name or that of a result, or by a glob of these.
// Out: ops that take and give f16, in bodies of If, Loop and Scan as well, and constants of f16; a Cast where an f16
//      meets an op that stays. Inputs and results stay f32, unless `io` is set; so does what a loop carries. A remark
//      says what stays and which numbers f16 does not hold.
// Elsewhere: which operands ONNX wants in f32 whatever the rest is (`keepsOperand`) a test holds against its own
//            schemas.
//
//   rw-opt model.onnx --pipeline 'onnx,to_f16{keep="Softmax,/head/*"},dce'        # or: --fp16
//                                                                                 --keep-fp32='Softmax,/head/*'
//
// What stays in f32 unasked:
//   - ops that ONNX does not have in f16, and ops of other domains;
//   - what a loop adds up: ops between what it carries into a round and what it carries out of it, up to products;
//   - what is computed between integers (a size times a scale, a position), and what is asked for exactly (the scales
//     of a Resize): f16 counts to 2048 only;
//   - ops one of whose constants would become 0, such as the epsilon under a root.
// A constant's number beyond 65504 becomes 65504.
#pragma once

#include "rw/passes/pass.h"

namespace rw {

void registerToF16Pass(Registry &);

/// Whether ONNX has this operand of an op of its main domain ("Resize", 2) in f32 and not in f16, in some version up to
/// 24.
bool keepsOperand(std::string_view op, unsigned operand);
/// Whether an op stays in f32 as a whole: it has operands or results that f16 cannot be, or an engine's kernel is
/// likely to miss.
bool staysInF32(std::string_view op);

} // namespace rw
