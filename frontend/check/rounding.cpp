// Floats that attributes hold: 32 bits of them. Literals that meet an attribute are rounded here, and comparisons say
// which side is to be read as the other where it is what that becomes in 32 bits.
#include "frontend/check/body.h"

#include "rw/support/numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

/// Rounds the literals of an attribute's value, alone or in a list.
void BodyChecker::roundLiterals(Expr &e) {
  if (e.kind == ExprKind::Float) {
    if (!fitsFloat32(e.f))
      c.error("bad-number", e.range,
              fmt::format("an attribute is a float of 32 bits, and `{}` is beyond their range", c.textOf(e.range)))
          .note("they reach from 1.4e-45 to 3.4e38; elements of constants may have 64 bits: `where s == 1e300` for "
                "`splat(s)`");
    e.f = toFloat32(e.f);
  }
  if (e.kind == ExprKind::List || e.kind == ExprKind::Neg || e.kind == ExprKind::Convert)
    for (Expr &part : e.args)
      roundLiterals(part);
}

/// Whether the value is that of an attribute, or of part of one.
bool BodyChecker::isOfAttr(const Expr &e) const {
  switch (e.kind) {
  case ExprKind::Var:
    return body.var(e.var()).ofAttr;
  case ExprKind::OpAttr:
    return true;
  case ExprKind::Index:
  case ExprKind::Slice:
    return isOfAttr(e.args[0]);
  case ExprKind::Convert: // not of an int, which is exact
    return (e.args[0].type.kind == TypeKind::Attr || e.args[0].type.kind == TypeKind::Float) && isOfAttr(e.args[0]);
  case ExprKind::If:
    return isOfAttr(e.args[1]) && isOfAttr(e.args[2]);
  default:
    return false;
  }
}

/// Whether elements of constants are part of it: of 64 bits they must not be rounded to compare equal.
bool BodyChecker::isOfConstant(const Expr &e) const {
  return (e.kind == ExprKind::Var && body.var(e.var()).ofConstant) ||
         (e.kind == ExprKind::Property && e.property == Property::Floats) ||
         std::ranges::any_of(e.args, [&](const Expr &part) { return isOfConstant(part); });
}

/// Of a variable that holds a value, or elements of it.
void BodyChecker::rememberRounding(VarId id, const Expr &value) {
  var(id).ofAttr = isOfAttr(value);
  var(id).ofConstant = isOfConstant(value);
  SourceRange declared;
  if (const std::vector<std::string> *choices = choicesOf(value, declared); choices && !choices->empty())
    var(id).choices = std::vector(*choices);
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

/// Of two numbers, or lists, that are compared.
Rounded BodyChecker::rounded(const Expr &a, const Expr &b) const {
  if (a.type.kind != TypeKind::Float && b.type.kind != TypeKind::Float)
    return Rounded::None;
  bool first = isOfAttr(a), second = isOfAttr(b);
  if (isOfConstant(a) || isOfConstant(b))
    first = second = false;
  if (!first && !second) {
    first = isWritten(b);
    second = isWritten(a);
  }
  if (first == second || isExact(first ? b : a))
    return Rounded::None;
  return first ? Rounded::First : Rounded::Second;
}

} // namespace rw::sema
