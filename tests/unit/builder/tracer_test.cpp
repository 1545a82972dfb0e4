// Programs recorded by calls: what primitives give, what is active and when, and what becomes of it.
#include "rw/builder/tracer.h"

#include "rw/builtin.h"
#include "rw/interp/evaluate.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"
#include "rw/optimize/optimize.h"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace rw;

namespace {
struct Traced {
  Registry registry;
  std::unique_ptr<Program> program;
  Patches patches;
  Traced() {
    registerAll(registry);
    program = std::make_unique<Program>(registry.ops);
  }
  Context &ctx() { return program->context(); }
  Dim symbol(std::string_view name) { return ctx().dims().symbol(ctx().intern(name)); }
};
GraphValue twice(Tracer &t, std::span<const GraphValue> in, std::span<const GraphAttr>) {
  return t.value("add", {in[0], in[0]});
}
GraphValue negated(Tracer &t, std::span<const GraphValue> in, std::span<const GraphAttr>) {
  return t.value("neg", {in[0]});
}
} // namespace

TEST_CASE("abstract evaluation keeps symbols and records nothing") {
  Traced traced;
  Context &ctx = traced.ctx();
  Dim b = traced.symbol("b");
  const TensorSpec x{DType::F32, {b, Dim(3)}};
  const std::vector<GraphAttr> axes{{"axes", ctx.intsAttr({1})}};
  for (int again = 0; again < 2; ++again) {
    AbstractResult sum = abstractEval(ctx, "reduce_sum", {{x}}, axes);
    REQUIRE(sum);
    REQUIRE(sum.types.size() == 1);
    CHECK(ctx.typeToString(sum.types[0]) == "f32[b]");
  }
  CHECK(traced.program->functions().empty());
  Dims flat{ctx.dims().mul(b, Dim(3))};
  AbstractResult reshaped = abstractEval(ctx, "reshape", {{x}}, {{"new_sizes", ctx.dimsAttr(flat)}});
  REQUIRE(reshaped);
  CHECK(ctx.typeToString(reshaped.types[0]) == "f32[b*3]");
  AbstractResult top = abstractEval(ctx, "top_k", {{x}}, {{"k", ctx.intAttr(2)}});
  REQUIRE(top.types.size() == 2);
  CHECK(ctx.typeToString(top.types[1]) == "i32[b, 2]");
  AbstractResult pooled =
      abstractEval(ctx, "reduce_window_max", {{{DType::F32, {b, Dim(8)}}}},
                   {{"window_dimensions", ctx.intsAttr({1, 2})}, {"window_strides", ctx.intsAttr({1, 2})}});
  REQUIRE(pooled);
  CHECK(ctx.typeToString(pooled.types[0]) == "f32[b, 4]");
  CHECK(abstractEval(ctx, "reduce_sum", {{x}}, {{"axes", ctx.intsAttr({2})}}).error ==
        "reduce_sum: axes must be different ones of 0..2");
  CHECK(abstractEval(ctx, "sin", {{{DType::I32, {b}}}}).error ==
        "sin: the operand must be of floats or complex numbers, not i32");
  CHECK(abstractEval(ctx, "sinn", {{x}}).error.starts_with("no op named `jax.sinn`"));
}

TEST_CASE("what is active, and what was before") {
  Traced traced;
  Tracer t(traced.program->addFunction("main"), traced.patches);
  GraphValue x = t.input("x", {DType::F32, {Dim(2)}});
  CHECK(
      t.call("f", {x}).error() ==
      "nothing is active that is called `f`: an ActivationScope that says what it becomes must live around the trace");
  auto opOf = [&](const GraphValue &v) {
    return v ? std::string(v.value().definingOp().fullName()) : std::string(v.error());
  };
  {
    ActivationScope outer(traced.patches, {{"f", twice}});
    CHECK(opOf(t.call("f", {x})) == "jax.add");
    {
      ActivationScope inner(traced.patches, {{"f", negated}, {"g", twice}, {"g", negated}});
      CHECK(opOf(t.call("f", {x})) == "jax.neg");
      CHECK(opOf(t.call("g", {x})) == "jax.neg");
    }
    CHECK(opOf(t.call("f", {x})) == "jax.add");
    CHECK(traced.patches.find("g") == nullptr);
    // An exception, as one that a binding throws, leaves nothing active.
    auto throws = [&](Tracer &, std::span<const GraphValue>, std::span<const GraphAttr>) -> GraphValue {
      throw std::runtime_error("no");
    };
    CHECK_THROWS([&] {
      ActivationScope inner(traced.patches, {{"f", throws}});
      t.call("f", {x});
    }());
    CHECK(opOf(t.call("f", {x})) == "jax.add");
    // Nor does an error value.
    auto early = [&]() -> GraphValue {
      ActivationScope inner(traced.patches, {{"f", [](Tracer &tr, std::span<const GraphValue>,
                                                      std::span<const GraphAttr>) { return tr.fail("not today"); }}});
      return t.call("f", {x});
    };
    CHECK(early().error() == "not today");
    CHECK(opOf(t.call("f", {x})) == "jax.add");
  }
  CHECK(traced.patches.find("f") == nullptr);
}

TEST_CASE("errors: nothing of a layer that fails is left, and a name that is its own layer ends") {
  Traced traced;
  Function &fn = traced.program->addFunction("main");
  Tracer t(fn, traced.patches);
  GraphValue x = t.input("x", {DType::F32, {Dim(2)}});
  auto half = [](Tracer &tr, std::span<const GraphValue> in, std::span<const GraphAttr>) {
    GraphValue y = tr.value("sin", {in[0]});
    return tr.value("add", {y, tr.value("iota", {},
                                        {{"shape", tr.context().dimsAttr(Dims{Dim(3)})},
                                         {"dtype", tr.context().dtypeAttr(DType::F32)}})});
  };
  ActivationScope active(
      traced.patches,
      {{"half", half}, {"loop", [](Tracer &tr, std::span<const GraphValue> in, std::span<const GraphAttr>) {
                          return tr.call("loop", {in[0]});
                        }}});
  GraphValue y = t.call("half", {x});
  CHECK(y.error() == "add: shapes [2] and [3] do not go together");
  CHECK(fn.liveOps() == 0);
  CHECK(t.call("loop", {x}).error() == "`loop` is called by what it becomes, again and again");
  CHECK(t.call("half", {y}).error() == "add: shapes [2] and [3] do not go together");
  CHECK(t.finish({y}).error() == "result 1: add: shapes [2] and [3] do not go together");
  CHECK(t.scalar(0.5, DType::I32).error() == "scalar: 0.5 is no element of i32");
  CHECK(t.dimAsValue(Dim::unknown()).error() == "dim_as_value: the size is not known");
}

TEST_CASE("a mean over a batch of any size: the size is a value") {
  Traced traced;
  Context &ctx = traced.ctx();
  Dim b = traced.symbol("b");
  {
    ActivationScope active(traced.patches,
                           {{"mean", [](Tracer &tr, std::span<const GraphValue> in, std::span<const GraphAttr>) {
                               GraphValue sum = tr.value("reduce_sum", {in[0]}, {{"axes", tr.context().intsAttr({0})}});
                               GraphValue n = tr.value("convert_element_type", {tr.dimAsValue(in[0].dims()[0])},
                                                       {{"new_dtype", tr.context().dtypeAttr(DType::F32)}});
                               return tr.value("div", {sum, n});
                             }}});
    Tracer t(traced.program->addFunction("main"), traced.patches);
    GraphValue x = t.input("x", {DType::F32, {b, Dim(2)}});
    REQUIRE(t.finish({t.call("mean", {x}), t.dimAsValue(Dim(7))}));
  }
  CHECK(printProgram(*traced.program) == R"(func @main(%x: f32[b, 2]) -> (f32[2], i32[]) {
  %0 = jax.reduce_sum(%x) {axes = [0]} : f32[2]
  %1 = jax.dim_as_value() {dim = b, dtype = i32} : i32[]
  %2 = jax.convert_element_type(%1) {new_dtype = f32} : f32[]
  %3 = jax.div(%0, %2) : f32[2]
  %4 = jax.dim_as_value() {dim = 7, dtype = i32} : i32[]
  return %3, %4
}
)");
  SourceManager sources;
  Diagnostics diags(sources);
  CHECK(verifyProgram(*traced.program, diags));
  auto done = optimizeProgram(*traced.program, traced.registry, {.pipeline = "jax_to_stablehlo"}, diags);
  REQUIRE_MESSAGE(done, diags.renderText());
  REQUIRE_MESSAGE(!diags.hasErrors(), diags.renderText());
  Tensor input = *Tensor::make(DType::F32, {4, 2});
  for (int i = 0; i < 8; ++i)
    input.mutableData<float>()[i] = float(i);
  EvalResult result = evaluate(*traced.program->function("main"), {{input}});
  REQUIRE_MESSAGE(result.ok, result.error);
  CHECK(result.values[0].data<float>()[0] == 3);
  CHECK(result.values[0].data<float>()[1] == 4);
  CHECK(result.values[1].intAt(0) == 7);
  (void)ctx;
}
