// Why an expression of a right side cannot be computed, in words for `--why-not`.
//
// In:  a checked expression.
// Out: "`p[5]` can be computed (it cannot where an index is outside of its list)"; empty if it always can be.
//
// Both readers of a plan say so where such an expression fails, so a pattern gives the same reasons compiled and
// interpreted.
#pragma once

#include "frontend/sema/module.h"

#include <string>

namespace rw::plan {

/// What holds unless evaluating the expression fails. It builds nothing.
std::string computed(const sema::Expr &, const sema::Module &, const sema::Body &);

/// What must hold of a value of a matched region that is built anew; and of the ops in there that have effects.
std::string builtAgain(const sema::Expr &, const sema::Module &, const sema::Body &);
std::string effectsBuiltAgain();

} // namespace rw::plan
