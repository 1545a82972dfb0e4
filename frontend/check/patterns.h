// Patterns: left side, conditions in written order, right side.
//
// In:  a pattern as declare.h has entered it, or an instance of a template.
// Out: the same with its matches, conditions and actions.
// Elsewhere: each of the three is a header: matches.h, conditions.h, actions.h.
//
//   checkPattern(c, c.module.patterns[i], c.instances[i]);
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// A whole pattern. A `means` clause is one, too (meanings.h).
void checkPattern(CheckContext &c, Pattern &pattern, const PatternInstance &instance);

} // namespace rw::sema
