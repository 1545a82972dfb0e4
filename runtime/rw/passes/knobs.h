// Knobs: settings from the environment, for tools whose command line one does not control.
//
// In:  RW_OPT_PRE_ITERS   rounds of the first loop of the pipeline `full` (default 2)
//      RW_OPT_POST_ITERS  rounds of its last loop (default 4)
//      RW_PASS_STATS      1 shows what each pass did, 0 does not (default)
// Out: their values. Spaces around a value mean nothing; 0 rounds mean one; what is no value is warned of, and the
//      default stands.
// Elsewhere: what the loops are is backend_pipeline.h and pipeline.h.
//
//   PipelineKnobs knobs = readKnobs(getenv);
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace rw {

/// The most rounds that a repetition may ask for, and that all repetitions of one run come to.
inline constexpr unsigned kMaxRepetitions = 1'000'000;

struct PipelineKnobs {
  unsigned preIterations = 2, postIterations = 4;
  bool passStats = false;
  struct Warning {
    std::string variable, text;
  };
  std::vector<Warning> warnings;
};

/// `lookup` gives the value of a variable, null if it is not set.
PipelineKnobs readKnobs(const std::function<const char *(const char *)> &lookup);

} // namespace rw
