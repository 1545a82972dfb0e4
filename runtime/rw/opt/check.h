// --check: the program before and after, on random inputs.
//
// In:  the program as read and as rewritten. Out: whether they agree; what was compared, as text; a diagnostic if not.
// Elsewhere: inputs and comparison are rw/interp/compare.h.
#pragma once

#include "rw/ir/program.h"
#include "rw/opt/options.h"
#include "rw/support/diagnostics.h"

#include <functional>

namespace rw::opt {

bool checkAgreement(Program &before, Program &after, const Options &, int opsetVersion, Diagnostics &,
                    const std::function<void(std::string_view)> &print);

} // namespace rw::opt
