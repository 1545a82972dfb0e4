// Two functions on the same random inputs: do they agree?
//
// In:  the function before and after, how many inputs, a tolerance (0: bit for bit).
// Out: agreement, the largest difference seen, or the first disagreement in words; or why there is no answer.
// Elsewhere: evaluation is evaluate.h, inputs are random_inputs.h and input_search.h.
//
//   Comparison c = compareFunctions(before, after, 3, 0);
//   if (c.outcome == Comparison::Differ) report(c.text); // "result 0 (y) differs at [0, 7]: 0.25 before, 0.5 after …"
#pragma once

#include "rw/interp/evaluate.h"
#include "rw/interp/random_inputs.h"

namespace rw {

struct Comparison {
  enum Outcome : uint8_t {
    Agree,
    Differ,
    // nothing was compared: the function before, or an op that only the one after has, cannot be evaluated
    NotEvaluated,
    Vacuous, // nothing was compared: every result was empty or without a finite number on all inputs
  } outcome = Agree;
  std::string text;             // what differs where, or why nothing was compared
  double largestDifference = 0; // relative to the greater of 1 and the value
  unsigned inputs = 0;          // how many were compared
  unsigned results = 0;         // of the function
  // which of them had nothing to compare: "result 1 (y) was empty on all 3 inputs"
  std::vector<std::string> notCompared;
  std::string sizes; // that symbolic dimensions had: "B = 2, 3, 1; S = 3, 1, 5"; empty if there are none
};

/// Adds values for the parameters that `after` has beyond those of `before`.
using CompleteInputs = std::function<Result<void>(std::vector<Tensor> &inputs)>;

/// Inputs are deterministic in `seed`, others in each round. A round for which no inputs are found on which `before`
/// can be evaluated is left out, if another one could be compared. With tolerance 0 results are equal bit by bit (NaNs
/// of any bits are equal); else |a - b| <= tolerance * max(1, |a|, |b|), where f16 and bf16 may always differ by 4
/// units in the last place.
Comparison compareFunctions(Function &before, Function &after, unsigned rounds, double tolerance, uint64_t seed = 1,
                            const EvalOptions &options = {}, const CompleteInputs &complete = {});

/// The first difference of two results, empty if none within the tolerance; `largest` is kept up to date.
std::string differenceOf(const Tensor &before, const Tensor &after, double tolerance, double &largest);

} // namespace rw
