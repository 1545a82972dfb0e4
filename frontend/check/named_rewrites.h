// Named rewrites: `rewrite halved(x) -> value = mul(x, splat(0.5, x.type));`, used as `halved(y)`.
//
// In:  a declaration, or a call of one.
// Out: what it gives; where it is called, an Expr over its ops, which are put in.
// Elsewhere: that each is checked once by itself is named_parts.h.
//
//   if (RewriteIndex named = rewriteOf(b, callee)) return checkRewriteCall(b, e, named);
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// Enters the declaration.
void declareRewrite(CheckContext &c, DeclItem &item);
/// Checks a named rewrite by itself.
void checkDefinition(BodyContext &b, const ast::RewriteDecl &decl, NamedRewrite &out);
/// The named rewrite that a name says, or none.
RewriteIndex rewriteOf(const BodyContext &b, const ast::QualifiedName &written);
/// Puts it in where it is called.
Expr checkRewriteCall(BodyContext &b, const ast::CallExpr &e, RewriteIndex index);

} // namespace rw::sema
