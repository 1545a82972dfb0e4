// goOnAs: a program lets another one, which lies beside it, go on in its place.
//
// In:  the name of the other program, and the command line, which becomes its.
// Out: nothing where that is done: the process is the other program then. Else a diagnostic says why not.
// Elsewhere: rwc goes on as rwc-verify, rw-opt as rw-serve, so that whoever needs neither does not build them.
//
//   int main(int, char **argv) {
//     rw::SourceManager sources;
//     rw::Diagnostics diags(sources);
//     rw::goOnAs("rwc-verify", argv, diags);
//     return 1; // still here: diags has why
//   }
#pragma once

#include "rw/support/diagnostics.h"

namespace rw {

void goOnAs(std::string_view program, char **arguments, Diagnostics &);

} // namespace rw
