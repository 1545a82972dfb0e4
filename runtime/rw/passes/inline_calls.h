// Calls of a program's functions, replaced by what these do.
//
// In:  a program. A call is an op with the attribute `callee`; what an op without regions names by another attribute of
//      type symbol is a function as well, that stands for it.
// Out: the program without calls and without functions that were called; or why that cannot be.
// Elsewhere: what a symbol may name the verifier checks.
//
//   if (std::optional<PassError> error = inlineCalls(program, CalledBy::Callee, changed)) report(error->message);
#pragma once

#include "rw/passes/pass.h"

namespace rw {

enum class CalledBy : uint8_t { Callee, OtherSymbol, AnySymbol };

/// Whether an op stands for a function of the program; which one.
Function *calledFunction(Program &, Op, CalledBy);

/// `changed`: whether there were any.
std::optional<PassError> inlineCalls(Program &, CalledBy, bool &changed);

} // namespace rw
