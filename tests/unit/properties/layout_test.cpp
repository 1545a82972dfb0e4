// Random programs through the built-in pipelines: what must hold of every pass whatever the program.
//
// Oracles: the program verifies; the evaluator agrees before and after, bit for bit; the changed flag tells the truth;
//          a
// second run changes nothing; results keep their number and types.
#include "../support/builtin_passes.h"
#include "../support/random_program.h"
#include "rw/interp/compare.h"
#include "rw/ir/builder.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace rw;
using test::runPipeline;

namespace {
/// Programs dense in transposes, elementwise ops, shared values and single elements: what layout patterns look at.
class LayoutPrograms {
public:
  LayoutPrograms(Program &program, uint64_t seed)
      : random_(seed), fn_(program.addFunction("main")), b_(fn_, fn_.body()) {
    Context &ctx = program.context();
    Dim batch = ctx.dims().symbol(ctx.intern("B"));
    std::vector<Dim> dims =
        random_.chance(30) ? std::vector<Dim>{batch, Dim(2), Dim(3)} : std::vector<Dim>{Dim(2), Dim(2), Dim(3)};
    for (unsigned i = 0; i < 2; ++i)
      values_.push_back(fn_.addParam(ctx.tensorType(DType::F32, dims)));
    values_.push_back(fn_.addParam(ctx.tensorType(DType::F32, {Dim(3)})));
    for (size_t i = 0, n = 4 + random_.below(24); i < n; ++i)
      step(ctx);
    std::vector<ValueId> results{values_.back().id};
    for (size_t i = random_.below(3); i > 0; --i)
      results.push_back(values_[random_.below(values_.size())].id);
    b_.createReturn(results);
  }

private:
  const OpSchema &op(std::string_view name) { return test::builtins().ops.schema(test::builtins().ops.lookup(name)); }
  Value any() { // the newest more often than not, so that chains grow
    return random_.chance(60) ? values_.back() : values_[random_.below(values_.size())];
  }
  void step(Context &ctx) {
    Value x = any();
    size_t rank = x.type().dims.size(), kind = random_.below(10);
    static const std::string_view unary[] = {"tensor.relu", "tensor.neg", "tensor.abs", "tensor.identity"};
    static const std::string_view binary[] = {"tensor.add", "tensor.mul", "tensor.sub", "tensor.max"};
    if (kind < 5 && rank > 1) {
      std::vector<int64_t> perm(rank);
      for (size_t i = 0; i < rank; ++i)
        perm[i] = int64_t(i);
      for (size_t i = random_.below(8) ? 2 : 0; i > 0; --i)
        std::swap(perm[random_.below(rank)], perm[random_.below(rank)]);
      values_.push_back(b_.create(op("tensor.transpose"), {x}, {ctx.intsAttr(perm)}).result());
    } else if (kind < 7) {
      values_.push_back(b_.create(op(unary[random_.below(4)]), {x}).result());
    } else if (kind < 8) {
      float element = float(random_.below(3)) - 1;
      TypeId type =
          random_.chance(50) ? ctx.tensorType(DType::F32, {}) : ctx.tensorType(DType::F32, {Dim(1), Dim(1), Dim(1)});
      Value c = b_.createConstant("tensor", ctx.splatAttr(type, std::as_bytes(std::span(&element, 1))), type);
      values_.push_back(b_.create(op(binary[random_.below(4)]), {x, c}).result());
    } else {
      std::vector<Value> same;
      for (Value v : values_)
        if (v.typeId() == x.typeId())
          same.push_back(v);
      values_.push_back(b_.create(op(binary[random_.below(4)]), {x, same[random_.below(same.size())]}).result());
    }
  }

  test::RandomPrograms random_;
  Function &fn_;
  OpBuilder b_;
  std::vector<Value> values_;
};

/// Returns how many rewrites the first run made.
uint64_t checkOracles(const char *pipeline, uint64_t seed) {
  CAPTURE(pipeline);
  CAPTURE(seed);
  Program program(test::builtins().ops);
  LayoutPrograms(program, seed);
  Program before = program.clone();
  std::string text = printProgram(program);
  CAPTURE(text);

  PassManagerResult result = runPipeline(program, pipeline);
  SourceManager sources;
  Diagnostics diags(sources);
  REQUIRE_FALSE(result.failed);
  REQUIRE(verifyProgram(program, diags));
  CHECK(result.changed == (printProgram(program) != text));

  Function &was = *before.function("main"), &is = *program.function("main");
  Op a = was.terminator(was.body()), b = is.terminator(is.body());
  REQUIRE(a.operandCount() == b.operandCount());
  for (unsigned k = 0; k < a.operandCount(); ++k)
    CHECK(a.operand(k).typeId() == b.operand(k).typeId());
  Comparison c = compareFunctions(was, is, 3, 0, seed + 1);
  INFO(c.text);
  REQUIRE(c.outcome == Comparison::Agree);

  std::string once = printProgram(program);
  CHECK_FALSE(runPipeline(program, pipeline).changed);
  CHECK(printProgram(program) == once);
  uint64_t rewrites = 0;
  for (const PassRecord &record : result.records)
    rewrites += record.rewrites;
  return rewrites;
}
} // namespace

TEST_CASE("the built-in pipelines keep what random programs compute") {
  for (const char *pipeline : {"transpose_pairs", "layout", "identity_reshape", "default", "cse,dce",
                               "repeat(4){layout,canonicalize,cse,dce}"}) {
    uint64_t rewrites = 0;
    for (uint64_t seed = 0; seed < 1000; ++seed)
      rewrites += checkOracles(pipeline, seed);
    bool layout = std::string_view(pipeline).find("layout") != std::string_view::npos;
    CHECK(rewrites >= (layout ? 1000u : 0u)); // the programs do give the patterns work
  }
}

TEST_CASE("a comparison tells programs apart") { // the oracle itself can fail
  Program program(test::builtins().ops);
  LayoutPrograms(program, 7);
  Program other = program.clone();
  Function &fn = *other.function("main");
  Op end = fn.terminator(fn.body());
  OpBuilder b(fn, end.id);
  Op negated = b.create(test::builtins().ops.schema(test::builtins().ops.lookup("tensor.neg")), {end.operand(0)});
  fn.setOperand(end.id, 0, negated.result().id);
  CHECK(compareFunctions(*program.function("main"), fn, 2, 0).outcome == Comparison::Differ);
  CHECK(compareFunctions(*program.function("main"), *program.function("main"), 2, 0).outcome == Comparison::Agree);
}
