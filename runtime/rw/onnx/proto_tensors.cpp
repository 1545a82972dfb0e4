// Tensors: which field of the message holds the elements, whether their number is right, and how they are shared.
#include "rw/onnx/external_data.h"
#include "rw/onnx/lending.h"
#include "rw/onnx/model_check.h"
#include "rw/onnx/proto.h"

#include "rw/ir/text_format.h"
#include "rw/support/failure.h"

#include <algorithm>
#include <cstring>

namespace rw::onnxio {
namespace {
/// Elements as the message holds them: their number, and the bytes where they already are as a dense attribute has
/// them.
struct Stored {
  size_t count = 0; // elements, or for raw data bytes
  bool raw = false;
  std::span<const std::byte> bytes;
};

template <class T> std::span<const std::byte> bytesOf(const google::protobuf::RepeatedField<T> &field) {
  return std::as_bytes(std::span<const T>(field.data(), size_t(field.size())));
}

unsigned fieldsUsed(const onnx::TensorProto &t) {
  return unsigned(t.has_raw_data()) + (t.float_data_size() != 0) + (t.int32_data_size() != 0) +
         (t.string_data_size() != 0) + (t.int64_data_size() != 0) + (t.double_data_size() != 0) +
         (t.uint64_data_size() != 0);
}

/// The elements of 32-bit or 64-bit integers in `bytes` bytes each.
template <class T>
std::shared_ptr<std::string> narrowed(const google::protobuf::RepeatedField<T> &field, size_t bytes) {
  auto out = std::make_shared<std::string>();
  out->resize(size_t(field.size()) * bytes);
  for (int i = 0; i < field.size(); ++i)
    std::memcpy(out->data() + size_t(i) * bytes, &field.Get(i), bytes); // little endian: the low bytes come first
  return out;
}

AttrId strings(Context &ctx, TypeId type, const onnx::TensorProto &t) {
  std::vector<StringId> ids;
  ids.reserve(size_t(t.string_data_size()));
  for (const std::string &s : t.string_data())
    ids.push_back(ctx.intern(s));
  return ctx.denseStringsAttr(type, ids);
}

TensorResult wrong(std::string why) { return {TensorForm::Wrong, AttrId(), std::move(why)}; }

/// The number of elements; fails if a dimension is negative or there are too many.
Result<size_t> elementCount(const onnx::TensorProto &t) {
  size_t count = 1;
  bool zero = false, overflow = false;
  for (int64_t d : t.dims()) {
    if (d < 0)
      return failure("has a dimension of {}", d);
    zero |= d == 0;
    overflow |= __builtin_mul_overflow(count, size_t(d), &count);
  }
  if (zero)
    return 0;
  if (overflow)
    return failure("has dimensions whose product is beyond 64 bits");
  return count;
}

TensorResult fromBytes(Context &ctx, OnnxModel::Rest &rest, TypeId type, size_t count, std::span<const std::byte> bytes,
                       std::shared_ptr<const void> owner = nullptr) {
  size_t expected = text::denseBytes(ctx.type(type).dtype, count);
  if (bytes.size() != expected)
    return wrong("is " + ctx.typeToString(type) + ", which takes " + std::to_string(expected) + " bytes, but holds " +
                 std::to_string(bytes.size()));
  return {TensorForm::Dense, ctx.denseAttr(type, bytes, owner ? std::move(owner) : rest.proto), {}};
}

TensorResult fromFields(Context &ctx, OnnxModel::Rest &rest, TypeId type, size_t count, const onnx::TensorProto &t) {
  DType dtype = ctx.type(type).dtype;
  size_t width = dtypeBytes(dtype);
  auto direct = [&](const auto &field) { return fromBytes(ctx, rest, type, count, bytesOf(field)); };
  auto narrow = [&](const auto &field) {
    std::shared_ptr<std::string> copy = narrowed(field, width);
    return fromBytes(ctx, rest, type, count, std::as_bytes(std::span<const char>(*copy)), copy);
  };
  switch (dtype) {
  case DType::F32:
  case DType::C64:
    return direct(t.float_data());
  case DType::F64:
  case DType::C128:
    return direct(t.double_data());
  case DType::I32:
    return direct(t.int32_data());
  case DType::I64:
    return direct(t.int64_data());
  case DType::U64:
    return direct(t.uint64_data());
  case DType::U32:
    return narrow(t.uint64_data());
  case DType::I4:
  case DType::U4:
  case DType::F4E2M1:
    width = 1; // two elements share a byte, and a byte is one entry
    return narrow(t.int32_data());
  default:
    return narrow(t.int32_data());
  }
}
} // namespace

std::optional<uint64_t> bytesInFile(const onnx::TensorProto &t, DType dtype) {
  Result<size_t> count = elementCount(t);
  if (!count || dtype == DType::Unknown || dtype == DType::String)
    return std::nullopt;
  if (dtype == DType::I4 || dtype == DType::U4 || dtype == DType::F4E2M1)
    return (uint64_t(*count) + 1) / 2; // two elements share a byte
  return uint64_t(*count) * dtypeBytes(dtype);
}

static TensorResult convert(Context &ctx, OnnxModel::Rest &rest, const onnx::TensorProto &t) {
  DType dtype = dtypeOf(t.data_type());
  bool external = t.data_location() == onnx::TensorProto::EXTERNAL;
  if (external)
    if (Result<void> place = checkExternal(rest, t, bytesInFile(t, dtype)); !place)
      return wrong(place.error());
  if (external || t.has_segment() || dtype == DType::Unknown || fieldsUsed(t) > 1)
    return {TensorForm::Special, AttrId(), {}};
  Result<size_t> count = elementCount(t);
  if (!count)
    return wrong(count.error());
  Dims dims;
  for (int64_t d : t.dims())
    dims.push_back(Dim(d));
  TypeId type = ctx.tensorType(dtype, dims);
  if (dtype == DType::String) {
    if (t.has_raw_data() || size_t(t.string_data_size()) != *count)
      return wrong("has " + std::to_string(*count) + " elements, but holds " + std::to_string(t.string_data_size()) +
                   " strings");
    return {TensorForm::Dense, strings(ctx, type, t), {}};
  }
  if (t.has_raw_data())
    return fromBytes(ctx, rest, type, *count, std::as_bytes(std::span<const char>(t.raw_data())));
  if (t.string_data_size() != 0)
    return wrong("holds strings, but is " + ctx.typeToString(type));
  return fromFields(ctx, rest, type, *count, t);
}

TensorResult tensorOf(Context &ctx, OnnxModel::Rest &rest, const onnx::TensorProto &t) {
  if (auto known = rest.tensors.find(&t); known != rest.tensors.end())
    return {TensorForm::Dense, known->second, {}};
  TensorResult result = convert(ctx, rest, t);
  if (result.form == TensorForm::Dense)
    rest.tensors.emplace(&t, result.attr);
  return result;
}

uint64_t bytesOfSplat(const Context &ctx, const DenseData &dense) {
  uint64_t bytes = dense.splat ? dense.bytes.size() : 0;
  for (Dim d : ctx.type(dense.type).dims)
    if (__builtin_mul_overflow(bytes, uint64_t(d.size()), &bytes))
      return UINT64_MAX;
  return bytes;
}

bool writeTensor(Context &ctx, const DenseData &dense, onnx::TensorProto &out, Lending *lending) {
  const TypeData &type = ctx.type(dense.type);
  for (Dim d : type.dims)
    out.add_dims(d.size());
  out.set_data_type(dataTypeOf(type.dtype));
  if (type.dtype == DType::String) {
    for (StringId s : dense.strings)
      out.add_string_data(std::string(ctx.text(s)));
    return true;
  }
  if (lending && dense.whole && dense.bytes.size() > Context::kLargeDense) {
    lending->lend(out, *dense.whole);
    return true;
  }
  std::string *raw = out.mutable_raw_data();
  const char *bytes = reinterpret_cast<const char *>(dense.bytes.data());
  if (!dense.splat) {
    raw->assign(bytes, dense.bytes.size());
    return true;
  }
  const uint64_t all = bytesOfSplat(ctx, dense);
  if (all > kMostModelBytes)
    return false;
  raw->resize(all);
  for (size_t at = 0; at < all; at += dense.bytes.size())
    std::memcpy(raw->data() + at, bytes, dense.bytes.size());
  return true;
}

/// Takes the elements out of the message, with the memory they took.
static void dropElements(onnx::TensorProto &t) {
  if (t.has_raw_data())
    std::string().swap(*t.mutable_raw_data());
  t.clear_raw_data();
  auto drop = [](auto *field) { std::remove_pointer_t<decltype(field)>().Swap(field); };
  drop(t.mutable_float_data());
  drop(t.mutable_int32_data());
  drop(t.mutable_int64_data());
  drop(t.mutable_double_data());
  drop(t.mutable_uint64_data());
}

void dropTensors(OnnxModel::Rest &rest, std::span<const AttrId> gone) {
  auto isGone = [&](AttrId id) { return std::ranges::binary_search(gone, id.raw, {}, &AttrId::raw); };
  if (!rest.fault) // the checker would miss what is dropped now
    rest.fault = faultOf(*rest.proto, folderOf(rest));
  std::erase_if(rest.tensors, [&](const auto &known) {
    if (!isGone(known.second))
      return false;
    dropElements(const_cast<onnx::TensorProto &>(*known.first)); // one of rest.proto
    return true;
  });
}

} // namespace rw::onnxio
