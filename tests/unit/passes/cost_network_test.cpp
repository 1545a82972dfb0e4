// Random networks of costs against every choice of values there is.
#include "rw/passes/layout/cost_network.h"

#include "../support/random_program.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace rw;

namespace {
struct RandomNetwork {
  CostNetwork network;
  std::vector<uint32_t> sizes;
  std::vector<std::pair<std::vector<uint32_t>, std::vector<uint64_t>>> tables;

  RandomNetwork(uint64_t seed, size_t variables, size_t widest) {
    test::RandomPrograms random(seed);
    for (size_t i = 0; i < variables; ++i) {
      sizes.push_back(uint32_t(1 + random.below(4)));
      network.addVariable(sizes.back());
    }
    for (size_t t = 0, n = 1 + random.below(2 * variables); t < n; ++t) {
      std::vector<uint32_t> of;
      for (size_t i = 0, k = 1 + random.below(widest); i < k; ++i)
        if (uint32_t v = uint32_t(random.below(variables)); std::ranges::find(of, v) == of.end())
          of.push_back(v);
      size_t entries = 1;
      for (uint32_t v : of)
        entries *= sizes[v];
      std::vector<uint64_t> costs;
      for (size_t i = 0; i < entries; ++i)
        costs.push_back(random.below(10));
      network.addCost(of, costs);
      tables.emplace_back(of, costs);
    }
  }
  uint64_t cost(const std::vector<uint32_t> &values) const {
    uint64_t sum = 0;
    for (auto &[of, costs] : tables) {
      size_t index = 0;
      for (uint32_t v : of)
        index = index * sizes[v] + values[v];
      sum += costs[index];
    }
    return sum;
  }
  uint64_t least() const {
    std::vector<uint32_t> values(sizes.size());
    uint64_t best = UINT64_MAX;
    while (true) {
      best = std::min(best, cost(values));
      size_t i = 0;
      while (i < values.size() && ++values[i] == sizes[i])
        values[i++] = 0;
      if (i == values.size())
        return best;
    }
  }
};
} // namespace

TEST_CASE("the cheapest values of random networks are found") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    RandomNetwork random(seed, 2 + seed % 7, 3);
    CostNetwork::Solution found = random.network.solve();
    uint64_t least = random.least();
    CHECK(found.cost == least);
    CHECK(found.bound == least);
    CHECK(random.cost(found.values) == least);
  }
}

TEST_CASE("with little room the values are good and the bound is one") {
  size_t exact = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    RandomNetwork random(seed, 6, 4);
    CostNetwork::Solution found = random.network.solve(8);
    uint64_t least = random.least();
    CHECK(found.bound <= least);
    CHECK(found.cost >= least);
    CHECK(random.cost(found.values) == found.cost);
    CHECK(found.cost <= random.cost(std::vector<uint32_t>(6)));
    exact += found.cost == least;
  }
  CHECK(exact > 150);
}

TEST_CASE("a long chain is cheap, and of values that cost the same the first is taken") {
  CostNetwork network;
  constexpr size_t kLength = 20'000;
  for (size_t i = 0; i < kLength; ++i) {
    network.addVariable(3);
    if (i > 0)
      network.addCost({uint32_t(i - 1), uint32_t(i)}, {0, 1, 1, 1, 0, 1, 1, 1, 0});
  }
  network.addCost(7);
  CostNetwork::Solution found = network.solve();
  CHECK(found.cost == 7);
  CHECK(found.bound == 7);
  CHECK(std::ranges::count(found.values, 0u) == kLength);
}
