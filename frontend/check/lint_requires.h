// Ops that cannot be there: what a match asks for, or a right side states, is not what the op requires.
//
// In:  checked patterns and tests.
// Out: warnings. Only what literals and stated types prove is said.
//
//   reportContradictedRequires(c, pattern);
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// Ops that a pattern matches or builds.
void reportContradictedRequires(CheckContext &c, const Pattern &pattern);
/// Ops of a test's programs.
void reportContradictedRequires(CheckContext &c, const Test &test);

} // namespace rw::sema
