// RW_GUARD: the early return of hand-written patterns.
//
// In:  the rewriter, the op the pattern looks at, a condition that a match needs.
// Out: goes on if it holds; else the pattern returns false, and "why not" reports give the condition's text and line.
// Elsewhere: patterns are pattern.h, edits rewriter.h.
//
//   bool rewriteCast(tensor::CastOp op, PatternRewriter &rw) { // of a pattern: matchAndRewrite
//     RW_GUARD(rw, op, op.dtype() == op.x().type().dtype);
//     return rw.replaceOp(op, op.x());
//   }
#pragma once

#include "rw/rewrite/rewriter.h"

#define RW_GUARD(rewriter, op, condition)                                                                              \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      return (rewriter).noMatch((op), #condition, __LINE__);                                                           \
  } while (false)
