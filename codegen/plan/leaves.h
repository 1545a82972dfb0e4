// Whether a match looks at the values it ends at, beyond their types and what constants among them hold.
//
// In:  a plan.  Out: PatternInfo::looksAtLeaves: what the driver has to queue again after a change.
// Elsewhere: the rest of what is known of a plan is found while it is made (build_plan.cpp).
//
//   transpose(transpose(x, perm = p), perm = q)   false: any x will do
//   add(x, splat(0))                              false: that an operand becomes constant is a change of the add
//   sub(x, x)                                     true: another value of the same type is no longer the same value
#pragma once

#include "codegen/plan/plan.h"

namespace rw::plan {

bool looksAtLeaves(const MatchPlan &, const sema::Module &);

} // namespace rw::plan
