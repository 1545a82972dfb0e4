// The number of ops that people mean when they ask how large a program is.
//
// In:  an op or a function. Out: whether it computes something, how many do: neither the ends of regions nor data, that
//      is constants and tensors which the program only keeps. Of a model these are its nodes without Constant, nested
//      graphs included.
// Elsewhere: Function::liveOps counts everything, at once.
//
//   size_t size = computingOps(fn);
#pragma once

#include "rw/ir/function.h"

namespace rw {

bool computes(Op);
size_t computingOps(Function &);

} // namespace rw
