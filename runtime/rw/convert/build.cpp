#include "rw/convert/build.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::convert {

std::optional<std::vector<int64_t>> sizesOf(Value v) {
  const TypeData &type = v.type();
  if (type.kind != TypeKind::Tensor || !type.ranked)
    return std::nullopt;
  std::vector<int64_t> out;
  for (Dim d : type.dims) {
    if (!d.isKnown())
      return std::nullopt;
    out.push_back(d.size());
  }
  return out;
}

Op Build::ops(std::string_view name, std::span<const Value> operands, std::span<const NamedSetting> attrs,
              std::span<const TypeId> stated) {
  if (!ok_)
    return {};
  KindId kind = lowering.version() && name.starts_with("onnx.") ? ctx.ops().lookup(name, lowering.version())
                                                                : ctx.ops().lookup(name);
  if (kind == kOpaqueKind || std::ranges::any_of(operands, [](Value v) { return !v; }))
    return fail(fmt::format("the target has {}", name)), Op();
  Op made = buildNamed(rw, ctx.ops().schema(kind), operands, attrs, false, stated);
  if (!made)
    fail(fmt::format("{} can be built", name));
  return made;
}

Value Build::op(std::string_view name, std::span<const Value> operands, std::span<const NamedSetting> attrs,
                TypeId stated) {
  Op made = ops(name, operands, attrs, stated ? std::span<const TypeId>(&stated, 1) : std::span<const TypeId>());
  return made ? made.result() : Value();
}

Value Build::ints(std::span<const int64_t> list, std::span<const int64_t> shape) {
  Dims dims;
  for (int64_t n : shape)
    dims.push_back(Dim(n));
  TypeId type = ctx.tensorType(DType::I64, dims);
  return rw.materializeConstant("onnx", ctx.denseAttr(type, std::as_bytes(list)), type);
}
Value Build::ints(std::span<const int64_t> list) {
  int64_t size = int64_t(list.size());
  return ints(list, {&size, 1});
}
Value Build::bools(const std::vector<bool> &list, std::span<const int64_t> shape) {
  Dims dims;
  for (int64_t n : shape)
    dims.push_back(Dim(n));
  std::vector<uint8_t> bytes(list.begin(), list.end());
  TypeId type = ctx.tensorType(DType::Bool, dims);
  return rw.materializeConstant("onnx", ctx.denseAttr(type, std::as_bytes(std::span(bytes))), type);
}

static Dims withSize(Value x, size_t axis, Dim size) {
  Dims dims;
  for (Dim d : x.type().dims)
    dims.push_back(d);
  dims[axis] = size;
  return dims;
}

Value Build::slice(Value x, size_t axis, int64_t start, int64_t end, int64_t step, Dim size) {
  if (!ok_)
    return {};
  if (start == 0 && step == 1 &&
      (end == kToEnd || (x.type().dims[axis].isKnown() && end == x.type().dims[axis].size())))
    return x;
  Value from = ints({start}), to = ints({end}), along = ints({int64_t(axis)});
  TypeId type = shaped(x, withSize(x, axis, size));
  return step == 1 ? op("onnx.Slice", {x, from, to, along}, {}, type)
                   : op("onnx.Slice", {x, from, to, along, ints({step})}, {}, type);
}

Value Build::concat(std::span<const Value> parts, size_t axis, Dim size) {
  if (!ok_ || parts.size() == 1)
    return ok_ ? parts[0] : Value();
  NamedSetting setting{"axis", ctx.intAttr(int64_t(axis))};
  return op("onnx.Concat", parts, {&setting, 1}, shaped(parts[0], withSize(parts[0], axis, size)));
}

Value Build::transpose(Value x, std::span<const int64_t> perm) {
  bool same = true;
  for (size_t i = 0; i < perm.size(); ++i)
    same = same && perm[i] == int64_t(i);
  return same ? x : op("onnx.Transpose", {x}, {{"perm", ctx.intsAttr(perm)}});
}

Value Build::reshape(Value x, std::span<const int64_t> target, std::span<const Dim> dims) {
  if (!ok_ || std::ranges::equal(x.type().dims, dims))
    return ok_ ? x : Value();
  return op("onnx.Reshape", {x, ints(target)}, {}, shaped(x, dims));
}

Value Build::squeeze(Value x, size_t axis) {
  return op("onnx.Squeeze", {x}, {{"axes", ctx.intsAttr({int64_t(axis)})}});
}
Value Build::unsqueeze(Value x, size_t axis) {
  return op("onnx.Unsqueeze", {x}, {{"axes", ctx.intsAttr({int64_t(axis)})}});
}

Value Build::spread(Value scalar, Value like) {
  if (!ok_ || !scalar || !like)
    return fail("there is a number to repeat");
  std::span<const Dim> dims = like.type().dims;
  if (dims.empty())
    return scalar;
  TypeId type = shaped(scalar, dims);
  if (sizesOf(like))
    return op("stablehlo.broadcast_in_dim", {scalar},
              {{"broadcast_dimensions", ctx.intsAttr({})}, {"shape", ctx.dimsAttr(dims)}}, type);
  return op("onnx.Expand", {scalar, op("onnx.Shape", {like})}, {}, type);
}

Value Build::convert(Value x, DType to) {
  return !ok_ || x.type().dtype == to ? x : op("stablehlo.convert", {x}, {{"dtype", ctx.dtypeAttr(to)}});
}

} // namespace rw::convert
