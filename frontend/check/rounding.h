// Floats of attributes hold 32 bits, those that a pattern writes 64: where they meet, one is rounded.
//
// In:  checked expressions.
// Out: literals rounded in place, or how two sides are to be compared (Rounded of sema/expr.h).
//
//   roundLiterals(attr.value);                       // alpha = 0.2 of what is built
//   out.rounded = rounded(b, out.args[0], out.args[1]);  // a == 0.2
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// Rounds the literals of an attribute's value, alone or in a list.
void roundLiterals(BodyContext &b, Expr &e);
/// Of a variable that holds a value, or elements of it.
void rememberRounding(BodyContext &b, VarId id, const Expr &value);
/// Of two numbers, or lists, that are compared.
Rounded rounded(const BodyContext &b, const Expr &lhs, const Expr &rhs);

} // namespace rw::sema
