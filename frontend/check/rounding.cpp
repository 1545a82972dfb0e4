#include "frontend/check/rounding.h"

#include "frontend/check/string_choices.h"
#include "rw/support/numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

void roundLiterals(BodyContext &b, Expr &e) {
  if (e.kind == ExprKind::Float) {
    if (!fitsFloat32(e.f))
      b.error("bad-number", e.range,
              fmt::format("an attribute is a float of 32 bits, and `{}` is beyond their range", b.c.textOf(e.range)))
          .note("they reach from 1.4e-45 to 3.4e38; elements of constants may have 64 bits: `where s == 1e300` for "
                "`splat(s)`");
    e.f = toFloat32(e.f);
  }
  if (e.kind == ExprKind::List || e.kind == ExprKind::Neg || e.kind == ExprKind::Convert)
    for (Expr &part : e.args)
      roundLiterals(b, part);
}

/// Whether the value is that of an attribute, or of part of one.
static bool isOfAttr(const BodyContext &b, const Expr &e) {
  switch (e.kind) {
  case ExprKind::Var:
    return b.body.var(e.var()).ofAttr;
  case ExprKind::OpAttr:
    return true;
  case ExprKind::Index:
  case ExprKind::Slice:
    return isOfAttr(b, e.args[0]);
  case ExprKind::Convert: // not of an int, which is exact
    return (e.args[0].type.kind == TypeKind::Attr || e.args[0].type.kind == TypeKind::Float) && isOfAttr(b, e.args[0]);
  case ExprKind::If:
    return isOfAttr(b, e.args[1]) && isOfAttr(b, e.args[2]);
  default:
    return false;
  }
}

/// Whether elements of constants are part of it: of 64 bits they must not be rounded to compare equal.
static bool isOfConstant(const BodyContext &b, const Expr &e) {
  return (e.kind == ExprKind::Var && b.body.var(e.var()).ofConstant) ||
         (e.kind == ExprKind::Property && e.property == Property::Floats) ||
         std::ranges::any_of(e.args, [&](const Expr &part) { return isOfConstant(b, part); });
}

void rememberRounding(BodyContext &b, VarId id, const Expr &value) {
  b.var(id).ofAttr = isOfAttr(b, value);
  b.var(id).ofConstant = isOfConstant(b, value);
  SourceRange declared;
  if (const std::vector<std::string> *choices = choicesOf(b, value, declared); choices && !choices->empty())
    b.var(id).choices = std::vector(*choices);
}

/// Whether the value is written down: literals and what is computed from them alone.
static bool isWritten(const Expr &e) {
  switch (e.kind) {
  case ExprKind::Int:
  case ExprKind::Float:
    return true;
  case ExprKind::List:
  case ExprKind::Neg:
  case ExprKind::Binary:
  case ExprKind::Convert:
    return std::ranges::all_of(e.args, isWritten);
  default:
    return false;
  }
}

/// Whether it is a literal, or a list of them, that is the same in 32 bits.
static bool isExact(const Expr &e) {
  if (e.kind == ExprKind::Float)
    return toFloat32(e.f) == e.f || e.f != e.f;
  return e.kind == ExprKind::List && std::ranges::all_of(e.args, isExact);
}

Rounded rounded(const BodyContext &b, const Expr &lhs, const Expr &rhs) {
  if (lhs.type.kind != TypeKind::Float && rhs.type.kind != TypeKind::Float)
    return Rounded::None;
  bool first = isOfAttr(b, lhs), second = isOfAttr(b, rhs);
  if (isOfConstant(b, lhs) || isOfConstant(b, rhs))
    first = second = false;
  if (!first && !second) {
    first = isWritten(rhs);
    second = isWritten(lhs);
  }
  if (first == second || isExact(first ? rhs : lhs))
    return Rounded::None;
  return first ? Rounded::First : Rounded::Second;
}

} // namespace rw::sema
