// Random ONNX programs through every pass of the seed optimizer: they verify, compute the same, tell truthfully whether
// they changed something, change nothing the second time, and never hold more Transposes than before. And how the work
// grows with the program.
#include "../support/builtin_passes.h"
#include "onnx_programs.h"
#include "rw/interp/compare.h"
#include "rw/interp/constant_folder.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"

#include <doctest/doctest.h>

using namespace rw;
using test::runPipeline;

namespace {
uint64_t countOf(Program &program, std::string_view name) {
  uint64_t n = 0;
  Function &fn = *program.function("main");
  for (Op op : fn.ops(fn.body()))
    n += op.fullName() == name;
  return n;
}

void checkOracles(const char *pipeline, uint64_t seed, uint64_t &rewrites, double tolerance = 1e-5) {
  CAPTURE(std::string(pipeline));
  CAPTURE(seed);
  Program program(test::builtins().ops);
  test::OnnxPrograms(program, test::builtins().ops, seed);
  Program before = program.clone();
  std::string text = printProgram(program);
  CAPTURE(text);
  PassManagerResult result = runPipeline(program, pipeline);
  for (const PassRecord &record : result.records) {
    INFO(record.message);
    REQUIRE_FALSE(record.failed);
    rewrites += record.rewrites;
  }
  std::string once = printProgram(program);
  CAPTURE(once);
  CHECK(result.changed == (once != text));
  CHECK(countOf(program, "onnx.Transpose") <= countOf(before, "onnx.Transpose"));
  Comparison c = compareFunctions(*before.function("main"), *program.function("main"), 2, tolerance, seed + 1);
  INFO(c.text);
  REQUIRE(c.outcome == Comparison::Agree);
  CHECK_FALSE(runPipeline(program, pipeline).changed);
  CHECK(printProgram(program) == once);
}

/// `blocks` times Transpose, `chain` elementwise ops, the Transpose back.
void stack(Program &program, unsigned blocks, unsigned chain) {
  Context &ctx = program.context();
  Function &fn = program.addFunction("main");
  Value v = fn.addParam(ctx.tensorType(DType::F32, {Dim(2), Dim(3), Dim(4)}));
  OpBuilder b(fn, fn.body());
  auto schema = [&](const char *name) -> const OpSchema & {
    return test::builtins().ops.schema(test::builtins().ops.lookup(name));
  };
  for (unsigned i = 0; i < blocks; ++i) {
    v = b.create(schema("onnx.Transpose"), {v}, {ctx.intsAttr({1, 2, 0})}).result();
    for (unsigned k = 0; k < chain; ++k)
      v = b.create(schema("onnx.Relu"), {v}).result();
    v = b.create(schema("onnx.Transpose"), {v}, {ctx.intsAttr({2, 0, 1})}).result();
  }
  ValueId result[] = {v.id};
  b.createReturn(result);
}

/// `blocks` times v = T⁻¹(tanh(T(v) + T(w))): all of them read the input w.
void residualStack(Program &program, unsigned blocks) {
  Context &ctx = program.context();
  Function &fn = program.addFunction("main");
  TypeId type = ctx.tensorType(DType::F32, {Dim(2), Dim(3), Dim(4)});
  Value v = fn.addParam(type), w = fn.addParam(type);
  OpBuilder b(fn, fn.body());
  auto schema = [&](const char *name) -> const OpSchema & {
    return test::builtins().ops.schema(test::builtins().ops.lookup(name));
  };
  AttrId there = ctx.intsAttr({1, 2, 0}), back = ctx.intsAttr({2, 0, 1});
  for (unsigned i = 0; i < blocks; ++i) {
    Value x = b.create(schema("onnx.Transpose"), {v}, {there}).result(),
          y = b.create(schema("onnx.Transpose"), {w}, {there}).result();
    Value sum = b.create(schema("onnx.Add"), {x, y}).result();
    v = b.create(schema("onnx.Transpose"), {b.create(schema("onnx.Tanh"), {sum}).result()}, {back}).result();
  }
  ValueId result[] = {v.id};
  b.createReturn(result);
}

/// How often patterns were tried, or those alone whose names begin so; a chain of 0 stands for residual blocks.
uint64_t attempts(const char *pipeline, unsigned blocks, unsigned chain, std::string_view names = "") {
  Program program(test::builtins().ops);
  chain ? stack(program, blocks, chain) : residualStack(program, blocks);
  PassManagerResult result = runPipeline(program, pipeline, false);
  CHECK(countOf(program, "onnx.Transpose") == 0);
  uint64_t tried = 0;
  for (const PassRecord::PatternUse &use : result.patterns)
    tried += std::string_view(use.name).starts_with(names) ? use.counters.tried : 0;
  return tried;
}

/// How many ops are queued when the pairs of stacked blocks are folded one after the other, in each of which a chain
/// stays.
uint64_t queued(unsigned blocks) {
  Program program(test::builtins().ops);
  stack(program, blocks, 1);
  PatternSet set(test::builtins().ops);
  for (const PatternEntry &pattern : test::builtins().patterns.all())
    if (std::ranges::count(pattern.info.labels, "layout_pairs"))
      set.add(pattern.make(test::builtins().ops));
  FrozenPatternSet frozen = std::move(set).freeze();
  InterpreterFolder folder; // what may be folded is visited on the way
  GreedyRewriteConfig config;
  config.folder = &folder;
  RewriteResult result = applyPatternsGreedily(program.functions().front(), frozen, config);
  CHECK(countOf(program, "onnx.Transpose") == 0);
  return result.pushes;
}
} // namespace

TEST_CASE("waves along a chain that grows by every fold are sent on together") {
  CHECK(queued(2000) <= 11 * queued(200));
}

TEST_CASE("the passes for ONNX keep what random programs compute") {
  for (const char *pipeline : {"transpose_pairs", "layout", "transpose_dags", "identity_reshape", "reshape_pairs",
                               "resolve_reshapes", "redundant_casts", "dropout_inference", "lift_constants",
                               "optimize_graph", "simplify", "absorb{fastmath=true}", "onnx", "onnx_safe"}) {
    uint64_t rewrites = 0;
    for (uint64_t seed = 0; seed < 300; ++seed)
      checkOracles(pipeline, seed, rewrites, std::string_view(pipeline) == "onnx_safe" ? 0 : 1e-5);
    CHECK((rewrites >= 20 || std::string_view(pipeline) == "dropout_inference" ||
           std::string_view(pipeline) == "lift_constants" || std::string_view(pipeline) == "identity_reshape" ||
           std::string_view(pipeline) == "absorb{fastmath=true}"));
  }
}

TEST_CASE("2,000 stacked blocks and chains of 10,000 ops take work in proportion") {
  for (const char *pipeline : {"transpose_pairs", "layout"}) {
    uint64_t some = attempts(pipeline, 200, 3), many = attempts(pipeline, 2000, 3);
    CHECK(many <= 11 * some);
    uint64_t shorter = attempts(pipeline, 1, 1000), longer = attempts(pipeline, 1, 10000);
    CHECK(longer <= 11 * shorter);
  }
  uint64_t some = attempts("layout", 100, 0), many = attempts("layout", 1000, 0);
  CHECK(many <= 11 * some);
  // What walks up a chain is not tried again behind each op that a transpose moves below.
  for (const char *pipeline : {"layout", "layout_exact"})
    CHECK(attempts(pipeline, 1, 1000, "Fold") <= 10);
  attempts("transpose_dags", 1, 10000);
  attempts("transpose_dags", 500, 2);
}
