// A set of tokens, in words: "a name", "an expression", "`,` or `)`".
#pragma once

#include "frontend/parse/tokens.h"

namespace rw::parse {

/// Empty when nothing useful can be said.
std::string describeExpected(const antlr4::misc::IntervalSet &);

} // namespace rw::parse
