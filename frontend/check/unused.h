// Names that are bound and never used: needless, or a word that was meant to ask for something.
//
// In:  a body that is checked to its end.
// Out: warnings; errors where a name can only be meant as something else.
//
//   b.use(id);         // wherever a name is read
//   reportUnused(b);   // at the end
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// Reports what was named and never used (unused.cpp).
void reportUnused(BodyContext &b);

} // namespace rw::sema
