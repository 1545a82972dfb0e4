// Random programs over arguments and model parameters: hoisting changes nothing that is computed, whatever the program.
//
// Oracles: the program verifies; the evaluator agrees bit for bit, derived parameters evaluated by the store; a second
// run changes nothing; the plan of a program is found again, and that of another one is not.
#include "params_fixture.h"

#include "../support/random_program.h"

#include "rw/interp/compare.h"
#include "rw/passes/plan_cache.h"

#include <algorithm>

using namespace rw;
using rw::test::ParamsFixture;

namespace {

/// A program in which arguments, parameters and what follows from them are mixed at random.
Program makeProgram(uint64_t seed) {
  test::RandomPrograms random(seed);
  Program program(rw::test::builtins().ops);
  Context &ctx = program.context();
  Function &fn = program.addFunction("main");
  TypeId type = ctx.tensorType(DType::F32, {Dim(2), Dim(2)});
  std::vector<Value> values;
  for (uint64_t i = 0; i < 5; ++i)
    values.push_back(
        fn.addParam(type, i < 2 ? ParamInfo{} : ParamInfo{ParamRole::Param, i == 4 ? 0 : i + 1, AttrId()}));
  OpBuilder b(fn, fn.body());
  auto schema = [&](std::string_view name) -> const OpSchema & { return ctx.ops().schema(ctx.ops().lookup(name)); };
  auto any = [&] { return values[random.below(values.size())]; };
  for (size_t i = 0, n = 3 + random.below(25); i < n; ++i)
    switch (random.below(5)) {
    case 0:
      values.push_back(b.create(schema("tensor.transpose"), {any()}, {ctx.intsAttr({1, 0})}).result());
      break;
    case 1:
      values.push_back(b.create(schema(random.chance(50) ? "tensor.neg" : "tensor.abs"), {any()}).result());
      break;
    case 2: {
      float element = float(random.below(3));
      values.push_back(b.createConstant("tensor", ctx.splatAttr(type, std::as_bytes(std::span(&element, 1))), type));
      break;
    }
    default:
      values.push_back(b.create(schema(random.chance(50) ? "tensor.add" : "tensor.max"), {any(), any()}).result());
    }
  std::vector<ValueId> results;
  for (size_t i = 1 + random.below(3); i > 0; --i)
    results.push_back(values[random.below(values.size())].id);
  b.createReturn(results);
  return program;
}

TEST_CASE("hoisting changes nothing that is computed") {
  InterpreterEvaluator evaluator;
  uint64_t derived = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    Program program = makeProgram(seed), before = program.clone();
    Function &was = *before.function("main"), &is = *program.function("main");
    HoistResult r = hoistParams(program, is);
    derived += r.derived;
    SourceManager sources;
    Diagnostics diags(sources);
    REQUIRE_MESSAGE(verifyProgram(program, diags), diags.renderText());
    CHECK(hoistParams(program, is).derived == 0);
    ParamStore store(program, evaluator);
    Comparison c = compareFunctions(was, is, 2, 0, seed, {}, [&](std::vector<Tensor> &inputs) -> Result<void> {
      for (unsigned i = 2; i < 5; ++i)
        if (uint64_t id = is.paramInfo(i).stableId)
          store.set(id, inputs[i].toAttr(program.context()));
      for (unsigned i = 5; i < is.params(is.body()).size(); ++i)
        if (Result<AttrId> value = store.value(is, i))
          inputs.push_back(Tensor::fromAttr(program.context(), *value).value());
        else
          return value.failure();
      return {};
    });
    CHECK_MESSAGE(c.outcome == Comparison::Agree, c.text);
    CHECK(store.evaluations() == 2 * r.functions); // two inputs, each function once for each
  }
  CHECK(derived > 400);
}

TEST_CASE("a plan is found again, and no other program's") {
  PlanCache cache(1000);
  PassManager manager(rw::test::builtins());
  SourceManager sources;
  Diagnostics diags(sources);
  REQUIRE(manager.parse("canonicalize,cse,hoist_params,dce", sources, diags));
  std::vector<std::string> texts; // of the programs that were new
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    std::string text = printProgram(makeProgram(seed));
    bool known = std::find(texts.begin(), texts.end(), text) != texts.end();
    PlanLookup first = optimizeCached(manager, makeProgram(seed), {}, cache);
    CHECK(first.hit == known);
    CHECK(optimizeCached(manager, makeProgram(seed), {}, cache).plan == first.plan);
    texts.push_back(text);
  }
  CHECK(cache.statistics().hits >= 150);
  CHECK(cache.statistics().misses == cache.size());
}

} // namespace
