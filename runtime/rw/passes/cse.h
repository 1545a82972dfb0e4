// Common subexpression elimination.
//
// In:  a function. Out: the function with each pure op replaced by an equal one that dominates it.
// Elsewhere: what counts as an effect is rewrite/effects.h.
//
// Two ops are equal if kind, attributes, operands and result types are; the operands of commutative ops in either
// order. An op in an enclosing region serves the regions nested after it, never one sibling region another. Attributes
// compare by bits: +0.0 and -0.0 differ; one left out equals its default written out. Ops with regions are left alone.
// Linear.
//
// Option order-operands=true: also writes the operands of commutative ops in one order into the ops.
//
//   uint64_t merged = eliminateCommonSubexpressions(fn).merged;
#pragma once

#include "rw/passes/pass.h"

namespace rw {

struct CseStatistics {
  uint64_t merged = 0, reordered = 0;
};
CseStatistics eliminateCommonSubexpressions(Function &, RewriteListener * = nullptr, bool orderOperands = false);

MadePass makeCsePass(const Registry &, const PassOptions &);

} // namespace rw
