// OrderSearch: how a match with many choices goes back.
//
// In:  the choices of one attempt, each with a bit, and of each test that fails the choices on which its answer
//      depends.
// Out: which choices are worth another try. One on which none of the failures since it was made depends cannot help:
//      the search goes straight to the choice before it, and finds the same first assignment that trying all would
//      find.
// Elsewhere: which tests depend on which choices is codegen/plan/search.h, which tells both readers of a plan.
//
// A sum of twenty products of operands in any order has a million assignments, and a condition on one of the operands
// fails for two of them. How often it goes back is limited all the same: what else may fail is for the pattern to say.
//
//   OrderSearch search;
//   for (unsigned order = 0; search.tries(order, 2, 0); ++order) {
//     for (unsigned inner = 0; search.tries(inner, 2, 1); ++inner) {
//       if (fits(first(order)))
//         use(order, inner);
//       else
//         search.blame(1); // choice 0 alone: the inner loop ends here
//     }}
#pragma once

#include "rw/ir/structure_helpers.h"

#include <cstdint>

namespace rw {

class OrderSearch {
public:
  /// How often one attempt goes back to a choice, at most.
  static constexpr uint32_t kMostTries = 100'000;
  static constexpr const char *kGaveUp =
      "it matches in one of the first 100,000 orders of operands and alternatives; no more are tried at one op";
  /// Choices from this one on share a bit, which says that one of them may help.
  static constexpr unsigned kShared = 63;
  static constexpr uint64_t kAll = ~uint64_t(0);
  static uint64_t bit(unsigned choice) { return uint64_t(1) << (choice < kShared ? choice : kShared); }

  /// What fails next, or has just failed, depends on these choices.
  void blame(uint64_t choices) { blamed_ |= choices; }

  /// A choice is made anew.
  void begin(unsigned choice) {
    if (choice < kShared)
      blamed_ &= ~bit(choice);
  }
  /// Whether to try the next alternative of a choice: some failure depends on it, and there are tries left.
  bool goesBack(unsigned choice) {
    if (gaveUp_ || !(blamed_ & bit(choice)))
      return false;
    if (tries_ == kMostTries) {
      gaveUp_ = true;
      return false;
    }
    ++tries_;
    begin(choice);
    return true;
  }
  /// Whether to go on with alternative `i` of `count`, the first unasked. Out of line: nested loops call it.
  bool tries(unsigned i, unsigned count, unsigned choice);
  bool gaveUp() const { return gaveUp_; }
  uint32_t triesMade() const { return tries_; }

private:
  uint64_t blamed_ = 0;
  uint32_t tries_ = 0;
  bool gaveUp_ = false;
};

/// In how many orders two operands can stand: one value twice stands in one.
inline unsigned ordersOf(Op op) { return op.operand(0) == op.operand(1) ? 1 : 2; }

} // namespace rw
