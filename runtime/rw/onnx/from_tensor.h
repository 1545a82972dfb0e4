// Programs of the tensor dialect as ONNX models of operator set 17.
//
// In:  a function without parameters of unknown element type; a registry with the dialects `tensor` and `onnx`.
// Out: a model whose graph computes the same, of ops of the main domain; or nothing and a diagnostic that names the first op
//      that does not map (regions, calls, tuples, random draws, decompositions, what ONNX has no op for).
// Elsewhere: writing the model is onnx.h.
//
//   std::optional<OnnxModel> model = onnxFromTensor(*program.function("main"), registry.ops, diags);
//   if (model) exportOnnx(*model, "out.onnx", diags);
#pragma once

#include "rw/onnx/onnx.h"

namespace rw {

std::optional<OnnxModel> onnxFromTensor(Function &, const OpRegistry &, Diagnostics &);

} // namespace rw
