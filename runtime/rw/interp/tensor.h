// Tensor: a value of the evaluator.
//
// In:  a dtype, a shape, elements; or a dense attribute.
// Out: elements in row-major order; or a tuple of such values. Copies share their elements; who writes has made the
//      tensor itself.
// Elsewhere: access by element type is element.h; what computes with tensors is kernel.h.
//
//   std::optional<Tensor> t = Tensor::make(DType::F32, {2, 3});
//   t->mutableData<float>()[0] = 1;
//   AttrId constant = t->toAttr(ctx);
#pragma once

#include "rw/ir/context.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rw {

using Shape = std::vector<int64_t>;

/// Number of elements; nothing if a dimension is negative or the product is too large for any memory.
std::optional<size_t> elementsIn(const Shape &);
std::string shapeText(const Shape &); ///< "[2, 3]"

/// Bytes that tensors may hold at one time; shared by all tensors that were made under it.
struct MemoryBudget {
  size_t limit = size_t(2) << 30;
  size_t used = 0;
  bool refused = false; // something did not fit
};

class Tensor {
public:
  Tensor() = default; ///< none: an operand that was left out

  // Integers of 4 bits take a byte each, those with a sign as numbers of 8 bits: see holdTo4Bits.

  /// Zeros, or empty strings. Nothing if it would not fit the budget, or the dtype is one nothing is computed with.
  static std::optional<Tensor> make(DType, Shape, std::shared_ptr<MemoryBudget> = nullptr);
  /// Shares the attribute's bytes where they stand one after another and aligned.
  static std::optional<Tensor> fromAttr(const Context &, AttrId, std::shared_ptr<MemoryBudget> = nullptr);
  AttrId toAttr(Context &) const;
  TypeId type(Context &) const;

  template <class T> static Tensor scalar(DType dtype, T value) {
    Tensor t = *make(dtype, {});
    *t.mutableData<T>() = value;
    return t;
  }

  /// Several values as one; of no dtype and no element.
  static Tensor tuple(std::vector<Tensor> elements);
  bool isTuple() const { return bool(elements_); }
  /// An optional value that is there and holds nothing; a tuple, too.
  static Tensor none();
  bool isNone() const { return elements_ && elements_ == none().elements_; }
  const std::vector<Tensor> &elements() const { return *elements_; } ///< of a tuple

  explicit operator bool() const { return dtype_ != DType::Unknown || elements_; }
  DType dtype() const { return dtype_; }
  const Shape &shape() const { return shape_; }
  size_t rank() const { return shape_.size(); }
  int64_t dim(size_t i) const { return shape_[i]; }
  size_t size() const { return size_; } ///< elements
  size_t width() const { return widthOf(dtype_); }
  static size_t widthOf(DType t) { return isInteger4(t) ? 1 : dtypeBytes(t); } ///< bytes of an element here
  size_t byteSize() const { return size_ * width(); }
  bool isString() const { return dtype_ == DType::String; }

  template <class T> const T *data() const { return reinterpret_cast<const T *>(bytes_); }
  template <class T> T *mutableData() { return reinterpret_cast<T *>(const_cast<std::byte *>(bytes_)); }
  const std::vector<std::string> &strings() const { return *strings_; }
  std::vector<std::string> &mutableStrings() { return *strings_; }

  /// The same elements under another shape of as many elements.
  Tensor withShape(Shape) const;
  /// The same bits under another dtype of the same width.
  Tensor withDtype(DType) const;
  /// Element `i` of an integer or bool tensor; of a float one, rounded towards zero.
  int64_t intAt(size_t i) const;
  double floatAt(size_t i) const;
  std::vector<int64_t> ints() const; ///< all elements

  /// Integers of 4 bits were computed as ones of 8: each wraps to 4 bits, or is held to their range if `saturate`. Of
  /// other types nothing changes. Elements that are shared are in their range, and are not written.
  void holdTo4Bits(bool saturate = false);

private:
  static std::optional<Tensor> fromHalfBytes(std::span<const std::byte>, DType, Shape, std::shared_ptr<MemoryBudget>);

  DType dtype_ = DType::Unknown;
  Shape shape_;
  size_t size_ = 0;
  const std::byte *bytes_ = nullptr;
  std::shared_ptr<const void> owner_;
  const std::string *whole_ = nullptr; // DenseData::whole
  std::shared_ptr<std::vector<std::string>> strings_;
  std::shared_ptr<const std::vector<Tensor>> elements_;
};

} // namespace rw
