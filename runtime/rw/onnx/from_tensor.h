// Programs of the tensor dialect as ONNX models of operator set 17.
//
// In:  a function without parameters of unknown element type; a registry with the dialects `tensor` and `onnx`.
// Out: a model whose graph computes the same, of ops of the main domain; or nothing and a diagnostic that names the
//      first op that does not map (regions, calls, tuples, random draws, decompositions, what ONNX has no op for).
// Elsewhere: writing the model is onnx.h.
//
//   std::optional<OnnxModel> model = onnxFromTensor(*program.function("main"), registry.ops, diags);
//   if (model) exportOnnx(*model, "out.onnx", diags);
#pragma once

#include "rw/onnx/onnx.h"

#include <map>

namespace rw {

namespace onnxio {
/// Of ops that stand for what others mean, by their ids: these others with the files that declare them, the innermost
/// one first.
using MeantBy = std::map<uint32_t, std::vector<std::string>>;
} // namespace onnxio

std::optional<OnnxModel> onnxFromTensor(Function &, const OpRegistry &, Diagnostics &, const onnxio::MeantBy & = {});

} // namespace rw
