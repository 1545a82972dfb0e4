// What compares patterns with each other: one that hides another, two that undo each other, one that matches what it
// builds; and patterns that can never match.
//
// In:  a module without errors.
// Out: warnings. Only what the text alone proves is said: conditions are not reasoned about.
// Elsewhere: what one pattern shows by itself is contradictions.h and the other lints, which this calls.
//
//   lintPatterns(c);
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// All patterns of the root file.
void lintPatterns(CheckContext &c);

} // namespace rw::sema
