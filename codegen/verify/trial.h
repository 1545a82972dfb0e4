// Trial: a pattern run once on an instance, and both programs evaluated.
//
// In:  a registered pattern, with its plan; instances.
// Out: whether it fires; if not, how far it came and why; if so, whether the program after computes what the program
//      before did.
// Elsewhere: instances are instance_builder.h; symbolic comparison is term_evaluator.h.
//
// Conditions are executed by whatever runs them in a tool: nothing here models them.
#pragma once

#include "codegen/plan/plan.h"
#include "codegen/verify/instance_builder.h"
#include "rw/passes/pass.h"
#include "rw/support/fast_math.h"

#include <unordered_map>

namespace rw::verify {

class PatternUnderTest {
public:
  PatternUnderTest(const Registry &, const PatternEntry &, const plan::Module &, const plan::MatchPlan &,
                   const SourceManager &);

  struct Run {
    bool fired = false;
    unsigned progress = 0; // the later in the plan it failed, the greater
    std::string why;       // it did not match
    std::string broken;    // it fired, and left something that is not valid
    std::unique_ptr<Program> after;
  };
  Run run(const Program &before) const;
  /// Whether it fires again on what it has made, that often in a row.
  bool firesOnItsOwnResult(const Program &after, unsigned times) const;
  const PatternInfo &info() const { return frozen_->info(0); }

private:
  std::unique_ptr<FrozenPatternSet> frozen_;
  std::unordered_map<std::string, unsigned> order_; // of reasons
};

/// How two results may differ.
struct Closeness {
  double tolerance = 0; // 0: bit for bit (NaNs of any bits are equal)
  /// On inputs of moderate size, both are also computed with 64 bits, where constants alone are rounded.
  bool withAllBits = false;
  enum Inputs : uint8_t {
    Moderate, // real numbers of moderate size
    Infinite, // NaN and infinities as well: what comes of them must be the same
    Any,      // and numbers so large or small that what is computed of them overflows
  } inputs = Any;
};

/// The first round of inputs on which the two differ, in words; empty if they agree. `compared` counts rounds that were
/// compared.
struct Difference {
  std::string text;
  bool isFinite = false; // of floats, where both are numbers
  std::vector<Tensor> inputs;
};
std::optional<Difference> compareOnNumbers(const Instance &, Program &before, Program &after, unsigned rounds,
                                           uint64_t seed, Closeness, const KernelTable &, unsigned &compared);

/// The same of integers, on inputs at which no op of either program has a result that its type cannot hold: both are
/// evaluated with 64 bits. Compares nothing where an op has regions, or names an integer type by other than a dtype.
std::optional<Difference> compareWithoutOverflow(const Instance &, const Program &before, const Program &after,
                                                 unsigned rounds, uint64_t seed, const KernelTable &,
                                                 unsigned &compared);

/// Which kinds of difference there are between two programs, on inputs of any kind.
struct Differences {
  bool rounding = false, zeroSign = false; // numbers that are next to each other; zeros of two signs
  bool nan = false;                        // a NaN or an infinity on one side alone
  bool lostNan = false;                    // a number where one of the inputs made a NaN
  bool any() const { return rounding || zeroSign || nan; }
  Differences &operator|=(const Differences &);
};
Differences differencesOn(const Instance &, Program &before, Program &after, unsigned rounds, uint64_t seed,
                          const KernelTable &);
/// The freedoms with which such differences are right. Which one makes another rounding right follows from the ops that
/// are there on one side alone.
FastMath freedomsFor(const Differences &, Program &before, Program &after);

} // namespace rw::verify
