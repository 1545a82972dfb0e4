// Names on left sides: the first use binds, later ones compare.
//
// In:  a name, and what it stands for.
// Out: the variable and its use here (VarUse of sema/match.h).
//
//   out.value = bindName(b, m.name, TypeKind::Value, VarKind::Value);  // the x of `add(x, x)`
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// A name on a left side: its first use binds, later ones compare.
VarUse bindName(BodyContext &b, const ast::Name &name, Type type, VarKind kind);
/// `rest...` among values: a list. Inside `each` values are bound once per operand, and of lists there is one alone.
VarUse bindRest(BodyContext &b, const ast::Name &name);
/// Alternatives bind a name as deep in `each` as each other: else it would be a list in one and a list of lists in the
/// other.
bool sameEachDepth(BodyContext &b, const ast::Name &name, VarId id);
/// Names in what is not checked any further: they are not unbound as well.
void bindNamesOf(BodyContext &b, const ast::Match &m);

} // namespace rw::sema
