// Whether two programs compute the same, for all values, and for all sizes where that can be shown.
//
// In:  an instance, the program before and after.
// Out: at which level their terms are the same, and for which sizes.
// Elsewhere: terms are terms.h and term_evaluator.h; why that proves anything is docs/verification.md.
#pragma once

#include "codegen/verify/trial.h"

namespace rw::verify {

/// An instance with sizes that are symbols wherever the pattern still fires: each size above 1 becomes one, all of that
/// number the same.
struct Symbolic {
  std::unique_ptr<Program> before, after;
  unsigned symbols = 0; // how many sizes are any
  unsigned numbers = 0; // how many have to stay numbers
};
/// `known`: values of the parameters that steer, by place. `fixed`: sizes that stay numbers.
std::optional<Symbolic> symbolised(const Instance &, const PatternUnderTest &, std::span<const Tensor> known,
                                   std::span<const int64_t> fixed);

enum class Sizes : uint8_t { All, Some, These }; // every size; every size of some dimensions; those of the instance

struct Decision {
  enum Equality : uint8_t { Exact, Reals, NoOverflow, Open } equality = Open;
  Sizes sizes = Sizes::These;
  bool firesForSymbols = false;       // the pattern, where sizes are symbols: conditions may ask for numbers
  std::string why;                    // Open: what stands in the way
  std::vector<std::string> questions; // in SMT-LIB: what a solver has answered on the way
};
/// What is enough beside equal bits: that they are equal over the real numbers; wherever no integer op of either
/// overflows.
struct Enough {
  bool reals = false, noOverflow = false;
  /// So many questions of floats may stay unanswered, each of which takes a solver tenths of a second; counted down.
  unsigned *floatQuestions = nullptr;
};
Decision decide(const Instance &, const Program &after, const PatternUnderTest &, Enough);

} // namespace rw::verify
