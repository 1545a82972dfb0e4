// Patterns that nearly match: the ops stand as they must, but a condition fails.
//
// In:  a program after its pipeline, and the pipeline. Out: per pattern and condition how often, and the first op.
// Elsewhere: --why-not (why_not.h) says everything about one pattern.
#pragma once

#include "rw/passes/pipeline.h"

#include <string>
#include <vector>

namespace rw::opt {

struct NearMiss {
  std::string pattern, file;
  unsigned line = 0;              // of the condition
  std::string condition, example; // an op
  size_t count = 0;
};

struct NearMisses {
  std::vector<NearMiss> list; // by pattern's name, then by line
  size_t notTried = 0;        // ops at which patterns were not tried any more
};

NearMisses findNearMisses(const Program &, const std::vector<PipelineItem> &, const GreedyRewriteConfig &);

/// Where a pattern matches in a program as it is, each match by itself, and where it nearly does.
struct Firing {
  size_t matches = 0;
  std::vector<std::string> examples; // the first ops
  std::vector<NearMiss> misses;
  size_t notTried = 0; // ops
};
Firing findFiring(const Program &, const NamedPattern &);

} // namespace rw::opt
