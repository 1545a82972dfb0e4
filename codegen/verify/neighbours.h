// Neighbours: programs that differ from an instance in one or two numbers of its lists.
//
// In:  an instance; the kernels of the evaluator; how many of those with two changes are tried.
// Out: programs in which one number of a list among the attributes, of a constant or of an input that steers is by one
//      more or less, or has changed places with the next one, and some in which that happened twice (a longer step may
//      make up for a wider padding); those alone that are valid and can be evaluated.
// Elsewhere: what fires on them, and whether it is right there, is verify.cpp.
//
// A condition may look at some numbers of a list, as the first and the last padding: draws seldom hit a list in which
// these alone are right, and next to one that the pattern matches there are all of them.
#pragma once

#include "codegen/verify/instance_builder.h"

#include <map>

namespace rw::verify {

/// The greatest instances of each rank: there most can go wrong.
class Examples {
public:
  void add(Instance);
  /// Those of the highest rank first, with their rank.
  std::vector<std::pair<size_t, const Instance *>> greatest() const;

private:
  std::map<size_t, std::multimap<size_t, Instance>> byRank_; // of a rank by size
};

std::vector<Instance> neighboursOf(const Instance &, const KernelTable &, unsigned pairs, uint64_t seed);

} // namespace rw::verify
