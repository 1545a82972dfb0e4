// Random inputs that tell something: on which a function can be evaluated, and its results hold numbers.
//
// In:  a function.
// Out: in each round inputs, and the results on them; or why none were found: the error on the first ones.
// Elsewhere: drawing is random_inputs.h, comparing the results is compare.h.
//
//   InputSearch search(fn, seed, options);
//   InputSearch::Found found = search.find(0);
//
// Small sizes and numbers around 0 are tried first. Where the function cannot be evaluated on them (a window larger
// than an image, an index out of range, a division by zero), or a value gets another size than its type says (a shape
// that is an input), others are drawn. So they are in the first round where a result is empty or has no finite number;
// the way that leaves the fewest such results is kept.
#pragma once

#include "rw/interp/evaluate.h"
#include "rw/interp/random_inputs.h"

namespace rw {

class InputSearch {
public:
  /// What is tried beyond the first inputs of each round takes, in all rounds together, as much work as one evaluation
  /// may.
  InputSearch(Function &fn, uint64_t seed, const EvalOptions &options)
      : fn_(fn), seed_(seed), options_(options), work_(options.maxWork) {}

  struct Found {
    InputChoice choice;
    std::vector<Tensor> inputs;
    EvalResult results;
    bool fitsTypes = true; // no value has another size than its type says
  };
  Found find(unsigned round);

private:
  Found attempt(const InputChoice &choice, uint64_t work);
  Found further(const InputChoice &choice); ///< from the work that is left
  void searchFitting(Found &found, unsigned firstFloats);
  void searchTelling(Found &found);
  size_t tellingResults(const Found &) const;

  Function &fn_;
  uint64_t seed_;
  const EvalOptions &options_;
  uint64_t work_;         // left
  InputChoice best_;      // what the round before found
  bool searched_ = false; // for results that tell something
};

/// Whether the value of result `i` has an element that a comparison can go by: any, of floats a finite one; or is empty
/// by its type.
bool comparesSomething(Function &, size_t i, const Tensor &value);

} // namespace rw
