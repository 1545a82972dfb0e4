// embed: the optimiser inside a program of one's own, without a command line: a program in, a program out.
#include "embed_patterns_register.h"
#include "rw/builtin.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/optimize/optimize.h"

#include <cstdio>

int main() {
  rw::Registry registry;
  rw::registerAll(registry);                     // everything that comes with rw
  embed::own::register_embed_patterns(registry); // and what is ours

  rw::SourceManager sources;
  rw::Diagnostics diags(sources);
  rw::FileId file = sources.addText("program", R"(func @main(%x: f32[2]) -> f32[2] {
    %zeros = tensor.constant() {value = dense<f32[2]: 0>} : f32[2]
    %e = tensor.exp(%x) : f32[2]
    %again = tensor.exp(%x) : f32[2]
    %r = tensor.max(%again, %zeros) : f32[2]
    %y = tensor.add(%e, %r) : f32[2]
    return %y
  })");
  std::unique_ptr<rw::Program> program = rw::parseProgram(file, sources, diags, registry.ops);
  bool good = false;
  if (program)
    if (auto done = rw::optimizeProgram(*program, registry, {.pipeline = "ours"}, diags)) {
      for (const auto &use : done->patterns) // all that were tried
        if (use.counters.applied)
          std::printf("// %d x %s\n", int(use.counters.applied), use.name.c_str());
      std::fputs(rw::printProgram(*program).c_str(), stdout);
      good = true;
    }
  std::fputs(diags.renderText().c_str(), stderr); // also warnings: a pass that does not come to an end, say
  return good ? 0 : 1;
}
