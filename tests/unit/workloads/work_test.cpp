// The benchmark's workloads count their work: attempts, visits, pushes and allocations per op, at two sizes. These are
// the same on every machine, so that a slower driver shows here rather than in timings.

#include "workloads.h"

#include "rw/ir/verifier.h"
#include "rw/passes/cse.h"
#include "rw/passes/dce.h"
#include "rw/passes/pass.h"
#include "rw/rewrite/greedy_driver.h"
#include "rw_bench_patterns_register.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <new>

static size_t allocations;

void *operator new(size_t bytes) {
  ++allocations;
  if (void *p = std::malloc(bytes ? bytes : 1))
    return p;
  throw std::bad_alloc();
}
void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  ++allocations;
  return std::malloc(bytes ? bytes : 1);
}
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, size_t) noexcept { std::free(p); }
void operator delete(void *p, const std::nothrow_t &) noexcept { std::free(p); }

using namespace rw;

namespace {

struct Suite {
  Registry registry;
  Suite() { bench::register_rw_bench_patterns(registry); }
  FrozenPatternSet patterns(bool noMatch) const {
    PatternSet set(registry.ops);
    for (const PatternEntry &pattern : registry.patterns.all())
      if (pattern.info.labels.empty() != noMatch) // those that never match are labelled
        set.add(pattern.make(registry.ops));
    return std::move(set).freeze();
  }
};

struct Work {
  double rewrites, tried, visits, pushes; // per op
  size_t allocations, left;
};

Work run(const Suite &suite, std::string_view workload, size_t n) {
  Program program(suite.registry.ops);
  size_t ops = bench::buildWorkload(workload, n, program);
  Function &fn = program.functions()[0];
  FrozenPatternSet set = suite.patterns(workload == "W3");
  GreedyRewriteConfig config;
  config.expensiveChecks = false;
  size_t before = allocations;
  RewriteResult result = applyPatternsGreedily(fn, set, config);
  size_t allocated = allocations - before;
  CHECK(result.converged);
  SourceManager sources;
  Diagnostics diags(sources);
  CHECK(verifyFunction(fn, diags));
  uint64_t tried = 0;
  for (const PatternCounters &counters : result.patterns)
    tried += counters.tried;
  auto perOp = [&](uint64_t count) { return double(count) / double(ops); };
  return {perOp(result.rewrites), perOp(tried), perOp(result.visits),
          perOp(result.pushes),   allocated,    fn.liveOps() - 1};
}

} // namespace

TEST_CASE("work per op of each workload, at any size") {
  struct Bound {
    std::string_view workload;
    double rewrites, tried, visits, pushes; // per op, at most
  };
  constexpr Bound kBounds[] = {
      {"W1", 0.51, 1.3, 1.3, 1.8},    {"W2", 0.73, 1.3, 1.2, 1.5},     {"W2c", 0.61, 1.1, 1.0, 1.25},
      {"W3", 0, 0.3, 0.95, 0.95},     {"W4", 0.76, 1.8, 0.8, 1.55},    {"W4inv", 0.51, 0.55, 0.55, 1.05},
      {"W5", 0.34, 0.34, 0.35, 0.68}, {"W5q", 0.51, 0.51, 1.01, 0.51}, {"W7", 0, 0, 0, 0},
      {"W7chain", 0, 0, 0, 0},
  };
  Suite suite;
  for (const Bound &bound : kBounds) {
    CAPTURE(bound.workload);
    Work small = run(suite, bound.workload, 2'000), large = run(suite, bound.workload, 40'000);
    for (const Work &work : {small, large}) {
      CHECK(work.rewrites <= bound.rewrites);
      CHECK(work.tried <= bound.tried);
      CHECK(work.visits <= bound.visits);
      CHECK(work.pushes <= bound.pushes);
    }
    // What is allocated is arrays that double and tables of fixed size.
    CHECK(large.allocations < 400);
    CHECK(large.allocations <= small.allocations + 20);
    if (size_t expected = bench::expectedLeft(bound.workload, 40'000))
      CHECK(large.left == expected);
  }
}

TEST_CASE("CSE and DCE: one look per op, no allocation per op") {
  Suite suite;
  auto cse = [&](size_t n) {
    Program program(suite.registry.ops);
    bench::buildWorkload("W6", n, program);
    size_t before = allocations;
    CHECK(eliminateCommonSubexpressions(program.functions()[0]).merged == n / 2);
    CHECK(program.functions()[0].liveOps() - 1 == bench::expectedLeft("W6", n));
    return allocations - before;
  };
  CHECK(cse(40'000) <= cse(2'000) + 20);
  auto dce = [&](size_t n) {
    Program program(suite.registry.ops);
    bench::buildWorkload("DCE", n, program);
    size_t before = allocations;
    CHECK(eliminateDeadCode(program.functions()[0]) == n);
    return allocations - before;
  };
  CHECK(dce(40'000) == dce(2'000));
}

TEST_CASE("CSE of a value with very many different users is linear: what finds its slots full goes on elsewhere") {
  Suite suite;
  Program program(suite.registry.ops);
  Context &ctx = program.context();
  Function &fn = program.addFunction("main");
  TypeId type = ctx.tensorType(DType::F32, {Dim(2)});
  Value x = fn.addParam(type);
  KindId transpose = suite.registry.ops.lookup("bench.transpose");
  constexpr int kUsers = 5'000;
  for (int twice = 0; twice < 2; ++twice)
    for (int i = 0; i < kUsers; ++i) {
      AttrId perm = ctx.intsAttr({i});
      fn.appendOp(fn.body(), transpose, {&x.id, 1}, ctx.attrs({&perm, 1}), {&type, 1});
    }
  fn.appendOp(fn.body(), kReturnKind, {}, ctx.noAttrs(), {});
  CHECK(eliminateCommonSubexpressions(fn).merged == kUsers);
}
