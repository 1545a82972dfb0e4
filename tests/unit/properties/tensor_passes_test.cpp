// Random programs of the tensor dialect through its passes and pipelines, plain ones and ones full of contractions:
// they verify, compute the same bit for bit, tell truthfully whether they changed something, change nothing the second
// time, and keep results.
#include "../support/builtin_passes.h"
#include "../support/tensor_programs.h"
#include "rw/interp/compare.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"

#include <doctest/doctest.h>

using namespace rw;
using test::runPipeline;

namespace {
/// What one pipeline did over many programs.
struct TensorTally {
  uint64_t rewrites = 0, compared = 0;
  std::vector<std::string> patterns; // that applied
};

void checkOracles(const char *pipeline, uint64_t seed, const test::TensorProgramOptions &options, TensorTally &tally) {
  CAPTURE(std::string(pipeline));
  CAPTURE(seed);
  Program program(test::builtins().ops);
  test::TensorPrograms(program, test::builtins().ops, seed, options);
  SourceManager sources;
  Diagnostics diags(sources);
  std::string text = printProgram(program);
  CAPTURE(text);
  REQUIRE_MESSAGE(verifyProgram(program, diags), diags.renderText());
  Program before = program.clone();

  PassManagerResult result = runPipeline(program, pipeline);
  for (const PassRecord &record : result.records) {
    INFO(record.message);
    REQUIRE_FALSE(record.failed);
    tally.rewrites += record.rewrites;
  }
  for (const PassRecord::PatternUse &use : result.patterns)
    if (use.counters.applied && std::ranges::find(tally.patterns, use.name) == tally.patterns.end())
      tally.patterns.push_back(use.name);
  std::string once = printProgram(program);
  CAPTURE(once);
  CHECK(result.changed == (once != text));
  REQUIRE_MESSAGE(verifyProgram(program, diags), diags.renderText());

  Function &was = *before.function("main"), &is = *program.function("main");
  Op a = was.terminator(was.body()), b = is.terminator(is.body());
  REQUIRE(a.operandCount() == b.operandCount());
  for (unsigned k = 0; k < a.operandCount(); ++k)
    CHECK(a.operand(k).typeId() == b.operand(k).typeId());
  REQUIRE(was.params(was.body()).size() == is.params(is.body()).size());
  Comparison c = compareFunctions(was, is, 3, 0, seed + 1);
  INFO(c.text);
  REQUIRE(c.outcome != Comparison::Differ);
  tally.compared += c.outcome == Comparison::Agree;

  CHECK_FALSE(runPipeline(program, pipeline).changed);
  CHECK(printProgram(program) == once);
}

bool applied(const TensorTally &tally, std::string_view pattern) {
  return std::ranges::find(tally.patterns, pattern) != tally.patterns.end();
}
} // namespace

TEST_CASE("the passes of the tensor dialect keep what random programs compute") {
  for (const char *pipeline : {"canonicalize", "default", "reshape_pairs", "layout", "transpose_pairs", "full",
                               "repeat(4){layout,reshape_pairs,canonicalize,cse,dce}"}) {
    TensorTally tally;
    for (uint64_t seed = 0; seed < 500; ++seed)
      checkOracles(pipeline, seed, {}, tally);
    CHECK(tally.compared >= 480);
    if (std::string_view(pipeline) == "canonicalize") // the programs do give each family work
      for (const char *pattern :
           {"DropNoOpCast_tensor", "MergeCasts_tensor", "DropNoOpBroadcast", "MergeBroadcasts", "UnaryThroughBroadcast",
            "MergeReshapes_tensor", "DropIdentityReshape_tensor", "DropFullSlice", "MergeSlicePairs",
            "MergeTransposes_tensor", "DropIdentityTranspose_tensor", "DropPair_neg", "DropPair_not", "DropUnit_mul",
            "DropUnit_div", "DropSubZero_tensor", "DropAddZero_tensor", "DropAddNegativeZero_tensor", "MulByZero"})
        CHECK_MESSAGE(applied(tally, pattern), std::string(pattern));
  }
}

TEST_CASE("the contraction passes keep what random programs compute") {
  test::TensorProgramOptions options{.dtypes = {DType::I32, DType::I8}, .contractions = 45};
  for (const char *pipeline :
       {"dot_dimension_sorter", "transpose_folding", "dot_decomposer", "dot_decomposer_batch_last", "tenferro",
        "tenferro_batch_first", "canonicalize,tenferro,canonicalize", "default,tenferro,default"}) {
    TensorTally tally;
    for (uint64_t seed = 0; seed < 500; ++seed)
      checkOracles(pipeline, seed, options, tally);
    CAPTURE(pipeline);
    CHECK(tally.compared >= 480);
    CHECK(tally.rewrites >= 20);
  }
}
