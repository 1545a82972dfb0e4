// What the tests of execution programs share: programs from text, and what of two runs must be equal.
#pragma once

#include "rw/builtin.h"
#include "rw/exec/compile.h"
#include "rw/interp/compare.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/passes/pass_manager.h"

#include <doctest/doctest.h>

namespace rw::test {

inline Registry &registry() {
  static Registry r;
  static bool filled = (registerAll(r), true);
  (void)filled;
  return r;
}

/// A program from text, with its places.
struct TextProgram {
  SourceManager sources;
  Diagnostics diags{sources};
  std::unique_ptr<Program> program;

  explicit TextProgram(const char *text) {
    program = parseProgram(sources.addText("t.rwir", text), sources, diags, registry().ops);
    INFO(diags.renderText());
    REQUIRE(program);
  }
  Function &main() { return *program->function("main"); }
  ExecProgram lowered(const SymbolBounds &bounds = {}) {
    std::optional<ExecProgram> exec = lowerToExec(*program, "main", diags, bounds);
    INFO(diags.renderText());
    REQUIRE(exec);
    REQUIRE(checkExec(*exec) == "");
    return std::move(*exec);
  }
};

/// Both fail with the same words, or have the same results bit for bit.
inline void checkSame(const EvalResult &a, const EvalResult &b) {
  CHECK(a.error == b.error);
  CHECK(a.opName == b.opName);
  REQUIRE(a.ok == b.ok);
  REQUIRE(a.values.size() == b.values.size());
  for (size_t i = 0; i < a.values.size(); ++i) {
    double largest = 0;
    CHECK(differenceOf(a.values[i], b.values[i], 0, largest) == "");
  }
}

} // namespace rw::test
