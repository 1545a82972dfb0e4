// What must hold of the greedy driver whatever the patterns and the graph, on many random ones.

#include "toy.h"

#include "rw/ir/program.h"
#include "rw/ir/verifier.h"

#include <doctest/doctest.h>

using namespace toy;

namespace {

/// Where the greedy driver says it has converged, looking everywhere again finds nothing.
void checkOnce(const OpRegistry &ops, uint32_t mask, unsigned seed, unsigned size, const GreedyRewriteConfig &config) {
  std::mt19937 rng(seed);
  Program program(ops);
  Function &fn = program.addFunction("main");
  fillRandom(fn, size, rng);
  std::string before = dump(fn);
  FrozenPatternSet set = makeSet(ops, mask);

  RewriteResult first = applyPatternsGreedily(fn, set, config);
  std::string after = dump(fn);
  CAPTURE(seed);
  CAPTURE(mask);
  CAPTURE(before);
  CAPTURE(after);
  REQUIRE(first.checkFailure == "");
  REQUIRE_MESSAGE(first.converged, describeNonConvergence(first));
  REQUIRE(first.changed == (before != after));

  SourceManager sources;
  Diagnostics diags(sources);
  REQUIRE_MESSAGE(verifyFunction(fn, diags), diags.renderText());

  Program copy = program.clone();
  RewriteResult again = applyPatternsExhaustively(copy.functions()[0], set, config);
  std::string rest;
  for (size_t i = 0; i < again.patterns.size(); ++i)
    if (again.patterns[i].applied)
      rest += std::string(set.pattern(i).info().name) + " ";
  CAPTURE(again.folds);
  CAPTURE(again.erased);
  REQUIRE_MESSAGE(!again.changed, "still matching: ", rest);

  RewriteResult second = applyPatternsGreedily(fn, set, config);
  REQUIRE(!second.changed);
  REQUIRE(dump(fn) == after);
}

} // namespace

TEST_CASE("after convergence no pattern matches anywhere: each pattern alone") {
  OpRegistry ops;
  registerToy(ops);
  GreedyRewriteConfig config;
  config.expensiveChecks = false;
  for (unsigned pattern = 0; pattern < kPatternCount; ++pattern)
    for (unsigned seed = 0; seed < 200; ++seed)
      checkOnce(ops, 1u << pattern, seed, 4 + seed % 60, config);
}

TEST_CASE("after convergence no pattern matches anywhere: sets of patterns") {
  OpRegistry ops;
  registerToy(ops);
  GreedyRewriteConfig config;
  config.expensiveChecks = false;
  std::mt19937 rng(7);
  for (unsigned round = 0; round < 6000; ++round) {
    uint32_t mask = rng() % (1u << kPatternCount);
    // Several roots wake whole neighbourhoods, forking chains all paths: each would hide what the others miss.
    if (round % 3)
      mask &= ~(1u << 9 | 1u << 14);
    if (round % 4)
      mask &= ~(1u << 13);
    if (round % 5)
      mask &= ~(1u << 15 | 1u << 16);
    config.order = round % 2 ? RewriteOrder::TopDown : RewriteOrder::BottomUp;
    config.enableDce = round % 5 != 0;
    config.enableFolding = round % 7 != 0;
    checkOnce(ops, mask, round, 4 + round % 50, config);
  }
}

TEST_CASE("the same under expensive checks") {
  OpRegistry ops;
  registerToy(ops);
  GreedyRewriteConfig config;
  config.expensiveChecks = true;
  std::mt19937 rng(11);
  for (unsigned round = 0; round < 300; ++round)
    checkOnce(ops, rng() % (1u << kPatternCount), round, 4 + round % 50, config);
}
