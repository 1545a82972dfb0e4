// Dead code elimination.
//
// In:  a function. Out: the function without the ops that have no effects and whose results are not used, whole unused
// chains and ops with regions included. Elsewhere: what counts as an effect is rewrite/effects.h.
//
//   uint64_t erased = eliminateDeadCode(fn);
#pragma once

#include "rw/passes/pass.h"

namespace rw {

/// Number of ops erased (those of erased regions not counted).
uint64_t eliminateDeadCode(Function &, RewriteListener * = nullptr);

MadePass makeDcePass(const Registry &, const PassOptions &);

} // namespace rw
