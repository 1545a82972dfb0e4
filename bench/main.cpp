// rw_bench: the rewrite workloads at any size, one JSON object a line.
//
//   rw_bench --workload=W1 --ops=1000000 --patterns=compiled --reps=5
//
// Timed is one run of the greedy driver (W6: of CSE, DCE: of DCE on the graph of W7, print and parse: of the text form
// of the graph of W2) over the function in memory, the median of --reps runs, each on a graph built afresh; then the
// verifier over the result. `bytes_per_op` is what the heap grew by while the graph was built. `tried` and `pushes`
// count work: they do not depend on the machine.

#include "hand_ops.h"
#include "workloads.h"

#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"
#include "rw/passes/cse.h"
#include "rw/passes/dce.h"
#include "rw/rewrite/greedy_driver.h"
#include "rw/support/growing_block.h"

#if RW_BENCH_COMPILED
#include "rw/load/load_patterns.h"
#include "rw_bench_patterns_register.h"
#endif

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <malloc.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace rw;

namespace {

struct Options {
  std::vector<std::string> workloads;
  std::vector<size_t> sizes;
  std::string patterns = RW_BENCH_COMPILED ? "compiled" : "hand";
  int reps = 5;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Of this thread alone: on a machine that is busy otherwise it says more than the time on the clock.
double cpuNow() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

size_t heapBytes() {
  struct mallinfo2 m = mallinfo2();
  return m.uordblks + m.hblkhd + largeBlockBytes();
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

/// What --patterns chooses: ops and the two pattern sets.
struct Suite {
  Registry registry;
  std::optional<FrozenPatternSet> standard, noMatch;

  explicit Suite(const std::string &patterns) {
    if (patterns == "hand") {
      bench::registerHandOps(registry.ops);
      standard.emplace(bench::handStandardPatterns(registry.ops));
      noMatch.emplace(bench::handNoMatchPatterns(registry.ops));
      return;
    }
#if RW_BENCH_COMPILED
    if (patterns == "interpreted")
      load();
    else
      bench::register_rw_bench_patterns(registry);
    auto all = [&](std::string_view pass) {
      PatternSet set(registry.ops);
      const std::vector<const PatternEntry *> patterns = *registry.patternsOf(*registry.pass(pass));
      for (const PatternEntry *pattern : patterns)
        set.add(registry.patterns.make(*pattern, registry.ops));
      return std::move(set).freeze();
    };
    standard.emplace(all("bench_standard"));
    noMatch.emplace(all("bench_nomatch"));
#endif
  }

#if RW_BENCH_COMPILED
  /// Ops and patterns from their source.
  void load() {
    SourceManager sources;
    Diagnostics diags(sources);
    const std::string dir = RW_BENCH_SOURCES;
    if (!loadPatterns({{dir + "/bench_patterns.rw"}, {dir + "/bench_nomatch.rw"}}, {.importDirs = {RW_BENCH_IMPORTS}},
                      sources, registry, diags)) {
      fmt::print(stderr, "{}", diags.renderText());
      std::exit(1);
    }
  }
#endif
};

bool runOne(const Suite &suite, const Options &options, const std::string &workload, size_t n) {
  std::vector<double> build, rewrite, rewriteCpu, verify, verifyCpu;
  size_t ops = 0, left = 0;
  double bytesPerOp = 0;
  RewriteResult result;
  bool verified = true;
  GreedyRewriteConfig config;
  config.expensiveChecks = false;
  for (int rep = 0; rep < options.reps; ++rep) {
    SourceManager sources;
    Diagnostics diags(sources);
    auto program = std::make_unique<Program>(suite.registry.ops);
    size_t heap = heapBytes();
    double t0 = now();
    ops = bench::buildWorkload(workload, n, *program);
    double t1 = now();
    if (rep == 0)
      bytesPerOp = double(heapBytes() - heap) / double(ops);
    FileId file;
    if (workload == "parse")
      file = sources.addText("bench.rwir", printProgram(*program));
    Function &fn = program->functions()[0];
    double t2 = now(), c2 = cpuNow();
    if (workload == "W6")
      result.rewrites = eliminateCommonSubexpressions(fn).merged;
    else if (workload == "DCE")
      result.erased = eliminateDeadCode(fn);
    else if (workload == "print")
      printProgram(*program);
    else if (workload == "parse")
      program = parseProgram(file, sources, diags, suite.registry.ops);
    else
      result = applyPatternsGreedily(fn, workload == "W3" ? *suite.noMatch : *suite.standard, config);
    double t3 = now(), c3 = cpuNow();
    verified = verified && program && verifyFunction(program->functions()[0], diags);
    double t4 = now(), c4 = cpuNow();
    left = program ? program->functions()[0].liveOps() - 1 : 0;
    build.push_back(t1 - t0);
    rewrite.push_back(t3 - t2);
    rewriteCpu.push_back(c3 - c2);
    verify.push_back(t4 - t3);
    verifyCpu.push_back(c4 - c3);
  }
  size_t expected = bench::expectedLeft(workload, n);
  bool right = verified && result.converged && (!expected || expected == left);
  uint64_t tried = 0;
  for (const PatternCounters &p : result.patterns)
    tried += p.tried;
  auto perOp = [&](const std::vector<double> &v) { return median(v) * 1e9 / double(ops); };
  fmt::print("{{\"workload\":\"{}\",\"patterns\":\"{}\",\"ops\":{},\"reps\":{},\"rewrite_ns_per_op\":{:.1f},"
             "\"rewrite_cpu_ns_per_op\":{:.1f},\"verify_ns_per_op\":{:.1f},\"verify_cpu_ns_per_op\":{:.1f},\"build_ns_"
             "per_op\":{:.1f},\"bytes_per_op\":{:.1f},"
             "\"tried\":{},\"rewrites\":{},\"erased\":{},\"pushes\":{},\"visits\":{},\"left\":{},\"right\":{}}}\n",
             workload, options.patterns, ops, options.reps, perOp(rewrite), perOp(rewriteCpu), perOp(verify),
             perOp(verifyCpu), perOp(build), bytesPerOp, tried, result.rewrites, result.erased, result.pushes,
             result.visits, left, right);
  std::fflush(stdout);
  return right;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string_view arg = argv[i];
    auto value = [&](std::string_view name) -> std::optional<std::string> {
      if (!arg.starts_with(name) || arg.size() <= name.size() || arg[name.size()] != '=')
        return std::nullopt;
      return std::string(arg.substr(name.size() + 1));
    };
    if (auto v = value("--workload"))
      options.workloads.push_back(*v);
    else if (auto v = value("--ops"))
      options.sizes.push_back(size_t(std::strtod(v->c_str(), nullptr)));
    else if (auto v = value("--reps"))
      options.reps = std::max(1, std::atoi(v->c_str()));
    else if (auto v = value("--patterns");
             v && (*v == "hand" || ((*v == "compiled" || *v == "interpreted") && RW_BENCH_COMPILED)))
      options.patterns = *v;
    else {
      fmt::print(
          stderr,
          "usage: rw_bench [--workload=W]… [--ops=N]… [--reps=N] [--patterns=hand|compiled]\nno such option: {}\n",
          arg);
      return 2;
    }
  }
  if (options.workloads.empty())
    options.workloads.assign(std::begin(bench::kWorkloads), std::end(bench::kWorkloads));
  if (options.sizes.empty())
    options.sizes = {1'000'000};
  for (const std::string &w : options.workloads)
    if (std::find(std::begin(bench::kWorkloads), std::end(bench::kWorkloads), w) == std::end(bench::kWorkloads)) {
      fmt::print(stderr, "no workload named {}; there are {}\n", w, fmt::join(bench::kWorkloads, ", "));
      return 2;
    }
  Suite suite(options.patterns);
  bool right = true;
  for (const std::string &workload : options.workloads)
    for (size_t n : options.sizes)
      right &= runOne(suite, options, workload, n);
  return right ? 0 : 1;
}
