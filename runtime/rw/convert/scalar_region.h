// What a region says of scalars, said of whole tensors: the body of a reduction, of a window, of a sort or of a scatter
// does to all elements at once what it does to one.
//
// In:  the op, which of its regions, a tensor for each parameter: all of one shape.
// Out: a tensor for each result. Of a region that holds anything but ops that work element by element, none; then
// nothing can be built. Elsewhere: how the tensors are cut is lower_folds.cpp, lower_sort.cpp,
// lower_select_and_scatter.cpp, lower_indexing.cpp.
//
//   std::vector<Value> sums = onTensors(b, reduce, 0, std::array{even, odd});
#pragma once

#include "rw/convert/build.h"

namespace rw::convert {

std::vector<Value> onTensors(Build &, Op op, unsigned region, std::span<const Value> arguments);
/// One value that the region computes, and what that takes alone.
Value onTensors(Build &, Op op, unsigned region, std::span<const Value> arguments, Value wanted);

/// The op of a region that holds just one, of its two parameters in order or of either; none else.
struct SingleOp {
  Op op;
  bool swapped = false;
};
SingleOp singleOp(Op op, unsigned region);

/// Whether the constant is what the op makes no difference with: 0 of an addition, minus infinity of a maximum.
bool isNeutral(Op body, Value init);

} // namespace rw::convert
