// Room for large tensors before a model is parsed. Protobuf does not trust the lengths that a stream states: beyond 50
// MB it lets a string grow as the bytes come, so that a tensor of 100 MiB takes 200 while it is read. Here the lengths
// can be trusted as far as the file reaches.
//
// In:  the file, and a message that is to be parsed from it.
// Out: the message, empty, with memory set aside that parsing it will use. If the file is no model, or a damaged one,
//      parsing says so.
// Elsewhere: reader.cpp parses.
//
//   makeRoom(fd, size, model);
//   model.ParseFromCodedStream(…);
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>

namespace rw::onnxio {

/// `fileBytes` is the size of the file, at whose beginning `fd` stands and will stand again. Reads little of it: what
/// is long is skipped.
void makeRoom(int fd, int64_t fileBytes, onnx::ModelProto &);

} // namespace rw::onnxio
