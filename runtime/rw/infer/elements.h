// Arithmetic of elements (contents.h): numbers as the evaluator has them, expressions as the dimensions have them.
//
// In:  the element type, the name of an op of ONNX, two elements. Out: an element; unknown if it cannot be computed.
//
//   ElementAlgebra(ctx, DType::I64).apply("Mul", Element::size(b), Element::number(4))   // B * 4
#pragma once

#include "rw/infer/contents.h"

namespace rw {

class ElementAlgebra {
public:
  ElementAlgebra(Context &ctx, DType dtype) : ctx_(ctx), dtype_(dtype) {}

  Element apply(std::string_view op, const Element &, const Element &);
  /// The element type of what `op` computes.
  DType resultType(std::string_view op) const;
  /// The element, or unknown if the element type may not hold it.
  Element fitted(const Element &) const;

private:
  Element onNumbers(std::string_view op, int64_t, int64_t) const;
  Element onExpressions(std::string_view op, const Element &, const Element &);
  Element compared(std::string_view op, const Element &, const Element &);
  Element plusNumber(const Element &, int64_t);

  Context &ctx_;
  DType dtype_;
};

} // namespace rw
