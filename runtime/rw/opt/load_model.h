// Programs from files, by extension.
//
// In:  a path: .rwir text, .mlir text (StableHLO), .jaxpr text (JAX's own), or .onnx where the ONNX component is built
//      in; capitals do not matter, and .pb is taken for .onnx. What stands on standard input ("-"), or in a file of
//      another name, is StableHLO or a jaxpr if it begins as such a text does, and a model if its bytes are no text.
// Out: a ModelFile (model_file.h), or diagnostics.
//
//   std::unique_ptr<ModelFile> model = loadModel("model.onnx", registry.ops, sources, diags);
#pragma once

#include "rw/opt/model_file.h"

namespace rw::opt {

/// Null and a diagnostic if the file cannot be read. `whole`: nor if files that belong to it are not there, else a
/// warning says so.
std::unique_ptr<ModelFile> loadModel(const std::string &path, const OpRegistry &, SourceManager &, Diagnostics &,
                                     bool whole = false);
/// Likewise of bytes: a model if they are no text, StableHLO if they begin so, else .rwir; `name` is what diagnostics
/// call them.
std::unique_ptr<ModelFile> loadModelBytes(std::string_view bytes, const std::string &name, const OpRegistry &,
                                          SourceManager &, Diagnostics &);

} // namespace rw::opt
