// Arithmetic of elements (contents.h): numbers as the evaluator has them, expressions as the dimensions have them.
//
// In:  the element type, what is computed, two elements. Out: an element; unknown if it cannot be computed.
//
//   ElementAlgebra(ctx, DType::I64).apply(Arithmetic::Mul, Element::size(b), Element::number(4))   // B * 4
#pragma once

#include "rw/infer/contents.h"

namespace rw {

/// Div rounds towards zero, Mod has the sign of the divisor. From Equal on the result is a bool.
enum class Arithmetic : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  Max,
  Min,
  Equal,
  Less,
  Greater,
  LessOrEqual,
  GreaterOrEqual
};

class ElementAlgebra {
public:
  ElementAlgebra(Context &ctx, DType dtype) : ctx_(ctx), dtype_(dtype) {}

  Element apply(Arithmetic, const Element &, const Element &);
  /// The element type of what `op` computes.
  DType resultType(Arithmetic) const;
  /// The element, or unknown if the element type may not hold it.
  Element fitted(const Element &) const;

private:
  Element onNumbers(Arithmetic, int64_t, int64_t) const;
  Element onExpressions(Arithmetic, const Element &, const Element &);
  Element compared(Arithmetic, const Element &, const Element &);
  Element plusNumber(const Element &, int64_t);

  Context &ctx_;
  DType dtype_;
};

} // namespace rw
