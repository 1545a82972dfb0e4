// --check found a difference: which step made it.
//
// In:  a way to run the passes anew up to a number of rewrites, and to tell whether a program still agrees.
// Out: the first step after which it does not, in words, and the programs before and after that step.
// Elsewhere: what agrees is check.h. tools/bisect does the same from outside, for programs that crash.
//
//   if (std::optional<WrongStep> step = findWrongStep(runAnew, agrees)) note(step->text);
#pragma once

#include "rw/passes/pass_manager.h"

namespace rw::opt {

/// One run of the passes on a fresh copy of the program.
struct Rerun {
  uint64_t limit = UINT64_MAX; // of rewrites and folds
  uint64_t done = 0;           // out: how many there were
  TraceSink *sink = nullptr;
  std::function<void(const PassRecord &, Program &)> afterPass;
};
using RunAnew = std::function<Program(Rerun &)>;

struct WrongStep {
  uint64_t number = 0; // of the rewrite; 0: a pass that is not made of patterns
  std::string text;    // "changed tensor.neg %0 by DropNeg at layout.rw:21", "the pass cse in @main"
  std::optional<Program> before, after;
};

/// None if the program agrees when the passes run once more.
std::optional<WrongStep> findWrongStep(const RunAnew &run, const std::function<bool(Program &)> &agrees);

} // namespace rw::opt
