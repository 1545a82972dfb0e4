// What stands behind `where`: conditions in written order, with names for what they compute.
//
// In:  syntax of the conditions.
// Out: Conditions; in a pattern, Actions as well, of a `let` that builds.
//
//   checkConditions(b, decl.conditions, pattern.conditions, pattern.actions);
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// Those of a named match.
void checkConditions(BodyContext &b, const std::vector<ast::Condition> &list, std::vector<Condition> &out);
/// Those of a pattern. A `let` that builds, and what says a name of such a `let`, become actions, which come once all
/// other conditions hold.
void checkConditions(BodyContext &b, const std::vector<ast::Condition> &list, std::vector<Condition> &out,
                     std::vector<Action> &built);

} // namespace rw::sema
