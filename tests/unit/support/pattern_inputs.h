// The programs that built-in patterns are tried on: the inputs of golden tests, and the left sides of `test`s.
//
// In:  a registry with patterns and their tests, folders of golden tests.
// Out: each program that is valid, without dead ops, and the file it comes from.
//
//   test::forEachPatternInput(registry, {"tests/golden/passes"}, [](const std::string &file, Program &program) { … });
#pragma once

#include "golden_file.h"
#include "rw/ir/parser.h"
#include "rw/ir/verifier.h"
#include "rw/passes/dce.h"
#include "rw/passes/pass.h"
#include "rw/testing/run_tests.h"

#include <algorithm>

namespace rw::test {

template <class F>
void forEachPatternInput(const Registry &registry, const std::vector<std::filesystem::path> &folders, const F &visit) {
  auto visitValid = [&](const std::string &file, Program &program, Diagnostics &diags) {
    if (!verifyProgram(program, diags))
      return; // wrong on purpose
    for (Function &fn : program.functions())
      eliminateDeadCode(fn); // which is no rewrite of a pattern
    visit(file, program);
  };
  for (const std::filesystem::path &folder : folders) {
    std::vector<std::filesystem::path> files;
    for (const std::filesystem::directory_entry &entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".golden")
        files.push_back(entry.path());
    std::ranges::sort(files);
    for (const std::filesystem::path &file : files)
      for (const std::string &text : inputsOf(file)) {
        SourceManager sources;
        Diagnostics diags(sources);
        std::unique_ptr<Program> program = parseProgram(sources.addText("in.rwir", text), sources, diags, registry.ops);
        if (program)
          visitValid(file.filename().string(), *program, diags);
      }
  }
  for (const TestEntry &entry : registry.tests()) {
    if (entry.kind != TestEntry::Kind::Pattern)
      continue; // passes and pipelines: of ops that no pattern alone is about
    SourceManager sources;
    Diagnostics diags(sources);
    Program program(registry.ops);
    if (buildTestSide(program, entry, false))
      visitValid(std::string(entry.file) + ":" + std::to_string(entry.line), program, diags);
  }
}

} // namespace rw::test
