// The table of --late-override.
//
// In:  the command line and the program. Out: the attributes to set once everything is rewritten; diagnostics of what
//      is not known.
// Elsewhere: the table is rw/passes/late_overrides.h; rw/optimize/optimize.h applies it.
#pragma once

#include "rw/opt/options.h"
#include "rw/passes/late_overrides.h"
#include "rw/support/diagnostics.h"

namespace rw::opt {

/// Fills the table from the command line, before anything is rewritten. False and diagnostics if something is not
/// known; `wrongUse` if a value is none, whatever the program.
bool readLateOverrides(const Options &, Program &, SourceManager &, Diagnostics &, LateOverrides &, bool &wrongUse);

} // namespace rw::opt
