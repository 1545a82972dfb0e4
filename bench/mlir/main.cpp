// rw_bench_mlir: the workloads of rw_bench on MLIR, one JSON object a line.
//
//   rw_bench_mlir --workload=W1 --ops=1000000 --reps=5
//
// Timed is what MLIR's users call: applyPatternsAndFoldGreedily in its default configuration on the function in memory,
// for W6 the CSE pass, for DCE runRegionDCE, for print and parse the text form of the graph of W2. The verifier is off,
// the context has one thread, the patterns are frozen beforehand; the median of --reps runs, each on a fresh graph.

#include "workloads.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/RegionUtils.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <malloc.h>
#include <string>
#include <vector>

using namespace mlir;

namespace {

const char *const kWorkloads[] = {"W1",  "W2", "W2c", "W3",      "W4",  "W4inv", "W5",
                                  "W5q", "W6", "W7",  "W7chain", "DCE", "print", "parse"};

double wallNow() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
double cpuNow() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}
size_t heapBytes() {
  struct mallinfo2 m = mallinfo2();
  return m.uordblks + m.hblkhd;
}
double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

class Bench {
public:
  Bench() : ctx_(MLIRContext::Threading::DISABLED) {
    ctx_.loadDialect<bench::BenchDialect, func::FuncDialect>();
    auto frozen = [&](void (*add)(RewritePatternSet &)) {
      RewritePatternSet set(&ctx_);
      add(set);
      return FrozenRewritePatternSet(std::move(set));
    };
    standard_ = frozen(bench::addStandardPatterns);
    noMatch_ = frozen(bench::addNoMatchPatterns);
  }

  bool run(const std::string &workload, size_t n, int reps) {
    bool text = workload == "print" || workload == "parse";
    std::vector<double> wall, cpu;
    size_t ops = 0, left = 0;
    double bytesPerOp = 0;
    bool converged = true;
    for (int rep = 0; rep < reps; ++rep) {
      bench::Generator generator(&ctx_);
      size_t heap = heapBytes();
      OwningOpRef<ModuleOp> module = generator.build(text ? "W2" : workload, n);
      ops = generator.made();
      if (rep == 0)
        bytesPerOp = double(heapBytes() - heap) / double(ops);
      func::FuncOp fn = *module->getOps<func::FuncOp>().begin();
      std::function<bool()> timed = prepare(workload, *module, fn);
      double w0 = wallNow(), c0 = cpuNow();
      converged = timed() && converged;
      cpu.push_back(cpuNow() - c0);
      wall.push_back(wallNow() - w0);
      left = fn.getBody().front().getOperations().size() - 1;
    }
    printf("{\"workload\":\"%s\",\"ops\":%zu,\"reps\":%d,\"mlir_ns_per_op\":%.1f,\"mlir_cpu_ns_per_op\":%.1f,"
           "\"mlir_bytes_per_op\":%.1f,\"mlir_left\":%zu,\"right\":%s}\n",
           workload.c_str(), ops, reps, median(wall) * 1e9 / double(ops), median(cpu) * 1e9 / double(ops), bytesPerOp,
           left, converged ? "true" : "false");
    fflush(stdout);
    return converged;
  }

private:
  std::function<bool()> prepare(const std::string &workload, ModuleOp module, func::FuncOp fn) {
    if (workload == "print")
      return [this, module] {
        print(module);
        return true;
      };
    if (workload == "parse") {
      print(module);
      return
          [this] { return bool(parseSourceString<ModuleOp>(text_, ParserConfig(&ctx_, /*verifyAfterParse=*/false))); };
    }
    if (workload == "DCE")
      return [this, fn]() mutable {
        IRRewriter rewriter(&ctx_);
        return succeeded(runRegionDCE(rewriter, fn->getRegions()));
      };
    if (workload == "W6")
      return [this, fn] {
        PassManager passes(&ctx_, func::FuncOp::getOperationName());
        passes.enableVerifier(false);
        passes.addPass(createCSEPass());
        return succeeded(passes.run(fn));
      };
    return [this, fn, none = workload == "W3"] {
      return succeeded(applyPatternsAndFoldGreedily(fn, none ? noMatch_ : standard_, GreedyRewriteConfig()));
    };
  }
  void print(ModuleOp module) {
    text_.clear();
    llvm::raw_string_ostream out(text_);
    module->print(out);
  }

  MLIRContext ctx_;
  FrozenRewritePatternSet standard_, noMatch_;
  std::string text_;
};

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> workloads;
  std::vector<size_t> sizes;
  int reps = 5;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    size_t equals = argument.find('=');
    std::string name = argument.substr(0, equals),
                value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (name == "--workload" && std::count(std::begin(kWorkloads), std::end(kWorkloads), value)) {
      workloads.push_back(value);
    } else if (name == "--ops" && std::strtod(value.c_str(), nullptr) >= 16) {
      sizes.push_back(size_t(std::strtod(value.c_str(), nullptr)));
    } else if (name == "--reps" && std::atoi(value.c_str()) > 0) {
      reps = std::atoi(value.c_str());
    } else {
      fprintf(stderr, "usage: rw_bench_mlir [--workload=W]... [--ops=N]... [--reps=N]\nno such option: %s\n", argv[i]);
      return 2;
    }
  }
  if (workloads.empty())
    workloads.assign(std::begin(kWorkloads), std::end(kWorkloads));
  if (sizes.empty())
    sizes = {1'000'000};
  Bench bench;
  bool right = true;
  for (const std::string &workload : workloads)
    for (size_t n : sizes)
      right &= bench.run(workload, n, reps);
  return right ? 0 : 1;
}
