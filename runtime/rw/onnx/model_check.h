// ONNX's own checker as the last look before a file is replaced.
//
// In:  the model as read and the one to be written.
// Out: what the checker has against the new one; nothing if it had something against the old one already, or if the model is of an operator
//      set that the checker does not know.
// Elsewhere: the program was verified before, by rw/ir/verifier.h.
#pragma once

#include "rw/onnx/proto.h"

namespace rw::onnxio {

/// `folder` is where tensors in files of their own are looked for.
std::string newFault(const onnx::ModelProto &before, const onnx::ModelProto &after, const std::string &folder);

} // namespace rw::onnxio
