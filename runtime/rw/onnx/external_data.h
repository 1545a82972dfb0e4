// What a tensor says about the file that holds its elements: whether it can be true. Files are looked at, and opened
// only by readStored (onnx.h), for those who evaluate the model.
//
// In:  a TensorProto with data_location EXTERNAL; where the model was read.
// Out: why it cannot be true; which files are not there (a model may travel without its weights, so that is no error).
// Elsewhere: the tensors themselves stay as they are (proto_tensors.cpp); a warning where a result leaves its weights
//            behind is writer.cpp.
//
//   // "keeps its data in `w.bin` up to byte 1208; the file ends at 1200"
//   if (Result<void> place = checkExternal(rest, tensor, bytes); !place) return wrong(place.error());
#pragma once

#include "rw/onnx/proto.h"

#include <optional>
#include <string>

namespace rw::onnxio {

/// How many bytes a tensor's elements take in a file; none if that is not known.
std::optional<uint64_t> bytesInFile(const onnx::TensorProto &, DType);

/// Fails if the tensor's data cannot be where it says. `bytes`: what its type and shape take, if that is known. The
/// file's name goes into rest.external.
Result<void> checkExternal(OnnxModel::Rest &rest, const onnx::TensorProto &tensor, std::optional<uint64_t> bytes);

/// Where the bytes of a tensor lie, if its data is external: the location as it is written, and the place in that file.
/// `length` is what the tensor says, or what its type and shape take.
struct ExternalPlace {
  std::string location;
  uint64_t offset = 0, length = 0;
};
ExternalPlace placeOf(const onnx::TensorProto &);

/// Whether `path` is one of the files that hold the model's tensors, by whatever name.
bool isExternalFile(const OnnxModel::Rest &rest, const std::string &path);

} // namespace rw::onnxio
