// Terms that only compare and choose: max, min, relu, clip, comparisons, select.
//
// In:  two terms.
// Out: whether they are equal for all values of what they are made of; false also where that was not decided.
//
// What such a term is depends on the order of its arguments alone. So it is enough to try one value for each place that
// an argument may have among the numbers which stand in the terms, as many distinct ones in each place as there are
// arguments, and NaN, infinities and both zeros.
#pragma once

#include "codegen/verify/terms.h"

namespace rw::verify {

bool sameByOrder(TermTable &, Term, Term);

} // namespace rw::verify
