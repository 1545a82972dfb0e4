// Types that contradict each other whatever the program: `neg(x: f32[2]) => neg(x) -> f32[3]`.
//
// In:  a checked pattern.
// Out: warnings where a type that is stated on the right is not the one that the op has by its declaration, and where
//      what replaces the root is not of the root's type. Only what written types and `type` clauses prove is said.
// Elsewhere: conditions that contradict types are contradictions.h; at run time such a pattern does not match
//      (PatternRewriter::canReplace).
//
//   reportContradictoryTypes(c, pattern);
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// One pattern.
void reportContradictoryTypes(CheckContext &c, const Pattern &pattern);

} // namespace rw::sema
