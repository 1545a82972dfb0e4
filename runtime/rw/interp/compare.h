// Two functions on the same random inputs: do they agree?
//
// In:  the function before and after, how many inputs, a tolerance (0: bit for bit).
// Out: agreement, the largest difference seen, or the first disagreement in words; or why it could not be told.
// Elsewhere: evaluation is evaluator.h.
//
//   Comparison c = compareFunctions(before, after, 3, 0);
//   if (c.outcome == Comparison::Differ) report(c.text);
#pragma once

#include "rw/ir/function.h"

#include <string>

namespace rw {

struct Comparison {
  enum Outcome : uint8_t { Agree, Differ, NotEvaluated } outcome = Agree;
  std::string text;              // what differs where, or what could not be evaluated
  double largestDifference = 0;  // relative to the greater of 1 and the value
  unsigned inputs = 0;           // how many were compared
};

/// Inputs are deterministic in `seed`. Symbolic dimensions take another size in each round; a symbol has one size in
/// all parameters. Floats are normal with some special values in the later rounds; integers are small.
Comparison compareFunctions(Function &before, Function &after, unsigned rounds, double tolerance, uint64_t seed = 1);

} // namespace rw
