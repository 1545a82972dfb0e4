// What the tests of jaxprs share: reading a text with all built-in dialects, printing what it became, lowering it to
// StableHLO and running it.
#pragma once

#include "../support/program_text.h"
#include "rw/interp/evaluate.h"
#include "rw/jaxpr/jaxpr.h"
#include "rw/support/numbers.h"

#include <set>

namespace test {

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
struct JaxprText : ProgramText {
  explicit JaxprText(std::string text)
      : ProgramText([](auto &&...from) { return rw::jaxpr::parseProgram(from...); }, "in.jaxpr", std::move(text)) {}
  /// To StableHLO; what is left that has no lowering, or nothing.
  std::string lower() {
    return runPipeline("jax_to_stablehlo", [](const auto &done) {
      for (const auto &use : done.patterns)
        if (use.counters.applied)
          appliedPatterns().insert(
              use.name.substr(use.name.rfind(':') + 1)); // others may have patterns called the same
    });
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
