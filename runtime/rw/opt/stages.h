// The stages after the passes: late overrides, shapes inferred anew, shapes checked for good.
//
// In:  the program, the table of --late-override. Out: the program ready to be written; warnings of what was skipped.
// Elsewhere: stages in a trace are rw/trace/trace.h, the table rw/passes/late_overrides.h.
#pragma once

#include "rw/opt/options.h"
#include "rw/passes/late_overrides.h"
#include "rw/support/diagnostics.h"
#include "rw/trace/trace.h"

namespace rw::opt {

/// Fills the table from the command line, before anything is rewritten. False and diagnostics if something is not known; `wrongUse` if a
/// value is none, whatever the program.
bool readLateOverrides(const Options &, Program &, SourceManager &, Diagnostics &, LateOverrides &, bool &wrongUse);
/// The stages late overrides, infer shapes, finalize shapes. False if the program does not verify.
bool finishShapes(const Options &, Program &, bool changed, LateOverrides &, ProgramTrace &, Diagnostics &);

} // namespace rw::opt
