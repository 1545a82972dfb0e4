// Types that are the same though not all of them is known: of two values `f32[?, 3]` the first sizes may differ, but
// not where one is `relu(x)` and the other `relu(relu(x))`.
//
// In:  a value and what is to replace it, or an op and the attributes that it is to have.
// Out: whether both types are the same, whatever the unknown sizes are.
// How: each unknown size of what both are made of is given a symbol for a moment, and the types from there on are
//      inferred anew; the same symbols in the same places prove it. Only the nearest ops are looked at, so the time is
//      bounded.
// Elsewhere: what is proved of a pattern for all programs is frontend/check/same_types.cpp, and asked first.
//
//   if (canReplace(rw, op.result(), y)) rw.replaceOp(op, y);
#pragma once

#include "rw/rewrite/rewriter.h"

namespace rw {

bool provablySameType(Value old, Value with);
/// PatternRewriter::canReplace, of types that are known, or this.
bool canReplace(PatternRewriter &rw, Value old, Value with);
/// Whether the op's results have the same types with these attributes.
bool keepsTypes(Op, AttrsId attrs);

} // namespace rw
