// Random ONNX programs of each family of ops through the pipelines for ONNX: they verify and compute the same (bit for
// bit in `onnx_safe`, infinities, NaN and signed zeros among the inputs), never grow, and a second run changes nothing.
#include "../support/builtin_passes.h"
#include "onnx_families.h"
#include "rw/interp/compare.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"

#include <doctest/doctest.h>

using namespace rw;
using test::runPipeline;

namespace {
/// Ops that are no constants.
unsigned work(Program &program) {
  unsigned n = 0;
  Function &fn = *program.function("main");
  for (Op op : fn.ops(fn.body()))
    n += !op.hasTrait(Trait::Constant);
  return n;
}

struct Run {
  const char *pipeline;
  unsigned inputs; // from the third on they hold infinities, NaN and the like
  double tolerance;
};

/// Of many programs.
struct Tally {
  uint64_t rewrites = 0;
  unsigned vacuous = 0; // results that are NaN on all inputs, as of x / x where x is 0
};

void checkOracles(const Run &run, test::OnnxFamily family, uint64_t seed, Tally &tally) {
  CAPTURE(std::string(run.pipeline));
  test::OnnxFamilyPrograms generated(family, seed);
  CAPTURE(generated.text());
  SourceManager sources;
  Diagnostics diags(sources);
  std::unique_ptr<Program> program =
      parseProgram(sources.addText("random.rwir", generated.text()), sources, diags, test::builtins().ops);
  INFO(diags.renderText());
  REQUIRE(program);
  REQUIRE(verifyProgram(*program, diags));
  Program before = program->clone();
  PassManagerResult result = runPipeline(*program, run.pipeline);
  for (const PassRecord &record : result.records) {
    INFO(record.message);
    REQUIRE_FALSE(record.failed);
    tally.rewrites += record.rewrites;
  }
  std::string once = printProgram(*program);
  CAPTURE(once);
  CHECK(work(*program) <= work(before));
  Comparison c =
      compareFunctions(*before.function("main"), *program->function("main"), run.inputs, run.tolerance, seed + 1);
  INFO(c.text);
  REQUIRE((c.outcome == Comparison::Agree || c.outcome == Comparison::Vacuous));
  tally.vacuous += c.outcome == Comparison::Vacuous;
  CHECK_FALSE(runPipeline(*program, run.pipeline).changed);
  CHECK(printProgram(*program) == once);
}
} // namespace

TEST_CASE("the pipelines for ONNX keep what random programs of each family compute") {
  using test::OnnxFamily;
  for (Run run : {Run{"simplify", 4, 0}, Run{"onnx_safe", 4, 0}, Run{"onnx", 2, 1e-4}, Run{"onnx_fast", 2, 1e-4}})
    for (OnnxFamily family : {OnnxFamily::Moves, OnnxFamily::Values, OnnxFamily::Products}) {
      Tally tally;
      for (uint64_t seed = 0; seed < 200; ++seed)
        checkOracles(run, family, seed, tally);
      bool few = family == OnnxFamily::Products && std::string_view(run.pipeline) == "simplify";
      CHECK(tally.rewrites >= (few ? 20u : 100u));
      CHECK(tally.vacuous <= 4);
    }
}
