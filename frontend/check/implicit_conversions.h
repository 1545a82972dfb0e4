// Where one type is asked for and another given: an op for its one result, an attribute for a number, a list for a
// shape.
//
// In:  a checked expression, and the type that is asked for.
// Out: the expression as that type, or type Error after a report.
//
//   e = convert(b, std::move(e), TypeKind::Dim, "a dimension");
//   std::optional<Type> both = commonType(yes.type, no.type);
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// `e` as `to`; reports type-mismatch. `what` names it: "the argument `p` of `compose`".
Expr convert(BodyContext &b, Expr e, Type to, What what);
/// Whether any value of a type can be asked for as another.
bool convertible(Type from, Type to);
/// Whether this one can: an op has one result, a constant can be made.
bool convertible(const BodyContext &b, const Expr &e, Type to);
/// The type that both become where one is asked for, as of the sides of an `if`.
std::optional<Type> commonType(const BodyContext &b, Type lhs, Type rhs);

} // namespace rw::sema
