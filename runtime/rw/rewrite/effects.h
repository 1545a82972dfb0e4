// What DCE, CSE, folding and the driver may assume of an op: one reading of the trait table for all of them.
//
// In:  an op or its schema.
// Out: whether it may go when unused, or be one with its equal.
// Elsewhere: the traits are ir/schema.h.
#pragma once

#include "rw/ir/function.h"

namespace rw {

inline constexpr Traits kEffects = Trait::EffectRandom | Trait::EffectError | Trait::EffectState;

/// Pure by itself; nested regions are not looked into.
inline bool isEffectFree(const OpSchema &schema) { return schema.isPure() && !(schema.traits & kEffects); }

/// Whether the op may be erased once its results are unused: it and every op of its regions is free of effects.
bool isRemovableIfUnused(Op);

/// Whether all that a region holds is free of effects.
bool holdsNoEffects(Function &, RegionId);

} // namespace rw
