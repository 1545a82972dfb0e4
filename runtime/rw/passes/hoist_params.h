// Hoisting: what is computed from model parameters alone is computed once, before any call.
//
// In:  a function with `param` parameters.
// Out: each value that follows from these (and constants) alone and is used by anything else is a new, derived
//      parameter at the end of the parameter list; the ops that computed it are in a function of their own, which the
//      program gains.
// Elsewhere: what a derived parameter is ir/derivation.h says; evaluating it param_store.h.
//
// On the way from parameters to a hoisted value there are only ops without effects and without regions: no random draw,
// no check, nothing unregistered. Values are taken out of nested regions too. Ops that hang together go into one
// function, so each is evaluated once; of equal computations there is one. The id of a derived parameter follows from
// how it is computed and the ids it is computed from, and from nothing else: it is the same in every program and every
// run. Parameters without an id get one (entry_signature.h). Functions that others name (called ones, and those that
// compute derived parameters) are left alone: their parameters are their callers'. Linear.
//
//   HoistResult r = hoistParams(program, *program.function("main"));
//   // r.derived new parameters, computed by r.functions new functions
#pragma once

#include "rw/passes/pass.h"

namespace rw {

struct HoistResult {
  uint64_t derived = 0, functions = 0; // that were added
  uint64_t erased = 0;                 // ops of the function
};
HoistResult hoistParams(Program &, Function &, RewriteListener * = nullptr);

MadePass makeHoistParamsPass(const Registry &, const PassOptions &);

} // namespace rw
