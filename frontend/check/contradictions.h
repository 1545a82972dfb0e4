// What makes that a pattern never fires: conditions that the left side already makes false (`relu(x: f32[2, 3]) where
// x.rank == 3`), operands that an op without results would make, ops erased while the match itself reads them.
//
// In:  a checked pattern.
// Out: warnings, and errors for operands that nothing can make. Only what the match proves is said.
// Elsewhere: conditions that contradict each other are lint_pattern_pairs.h, what ops require lint_requires.h, types on
//      both sides stated_types.h.
//
//   reportMadeByTwo(c, pattern);  // x is relu(_), x is exp(_)
#pragma once

#include "frontend/check/check_context.h"
#include "frontend/check/folded.h"

namespace rw::sema {

/// Types that the left side asks of one value and no value has, and conditions that they decide.
void reportContradictedTypes(CheckContext &c, const Pattern &pattern, bool ofTemplate);
/// `add(single x, x)`: two operands are two uses. Two ops may be the same one unless they are of different kinds.
void reportSingleUsedTwice(CheckContext &c, const Pattern &pattern);
/// `x is relu(_), x is exp(_)`: one op makes a value.
void reportMadeByTwo(CheckContext &c, const Pattern &pattern);
/// An op without results where a value stands.
void reportMatchOfNoValue(CheckContext &c, const Pattern &pattern);
/// `erase` of what something in the match reads: the condition that the op is unused fails whenever the rest holds.
void reportErasedUses(CheckContext &c, const Pattern &pattern);
/// What literals come to in a pattern, with what its left side fixes.
Folded foldedIn(const Pattern &pattern);

} // namespace rw::sema
