// Several functions of a program worked on at once: what comes out is what comes out of one thread, byte for byte.
#include "../support/builtin_passes.h"
#include "onnx_programs.h"
#include "rw/ir/context_transfer.h"
#include "rw/ir/printer.h"

#include <doctest/doctest.h>

using namespace rw;

namespace {

void addFunctions(Program &program, uint64_t seed, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    test::OnnxPrograms(program, test::builtins().ops, seed * 100 + i);
    if (i)
      program.functions().back().setName("f" + std::to_string(i));
  }
}

struct Outcome {
  std::string text;
  bool changed;
  uint64_t rewrites = 0;
  std::vector<std::string> applied;
};

Outcome optimised(std::string_view pipeline, uint64_t seed, unsigned threads) {
  Registry &registry = test::builtins();
  Program program(registry.ops);
  addFunctions(program, seed, 1 + unsigned(seed % 7));
  SourceManager sources;
  Diagnostics diags(sources);
  PassManager manager(registry);
  REQUIRE_MESSAGE(manager.parse(pipeline, sources, diags), diags.renderText());
  InterpreterFolder folder;
  PassManagerOptions options;
  options.rewriteConfig.folder = &folder;
  options.rewriteConfig.expensiveChecks = false;
  options.threads = threads;
  options.makeFolder = [] { return std::make_unique<InterpreterFolder>(); };
  PassManagerResult result = manager.run(program, options);
  Outcome out{printProgram(program), result.changed};
  for (const PassRecord &record : result.records)
    out.rewrites += record.rewrites;
  for (const PassRecord::PatternUse &use : result.patterns)
    if (use.counters.applied)
      out.applied.push_back(use.name + " " + std::to_string(use.counters.applied));
  std::ranges::sort(out.applied);
  return out;
}

} // namespace

TEST_CASE("functions on several threads become what they become on one") {
  uint64_t rewrites = 0;
  for (const char *pipeline : {"onnx", "onnx_safe", "layout,cse,dce", "cse,lift_constants,layout,unique_names,dce"})
    for (uint64_t seed = 0; seed < 60; ++seed) {
      CAPTURE(pipeline);
      CAPTURE(seed);
      const Outcome one = optimised(pipeline, seed, 1), four = optimised(pipeline, seed, 4);
      REQUIRE(one.text == four.text);
      CHECK(one.changed == four.changed);
      CHECK(one.rewrites == four.rewrites);
      CHECK(one.applied == four.applied);
      rewrites += one.rewrites;
    }
  CHECK(rewrites > 500);
}

TEST_CASE("a function over another context is the same text, and back again the same ids") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Program program(test::builtins().ops);
    test::RandomPrograms(seed).addFunction(program, "main", {.ops = 40});
    const Function &fn = program.functions().front();
    Program apart(test::builtins().ops);
    apart.functions().push_back(ContextTransfer(program.context(), apart.context()).copy(fn));
    REQUIRE(printProgram(apart) == printProgram(program));
    Function back = ContextTransfer(apart.context(), program.context()).copy(apart.functions().front());
    for (uint32_t i = 0; i < fn.opCapacity(); ++i)
      REQUIRE(back.data(OpId(i)).attrs == fn.data(OpId(i)).attrs);
    for (uint32_t i = 0; i < fn.valueCapacity(); ++i)
      REQUIRE(back.data(ValueId(i)).type == fn.data(ValueId(i)).type);
  }
}
