// CostNetwork: values for variables so that a sum of costs, each of a few of them, is least.
//
// In:  variables with a small number of values each, costs as tables over some of them.
// Out: the cheapest values and what they cost, by eliminating one variable after another; where a table would grow
//      beyond a bound, values that are good, and a lower bound of what any values cost. Of values that cost the same
//      the first one of a variable is taken.
// Elsewhere: what variables and costs mean is layout_model.h.
//
// The work is exponential in how many variables hang together at once (the width of the network), not in how many there
// are: a chain of any length is cheap. Where the width is too great, the tables of a variable are minimised in groups,
// which can only make the sum smaller: the bound stays one.
//
//   CostNetwork network;
//   uint32_t a = network.addVariable(2), b = network.addVariable(3);
//   network.addCost({a, b}, {0, 4, 4, 4, 0, 4});       // a = 0: 0 4 4, a = 1: 4 0 4
//   CostNetwork::Solution best = network.solve();      // best.values[a], best.cost == best.bound
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rw {

class CostNetwork {
public:
  static constexpr uint64_t kNever = uint64_t(1) << 60; // the cost of what cannot be
  static constexpr size_t kMostEntries = size_t(1) << 16;

  struct Solution {
    std::vector<uint32_t> values; // by variable
    uint64_t cost = 0;            // of these values
    uint64_t bound = 0;           // no values cost less
  };

  uint32_t addVariable(uint32_t values);
  size_t variables() const { return sizes_.size(); }
  /// The costs by the values of the variables, those of the last one side by side. No variable stands there twice.
  void addCost(std::vector<uint32_t> variables, std::vector<uint64_t> costs);
  /// A cost whatever the values are.
  void addCost(uint64_t cost) { always_ = sum(always_, cost); }
  Solution solve(size_t mostEntries = kMostEntries) const;

private:
  struct Table {
    std::vector<uint32_t> variables;
    std::vector<uint64_t> costs;
  };
  static uint64_t sum(uint64_t a, uint64_t b) { return a + b < kNever ? a + b : kNever; }
  size_t entries(const std::vector<uint32_t> &variables) const;
  uint64_t at(const Table &, const std::vector<uint32_t> &values) const;
  Table without(uint32_t variable, const std::vector<const Table *> &, std::vector<uint32_t> &values) const;
  std::pair<uint32_t, uint64_t> leastAt(uint32_t variable, const std::vector<const Table *> &,
                                        std::vector<uint32_t> &values) const;
  uint64_t costOf(const std::vector<uint32_t> &values) const;

  std::vector<uint32_t> sizes_; // of variables: how many values
  std::vector<Table> tables_;
  uint64_t always_ = 0;
};

} // namespace rw
