// rwc --verify: patterns proved, or refuted by an example; on standard output a line, or an object, for each.
//
// In:  the options, and the file's text, which has been parsed without an error.
// Out: the exit status; what --evidence asks for.
// Elsewhere: the proofs are codegen/verify.
#pragma once

#include "tools/rwc/rwc.h"

namespace rw {

int verifyCommand(const RwcOptions &, const std::string &text, SourceManager &, Diagnostics &);

} // namespace rw
