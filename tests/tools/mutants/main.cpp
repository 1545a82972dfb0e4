// mutants: which conditions of the built-in patterns do tests guard?
//
// In:  folders of golden tests. The patterns run on their .rwir inputs, and on the left sides of the tests beside them.
// Out: a line "unnoticed P: condition" per mutant (pattern P without that condition, see make.py) that does the same as
//      P on each of these inputs: no test would notice if the condition went. A line per pattern that fires in none.
//      Counts at the end.
// Elsewhere: run.py makes, builds and runs them.

#include "../../unit/support/pattern_inputs.h"
#include "mutant_patterns_register.h"
#include "rw/builtin.h"
#include "rw/interp/constant_folder.h"
#include "rw/ir/printer.h"
#include "rw/passes/pass.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace {
using namespace rw;
namespace fs = std::filesystem;

/// The program after the pattern alone has been applied wherever it matches.
std::string after(const Program &input, const PatternEntry &pattern, const OpRegistry &ops) {
  Program program = input.clone();
  PatternSet set(ops);
  set.add(pattern.make(ops));
  FrozenPatternSet frozen = std::move(set).freeze();
  GreedyRewriteConfig config;
  config.allowFastMath = true;
  config.enableFolding = false;
  config.expensiveChecks = false;
  config.maxRewrites = 200; // a mutant need not end
  for (Function &fn : program.functions())
    applyPatternsGreedily(fn, frozen, config);
  return printProgram(program);
}

int run(int argc, char **argv) {
  Registry registry;
  registerAll(registry);
  std::set<std::string> originals;
  for (const PatternEntry &pattern : registry.patterns.all())
    originals.emplace(pattern.info.name);
  test::mutants::register_mutant_patterns(registry);
  std::map<std::string, std::vector<const PatternEntry *>> mutants; // by the name of their pattern
  std::map<std::string, const PatternEntry *> patterns;
  for (const PatternEntry &pattern : registry.patterns.all()) {
    std::string name(pattern.info.name);
    if (size_t at = name.rfind("__"); at != name.npos && !originals.count(name))
      mutants[name.substr(0, at)].push_back(&pattern);
    else
      patterns[name] = &pattern;
  }

  std::map<std::string, unsigned> fires; // inputs, by pattern
  std::set<const PatternEntry *> noticed;
  unsigned inputs = 0;
  test::forEachPatternInput(registry, {argv + 1, argv + argc}, [&](const std::string &, Program &program) {
    ++inputs;
    std::string before = printProgram(program);
    for (const auto &[name, pattern] : patterns) {
      std::string ours = after(program, *pattern, registry.ops);
      fires[name] += ours != before;
      for (const PatternEntry *mutant : mutants[name])
        if (!noticed.count(mutant) && after(program, *mutant, registry.ops) != ours)
          noticed.insert(mutant);
    }
  });

  unsigned silent = 0, all = 0;
  for (const auto &[name, pattern] : patterns)
    if (!fires[name]) {
      ++silent;
      fmt::print("{} fires in no test\n", name);
    }
  for (const auto &[name, list] : mutants)
    for (const PatternEntry *mutant : list) {
      ++all;
      if (!noticed.count(mutant))
        fmt::print("unnoticed {}: {}\n", name, mutant->info.doc);
    }
  fmt::print("{} inputs; {} of {} patterns fire; {} of {} mutants are noticed\n", inputs, patterns.size() - silent,
             patterns.size(), noticed.size(), all);
  return inputs ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) { return run(argc, argv); }
