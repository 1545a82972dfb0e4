// What the tests of jaxprs share: reading a text with all built-in dialects, printing what it became, lowering it to
// StableHLO and running it.
#pragma once

#include "rw/builtin.h"
#include "rw/interp/evaluate.h"
#include "rw/ir/printer.h"
#include "rw/jaxpr/jaxpr.h"
#include "rw/optimize/optimize.h"
#include "rw/support/numbers.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace test {

inline const rw::Registry &jaxprRegistry() {
  static rw::Registry registry;
  static const bool filled = (rw::registerAll(registry), true);
  REQUIRE(filled);
  return registry;
}

/// The patterns that some test has applied.
inline std::set<std::string> &appliedPatterns() {
  static std::set<std::string> names;
  return names;
}

/// "f32[3] 1.0 2.0 3.0"
inline std::string showTensor(const rw::Tensor &t) {
  std::string out = std::string(rw::dtypeName(t.dtype())) + rw::shapeText(t.shape());
  bool isComplex = rw::isComplex(t.dtype());
  for (size_t i = 0; i < t.size() * (isComplex ? 2 : 1); ++i) {
    out += ' ';
    if (t.dtype() == rw::DType::C64)
      out += rw::printFloat(t.data<float>()[i]);
    else if (t.dtype() == rw::DType::F32)
      out += rw::printFloat(t.data<float>()[i]);
    else if (rw::isFloat(t.dtype()))
      out += rw::printFloat(t.floatAt(i));
    else if (t.dtype() == rw::DType::U64)
      out += std::to_string(t.data<uint64_t>()[i]);
    else
      out += std::to_string(t.intAt(i));
  }
  return out;
}

/// One text, and what became of it.
struct JaxprText {
  rw::SourceManager sources;
  rw::Diagnostics diags{sources};
  std::unique_ptr<rw::Program> program;

  explicit JaxprText(std::string text) {
    program =
        rw::jaxpr::parseProgram(sources.addText("in.jaxpr", std::move(text)), sources, diags, jaxprRegistry().ops);
  }
  /// As `.rwir`; what is wrong otherwise.
  std::string print() const {
    if (!program)
      return const_cast<rw::Diagnostics &>(diags).renderText();
    return printProgram(*program);
  }
  /// "line:column tag: message" of the first error; empty if there is none.
  std::string error() const {
    for (const rw::Diagnostic &d : diags.all())
      if (d.severity == rw::Severity::Error) {
        rw::LineColumn at = sources.lineColumn(d.range.begin);
        return std::to_string(at.line) + ":" + std::to_string(at.column) + " " + d.tag + ": " + d.message;
      }
    return "";
  }
  /// To StableHLO; what is left that has no lowering, or nothing.
  std::string lower() {
    size_t before = diags.errorCount();
    auto done = rw::optimizeProgram(*program, jaxprRegistry(), {.pipeline = "jax_to_stablehlo"}, diags);
    if (done)
      for (const auto &use : done->patterns)
        if (use.counters.applied)
          appliedPatterns().insert(
              use.name.substr(use.name.rfind(':') + 1)); // others may have patterns called the same
    return diags.errorCount() == before && done ? "" : diags.all().back().message;
  }
  /// The results of @main, after lowering; what is wrong otherwise.
  std::string run(std::span<const rw::Tensor> inputs = {}) {
    if (!program)
      return error();
    if (std::string left = lower(); !left.empty())
      return "not lowered: " + left;
    rw::EvalOptions options;
    options.program = program.get();
    rw::EvalResult result = rw::evaluate(*program->function("main"), inputs, options);
    if (!result.ok)
      return result.opName + ": " + result.error;
    std::string out;
    for (const rw::Tensor &t : result.values)
      out += (out.empty() ? "" : "; ") + showTensor(t);
    return out;
  }
};

/// What equations compute that read nothing: the results of all binders of the last one, `names`.
inline std::string runEquations(const std::string &equations, const std::string &names) {
  return JaxprText("{ lambda ; . let\n    " + equations + "\n  in (" + names + ",) }").run();
}
/// Of one equation that binds z.
inline std::string runOne(const std::string &equation) { return runEquations(equation, "z"); }

} // namespace test
