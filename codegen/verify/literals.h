// Literals: the numbers, strings, dtypes and lists that a pattern and the functions that it calls mention.
//
// In:  a pattern of a checked module.
// Out: its literals, each once. What a pattern tests is mostly one of these, or next to one.
#pragma once

#include "frontend/sema/module.h"

#include <string>
#include <vector>

namespace rw::verify {

struct Literals {
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::vector<std::string> strings;
  std::vector<std::string> dtypes;
  std::vector<std::vector<int64_t>> lists;
  bool asksForConstants = false; // other than those of one number
  bool looksAtShapes = false;    // it names ranks, dimensions or elements, compares types, or calls native code
  /// It names ops that make numbers of places or sizes, or sums of them, which a narrow type may not hold.
  bool countsPlaces = false;
  std::vector<uint32_t> asked; // variables of the pattern of which native constraints ask something: mostly constants
};
Literals literalsOf(const sema::Module &, const sema::Pattern &);

/// What a condition asks of variables: the matches that `is` puts to them, be it under `or`. Not those under `not`.
struct Refinement {
  sema::VarId var;
  const sema::Match *match;
  bool certain;     // it must hold; else it is one of several ways
  int element = -1; // of a list that the variable holds: `let first = xs[0], first is …`
};
std::vector<Refinement> refinementsOf(const sema::Pattern &);

} // namespace rw::verify
