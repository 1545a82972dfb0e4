// --expect: whether the result holds what it must.
//
// In:  the rewritten program. Out: true, or one diagnostic per line of the report.
// Elsewhere: paths and counts are rw/passes/expect_graph.h.
#pragma once

#include "rw/ir/program.h"
#include "rw/opt/options.h"
#include "rw/support/diagnostics.h"

namespace rw::opt {

/// Whether each --expect can be read. Diagnostics if not.
bool checkExpectationTexts(Program &, const Options &, Diagnostics &);
/// Looks at the program's first function: the model's graph.
bool checkExpectations(Program &, const Options &, Diagnostics &);

} // namespace rw::opt
