// `f(x)`: a function, a builtin, a native, a named rewrite, a method, an op that is built.
//
// In:  syntax. Which of these a name means depends on where it stands: builds are right of `=>` alone.
// Out: an Expr, or type Error after a report.
// Elsewhere: ops are built by built_ops.h; named rewrites are put in by named_rewrites.h; calls on left sides are
//      match_ops.h.
//
//   Expr value = checkCall(b, e.get<ast::CallExpr>());
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// Whatever is called.
Expr checkCall(BodyContext &b, const ast::CallExpr &e);
/// The arguments of what takes values alone: a name, `each` or `...` is reported.
std::vector<Expr> checkPlainArgs(BodyContext &b, const ast::CallExpr &e);
/// `each mid(x)` on a right side: names that an `each` on the left has bound once per operand stand for those of the
/// operand at hand. None if it speaks of no such name.
std::optional<Expr> checkEachOperand(BodyContext &b, const ast::Expr &e);

} // namespace rw::sema
