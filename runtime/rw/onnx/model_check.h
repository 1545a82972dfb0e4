// ONNX's own checks: of a model as the last look before a file is replaced, of an op that its declaration here refuses.
//
// In:  the model as read and the one to be written; or an op that was just read.
// Out: what ONNX has against the new model; nothing if it had something against the old one already, or if the model is
//      of an operator set that it does not know. What it has against the op.
// Elsewhere: the program was verified before, by rw/ir/verifier.h.
#pragma once

#include "rw/onnx/op_kinds.h"

namespace rw::onnxio {

/// The reason of an exception in one line.
std::string oneLine(const std::exception &);

/// What the checker has against a model; empty if nothing. `folder` is where tensors in files of their own are looked
/// for.
std::string faultOf(const onnx::ModelProto &, const std::string &folder);
/// What it has against the new model, if it had nothing against the old one. That ONNX's own domain lacks an op is no
/// fault, since engines add some: `notInOnnx` gets their names. `after` is changed meanwhile, and is as before then.
std::string newFault(const OnnxModel::Rest &before, onnx::ModelProto &after, std::set<std::string> &notInOnnx);

/// What ONNX's inference of shapes has against an op with operands of these types and contents, and a result whose
/// elements are of the type recorded; empty if nothing. It is what engines run when they load a model.
struct RecordedElements {
  std::string name; // of the result; empty: none is looked at
  DType dtype = DType::Unknown;
};
std::string nodeFault(const onnx::NodeProto &, const OpsetImports &, Op, const RecordedElements & = {});

} // namespace rw::onnxio
