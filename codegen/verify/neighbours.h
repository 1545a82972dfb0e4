// Neighbours: programs that differ from an instance in one or two numbers of its lists.
//
// In:  an instance; the kernels of the evaluator; how many of those with two changes are tried.
// Out: the programs with one change, and some with two (a longer stride can make up for a wider padding): first those
//      in which two lists change along one dimension, then others at random. A change is made to a list among the
//      attributes, to a constant or to an input that decides a shape: one number grows or shrinks by one, or becomes
//      the length of the list, or two adjacent numbers are exchanged. And those in which one input or constant has
//      another shape of as many elements. Only programs that are valid and can be evaluated are given.
// Elsewhere: what fires on them, and whether it is right there, is verify.cpp.
//
// Why: a wrong condition may test only some numbers of a list, such as the first and the last padding. Random lists
// seldom meet it with other numbers in between. A list that meets it is changed instead.
#pragma once

#include "codegen/verify/instance_builder.h"

#include <map>

namespace rw::verify {

/// The largest instances of each rank, which have the longest lists and the most elements that can differ, and others
/// of it by chance.
class Examples {
public:
  void add(Instance);
  /// Those of the highest rank first, with their rank; of a rank the largest first, then the others.
  std::vector<std::pair<size_t, const Instance *>> all() const;

private:
  struct OfRank {
    std::multimap<size_t, Instance> largest; // by size
    std::vector<Instance> others;
    unsigned seen = 0; // of others
  };
  std::map<size_t, OfRank> byRank_;
  Choices random_{1};
};

/// All programs with one change, and `pairs` attempts at one with two. None of an instance with symbolic sizes.
std::vector<Instance> neighboursOf(const Instance &, const KernelTable &, unsigned pairs, uint64_t seed);

} // namespace rw::verify
