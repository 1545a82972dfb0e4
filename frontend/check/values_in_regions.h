// Which values stand inside regions, so that what is built uses them only where they are there.
//
// In:  a checked pattern.
// Out: RegionBuild::source of regions that are built anew without saying so by a parameter; errors for values that are
//      not there.
// Elsewhere: what a match asks of regions, and regions that are built, are regions.h.
//
//   placeInsides(c, pattern);
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// One pattern.
void placeInsides(CheckContext &c, Pattern &pattern);

} // namespace rw::sema
