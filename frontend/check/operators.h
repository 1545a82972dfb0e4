// `-x`, `a + b`, `n == 0`, `p and q`, `list[0]`: operators, and elements of lists.
//
// In:  syntax; of a comparison, sides that are checked already if something other than an operator compares.
// Out: an Expr, or type Error after a report.
//
//   Expr sum = checkBinary(b, e);                                  // n + 1
//   Expr same = checkComparison(b, equals, value, b.varExpr(n, r));  // as if `value == n` were written
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// `-x`, `not x`.
Expr checkUnary(BodyContext &b, const ast::UnaryExpr &e);
/// `a + b`, `a == b`, `a and b`, `a ++ b`.
Expr checkBinary(BodyContext &b, const ast::BinaryExpr &e);
/// Two sides as `e` compares them.
Expr checkComparison(BodyContext &b, const ast::BinaryExpr &e, Expr lhs, Expr rhs);
/// `list[i]`, `list[a..b]`, `x.shape[-1]`.
Expr checkIndex(BodyContext &b, const ast::IndexExpr &e);
/// An attribute of any kind beside a number is a number; `s == 0` holds of an int and of a float.
void asNumbers(BodyContext &b, Expr &lhs, Expr &rhs);

} // namespace rw::sema
