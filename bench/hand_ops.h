// The ops of bench_ops.rw and the patterns of bench_patterns.rw and bench_nomatch.rw, written by hand in C++: what
// compiled patterns are compared with.
//
// In:  an OpRegistry that has the ops, from here or from the compiled bench_ops.rw.
// Out: schemas; pattern sets.
#pragma once

#include "rw/rewrite/pattern.h"

namespace rw::bench {

void registerHandOps(OpRegistry &);
FrozenPatternSet handStandardPatterns(const OpRegistry &);
FrozenPatternSet handNoMatchPatterns(const OpRegistry &);

} // namespace rw::bench
