// rw_bench_many: what it costs to match with 10 and with 1,000 patterns of one root, none of which matches.
//
//   rw_bench_many              one JSON object a line: patterns, nanoseconds per op, attempts per op
//
// The patterns are those of generate.py --one-root; the graph adds results of scales and constants that none of them names.
#include "rw/passes/pass.h"
#include "rw/rewrite/greedy_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <vector>

using namespace rw;

// Both files declare the same ops, so one unit cannot include both headers.
namespace rw::bench::many_10 {
void register_many_10(Registry &);
}
namespace rw::bench::many_1000 {
void register_many_1000(Registry &);
}

namespace {

double cpuNow() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

void build(Program &program, size_t ops) {
  Context &ctx = program.context();
  Function &fn = program.addFunction("main");
  const OpRegistry &registry = ctx.ops();
  KindId add = registry.lookup("many.add"), scale = registry.lookup("many.scale");
  Dim two(2);
  TypeId type = ctx.tensorType(DType::F32, std::span(&two, 1));
  ValueId x = fn.addParam(type).id, y = fn.addParam(type).id;
  AttrsId by = ctx.withAttr(ctx.noAttrs(), 0, ctx.intAttr(1'000'000));
  for (size_t i = 0; i + 1 < ops; i += 2) {
    ValueId scaled = fn.appendOp(fn.body(), scale, std::span(&x, 1), by, {&type, 1}).result().id;
    ValueId operands[] = {scaled, y};
    x = fn.appendOp(fn.body(), add, operands, ctx.noAttrs(), {&type, 1}).result().id;
  }
  fn.appendOp(fn.body(), kReturnKind, std::span(&x, 1), ctx.noAttrs(), {});
}

void run(size_t count, void (*registerAll)(Registry &)) {
  constexpr size_t kOps = 200'000;
  Registry registry;
  registerAll(registry);
  PatternSet set(registry.ops);
  for (const PatternEntry &entry : registry.patterns.all())
    set.add(entry.make(registry.ops));
  FrozenPatternSet frozen = std::move(set).freeze();
  std::vector<double> times;
  uint64_t tried = 0;
  for (int rep = 0; rep < 5; ++rep) {
    Program program(registry.ops);
    build(program, kOps);
    GreedyRewriteConfig config;
    config.expensiveChecks = false;
    double start = cpuNow();
    RewriteResult result = applyPatternsGreedily(program.functions()[0], frozen, config);
    times.push_back(cpuNow() - start);
    tried = 0;
    for (const PatternCounters &p : result.patterns)
      tried += p.tried;
  }
  std::sort(times.begin(), times.end());
  fmt::print("{{\"patterns_of_one_root\":{},\"cpu_ns_per_op\":{:.1f},\"tried_per_op\":{:.2f}}}\n", count,
             times[times.size() / 2] * 1e9 / double(kOps), double(tried) / double(kOps));
}

} // namespace

int main() {
  run(10, bench::many_10::register_many_10);
  run(1000, bench::many_1000::register_many_1000);
}
