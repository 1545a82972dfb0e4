#include "rw/onnx/tensor_room.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/wire_format_lite.h>

#include <unistd.h>
#include <vector>

namespace rw::onnxio {
namespace {
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr int64_t kTrusted = 50'000'000; // what Protobuf sets aside at once for a length that a stream states

/// The field of a tensor that holds its elements, and their bytes.
struct Room {
  int field = 0;
  int bytes = 0;
};

/// Calls `each(field, length)` for the fields of a message that have a length; it leaves the stream behind the field,
/// or says false.
template <class Each> bool fields(CodedInputStream &in, Each each) {
  while (uint32_t tag = in.ReadTag()) {
    int length = 0;
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&in, tag))
        return false;
    } else if (!in.ReadVarintSizeAsInt(&length) || !each(WireFormatLite::GetTagFieldNumber(tag), length)) {
      return false;
    }
  }
  return true;
}

template <class Each> bool inside(CodedInputStream &in, int length, Each each) {
  auto limit = in.PushLimit(length);
  bool good = fields(in, each);
  in.PopLimit(limit);
  return good;
}

std::vector<Room> roomOfInitializers(CodedInputStream &in) {
  std::vector<Room> rooms;
  auto inTensor = [&](int field, int length) {
    if (field == onnx::TensorProto::kRawDataFieldNumber || field == onnx::TensorProto::kFloatDataFieldNumber ||
        field == onnx::TensorProto::kDoubleDataFieldNumber)
      rooms.back() = {field, length};
    return in.Skip(length);
  };
  auto inGraph = [&](int field, int length) {
    if (field != onnx::GraphProto::kInitializerFieldNumber)
      return in.Skip(length);
    rooms.emplace_back();
    return inside(in, length, inTensor);
  };
  fields(in, [&](int field, int length) {
    return field == onnx::ModelProto::kGraphFieldNumber ? inside(in, length, inGraph) : in.Skip(length);
  });
  return rooms;
}

void reserve(onnx::TensorProto &tensor, const Room &room) {
  if (room.field == onnx::TensorProto::kRawDataFieldNumber)
    tensor.mutable_raw_data()->reserve(size_t(room.bytes));
  else if (room.field == onnx::TensorProto::kFloatDataFieldNumber)
    tensor.mutable_float_data()->Reserve(room.bytes / int(sizeof(float)));
  else
    tensor.mutable_double_data()->Reserve(room.bytes / int(sizeof(double)));
}
} // namespace

void makeRoom(int fd, int64_t fileBytes, onnx::ModelProto &model) {
  if (fileBytes <= kTrusted)
    return;
  std::vector<Room> rooms;
  {
    google::protobuf::io::FileInputStream file(fd);
    CodedInputStream in(&file);
    in.SetTotalBytesLimit(INT32_MAX);
    rooms = roomOfInitializers(in);
  }
  if (::lseek(fd, 0, SEEK_SET) != 0)
    return;
  // A message that is parsed into a cleared one takes over the memory of its parts, in their order.
  int64_t left = fileBytes;
  for (const Room &room : rooms) {
    onnx::TensorProto &tensor = *model.mutable_graph()->add_initializer();
    if (room.bytes > kTrusted && room.bytes <= left) {
      reserve(tensor, room);
      left -= room.bytes;
    }
  }
  model.Clear();
}

} // namespace rw::onnxio
