// Programs that were no models as ONNX models.
//
// In:  a function without parameters of unknown element type; a registry with the dialects `tensor` and `onnx`.
// Out: a model whose graph is the function: of operator set 17, or of the nearest one in which each op is what it is in
//      the program. Ops of other dialects are of the domain that is the dialect's or its name, in the first version in
//      which they are what they are. Or nothing and a diagnostic.
// Elsewhere: from_tensor.h writes ops of the dialect `tensor` as such of ONNX; writing the model is onnx.h.
//
//   std::optional<OnnxModel> model = onnxFromProgram(program, registry.ops, diags);
//   if (model) exportOnnx(*model, "out.onnx", diags);
#pragma once

#include "rw/onnx/onnx.h"

#include <map>

namespace onnx {
class FunctionProto;
}

namespace rw {

/// Of the function `main`, which must be there.
std::optional<OnnxModel> onnxFromProgram(Program &, const OpRegistry &, Diagnostics &);

namespace onnxio {
/// A model without anything in it that imports this operator set and these domains, in these versions.
std::optional<OnnxModel> emptyModel(const std::string &name, const OpRegistry &, Diagnostics &, int opset,
                                    const std::map<std::string, int> &domains = {},
                                    const std::vector<onnx::FunctionProto> &functions = {});
} // namespace onnxio

} // namespace rw
