// What the tests of the StableHLO reader share: reading a text with all built-in dialects, and printing what it became.
#pragma once

#include "rw/builtin.h"
#include "rw/ir/printer.h"
#include "rw/stablehlo/stablehlo.h"

#include <doctest/doctest.h>

#include <string>

namespace test {

inline const rw::Registry &builtinRegistry() {
  static rw::Registry registry;
  static const bool filled = (rw::registerAll(registry), true);
  REQUIRE(filled);
  return registry;
}

/// One text, and what became of it.
struct StablehloText {
  rw::SourceManager sources;
  rw::Diagnostics diags{sources};
  std::unique_ptr<rw::Program> program;

  explicit StablehloText(std::string text) {
    program =
        rw::stablehlo::parseProgram(sources.addText("in.mlir", std::move(text)), sources, diags, builtinRegistry().ops);
  }
  /// As `.rwir`; `names` of values are left out for comparison.
  std::string print(bool names = true) {
    if (!program)
      return diags.renderText();
    for (rw::Function &fn : program->functions())
      for (uint32_t i = 0; !names && i < fn.valueCapacity(); ++i)
        fn.setValueName(rw::ValueId(i), rw::StringId());
    return printProgram(*program);
  }
  /// As MLIR; an error's text otherwise.
  std::string write() {
    std::string out;
    return program && rw::stablehlo::writeProgram(*program, out, "out.mlir", diags) ? out : diags.renderText();
  }
  /// "line:column tag: message" of the first error; empty if there is none.
  std::string error() {
    for (const rw::Diagnostic &d : diags.all()) {
      rw::LineColumn at = sources.lineColumn(d.range.begin);
      return std::to_string(at.line) + ":" + std::to_string(at.column) + " " + d.tag + ": " + d.message;
    }
    return "";
  }
};

/// A function of these parameters whose body, from line 2 on, is `body`.
inline std::string inFunction(const std::string &params, const std::string &body) {
  return "func.func @main(" + params + ") {\n" + body + "\nfunc.return\n}\n";
}

/// The line of the first op that `body` becomes.
inline std::string opOf(const std::string &params, const std::string &body) {
  StablehloText text(inFunction(params, body));
  std::string printed = text.print();
  size_t from = printed.find("\n  "), to = printed.find('\n', from + 1);
  return text.program ? printed.substr(from + 3, to - from - 3) : printed;
}

} // namespace test
