// What replaces a value has its type, whatever the program: proved of most patterns when they are compiled, so that
// nothing is asked when they run.
//
// In:  checked patterns.
// Out: Action::sameType. What is not proved here is asked where the pattern is about to fire
//      (PatternRewriter::canReplace).
// Elsewhere: types that contradict each other are stated_types.h; the algebra is terms.h.
//
//   proveTypes(c, usedPatterns);
#pragma once

#include "frontend/check/check_context.h"

#include <span>

namespace rw::sema {

/// Several at once, on as many threads as CheckOptions allows.
void proveTypes(CheckContext &c, std::span<const PatternIndex> patterns);

} // namespace rw::sema
