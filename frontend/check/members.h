// `x.shape`, `d.axis`, `svd.u`: members of values, attributes and results of ops, results by name.
//
// In:  an object, and the name behind the point.
// Out: an Expr, or type Error after a report with the nearest name.
// Elsewhere: the members that values have are sema/properties.h; parts by place, `list[0]`, are operators.h.
//
//   Expr rank = checkProperty(b, b.varExpr(x, range), {"rank", range});
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// `object.member`, whatever the object is.
Expr checkMember(BodyContext &b, const ast::MemberExpr &e);
/// A member of a value, a type, a dtype, a list or a region.
Expr checkProperty(BodyContext &b, Expr object, const ast::Name &member);
/// An attribute, an operand, a region or a result of an op.
Expr checkOpMember(BodyContext &b, Expr object, const ast::Name &member);
/// Which ops an op or a list of ops can be.
OpSet opsOf(const BodyContext &b, const Expr &e);
/// The native rewrite with several results whose outcome it is; none of anything else.
NativeIndex nativeOf(const BodyContext &b, const Expr &e);
/// The named rewrite whose results, several, a list of values is; none of anything else.
RewriteIndex rewriteOf(const BodyContext &b, const Expr &e);

} // namespace rw::sema
