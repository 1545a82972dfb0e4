// Whether a body may take elements together in any grouping: then a reduction is built of few ops on halves of all
// elements; else its elements are taken one after another, as StableHLO's reference does.
//
// In:  an op whose region takes two values for each operand, and which region.
// Out: false if some values are known for which the grouping counts, or if the body cannot be tried out. Values are
//      tried, few and the same ones each time, since what a body of many ops comes to cannot be seen from its form.
// Elsewhere: what is built is lower_folds.cpp.
//
//   if (!isAssociative(reduce, 0))
//     return oneAfterAnother(b, reduce);
#pragma once

#include "rw/ir/function.h"

namespace rw::convert {

bool isAssociative(Op op, unsigned region);

} // namespace rw::convert
