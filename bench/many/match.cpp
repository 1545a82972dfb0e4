// rw_bench_many: what it costs to match with 10 and with 1,000 patterns of one root.
//
//   rw_bench_many              one JSON object a line: patterns, milliseconds to make a set of them, with its net;
//                              nanoseconds and attempts per op; then the ratio of 1,000 to 10
//
// The patterns are those of generate.py --one-root. Three graphs: `apart`, whose first question tells every pattern
// apart; `near`, where all questions are asked and the last one fails; `hits`, where every second op matches.
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

enum class Graph { Apart, Near, Hits };

void build(Program &program, size_t ops, Graph graph) {
  Context &ctx = program.context();
  Function &fn = program.addFunction("main");
  const OpRegistry &registry = ctx.ops();
  KindId add = registry.lookup("many.add"), scale = registry.lookup("many.scale");
  KindId unary[] = {registry.lookup("many.u2"), registry.lookup("many.u5"), registry.lookup("many.u8")};
  Dim two(2);
  TypeId type = ctx.tensorType(DType::F32, std::span(&two, 1));
  ValueId x = fn.addParam(type).id, y = fn.addParam(type).id;
  auto by = [&](int64_t number) { return ctx.withAttr(ctx.noAttrs(), 0, ctx.intAttr(number)); };
  AttrsId far = by(1'000'000), hit = by(7);
  for (size_t i = 0; i + 2 < ops; i += graph == Graph::Near ? 3 : 2) {
    // 7 is what a pattern of both files looks for right below `add`, and nobody below u2, u5 or u8.
    AttrsId number = graph == Graph::Apart ? far : hit;
    ValueId scaled = fn.appendOp(fn.body(), scale, std::span(&x, 1), number, {&type, 1}).result().id;
    if (graph == Graph::Near)
      scaled = fn.appendOp(fn.body(), unary[i % 3], std::span(&scaled, 1), ctx.noAttrs(), {&type, 1}).result().id;
    ValueId operands[] = {scaled, y};
    x = fn.appendOp(fn.body(), add, operands, ctx.noAttrs(), {&type, 1}).result().id;
  }
  fn.appendOp(fn.body(), kReturnKind, std::span(&x, 1), ctx.noAttrs(), {});
}

/// CPU nanoseconds per op.
double run(size_t count, const FrozenPatternSet &set, const Registry &registry, Graph graph, const char *name) {
  constexpr size_t kOps = 200'000;
  std::vector<double> times;
  uint64_t tried = 0, rewrites = 0;
  for (int rep = 0; rep < 5; ++rep) {
    Program program(registry.ops);
    build(program, kOps, graph);
    GreedyRewriteConfig config;
    config.expensiveChecks = false;
    double start = cpuNow();
    RewriteResult result = applyPatternsGreedily(program.functions()[0], set, config);
    times.push_back(cpuNow() - start);
    tried = 0;
    for (const PatternCounters &p : result.patterns)
      tried += p.tried;
    rewrites = result.rewrites;
  }
  std::sort(times.begin(), times.end());
  double perOp = times[times.size() / 2] * 1e9 / double(kOps);
  fmt::print("{{\"patterns_of_one_root\":{},\"graph\":\"{}\",\"cpu_ns_per_op\":{:.1f},\"tried_per_op\":{:.2f},"
             "\"rewrites_per_op\":{:.2f}}}\n",
             count, name, perOp, double(tried) / double(kOps), double(rewrites) / double(kOps));
  return perOp;
}

struct Suite {
  Registry registry;
  FrozenPatternSet set;
  explicit Suite(void (*registerAll)(Registry &))
      : set([&] {
          registerAll(registry);
          freeze();
          std::vector<double> times;
          for (int rep = 0; rep < 9; ++rep) {
            double start = cpuNow();
            freeze();
            times.push_back(cpuNow() - start);
          }
          std::sort(times.begin(), times.end());
          fmt::print("{{\"patterns_of_one_root\":{},\"freeze_ms\":{:.2f}}}\n", registry.patterns.all().size(),
                     times[4] * 1e3);
          return freeze();
        }()) {}
  FrozenPatternSet freeze() const {
    PatternSet patterns(registry.ops);
    for (const PatternEntry &entry : registry.patterns.all())
      patterns.add(entry.make(registry.ops));
    return std::move(patterns).freeze();
  }
};

} // namespace

int main() {
  Suite few(bench::many_10::register_many_10), many(bench::many_1000::register_many_1000);
  constexpr std::pair<Graph, const char *> kGraphs[] = {
      {Graph::Apart, "apart"}, {Graph::Near, "near"}, {Graph::Hits, "hits"}};
  for (auto [graph, name] : kGraphs) {
    double of10 = run(10, few.set, few.registry, graph, name), of1000 = run(1000, many.set, many.registry, graph, name);
    fmt::print("{{\"graph\":\"{}\",\"ratio_1000_to_10\":{:.2f}}}\n", name, of1000 / of10);
  }
}
