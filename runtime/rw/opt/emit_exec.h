// --emit exec: the execution programs of all functions, as text.
//
// In:  the program as the passes have left it, what --bound says. Out: text in a file or on standard output; or
//      diagnostics.
// Elsewhere: execution programs are rw/exec.
#pragma once

#include "rw/ir/program.h"
#include "rw/opt/options.h"
#include "rw/support/diagnostics.h"

namespace rw::opt {

bool emitExec(const Options &, const Program &, const std::string &path, Diagnostics &);

} // namespace rw::opt
