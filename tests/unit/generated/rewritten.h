// Runs generated patterns on a program given as text, for the tests of this folder.
//
// Each program is run in two ways, which must agree: patterns tried together (merged), and each on its own.
#pragma once

#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"
#include "rw/passes/pass.h"

#include <doctest/doctest.h>

#include <string>

/// The version of a dialect that the program has; 0: it does not say.
struct ProgramVersion {
  std::string_view dialect;
  int64_t version = 0;
};

/// The text of the function's body after the patterns named `only` were applied, "unchanged", or a report.
inline std::string rewrittenBy(void (*registerAll)(rw::Registry &), std::string_view only, std::string_view text,
                               bool fastmath, bool merge, ProgramVersion has = {}) {
  using namespace rw;
  Registry registry;
  registerAll(registry);
  SourceManager sources;
  Diagnostics diags(sources);
  FileId file = sources.addText("in.rwir", std::string(text));
  auto program = parseProgram(file, sources, diags, registry.ops);
  if (!program || !verifyProgram(*program, diags))
    return diags.renderText();
  if (has.version)
    program->context().setDialectVersion(has.dialect, has.version);
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
  config.merge = merge;
  RewriteResult result = applyPatternsGreedily(program->functions().front(), frozen, config);
  if (!result.checkFailure.empty() || !verifyProgram(*program, diags))
    return result.checkFailure + diags.renderText();
  if (result.rewrites == 0)
    return "unchanged";
  std::string out = printProgram(*program);
  size_t begin = out.find('\n') + 1;
  return out.substr(begin, out.rfind('}') - begin);
}

/// The same in both ways that patterns can be run.
inline std::string rewrittenBothWays(void (*registerAll)(rw::Registry &), std::string_view only, std::string_view text,
                                     bool fastmath = true, ProgramVersion has = {}) {
  std::string out = rewrittenBy(registerAll, only, text, fastmath, true, has);
  CHECK(rewrittenBy(registerAll, only, text, fastmath, false, has) == out);
  return out;
}
