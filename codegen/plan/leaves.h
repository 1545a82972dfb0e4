// Whether a match looks at the values it ends at, beyond that they are there.
//
// In:  a plan.  Out: PatternInfo::looksAtLeaves: what the driver has to queue again after a change.
// Elsewhere: the rest of what is known of a plan is found while it is made (build_plan.cpp).
//
//   transpose(transpose(x, perm = p), perm = q)   false: any x will do
//   add(x, splat(0))                              true: the second operand must be constant
#pragma once

#include "codegen/plan/plan.h"

namespace rw::plan {

bool looksAtLeaves(const MatchPlan &, const sema::Module &);

} // namespace rw::plan
