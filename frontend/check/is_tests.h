// `x is relu(_)`: a value is looked at as a left side looks at it.
//
// In:  syntax, where matches may stand.
// Out: an Expr whose match is one of the Body's tests, or its two sides for who makes a condition of them.
// Elsewhere: what stands right of `is` is matches.h.
//
//   condition.expr = checkLookedAt(b, is);
//   condition.match = checkIsMatch(b, *is.match);
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// `x is m` in an expression: names that it binds are seen inside it alone.
Expr checkIs(BodyContext &b, const ast::IsExpr &e);
/// What stands left of `is`.
Expr checkLookedAt(BodyContext &b, const ast::IsExpr &is);
/// What stands right of `is`.
Match checkIsMatch(BodyContext &b, const ast::Match &m);

} // namespace rw::sema
