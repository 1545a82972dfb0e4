// Sizes as values: what a dimension is when a model runs, by Shape of the input whose dimension it is.
//
// In:  dimensions as types and attributes have them: numbers, and expressions over symbols that parameters of the
//      function have.
// Out: i64 tensors of one dimension, made before the insertion point; numbers alone are one constant. None if a
//      dimension is unknown or has a symbol that no parameter has.
// Elsewhere: dimensions are ir/dim.h; fold_shapes merges and simplifies what computes shapes.
//
//   Value target = onnxShape(rw, x.type().dims);      // Concat(Shape(x){start = 0, end = 1}, [3])
#pragma once

#include "rw/rewrite/rewriter.h"

#include <span>

namespace rw {

/// All of them, i64[n].
Value onnxShape(PatternRewriter &, std::span<const Dim> dims);
/// One, i64[1].
Value onnxSize(PatternRewriter &, Dim);

} // namespace rw
