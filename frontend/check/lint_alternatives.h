// Alternatives that can match and never lead to a rewrite: they leave a name unbound that the right side needs.
//
// In:  a checked pattern.
// Out: warnings.
//
//   lintAlternatives(c, pattern);
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// One pattern.
void lintAlternatives(CheckContext &c, const Pattern &pattern);

} // namespace rw::sema
