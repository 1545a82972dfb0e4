// What the tests of the StableHLO reader share: reading a text with all built-in dialects, and printing what it became.
#pragma once

#include "../support/program_text.h"
#include "rw/stablehlo/stablehlo.h"

namespace test {

/// One text, and what became of it.
struct StablehloText : ProgramText {
  explicit StablehloText(std::string text)
      : ProgramText([](auto &&...from) { return rw::stablehlo::parseProgram(from...); }, "in.mlir", std::move(text)) {}
  /// As `.rwir`; `names` of values are left out for comparison.
  std::string print(bool names = true) {
    if (program)
      for (rw::Function &fn : program->functions())
        for (uint32_t i = 0; !names && i < fn.valueCapacity(); ++i)
          fn.setValueName(rw::ValueId(i), rw::StringId());
    return ProgramText::print();
  }
  /// As MLIR; an error's text otherwise.
  std::string write() {
    std::string out;
    return program && rw::stablehlo::writeProgram(*program, out, "out.mlir", diags) ? out : diags.renderText();
  }
  /// To ONNX; what is left that has no lowering, or nothing.
  std::string convert() {
    return runPipeline("stablehlo_to_onnx", [](const auto &) {});
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
