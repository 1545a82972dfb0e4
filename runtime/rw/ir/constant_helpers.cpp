// Constants as lists of numbers and back, and tests on their elements; declared in expr_helpers.h.
#include "rw/ir/expr_helpers.h"

#include "rw/support/numbers.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace rw {

AttrId constantOf(Value v) { return v ? v.constant() : AttrId(); }

/// Ints up to here are doubles exactly.
static constexpr double kExactInts = 9007199254740992.0;

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
  case DType::U8:
    return read<uint8_t>(at);
  case DType::I8:
    return read<int8_t>(at);
  case DType::I16:
    return read<int16_t>(at);
  case DType::U16:
    return read<uint16_t>(at);
  case DType::I32:
    return read<int32_t>(at);
  case DType::U32:
    return read<uint32_t>(at);
  case DType::I64:
    return read<int64_t>(at);
  case DType::U64: {
    uint64_t u = read<uint64_t>(at);
    return u > uint64_t(INT64_MAX) ? std::nullopt : std::optional(int64_t(u));
  }
  default:
    return std::nullopt;
  }
}

static std::optional<double> floatAt(DType t, const std::byte *at) {
  switch (t) {
  case DType::F16:
    return fromHalf(read<uint16_t>(at));
  case DType::BF16:
    return fromBFloat16(read<uint16_t>(at));
  case DType::F32:
    return read<float>(at);
  case DType::F64:
    return read<double>(at);
  default:
    return std::nullopt;
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

/// The value of type `t` that a number written with a decimal point means: the nearest.
static double roundedTo(DType t, double value) {
  switch (t) {
  case DType::F32:
    return float(value);
  case DType::F16:
    return fromHalf(toHalf(value));
  case DType::BF16:
    return fromBFloat16(toBFloat16(value));
  default:
    return value;
  }
}

std::optional<double> splatNumber(Context &ctx, AttrId id) {
  const DenseData *d = denseOf(ctx, id);
  DType t = d ? ctx.type(d->type).dtype : DType::Unknown;
  size_t width = d ? dtypeBytes(t) : 0;
  if (width == 0 || d->bytes.size() < width)
    return std::nullopt;
  const std::byte *first = d->bytes.data();
  if (t == DType::Bool)
    return read<uint8_t>(first) ? 1.0 : 0.0;
  if (std::optional<double> f = floatAt(t, first))
    return f;
  std::optional<int64_t> i = intAt(t, first);
  return i ? std::optional(double(*i)) : std::nullopt;
}

/// The int that an element is and no other element of its dtype: not -0, no float beyond which ints have gaps, no bool.
std::optional<int64_t> exactInt(DType t, const std::byte *at) {
  if (t == DType::Bool)
    return std::nullopt;
  std::optional<double> f = floatAt(t, at);
  if (!f)
    return intAt(t, at);
  if (!(std::abs(*f) <= kExactInts))
    return std::nullopt;
  int64_t i = int64_t(*f);
  return double(i) == *f && (i != 0 || !std::signbit(*f)) ? std::optional(i) : std::nullopt;
}

std::optional<int64_t> firstInt(Context &ctx, AttrId id) {
  const DenseData *d = denseOf(ctx, id);
  DType t = d ? ctx.type(d->type).dtype : DType::Unknown;
  return d && d->bytes.size() >= std::max<size_t>(dtypeBytes(t), 1) ? exactInt(t, d->bytes.data()) : std::nullopt;
}

bool isSplat(Context &ctx, AttrId id, double value) {
  return allElements(ctx, id, [&](DType t, const std::byte *at) {
    if (std::optional<double> f = floatAt(t, at)) {
      double meant = roundedTo(t, value);
      bool outOfRange = std::isinf(meant) && !std::isinf(value);
      if (std::isnan(value)) // whatever its payload
        return std::isnan(*f);
      return !outOfRange && std::bit_cast<uint64_t>(*f) == std::bit_cast<uint64_t>(meant);
    }
    if (std::optional<int64_t> i = intAt(t, at); i && t != DType::Bool)
      return double(*i) == value && !(value == 0 && std::signbit(value)) && std::abs(value) <= kExactInts;
    return false;
  });
}

bool isSplat(Context &ctx, AttrId id, int64_t value) {
  return allElements(ctx, id, [&](DType t, const std::byte *at) { return exactInt(t, at) == value; });
}

bool isSplat(Context &ctx, AttrId id, bool value) {
  return allElements(
      ctx, id, [&](DType t, const std::byte *at) { return t == DType::Bool && (read<uint8_t>(at) != 0) == value; });
}

AttrId elementOf(Context &ctx, AttrId id) {
  const DenseData *d = denseOf(ctx, id);
  if (!d)
    return {};
  const std::byte *first = d->bytes.data();
  size_t width = dtypeBytes(ctx.type(d->type).dtype);
  if (!allElements(ctx, id, [&](DType, const std::byte *at) { return std::memcmp(at, first, width) == 0; }))
    return {};
  DType t = ctx.type(d->type).dtype;
  if (std::optional<double> f = floatAt(t, first))
    return ctx.elementAttr(*f);
  std::optional<int64_t> i = intAt(t, first);
  return !i ? AttrId() : t == DType::Bool ? ctx.boolAttr(*i != 0) : ctx.intAttr(*i);
}

// Tensors from numbers --------------------------------------------------------------------------------------------

template <class T> static bool write(T value, std::byte *at) {
  std::memcpy(at, &value, sizeof value);
  return true;
}

static bool writeElement(DType t, int64_t v, std::byte *at);
static bool writeElement(DType t, double v, std::byte *at) {
  bool finite = std::isfinite(v);
  switch (t) {
  case DType::F16:
    return write(toHalf(v), at) && (!finite || std::isfinite(fromHalf(toHalf(v))));
  case DType::BF16:
    return write(toBFloat16(v), at) && (!finite || std::isfinite(fromBFloat16(toBFloat16(v))));
  case DType::F32:
    return write(float(v), at) && (!finite || std::isfinite(float(v)));
  case DType::F64:
    return write(v, at);
  default:
    break;
  }
  return isInteger(t) && std::abs(v) <= kExactInts && v == std::trunc(v) && !(v == 0 && std::signbit(v)) &&
         writeElement(t, int64_t(v), at);
}

template <class T> static bool writeInt(int64_t v, std::byte *at) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    return v >= 0 && write(uint64_t(v), at);
  } else {
    return v >= int64_t(std::numeric_limits<T>::min()) && v <= int64_t(std::numeric_limits<T>::max()) &&
           write(T(v), at);
  }
}

static bool writeElement(DType t, int64_t v, std::byte *at) {
  switch (t) {
  case DType::I8:
    return writeInt<int8_t>(v, at);
  case DType::U8:
    return writeInt<uint8_t>(v, at);
  case DType::I16:
    return writeInt<int16_t>(v, at);
  case DType::U16:
    return writeInt<uint16_t>(v, at);
  case DType::I32:
    return writeInt<int32_t>(v, at);
  case DType::U32:
    return writeInt<uint32_t>(v, at);
  case DType::I64:
    return writeInt<int64_t>(v, at);
  case DType::U64:
    return writeInt<uint64_t>(v, at);
  default:
    break;
  }
  return isFloat(t) && std::abs(double(v)) <= kExactInts && writeElement(t, double(v), at) &&
         floatAt(t, at) == double(v);
}

static bool writeElement(DType t, bool v, std::byte *at) { return t == DType::Bool && write(uint8_t(v), at); }

/// The dtype of a tensor type with known dims, and the bytes of one element; 0 if it is no such type.
static size_t elementBytes(Context &ctx, TypeId type, DType &dtype) {
  if (!type || ctx.type(type).kind != TypeKind::Tensor || !ctx.elementCount(type))
    return 0;
  dtype = ctx.type(type).dtype;
  return dtypeBytes(dtype);
}

AttrId splatOf(Context &ctx, AttrId element, TypeId type) {
  DType dtype{};
  std::byte bytes[16];
  size_t width = elementBytes(ctx, type, dtype);
  if (!element || width == 0 || width > sizeof bytes)
    return {};
  const AttrData &a = ctx.attr(element);
  bool fits = a.kind == AttrKind::Int     ? writeElement(dtype, a.i, bytes)
              : a.kind == AttrKind::Float ? writeElement(dtype, a.f, bytes)
              : a.kind == AttrKind::Bool  ? writeElement(dtype, a.i != 0, bytes)
                                          : false;
  return fits ? ctx.splatAttr(type, {bytes, width}) : AttrId();
}

template <class T> static AttrId tensorFrom(Context &ctx, std::span<const T> elements, TypeId type) {
  DType dtype{};
  size_t width = elementBytes(ctx, type, dtype);
  if (width == 0 || ctx.elementCount(type) != int64_t(elements.size()) || elements.size() > kMaxList)
    return {};
  std::vector<std::byte> bytes(elements.size() * width);
  // Of complex numbers the real parts; the imaginary ones are 0.
  const DType part = dtype == DType::C64 ? DType::F32 : dtype == DType::C128 ? DType::F64 : dtype;
  for (size_t i = 0; i < elements.size(); ++i)
    if (!writeElement(part, elements[i], bytes.data() + i * width))
      return {};
  return ctx.denseAttr(type, bytes);
}
AttrId tensorOf(Context &ctx, std::span<const int64_t> list, TypeId type) { return tensorFrom(ctx, list, type); }
AttrId tensorOf(Context &ctx, std::span<const double> list, TypeId type) {
  InlineList<double> computed;
  for (double f : list)
    computed.push_back(withOneNan(f));
  return tensorFrom(ctx, std::span<const double>(computed), type);
}
AttrId tensorOf(Context &ctx, std::span<const bool> list, TypeId type) { return tensorFrom(ctx, list, type); }

} // namespace rw
