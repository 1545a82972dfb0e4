// A walk over the ops of a region and of all regions within, from the end: users come before what they use, so that a
// whole chain of dead ops goes in one walk.
//
// In:  a region; what to do at an op, which may erase that op.
// Out: each op once. The regions of an op, the last one first, come after the op itself and before what stands ahead of
//      it, which they may capture.
//
//   size_t ops = 0;
//   walkFromEnd(fn, fn.body(), [&](OpId op) { return ++ops && fn.data(op).flags & kHasRegions; });
#pragma once

#include "rw/ir/function.h"

#include <vector>

namespace rw {

/// `visit(op)` says whether the walk goes into the regions that the op has. The op to go on with is a local variable:
/// from one op to the next there is one load, and no memory in between.
template <class Visit> inline void walkFromEnd(const Function &fn, RegionId region, Visit visit) {
  std::vector<OpId> outer; // in each region entered around the one walked, the op to go on with
  OpId next = fn.data(region).lastOp;
  for (;;) {
    if (!next) {
      if (outer.empty())
        return;
      next = outer.back();
      outer.pop_back();
      continue;
    }
    OpId op = next;
    next = fn.data(op).prev;
    if (!visit(op)) [[likely]]
      continue;
    outer.push_back(next);
    for (RegionId inner : fn.regionsOf(op))
      outer.push_back(fn.data(inner).lastOp);
    next = outer.back();
    outer.pop_back();
  }
}

} // namespace rw
