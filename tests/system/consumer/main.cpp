// Reads .rwir from standard input, runs the pipeline given as argument, prints the result.
#include "my_patterns_register.h"
#include "rw/builtin.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/passes/pass_manager.h"

#include <cstdio>

int main(int argc, char **argv) {
  rw::Registry registry;
  rw::registerAll(registry);
  my::opt::register_my_patterns(registry);

  rw::SourceManager sources;
  rw::Diagnostics diags(sources);
  rw::Result<rw::FileId> file = sources.addFile("-");
  auto program = file ? rw::parseProgram(*file, sources, diags, registry.ops) : nullptr;
  rw::PassManager passes(registry);
  if (!program || !passes.parse(argc > 1 ? argv[1] : "", sources, diags) || passes.run(*program).failed) {
    std::fputs(diags.renderText().c_str(), stderr);
    return 1;
  }
  std::fputs(rw::printProgram(*program).c_str(), stdout);
}
