// A text that some reader makes a program of, with all built-in dialects: what tests of the readers of StableHLO and of
// jaxprs share.
//
// In:  what reads the text, the text.
// Out: the program as `.rwir`, its first error, what is left of it after a pipeline.
// Elsewhere: texts with mistakes in them are mutated_text.h.
//
//   struct JaxprText : ProgramText {
//     explicit JaxprText(std::string text)
//         : ProgramText([](auto &&...from) { return rw::jaxpr::parseProgram(from...); }, "in.jaxpr", std::move(text))
//         {}
//   };
#pragma once

#include "rw/builtin.h"
#include "rw/ir/printer.h"
#include "rw/optimize/optimize.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace test {

inline const rw::Registry &builtinRegistry() {
  static rw::Registry registry;
  static const bool filled = (rw::registerAll(registry), true);
  REQUIRE(filled);
  return registry;
}

/// One text, and what became of it.
struct ProgramText {
  rw::SourceManager sources;
  rw::Diagnostics diags{sources};
  std::unique_ptr<rw::Program> program;

  /// `read(file, sources, diags, ops)` gives the program.
  template <class Read> ProgramText(Read read, std::string name, std::string text) {
    program = read(sources.addText(std::move(name), std::move(text)), sources, diags, builtinRegistry().ops);
  }
  /// As `.rwir`; what is wrong otherwise.
  std::string print() { return program ? printProgram(*program) : diags.renderText(); }
  /// "line:column tag: message" of the first error; empty if there is none.
  std::string error() const {
    for (const rw::Diagnostic &d : diags.all())
      if (d.severity == rw::Severity::Error) {
        rw::LineColumn at = sources.lineColumn(d.range.begin);
        return std::to_string(at.line) + ":" + std::to_string(at.column) + " " + d.tag + ": " + d.message;
      }
    return "";
  }
  /// Runs a pipeline; `see`, if it ends well, sees what it did. What is wrong otherwise, or nothing.
  template <class See> std::string runPipeline(const std::string &pipeline, See see) {
    size_t before = diags.errorCount();
    auto done = rw::optimizeProgram(*program, builtinRegistry(), {.pipeline = pipeline}, diags);
    if (done)
      see(*done);
    return diags.errorCount() == before && done ? "" : diags.all().back().message;
  }
};

} // namespace test
