// Tensors of the reference evaluator.
//
// In:  dense attributes, or numbers. Out: numbers, rounded to the element type after every step.
// Elsewhere: what ops do to them is kernels.h.
//
// Elements are kept wide: floats as double, everything else as int64. A sum, product, quotient or square root computed
// in double and rounded to f32, f16 or bf16 is the correctly rounded one, since double has more than twice their digits.
//
//   Tensor t = Tensor::zeros(DType::F32, {2, 3});   t.f[0] = 1.5;
#pragma once

#include "rw/ir/context.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace rw {

struct Tensor {
  DType dtype = DType::F32;
  std::vector<int64_t> dims;
  std::vector<double> f;  // of floating-point types
  std::vector<int64_t> i; // of integers and bool

  static Tensor zeros(DType, std::vector<int64_t> dims);
  /// Nothing for types nothing is computed with (strings, complex and 8-bit floats).
  static std::optional<Tensor> fromAttr(const Context &, AttrId);
  AttrId toAttr(Context &) const;

  bool isFloating() const { return rw::isFloat(dtype); }
  size_t count() const { return isFloating() ? f.size() : i.size(); }
  size_t rank() const { return dims.size(); }
  double number(size_t at) const { return isFloating() ? f[at] : double(i[at]); }
  /// Rounds or wraps to the element type.
  void set(size_t at, double v);
  void setInt(size_t at, int64_t v);
  /// Element-wise equal by bits, except that all NaNs are one.
  bool sameAs(const Tensor &) const;
};

/// Number of elements, or nothing if it is negative, overflows or exceeds what the evaluator allocates.
std::optional<size_t> elementCountOf(const std::vector<int64_t> &dims);
/// Strides of a row-major tensor.
std::vector<int64_t> stridesOf(const std::vector<int64_t> &dims);
bool isComputable(DType);
double roundTo(DType, double);
int64_t wrapTo(DType, int64_t);

} // namespace rw
