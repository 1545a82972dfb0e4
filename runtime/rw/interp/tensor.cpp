#include "rw/interp/tensor.h"

#include "rw/interp/element.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

namespace rw {
namespace {
/// Bytes that give back what they took of the budget.
struct Buffer {
  std::string bytes; // writers of protocol buffers can lend a string
  size_t taken = 0;
  std::shared_ptr<MemoryBudget> budget;
  ~Buffer() {
    if (budget)
      budget->used -= taken;
  }
};
constexpr size_t kMostElements = size_t(1) << 40;

/// Zeros where any element may stand: not inside the string object, as short ones are. False if there is no memory for
/// them.
bool allocate(std::string &bytes, size_t size) {
  try {
    bytes.reserve(std::max<size_t>(size, 64));
    bytes.resize(size);
  } catch (const std::bad_alloc &) {
    return false;
  } catch (const std::length_error &) {
    return false;
  }
  return true;
}
} // namespace

std::optional<size_t> elementsIn(const Shape &shape) {
  size_t n = 1;
  bool zero = false;
  for (int64_t d : shape) {
    if (d < 0)
      return std::nullopt;
    zero |= d == 0;
  }
  if (zero)
    return 0;
  for (int64_t d : shape) {
    if (size_t(d) > kMostElements / n)
      return std::nullopt;
    n *= size_t(d);
  }
  return n;
}

std::string shapeText(const Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::optional<Tensor> Tensor::make(DType dtype, Shape shape, std::shared_ptr<MemoryBudget> budget) {
  std::optional<size_t> n = elementsIn(shape);
  size_t width = dtype == DType::String ? sizeof(std::string) : widthOf(dtype);
  if (!n || width == 0)
    return std::nullopt;
  size_t bytes = *n * width;
  if (budget && bytes > budget->limit - std::min(budget->used, budget->limit)) {
    budget->refused = true;
    return std::nullopt;
  }
  auto buffer = std::make_shared<Buffer>();
  Tensor t;
  if (dtype == DType::String) {
    t.strings_ = std::make_shared<std::vector<std::string>>(*n);
  } else {
    if (!allocate(buffer->bytes, bytes))
      return std::nullopt;
    t.bytes_ = reinterpret_cast<const std::byte *>(buffer->bytes.data());
    t.whole_ = &buffer->bytes;
  }
  if (budget) {
    budget->used += bytes;
    buffer->taken = bytes;
    buffer->budget = std::move(budget);
  }
  t.dtype_ = dtype;
  t.shape_ = std::move(shape);
  t.size_ = *n;
  t.owner_ = std::move(buffer);
  return t;
}

Tensor Tensor::tuple(std::vector<Tensor> elements) {
  Tensor t;
  t.elements_ = std::make_shared<const std::vector<Tensor>>(std::move(elements));
  return t;
}

Tensor Tensor::none() {
  static const Tensor it = tuple({}); // told from other empty tuples by its address
  return it;
}

/// Of a dense attribute: two elements to a byte, the first one low.
std::optional<Tensor> Tensor::fromHalfBytes(std::span<const std::byte> bytes, DType dtype, Shape shape,
                                            std::shared_ptr<MemoryBudget> budget) {
  std::optional<Tensor> t = make(dtype, std::move(shape), std::move(budget));
  if (!t || bytes.size() < t->size() / 2 + t->size() % 2)
    return std::nullopt;
  for (size_t i = 0; i < t->size(); ++i)
    t->mutableData<uint8_t>()[i] = uint8_t(bytes[i / 2] >> (i % 2 * 4));
  t->holdTo4Bits();
  return t;
}

std::optional<Tensor> Tensor::fromAttr(const Context &ctx, AttrId id, std::shared_ptr<MemoryBudget> budget) {
  if (!id || ctx.attr(id).kind != AttrKind::Dense)
    return std::nullopt;
  const DenseData &dense = *ctx.attr(id).dense;
  const TypeData &type = ctx.type(dense.type);
  Shape shape;
  for (Dim d : type.dims) {
    if (!d.isKnown())
      return std::nullopt;
    shape.push_back(d.size());
  }
  std::optional<size_t> n = elementsIn(shape);
  if (isInteger4(type.dtype))
    return n ? fromHalfBytes(dense.bytes, type.dtype, std::move(shape), std::move(budget)) : std::nullopt;
  size_t width = dtypeBytes(type.dtype);
  if (!n || (type.dtype != DType::String && width == 0))
    return std::nullopt;
  bool aligned = width && reinterpret_cast<uintptr_t>(dense.bytes.data()) % std::min<size_t>(width, 8) == 0;
  if (type.dtype != DType::String && !dense.splat && aligned) {
    if (dense.bytes.size() < *n * width)
      return std::nullopt;
    Tensor t;
    t.dtype_ = type.dtype;
    t.shape_ = std::move(shape);
    t.size_ = *n;
    t.bytes_ = dense.bytes.data();
    t.owner_ = dense.owner; // null: the context owns the bytes
    t.whole_ = dense.whole;
    return t;
  }
  constexpr size_t kMostOfSplat = size_t(2) << 30; // its elements take what nobody has counted
  if (dense.splat && !budget && *n > kMostOfSplat / std::max<size_t>(width, 1))
    return std::nullopt;
  std::optional<Tensor> t = make(type.dtype, std::move(shape), std::move(budget));
  if (!t)
    return std::nullopt;
  if (t->isString()) {
    for (size_t i = 0; i < *n && !dense.strings.empty(); ++i)
      (*t->strings_)[i] = std::string(ctx.text(dense.strings[dense.splat ? 0 : std::min(i, dense.strings.size() - 1)]));
    return t;
  }
  if (dense.bytes.size() < (dense.splat ? width : *n * width))
    return std::nullopt;
  std::byte *to = t->mutableData<std::byte>();
  if (!dense.splat && *n)
    std::memcpy(to, dense.bytes.data(), *n * width);
  for (size_t i = 0; dense.splat && i < *n; ++i)
    std::memcpy(to + i * width, dense.bytes.data(), width);
  return t;
}

TypeId Tensor::type(Context &ctx) const {
  if (isTuple()) {
    std::vector<TypeId> types;
    for (const Tensor &t : elements())
      types.push_back(t.type(ctx));
    return ctx.tupleType(types);
  }
  std::vector<Dim> dims;
  for (int64_t d : shape_)
    dims.push_back(Dim(d));
  return ctx.tensorType(dtype_, dims);
}

AttrId Tensor::toAttr(Context &ctx) const {
  if (isString()) {
    std::vector<StringId> ids;
    for (const std::string &s : *strings_)
      ids.push_back(ctx.intern(s));
    return ctx.denseStringsAttr(type(ctx), ids);
  }
  if (isInteger4(dtype_)) {
    std::vector<std::byte> packed(size_ / 2 + size_ % 2);
    for (size_t i = 0; i < size_; ++i)
      packed[i / 2] |= (bytes_[i] & std::byte(15)) << (i % 2 * 4);
    return ctx.denseAttr(type(ctx), packed);
  }
  return ctx.denseAttr(type(ctx), {bytes_, byteSize()}, owner_, whole_);
}

void Tensor::holdTo4Bits(bool saturate) {
  if (!isInteger4(dtype_))
    return;
  const int low = dtype_ == DType::I4 ? -8 : 0, high = low + 15;
  for (size_t i = 0; i < size_; ++i) {
    const int v = dtype_ == DType::I4 ? data<int8_t>()[i] : data<uint8_t>()[i];
    if (v < low || v > high) // those of a shared tensor never are
      mutableData<uint8_t>()[i] = uint8_t(saturate ? std::clamp(v, low, high) : ((v - low) & 15) + low);
  }
}

Tensor Tensor::withShape(Shape shape) const {
  Tensor t = *this;
  t.shape_ = std::move(shape);
  return t;
}

Tensor Tensor::withDtype(DType dtype) const {
  Tensor t = *this;
  if (widthOf(dtype) == width())
    t.dtype_ = dtype;
  return t;
}

int64_t Tensor::intAt(size_t i) const {
  int64_t out = 0;
  visitAny(dtype_, [&]<class T>(T) {
    out = convertElement<int64_t>(data<T>()[i]);
    return true;
  });
  return out;
}

double Tensor::floatAt(size_t i) const {
  double out = 0;
  visitAny(dtype_, [&]<class T>(T) {
    out = convertElement<double>(data<T>()[i]);
    return true;
  });
  return out;
}

std::vector<int64_t> Tensor::ints() const {
  std::vector<int64_t> out(size_);
  for (size_t i = 0; i < size_; ++i)
    out[i] = intAt(i);
  return out;
}

} // namespace rw
