// Runs generated patterns on a program given as text, for the tests of this folder.
#pragma once

#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"
#include "rw/passes/pass.h"

#include <doctest/doctest.h>

#include <string>

/// The text of the function's body after the patterns named `only` were applied, "unchanged", or a report.
inline std::string rewrittenBy(void (*registerAll)(rw::Registry &), std::string_view only, std::string_view text,
                               bool fastmath = true) {
  using namespace rw;
  Registry registry;
  registerAll(registry);
  SourceManager sources;
  Diagnostics diags(sources);
  FileId file = sources.addText("in.rwir", std::string(text));
  auto program = parseProgram(file, sources, diags, registry.ops);
  if (!program || !verifyProgram(*program, diags))
    return diags.renderText();
  PatternSet set(registry.ops);
  bool found = false;
  for (const PatternEntry &entry : registry.patterns.all())
    if (matchesGlob(only, entry.info.name)) {
      set.add(entry.make(registry.ops));
      found = true;
    }
  REQUIRE(found);
  FrozenPatternSet frozen = std::move(set).freeze();
  GreedyRewriteConfig config;
  config.allowFastMath = fastmath;
  config.expensiveChecks = true;
  config.enableFolding = false;
  RewriteResult result = applyPatternsGreedily(program->functions().front(), frozen, config);
  if (!result.checkFailure.empty() || !verifyProgram(*program, diags))
    return result.checkFailure + diags.renderText();
  if (result.rewrites == 0)
    return "unchanged";
  std::string out = printProgram(*program);
  size_t begin = out.find('\n') + 1;
  return out.substr(begin, out.rfind('}') - begin);
}
