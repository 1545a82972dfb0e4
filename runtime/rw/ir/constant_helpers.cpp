// Constants as lists of numbers, and tests on their elements; declared in expr_helpers.h.
#include "rw/ir/expr_helpers.h"

#include "rw/support/numbers.h"

#include <cmath>
#include <cstring>

namespace rw {

AttrId constantOf(Value v) { return v ? v.constant() : AttrId(); }

static const DenseData *denseOf(Context &ctx, AttrId id) {
  if (!id)
    return nullptr;
  const AttrData &a = ctx.attr(id);
  return a.kind == AttrKind::Dense ? a.dense : nullptr;
}

TypeId typeOfTensor(Context &ctx, AttrId id) {
  const DenseData *d = denseOf(ctx, id);
  return d ? d->type : TypeId();
}

template <class T> static T read(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// An element of an integer or bool dtype; fails for u64 above the largest int.
static std::optional<int64_t> intAt(DType t, const std::byte *at) {
  switch (t) {
  case DType::Bool:
  case DType::U8: return read<uint8_t>(at);
  case DType::I8: return read<int8_t>(at);
  case DType::I16: return read<int16_t>(at);
  case DType::U16: return read<uint16_t>(at);
  case DType::I32: return read<int32_t>(at);
  case DType::U32: return read<uint32_t>(at);
  case DType::I64: return read<int64_t>(at);
  case DType::U64: {
    uint64_t u = read<uint64_t>(at);
    return u > uint64_t(INT64_MAX) ? std::nullopt : std::optional(int64_t(u));
  }
  default: return std::nullopt;
  }
}

static std::optional<double> floatAt(DType t, const std::byte *at) {
  switch (t) {
  case DType::F16: return fromHalf(read<uint16_t>(at));
  case DType::BF16: return fromBFloat16(read<uint16_t>(at));
  case DType::F32: return read<float>(at);
  case DType::F64: return read<double>(at);
  default: return std::nullopt;
  }
}

/// Calls `use(address of element)` for each element, a splat's as often as it stands; false if that is too often or
/// `use` says false.
template <class Use> static bool eachElement(Context &ctx, const DenseData &d, size_t limit, Use use) {
  std::optional<int64_t> count = ctx.elementCount(d.type);
  size_t width = dtypeBytes(ctx.type(d.type).dtype);
  if (!count || width == 0 || uint64_t(*count) > limit)
    return false;
  if (!d.splat && d.bytes.size() < size_t(*count) * width)
    return false;
  if (d.splat && d.bytes.size() < width)
    return false;
  for (size_t i = 0; i < size_t(*count); ++i)
    if (!use(d.bytes.data() + (d.splat ? 0 : i * width)))
      return false;
  return true;
}

std::optional<Ints> intsOfTensor(Context &ctx, AttrId id) {
  const DenseData *d = denseOf(ctx, id);
  if (!d || !isInteger(ctx.type(d->type).dtype))
    return std::nullopt;
  Ints out;
  bool ok = eachElement(ctx, *d, kMaxList, [&](const std::byte *at) {
    std::optional<int64_t> i = intAt(ctx.type(d->type).dtype, at);
    out.push_back(i.value_or(0));
    return bool(i);
  });
  return ok ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<InlineList<double>> floatsOfTensor(Context &ctx, AttrId id) {
  const DenseData *d = denseOf(ctx, id);
  if (!d)
    return std::nullopt;
  InlineList<double> out;
  bool ok = eachElement(ctx, *d, kMaxList, [&](const std::byte *at) {
    std::optional<double> f = floatAt(ctx.type(d->type).dtype, at);
    out.push_back(f.value_or(0));
    return bool(f);
  });
  return ok && isFloat(ctx.type(d->type).dtype) ? std::optional(std::move(out)) : std::nullopt;
}

/// Whether all elements satisfy `test`; of a splat one look is enough.
template <class Test> static bool allElements(Context &ctx, AttrId id, Test test) {
  const DenseData *d = denseOf(ctx, id);
  if (!d)
    return false;
  DType t = ctx.type(d->type).dtype;
  size_t width = dtypeBytes(t);
  if (d->splat)
    return width != 0 && d->bytes.size() >= width && test(t, d->bytes.data());
  return eachElement(ctx, *d, SIZE_MAX, [&](const std::byte *at) { return test(t, at); }) &&
         ctx.elementCount(d->type) != int64_t(0); // of no element nothing can be told
}

bool isSplat(Context &ctx, AttrId id, double value) {
  uint64_t bits = read<uint64_t>(reinterpret_cast<const std::byte *>(&value));
  return allElements(ctx, id, [&](DType t, const std::byte *at) {
    if (std::optional<double> f = floatAt(t, at))
      return read<uint64_t>(reinterpret_cast<const std::byte *>(&*f)) == bits;
    if (std::optional<int64_t> i = intAt(t, at); i && t != DType::Bool)
      return double(*i) == value && !(value == 0 && std::signbit(value)) && std::abs(value) <= 9007199254740992.0;
    return false;
  });
}

bool isSplat(Context &ctx, AttrId id, int64_t value) {
  return allElements(ctx, id, [&](DType t, const std::byte *at) {
    if (std::optional<double> f = floatAt(t, at))
      return *f == double(value) && std::signbit(*f) == (value < 0) && std::abs(*f) <= 9007199254740992.0;
    std::optional<int64_t> i = intAt(t, at);
    return i && t != DType::Bool && *i == value;
  });
}

bool isSplat(Context &ctx, AttrId id, bool value) {
  return allElements(ctx, id, [&](DType t, const std::byte *at) {
    return t == DType::Bool && (read<uint8_t>(at) != 0) == value;
  });
}

} // namespace rw
