// A program for debugger.py to run: one pattern on one function.
#include "stop.rw.h"

#include "rw/ir/parser.h"
#include "rw/passes/pass.h"
#include "rw/rewrite/greedy_driver.h"

using namespace rw;

int main() {
  Registry registry;
  debugged::register_stop(registry);
  SourceManager sources;
  Diagnostics diags(sources);
  FileId file = sources.addText(
      "in.rwir", "func @f(%a: f32[2]) -> f32[2] {\n  %0 = stop.neg(%a) : f32[2]\n  %1 = stop.neg(%0) : f32[2]\n"
                 "  return %1\n}\n");
  auto program = parseProgram(file, sources, diags, registry.ops);
  if (!program)
    return 1;
  PatternSet set(registry.ops);
  for (const PatternEntry &entry : registry.patterns.all())
    set.add(entry.make(registry.ops));
  FrozenPatternSet frozen = std::move(set).freeze();
  return applyPatternsGreedily(program->functions().front(), frozen, {}).rewrites == 1 ? 0 : 1;
}
