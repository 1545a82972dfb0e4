// expectGraph as tests use it (the core names no op, the text does), and the minimum cut behind move_regions.
#include "rw/passes/expect_graph.h"
#include "rw/passes/layout/min_cut.h"

#include "../support/random_program.h"
#include "pass_fixture.h"

using namespace toy;

TEST_CASE("expectGraph: paths, shapes, counts") {
  PassFixture t;
  Value y = t.un(a, t.x), z = t.un(c, y), side = t.un(c, t.x);
  t.ret({z, side});
  CHECK(expectGraph(*t.fn, "t.a -> c").holds);
  CHECK(expectGraph(*t.fn, "a:2 -> c:N; c = 2", ExpectMode::Exact).holds);
  CHECK(expectGraph(*t.fn, "c", ExpectMode::Exact).holds); // the one beside
  CHECK(!expectGraph(*t.fn, "a", ExpectMode::Exact).holds);
  CHECK(expectGraph(*t.fn, "a", ExpectMode::Contains).holds);
  ExpectResult r = expectGraph(*t.fn, "a -> a; c <= 1");
  CHECK(!r.holds);
  CHECK(!r.malformed);
  CHECK(r.report == "`a -> a`: no such path; `a` is found up to t.a, where a should follow but there is t.c\n"
                    "`c <= 1`: there are 2");
  CHECK(expectGraph(*t.fn, "a -> ").malformed);
}

TEST_CASE("expectGraph: `..` across many ops is linear") {
  PassFixture t;
  Value v = t.un(a, t.x);
  for (int i = 0; i < 20000; ++i)
    v = t.bin(f, v, v); // every op twice by each: as many ways as 2 to the 20,000
  t.ret({t.un(c, v)});
  CHECK(expectGraph(*t.fn, "a -> .. -> c", ExpectMode::Exact).holds);
  CHECK(!expectGraph(*t.fn, "a -> .. -> g").holds);
}

TEST_CASE("the minimum cut is the best of all labellings") {
  test::RandomPrograms random(11);
  for (int round = 0; round < 400; ++round) {
    MinCut cut;
    size_t count = 1 + random.below(8);
    std::vector<uint32_t> asSink, asSource;
    struct Arc {
      uint32_t from, to, capacity;
    };
    std::vector<Arc> arcs;
    for (size_t i = 0; i < count; ++i) {
      cut.addNode();
      asSink.push_back(uint32_t(random.below(3)));
      asSource.push_back(uint32_t(random.below(3)));
      cut.addCost(uint32_t(i), asSink.back(), asSource.back());
    }
    for (size_t i = random.below(12); i > 0; --i) {
      arcs.push_back({uint32_t(random.below(count)), uint32_t(random.below(count)), uint32_t(1 + random.below(2))});
      cut.addArc(arcs.back().from, arcs.back().to, arcs.back().capacity);
    }
    auto cost = [&](auto isSource) {
      uint64_t sum = 0;
      for (uint32_t i = 0; i < count; ++i)
        sum += isSource(i) ? asSource[i] : asSink[i];
      for (const Arc &arc : arcs)
        sum += isSource(arc.from) && !isSource(arc.to) ? arc.capacity : 0;
      return sum;
    };
    uint64_t best = UINT64_MAX, allSink = cost([](uint32_t) { return false; });
    for (uint32_t bits = 0; bits < 1u << count; ++bits)
      best = std::min(best, cost([&](uint32_t i) { return bits >> i & 1; }));
    CHECK(cut.solve() == allSink - best);
    CHECK(cost([&](uint32_t i) { return cut.isSource(i); }) == best);
  }
}
