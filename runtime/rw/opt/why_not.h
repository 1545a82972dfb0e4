// --why-not: why a pattern does not match.
//
// In:  a program, the name of a pattern, perhaps an op or value to look at.
// Out: one line per op that the pattern could match at: whether it matches there, or the first condition that fails and
//      where it is written. The program stays as it is.
// Elsewhere: patterns give their reasons through PatternRewriter::noMatch.
#pragma once

#include "rw/opt/options.h"
#include "rw/passes/pass.h"

#include <functional>

namespace rw::opt {

/// Whether --why-not names a pattern; a diagnostic if not.
bool isKnownPattern(const Registry &, const Options &, Diagnostics &);
bool explainNoMatch(const Program &, const Registry &, const Options &, Diagnostics &,
                    const std::function<void(std::string_view)> &print);

} // namespace rw::opt
