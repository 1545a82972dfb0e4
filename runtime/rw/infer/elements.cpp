#include "rw/infer/elements.h"

#include "rw/ir/expr_helpers.h"

namespace rw {

static bool isComparison(Arithmetic op) { return op >= Arithmetic::Equal; }

DType ElementAlgebra::resultType(Arithmetic op) const { return isComparison(op) ? DType::Bool : dtype_; }

Element ElementAlgebra::fitted(const Element &e) const {
  if (dtype_ == DType::I64 || dtype_ == DType::Bool)
    return e;
  if (!e.isNumber() || dtype_ == DType::U64)
    return {};
  int bits = int(dtypeBytes(dtype_)) * 8;
  int64_t least = isSigned(dtype_) ? -(int64_t(1) << (bits - 1)) : 0;
  int64_t greatest = (int64_t(1) << (isSigned(dtype_) ? bits - 1 : bits)) - 1;
  return e.value() >= least && e.value() <= greatest ? e : Element();
}

Element ElementAlgebra::apply(Arithmetic op, const Element &a, const Element &b) {
  if (op == Arithmetic::Mul) { // even if the other is not known
    if ((a.isNumber() && a.value() == 0) || (b.isNumber() && b.value() == 0))
      return Element::number(0);
    if (a.isNumber() && a.value() == 1)
      return b;
    if (b.isNumber() && b.value() == 1)
      return a;
  }
  if (!a.isKnown() || !b.isKnown())
    return {};
  if (isComparison(op))
    return compared(op, a, b);
  return fitted(a.isNumber() && b.isNumber() ? onNumbers(op, a.value(), b.value()) : onExpressions(op, a, b));
}

Element ElementAlgebra::onNumbers(Arithmetic op, int64_t a, int64_t b) const {
  int64_t out;
  if (op == Arithmetic::Add)
    return addFails(a, b, out) ? Element() : Element::number(out);
  if (op == Arithmetic::Sub)
    return subFails(a, b, out) ? Element() : Element::number(out);
  if (op == Arithmetic::Mul)
    return mulFails(a, b, out) ? Element() : Element::number(out);
  if (op == Arithmetic::Max)
    return Element::number(std::max(a, b));
  if (op == Arithmetic::Min)
    return Element::number(std::min(a, b));
  if (b == 0 || (a == INT64_MIN && b == -1))
    return {};
  if (op == Arithmetic::Div)
    return Element::number(a / b);
  if (op == Arithmetic::Mod) // the sign of the divisor
    return Element::number(a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0));
  return {};
}

Element ElementAlgebra::plusNumber(const Element &e, int64_t n) {
  if (n == 0)
    return e;
  if (n == INT64_MIN)
    return {};
  Dim d = n > 0 ? ctx_.dims().add(e.asPolynomial(), Dim(n)) : ctx_.dims().sub(e.asPolynomial(), Dim(-n));
  return n > 0 && e.isNonNegative() ? Element::size(d) : Element::difference(d);
}

Element ElementAlgebra::onExpressions(Arithmetic op, const Element &a, const Element &b) {
  DimTable &dims = ctx_.dims();
  Dim x = a.asPolynomial(), y = b.asPolynomial();
  bool sizes = a.isNonNegative() && b.isNonNegative();
  if (op == Arithmetic::Add) {
    if (b.isNumber())
      return plusNumber(a, b.value());
    if (a.isNumber())
      return plusNumber(b, a.value());
    return sizes ? Element::size(dims.add(x, y)) : Element::difference(dims.add(x, y));
  }
  if (op == Arithmetic::Sub) {
    if (a.sameAs(b))
      return Element::number(0);
    if (b.isNumber() && b.value() != INT64_MIN)
      return plusNumber(a, -b.value());
    return Element::difference(dims.sub(x, y));
  }
  if (op == Arithmetic::Mul)
    return sizes ? Element::size(dims.mul(x, y)) : Element::difference(dims.mul(x, y));
  if (op == Arithmetic::Div || op == Arithmetic::Mod) {
    if (!sizes || y.isUnknown() || (b.isNumber() && b.value() == 0))
      return {};
    if (!b.isNumber() && !(op == Arithmetic::Div && a.sameAs(b)))
      return {}; // the divisor may be 0
    if (op == Arithmetic::Div)
      return a.sameAs(b) ? Element() : Element::size(dims.floorDiv(x, y));
    return Element::size(dims.mod(x, y));
  }
  if ((op == Arithmetic::Max || op == Arithmetic::Min) && x != Dim::unknown() && y != Dim::unknown()) {
    std::optional<bool> less = lessOrEqual(ctx_, x, y);
    if (!less)
      return {};
    return (op == Arithmetic::Min) == *less ? a : b;
  }
  return {};
}

Element ElementAlgebra::compared(Arithmetic op, const Element &a, const Element &b) {
  if (a.isNumber() && b.isNumber()) {
    int64_t x = a.value(), y = b.value();
    return Element::boolean(op == Arithmetic::Equal         ? x == y
                            : op == Arithmetic::Less        ? x < y
                            : op == Arithmetic::Greater     ? x > y
                            : op == Arithmetic::LessOrEqual ? x <= y
                                                            : x >= y);
  }
  if (a.isNegativeNumber() && b.isNonNegative())
    return Element::boolean(op == Arithmetic::Less || op == Arithmetic::LessOrEqual);
  if (b.isNegativeNumber() && a.isNonNegative())
    return Element::boolean(op == Arithmetic::Greater || op == Arithmetic::GreaterOrEqual);
  Dim x = a.asPolynomial(), y = b.asPolynomial();
  if (x.isUnknown() || y.isUnknown())
    return {};
  std::optional<bool> holds = op == Arithmetic::Equal         ? equal(ctx_, x, y)
                              : op == Arithmetic::Less        ? less(ctx_, x, y)
                              : op == Arithmetic::Greater     ? less(ctx_, y, x)
                              : op == Arithmetic::LessOrEqual ? lessOrEqual(ctx_, x, y)
                                                              : lessOrEqual(ctx_, y, x);
  return holds ? Element::boolean(*holds) : Element();
}

} // namespace rw
