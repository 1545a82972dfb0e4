// rw_bench_load: what it costs to load patterns from their source, phase by phase, in a process that has loaded nothing
// before.
//
//   rw_bench_load -I patterns many.rw                one JSON object, in milliseconds: on the clock, loadPatterns and
//                                                    all of it, with merge (the nets of all passes)
//   rw_bench_load --threads=1 -I patterns many.rw    on one thread
//   rw_bench_load --phases -I patterns many.rw       processor time of each phase, one after the other on one thread:
//                                                    parse (imports too), check, plan, code, register, merge
//   rw_bench_load --times=3 -I patterns many.rw      the last of three times: what a process that keeps running pays
//
// Native patterns are left out, so that the built-in files can be measured. Medians over processes are
// bench/load/run.py's.
#include "codegen/interpret/compiler.h"
#include "codegen/machine/loaded_unit.h"
#include "frontend/check/check.h"
#include "frontend/parse/parse.h"
#include "rw/infer/infer_shapes.h"
#include "rw/load/load_patterns.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

using namespace rw;

namespace {

double now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return double(t.tv_sec) * 1e3 + double(t.tv_nsec) * 1e-6;
}

struct Phases {
  double parse = 0, check = 0, plan = 0, code = 0, enter = 0, merge = 0;
  size_t patterns = 0, passes = 0;
  double total = 0; // with what lies between them: files opened, modules let go of
};

/// Adds the time since it was made: processor time of this thread, or what another clock says.
class Timer {
public:
  explicit Timer(double &to, clockid_t clock = CLOCK_THREAD_CPUTIME_ID) : to_(to), start_(now(clock)), clock_(clock) {}
  ~Timer() { to_ += now(clock_) - start_; }

private:
  double &to_, start_;
  clockid_t clock_;
};

void fail(Diagnostics &diags) {
  fmt::print(stderr, "{}", diags.renderText());
  std::exit(1);
}

void merge(Registry &registry, Phases &out) {
  for (const PassEntry &pass : registry.passes())
    if (!pass.make) {
      (void)registry.makePass(pass, {}); // fails where it names a pattern that was left out
      ++out.passes;
    }
  out.patterns = registry.patterns.all().size();
}

struct Whole {
  double load = 0, total = 0;
};

/// As a program loads them.
void loadWhole(Whole &times, Phases &counts, const std::vector<std::string> &files,
               const std::vector<std::string> &dirs, unsigned threads) {
  Registry registry;
  registerCorePasses(registry);
  registerInferencePasses(registry);
  Timer total(times.total, CLOCK_MONOTONIC);
  SourceManager sources;
  Diagnostics diags(sources);
  {
    Timer timer(times.load, CLOCK_MONOTONIC);
    std::vector<PatternSource> patterns;
    for (const std::string &file : files)
      patterns.push_back({file});
    if (!loadPatterns(patterns, {.importDirs = dirs, .skipNatives = true, .builtinTests = false, .threads = threads},
                      sources, registry, diags))
      fail(diags);
  }
  merge(registry, counts);
}

void loadByPhases(Phases &out, const std::vector<std::string> &files, const std::vector<std::string> &dirs) {
  Timer total(out.total);
  Registry registry;
  registerCorePasses(registry);
  registerInferencePasses(registry);
  SourceManager sources;
  Diagnostics diags(sources);
  sema::ParsedFiles parsed;
  sema::CheckOptions check{
      .importDirs = dirs, .builtinDir = builtinPatternDir(), .parsed = &parsed, .trustBuiltin = true};
  check.parse = [&](FileId f) {
    Timer timer(out.parse);
    const std::string path = sema::canonicalPath(std::string(sources.name(f)), check);
    return parseModule(f, sources, diags, 1, !sema::isTrusted(path, check));
  };
  interpret::CompileOptions options{.skipNatives = true};
  for (const std::string &file : files) {
    Result<std::shared_ptr<const ast::Module>> root = sema::parseRoot(file, check, sources);
    if (!root) {
      fmt::print(stderr, "{}: {}\n", file, root.error());
      std::exit(1);
    }
    const std::shared_ptr<const ast::Module> tree = *std::move(root);
    double before = out.parse;
    std::unique_ptr<sema::Module> module;
    {
      Timer timer(out.check);
      module = sema::check(*tree, check, sources, diags);
    }
    out.check -= out.parse - before; // imports are parsed while the file is checked
    std::optional<plan::Module> plans;
    {
      Timer timer(out.plan);
      // What imports have is there already, and of a file that was an import before no body is checked again.
      plans = plan::buildPlans(*module, sources, diags, [&](sema::PatternIndex p) {
        return !module->pattern(p).imported && !module->pattern(p).roots.empty();
      });
    }
    interpret::Unit unit;
    {
      Timer timer(out.code);
      unit = interpret::compile(*plans, sources, options, diags);
    }
    Timer timer(out.enter);
    interpret::registerUnit(std::move(unit), registry);
    if (!diags.hasErrors())
      parsed.settle(*module);
  }
  if (diags.hasErrors())
    fail(diags);
  Timer timer(out.merge);
  merge(registry, out);
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> files, dirs;
  int times = 1;
  unsigned threads = 0;
  bool phases = false;
  for (int i = 1; i < argc; ++i) {
    std::string_view arg = argv[i];
    if (arg == "-I" && i + 1 < argc)
      dirs.emplace_back(argv[++i]);
    else if (arg.starts_with("--times="))
      times = std::max(1, std::atoi(argv[i] + 8));
    else if (arg.starts_with("--threads="))
      threads = unsigned(std::max(0, std::atoi(argv[i] + 10)));
    else if (arg == "--phases")
      phases = true;
    else
      files.emplace_back(arg);
  }
  if (!phases) {
    Phases counts;
    Whole whole;
    for (int i = 0; i < times; ++i)
      counts = {}, whole = {}, loadWhole(whole, counts, files, dirs, threads);
    fmt::print("{{\"patterns\":{},\"passes\":{},\"load_ms\":{:.2f},\"total_ms\":{:.2f}}}\n", counts.patterns,
               counts.passes, whole.load, whole.total);
    return 0;
  }
  Phases p;
  for (int i = 0; i < times; ++i)
    p = {}, loadByPhases(p, files, dirs);
  fmt::print(
      "{{\"patterns\":{},\"passes\":{},\"parse_ms\":{:.2f},\"check_ms\":{:.2f},\"plan_ms\":{:.2f},\"code_ms\":{:.2f},"
      "\"register_ms\":{:.2f},\"merge_ms\":{:.2f},\"total_ms\":{:.2f}}}\n",
      p.patterns, p.passes, p.parse, p.check, p.plan, p.code, p.enter, p.merge, p.total);
}
