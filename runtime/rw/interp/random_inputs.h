// Random inputs of a function, by the types of its parameters.
//
// In:  a function, a seed, and which way to draw: how large symbolic dimensions are, which numbers integers and floats
//      are.
// Out: one value per parameter, the same ones each time.
// Elsewhere: which way suits a function is found by input_search.h.
//
//   std::vector<Tensor> inputs = randomInputs(fn, seed);
#pragma once

#include "rw/interp/tensor.h"
#include "rw/ir/function.h"

namespace rw {

/// One way to draw. A symbol has one size in all parameters; one that is named by an expression over others ("S +
/// past") has the size that says.
struct InputChoice {
  unsigned round = 0; // sizes and numbers are others in each
  /// 0: small and different from each other. Then larger ones, first different ones, with few images of a batch, then
  /// all the same: for programs that want sizes which are equal, divide or hold a window.
  unsigned sizes = 0;
  /// 0: from 0 to 3. Then places in the smallest dimension of any parameter (but what suits operands named axes,
  /// starts, ends and steps), ones, zeros, from 1 to 3, and 0, 1, 2, … in each; from kUniform on each parameter is
  /// drawn in one of these ways.
  unsigned integers = 0;
  /// 0: around 0. Then from 0 to 1, from 1 to 4, near 0, from -1 to 0. In later rounds some are special: NaN, infinite,
  /// -0.
  unsigned floats = 0;
  static constexpr unsigned kSizes = 13, kUniform = 6, kIntegers = 30, kFloats = 5;

  // Out:
  bool anySize = false, anyInteger = false, anyFloat = false; // whether there was anything to choose
  std::vector<std::pair<StringId, Dim>> known;                // sizes by symbol, in order of appearance
};

/// Parameters with a default get none, nor do those that nothing can be drawn for; unknown dims are 2 at first. A
/// sequence gets one to three tensors, an optional value is there in every other round.
std::vector<Tensor> randomInputs(Function &, uint64_t seed, InputChoice &);
std::vector<Tensor> randomInputs(Function &, uint64_t seed, unsigned round = 0);
/// One tensor of floats around 0 or integers from 0 to 3; none if nothing is computed with the dtype.
Tensor randomTensor(DType, Shape, uint64_t seed, bool special = false);

} // namespace rw
