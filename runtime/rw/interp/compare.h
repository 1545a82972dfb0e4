// Two functions on the same random inputs: do they agree?
//
// In:  the function before and after, how many inputs, a tolerance (0: bit for bit).
// Out: agreement, the largest difference seen, or the first disagreement in words; or why it could not be told.
// Elsewhere: evaluation is evaluate.h.
//
//   Comparison c = compareFunctions(before, after, 3, 0);
//   if (c.outcome == Comparison::Differ) report(c.text); // "result 0 (y) differs at [0, 7]: 0.25 before, 0.5 after …"
#pragma once

#include "rw/interp/evaluate.h"

namespace rw {

struct Comparison {
  enum Outcome : uint8_t { Agree, Differ, NotEvaluated } outcome = Agree;
  std::string text;             // what differs where, or what could not be evaluated
  double largestDifference = 0; // relative to the greater of 1 and the value
  unsigned inputs = 0;          // how many were compared
  std::string sizes;            // that symbolic dimensions had: "B = 2, 3, 1; S = 3, 1, 5"; empty if there are none
};

/// Adds values for the parameters that `after` has beyond those of `before`; false and why if it cannot.
using CompleteInputs = std::function<bool(std::vector<Tensor> &inputs, std::string &error)>;

/// Inputs are deterministic in `seed`. Symbolic dimensions take another size in each round; a symbol has one size in
/// all parameters. Where `before` cannot be evaluated at small sizes that all differ, larger ones that are all the same
/// are tried; a round for which none is found is left out, if another one could be compared. With tolerance 0 results are
/// equal bit by bit (NaNs of any bits are equal); else |a - b| <= tolerance * max(1, |a|, |b|), where f16 and bf16 may
/// always differ by 4 units in the last place.
Comparison compareFunctions(Function &before, Function &after, unsigned rounds, double tolerance, uint64_t seed = 1,
                            const EvalOptions &options = {}, const CompleteInputs &complete = {});

/// Values for all parameters by their types: floats around 0, with special ones in the later rounds; integers small and
/// not negative; unknown dims are 2. Parameters with a default get it.
std::vector<Tensor> randomInputs(Function &, uint64_t seed, unsigned round = 0);

/// Sizes for the symbols of a function's parameters. `attempt` 0: small and different from each other; then larger, for
/// programs that want sizes which are equal or divide.
struct SizeChoice {
  unsigned round = 0, attempt = 0;
  bool any = false; // out: whether there was anything to choose
  std::vector<std::pair<StringId, Dim>> known; // out: by symbol, in order of appearance
  static constexpr unsigned kAttempts = 5;
};
std::vector<Tensor> randomInputs(Function &, uint64_t seed, SizeChoice &);
/// One such tensor; none if nothing is computed with the dtype.
Tensor randomTensor(DType, Shape, uint64_t seed, bool special = false);
/// The first difference of two results, empty if none within the tolerance; `largest` is kept up to date.
std::string differenceOf(const Tensor &before, const Tensor &after, double tolerance, double &largest);

} // namespace rw
