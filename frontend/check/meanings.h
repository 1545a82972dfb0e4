// What ops mean: `means mul(x, splat(scale, x.type));` of an op declaration.
//
// In:  patterns that the parser makes of the clauses, with the op itself on the left side; patterns.h checks them like
//      any other.
// Out: errors where an op cannot mean something, means itself by a detour, or more than anybody would put in, and where
//      a meaning has effects that the op denies; warnings where a clause stands in the shadow of another.
// Elsewhere: types that contradict the op's `type` clause are stated_types.h; what follows at run time is
//      rw/rewrite/meaning.h.
//
//   if (pattern.meaningOf && !mayMean(c, c.module.op(pattern.meaningOf), decl)) return;
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// Whether an op of this kind can have a meaning; reports why not.
bool mayMean(CheckContext &c, const Op &op, const ast::PatternDecl &decl);
/// Of all meanings together.
void checkMeanings(CheckContext &c);

} // namespace rw::sema
