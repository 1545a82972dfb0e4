// What compares patterns with each other: one that hides another, two that undo each other.
#include "frontend/sema/checker.h"

namespace rw::sema {

void Checker::lint() {}

} // namespace rw::sema
