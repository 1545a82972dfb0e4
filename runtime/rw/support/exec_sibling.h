// execSibling: replaces the running program by another one of the same folder, as exec(3) does.
//
// In:  the name of the other program, and the command line that it gets.
// Out: it returns only where the other program cannot be started; a diagnostic says why.
// Elsewhere: rwc runs rwc-verify, rw-opt runs rw-serve, so that whoever needs neither does not build them.
//
//   int main(int, char **argv) {
//     rw::SourceManager sources;
//     rw::Diagnostics diags(sources);
//     rw::execSibling("rwc-verify", argv, diags);
//     return 1; // still here: diags has why
//   }
#pragma once

#include "rw/support/diagnostics.h"

namespace rw {

void execSibling(std::string_view program, char **arguments, Diagnostics &);

} // namespace rw
