// Types inferred anew: what rewriting or late attributes made known spreads to the ops that follow.
//
// In:  a function. Out: result types that say at least what they said before, and what inference adds to it. Types of
//      parameters, and what does not agree with its inference, stay: the verifier reports the latter.
#pragma once

#include "rw/ir/function.h"

namespace rw {

/// How many values got a type that says more. One walk.
uint64_t refineTypes(Function &);

} // namespace rw
