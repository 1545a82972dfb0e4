// The built-in dialects, patterns and passes, and one way to run a pipeline over a program with every check on.
//
//   PassManagerResult result = test::runPipeline(program, "layout,cse");
//   CHECK_FALSE(test::runPipeline(program, "layout,cse").changed);
#pragma once

#include "rw/builtin.h"
#include "rw/interp/constant_folder.h"
#include "rw/passes/pass_manager.h"

#include <doctest/doctest.h>

#include <string>

namespace rw::test {

/// All that the libraries bring.
inline Registry &builtins() {
  static Registry registry;
  static bool filled = (registerAll(registry), true);
  (void)filled;
  return registry;
}

/// With the evaluator for folding. `checks`: each pass verifies, each rewrite is held to what it says it did.
inline PassManagerResult runPipeline(Program &program, const std::string &text, bool checks = true,
                                     const Registry &registry = builtins()) {
  SourceManager sources;
  Diagnostics diags(sources);
  PassManager manager(registry);
  REQUIRE_MESSAGE(manager.parse(text, sources, diags), diags.renderText());
  InterpreterFolder folder;
  PassManagerOptions options;
  options.rewriteConfig.folder = &folder;
  options.rewriteConfig.expensiveChecks = checks;
  options.verifyEach = checks;
  return manager.run(program, options);
}

} // namespace rw::test
