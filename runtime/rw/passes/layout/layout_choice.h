// Moving ops to chosen layouts: movers (transposes) are put where the layouts say, and what is in the way of none is
// carried past the ops.
//
// In:  a function, ops that are to be computed before permutations (layout_model.h). Out: the function with them moved;
//      what merges with its neighbours is left to the patterns that tidy up.
//
//   moveTo(choice.layouts, rewriter, probe, counters);
#pragma once

#include "rw/passes/layout/layout_model.h"
#include "rw/passes/pattern_pass.h"

namespace rw {

/// `counters`: what the patterns did that carry movers past ops, by number of the pattern.
void moveTo(const std::vector<LayoutModel::Moved> &, PatternRewriter &, MoveProbe &,
            std::vector<PatternCounters> &counters);

/// Movers of movers become one, and those that move one value alike, each the first of its region; whether there were
/// any.
bool mergeMovers(PatternRewriter &, const Mover &);

} // namespace rw
