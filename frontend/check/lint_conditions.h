// Conditions that say nothing, or never hold, whatever the program: `x.rank >= 0`, `n % 1`, `d != f32 or d != f16`.
//
// In:  checked patterns, tests, functions and ops.
// Out: warnings. Only what follows from the text alone is said.
// Elsewhere: conditions that contradict each other or the types asked for are lint_pattern_pairs.h and
//      contradictions.h.
//
//   lintConditions(c);
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// Those of patterns, tests, functions and ops.
void lintConditions(CheckContext &c);

} // namespace rw::sema
