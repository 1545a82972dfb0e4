#include "rw/interp/tensor.h"

#include "rw/support/numbers.h"

#include <cmath>
#include <cstring>

namespace rw {

constexpr size_t kMaxElements = size_t(1) << 28;

bool isComputable(DType t) {
  switch (t) {
  case DType::Bool:
  case DType::F16:
  case DType::BF16:
  case DType::F32:
  case DType::F64:
    return true;
  default:
    return isInteger(t) && dtypeBytes(t) != 0;
  }
}

double roundTo(DType t, double v) {
  switch (t) {
  case DType::F32:
    return double(float(v));
  case DType::F16:
    return double(fromHalf(toHalf(v)));
  case DType::BF16:
    return double(fromBFloat16(toBFloat16(v)));
  default:
    return v;
  }
}

int64_t wrapTo(DType t, int64_t v) {
  switch (t) {
  case DType::Bool:
    return v != 0;
  case DType::I8:
    return int8_t(v);
  case DType::I16:
    return int16_t(v);
  case DType::I32:
    return int32_t(v);
  case DType::U8:
    return uint8_t(v);
  case DType::U16:
    return uint16_t(v);
  case DType::U32:
    return uint32_t(v);
  default:
    return v;
  }
}

std::optional<size_t> elementCountOf(const std::vector<int64_t> &dims) {
  size_t count = 1;
  for (int64_t d : dims) {
    if (d < 0 || (d > 0 && count > kMaxElements / size_t(d)))
      return std::nullopt;
    count *= size_t(d);
  }
  return count;
}

std::vector<int64_t> stridesOf(const std::vector<int64_t> &dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t step = 1;
  for (size_t d = dims.size(); d-- > 0; step *= dims[d])
    strides[d] = step;
  return strides;
}

Tensor Tensor::zeros(DType dtype, std::vector<int64_t> dims) {
  Tensor t;
  t.dtype = dtype;
  size_t count = elementCountOf(dims).value_or(0);
  t.dims = std::move(dims);
  rw::isFloat(dtype) ? t.f.resize(count) : t.i.resize(count);
  return t;
}

void Tensor::set(size_t at, double v) {
  if (isFloating()) {
    f[at] = roundTo(dtype, v);
    return;
  }
  // Out of range is undefined in the formats; here it saturates, and NaN is 0.
  int64_t whole = std::isnan(v) ? 0 : v >= 9.2233720368547758e18 ? INT64_MAX : v <= -9.2233720368547758e18 ? INT64_MIN : int64_t(v);
  i[at] = dtype == DType::Bool ? v != 0 : wrapTo(dtype, whole);
}
void Tensor::setInt(size_t at, int64_t v) { isFloating() ? void(f[at] = roundTo(dtype, double(v))) : void(i[at] = wrapTo(dtype, v)); }

bool Tensor::sameAs(const Tensor &o) const {
  if (dtype != o.dtype || dims != o.dims || i != o.i || f.size() != o.f.size())
    return false;
  for (size_t k = 0; k < f.size(); ++k)
    if (!(std::isnan(f[k]) && std::isnan(o.f[k])) && (f[k] != o.f[k] || std::signbit(f[k]) != std::signbit(o.f[k])))
      return false;
  return true;
}

template <class T> static T load(const std::byte *p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

std::optional<Tensor> Tensor::fromAttr(const Context &ctx, AttrId id) {
  if (!id || ctx.attr(id).kind != AttrKind::Dense)
    return std::nullopt;
  const DenseData &dense = *ctx.attr(id).dense;
  const TypeData &type = ctx.type(dense.type);
  if (!isComputable(type.dtype))
    return std::nullopt;
  std::vector<int64_t> dims;
  for (Dim d : type.dims)
    dims.push_back(d.isKnown() ? d.size() : -1);
  std::optional<size_t> count = elementCountOf(dims);
  size_t width = dtypeBytes(type.dtype);
  if (!count || dense.bytes.size() < (dense.splat ? width : *count * width))
    return std::nullopt;
  Tensor t = zeros(type.dtype, std::move(dims));
  for (size_t k = 0; k < *count; ++k) {
    const std::byte *p = dense.bytes.data() + (dense.splat ? 0 : k * width);
    switch (type.dtype) {
    case DType::F64: t.f[k] = load<double>(p); break;
    case DType::F32: t.f[k] = double(load<float>(p)); break;
    case DType::F16: t.f[k] = double(fromHalf(load<uint16_t>(p))); break;
    case DType::BF16: t.f[k] = double(fromBFloat16(load<uint16_t>(p))); break;
    case DType::I8: t.i[k] = load<int8_t>(p); break;
    case DType::I16: t.i[k] = load<int16_t>(p); break;
    case DType::I32: t.i[k] = load<int32_t>(p); break;
    case DType::U16: t.i[k] = load<uint16_t>(p); break;
    case DType::U32: t.i[k] = load<uint32_t>(p); break;
    case DType::I64:
    case DType::U64: t.i[k] = load<int64_t>(p); break;
    default: t.i[k] = load<uint8_t>(p); break; // u8, bool
    }
  }
  return t;
}

AttrId Tensor::toAttr(Context &ctx) const {
  Dims shape;
  for (int64_t d : dims)
    shape.push_back(Dim(d));
  size_t width = dtypeBytes(dtype);
  auto bytes = std::make_shared<std::vector<std::byte>>(count() * width);
  for (size_t k = 0; k < count(); ++k) {
    std::byte *p = bytes->data() + k * width;
    float single = isFloating() ? float(f[k]) : 0;
    uint16_t half = dtype == DType::F16 ? toHalf(f[k]) : dtype == DType::BF16 ? toBFloat16(f[k]) : uint16_t(0);
    switch (dtype) {
    case DType::F64: std::memcpy(p, &f[k], width); break;
    case DType::F32: std::memcpy(p, &single, width); break;
    case DType::F16:
    case DType::BF16: std::memcpy(p, &half, width); break;
    default: std::memcpy(p, &i[k], width); break; // little endian: the low bytes
    }
  }
  std::span<const std::byte> view(*bytes);
  return ctx.denseAttr(ctx.tensorType(dtype, shape), view, bytes);
}

} // namespace rw
