// Expressions of every kind: the way in, and what several constructs ask of one.
//
// In:  syntax, and what may stand here (BodyContext::allow).
// Out: an Expr with its type; of what is wrong, type Error after a report.
// Elsewhere: a header for each kind that takes more than a few lines: calls.h, members.h, operators.h, destructure.h,
//      is_tests.h; conversions to an expected type are implicit_conversions.h.
//
//   Expr count = checkExprAs(b, *e.begin, TypeKind::Int, "where a range begins");
//   Expr asked = checkCondition(b, *require.condition, "what `require` asks");
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// An expression of any kind, whatever its type.
Expr checkExpr(BodyContext &b, const ast::Expr &e);
/// An expression as a type that is asked for; `what` names it in messages: "the argument `p` of `compose`".
Expr checkExprAs(BodyContext &b, const ast::Expr &e, Type expected, What what);
/// A condition: bool, or `non-bool-condition`. Of an expression that is checked already, the second.
Expr checkCondition(BodyContext &b, const ast::Expr &e, What what);
Expr checkCondition(BodyContext &b, Expr out, What what);
/// What a whole gives that is an `if` or a `let`: of what is built it may be several values, `(a, b)`.
Expr checkPart(BodyContext &b, const ast::Expr &e, bool mayBeNone);
/// An operand, which may be `none` or a choice of that, or any expression.
Expr checkValueOrNone(BodyContext &b, const ast::Expr &e, bool may);
/// `none`, where nothing is called so.
bool saysNone(const BodyContext &b, const ast::Expr &e);
bool saysNone(const BodyContext &b, const ast::Match &m);

} // namespace rw::sema
