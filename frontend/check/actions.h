// What stands right of `=>`: values that replace the root, `replace`, `update`, `erase`, `let`.
//
// In:  a statement.
// Out: an Action; what must come before it stands in BodyContext::before.
//
//   Action action = checkAction(b, *stmt, isLast, decl.roots.size(), &pattern.roots[0]);
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// One statement. `last`: it may be values without a word, which replace the root.
Action checkAction(BodyContext &b, const ast::Stmt &s, bool last, size_t rootCount, const Match *root);
/// Values, one or several: `x`, `(x, ys...)`.
std::vector<Expr> checkValues(BodyContext &b, const ast::Expr &e);
/// `let a, b = e;`
Action checkLet(BodyContext &b, const std::vector<ast::Name> &names, const ast::Expr &e, SourceRange range);
/// Of a name for an op that is built: what it can be.
void rememberOps(BodyContext &b, VarId id, const Expr &value);
/// What stands behind all `let … in`.
const ast::Expr &behindLets(const ast::Expr &e);

} // namespace rw::sema
