// The graph builder: what it emits, what it refuses, and that a refusal emits nothing.
#include "builder_fixture.h"

#include "rw/interp/evaluate.h"
#include "rw/rewrite/greedy_driver.h"

#include <cmath>

using namespace rw;
using rw::test::BuilderFixture;

namespace {

/// The softmax of the founding documents, written with the builder.
GraphValue softmax(const GraphValue &x, int64_t axis) {
  GraphValue shifted = x.sub(x.reduceMax({axis}, true).broadcastLike(x));
  GraphValue exp = shifted.exp();
  return exp.div(exp.reduceSum({axis}, true).broadcastLike(x));
}

TEST_CASE_FIXTURE(BuilderFixture, "softmax is the program it reads as") {
  GraphValue x = f32("x", {symbol("B"), Dim(3)});
  GraphValue y = g.capture([&](GraphBuilder &) { return softmax(x, 1); });
  CHECK(g.finish({y}));
  CHECK(text() == R"(func @main(%x: f32[B, 3]) -> f32[B, 3] {
  %0 = tensor.reduce_max(%x) {axes = [1], keepdims = true} : f32[B, 1]
  %1 = tensor.broadcast(%0) {shape = [B, 3]} : f32[B, 3]
  %2 = tensor.sub(%x, %1) : f32[B, 3]
  %3 = tensor.exp(%2) : f32[B, 3]
  %4 = tensor.reduce_sum(%3) {axes = [1], keepdims = true} : f32[B, 1]
  %5 = tensor.broadcast(%4) {shape = [B, 3]} : f32[B, 3]
  %6 = tensor.div(%3, %5) : f32[B, 3]
  return %6
}
)");
  verifies();
}

TEST_CASE_FIXTURE(BuilderFixture, "softmax computes what the softmax op computes") {
  GraphValue x = f32("x", {Dim(2), Dim(3)});
  GraphValue whole = g.emit("softmax", {x}, {{"axis", ctx().intAttr(1)}}).intoValue();
  REQUIRE(g.finish({softmax(x, 1), whole}));
  Tensor in = *Tensor::make(DType::F32, {2, 3});
  for (size_t i = 0; i < 6; ++i)
    in.mutableData<float>()[i] = float(i * i) - 3;
  EvalResult r = evaluate(fn, std::vector<Tensor>{in});
  REQUIRE_MESSAGE(r.ok, r.error);
  for (size_t i = 0; i < 6; ++i)
    CHECK(std::abs(r.values[0].data<float>()[i] - r.values[1].data<float>()[i]) < 1e-6f);
}

TEST_CASE_FIXTURE(BuilderFixture, "what is known of a value") {
  GraphValue x = f32("x", {symbol("B"), Dim(3)});
  CHECK(x.dtype() == DType::F32);
  CHECK(x.rank() == 2);
  CHECK(x.dims()[0] == symbol("B"));
  CHECK(x.dims()[1] == Dim(3));
  CHECK(x.error() == "");
  GraphValue unranked = g.import(fn.addParam(ctx().unrankedType(DType::F32)));
  CHECK(unranked.rank() == std::nullopt);
  CHECK(unranked.dims().empty());
  CHECK(GraphValue().dtype() == DType::Unknown);
  CHECK(GraphValue().rank() == std::nullopt);
  CHECK(GraphValue().error() == "there is no value");
}

TEST_CASE_FIXTURE(BuilderFixture, "element types must agree and be numbers") {
  GraphValue x = f32("x", {Dim(2)}), i = g.param("i", {DType::I32, {Dim(2)}}),
             b = g.param("b", {DType::Bool, {Dim(2)}});
  wants(x.add(i), "add: the operands are f32 and i32; cast one of them");
  wants(b.mul(b), "mul: needs numbers, not bool");
  wants(i.exp(), "exp: needs a float or complex element type, not i32; cast it first");
  wants(b.reduceMax({0}, false), "reduce_max: bool has no greatest element");
  wants(b.reduceSum({0}, false), "reduce_sum: needs numbers, not bool");
  wants(x.cast(DType::Unknown), "cast: the element type to cast to is not known");
  wants(x.dotGeneral(i, DotDims({}, {0}, {0})), "dot_general: the operands are f32 and i32; cast one of them");
  GraphValue unknown = g.import(fn.addParam(ctx().unknownType()));
  wants(x.sub(unknown), "sub: the element type of an operand (?) is not known; state it by importSpec");
  GraphValue tuple = g.import(fn.addParam(ctx().tupleType(std::vector<TypeId>{x.value().typeId()})));
  wants(tuple.exp(), "exp: an operand is (f32[2]), not a tensor");
}

TEST_CASE_FIXTURE(BuilderFixture, "axes lie within the rank") {
  GraphValue x = f32("x", {Dim(2), Dim(3)});
  wants(x.reduceMax({2}, true), "reduce_max: axis 2 lies outside 0..2 of f32[2, 3]");
  wants(x.reduceSum({-1}, true), "reduce_sum: axis -1 lies outside 0..2 of f32[2, 3]");
  wants(x.reduceSum({1, 1}, true), "reduce_sum: axis 1 is named twice");
  GraphValue unranked = g.import(fn.addParam(ctx().unrankedType(DType::F32)));
  wants(unranked.reduceSum({0}, true),
        "reduce_sum: the rank of an operand (f32[*]) is not known; state it by importSpec");
  CHECK(x.reduceSum({}, false));
}

TEST_CASE_FIXTURE(BuilderFixture, "shapes broadcast") {
  GraphValue x = f32("x", {Dim(2), Dim(3)}), y = f32("y", {Dim(2)}), row = f32("row", {Dim(3)}),
             one = f32("one", {Dim(1)});
  wants(x.div(y), "div: f32[2, 3] and f32[2] do not broadcast: dimension 1 from the end is 3 and 2");
  wants(y.broadcastLike(x), "broadcast: f32[2] does not stretch to the shape of f32[2, 3]");
  wants(x.broadcastLike(row), "broadcast: f32[2, 3] does not stretch to the shape of f32[3]");
  GraphValue open = g.import(fn.addParam(ctx().tensorType(DType::F32, {Dim::unknown()})));
  wants(one.broadcastLike(open), "broadcast: f32[?] has a dimension that is not known");
  CHECK(x.add(row).dims().size() == 2);
  CHECK(one.broadcastLike(x).dims()[0] == Dim(2));
}

TEST_CASE_FIXTURE(BuilderFixture, "a dot product checks batch and contracted dimensions") {
  GraphValue l = f32("l", {Dim(5), Dim(2), Dim(3)}), r = f32("r", {Dim(5), Dim(3), Dim(4)});
  wants(l.dotGeneral(r, DotDims({0}, {3}, {1})), "dot_general: lhs dimension 3 lies outside 0..3 of f32[5, 2, 3]");
  wants(l.dotGeneral(r, DotDims({0}, {2}, {-1})), "dot_general: rhs dimension -1 lies outside 0..3 of f32[5, 3, 4]");
  wants(l.dotGeneral(r, DotDims({0}, {0}, {1})), "dot_general: lhs dimension 0 is named twice");
  wants(l.dotGeneral(r, DotDims({0}, {2}, {})), "dot_general: 1 contracted dimensions of lhs and 0 of rhs");
  wants(l.dotGeneral(r, DotDims({0}, {1}, {1})), "dot_general: contracted dimensions differ: lhs 1 is 2, rhs 1 is 3");
  wants(l.dotGeneral(r, DotDims({0}, {1}, {}, {})), "dot_general: batch dimensions differ: lhs 0 is 5, rhs 1 is 3");
  wants(l.dotGeneral(r, DotDims({0}, {2}, {1}), {.accumDtype = DType::Bool}), "dot_general: cannot compute in bool");
  GraphValue y = l.dotGeneral(r, DotDims({0}, {2}, {1}));
  REQUIRE(y);
  CHECK(fn.liveOps() == 1);
  CHECK(ctx().typeToString(y.value().typeId()) == "f32[5, 2, 4]");
}

TEST_CASE_FIXTURE(BuilderFixture, "a dot product may accumulate in another element type") {
  GraphValue l = g.param("l", {DType::F16, {Dim(2), Dim(3)}}), r = g.param("r", {DType::F16, {Dim(3), Dim(4)}});
  GraphValue back = l.dotGeneral(r, DotDims({}, {1}, {0}), {.accumDtype = DType::F32});
  CHECK(back.dtype() == DType::F16);
  CHECK(fn.liveOps() == 4);
  GraphValue wide = l.dotGeneral(r, DotDims({}, {1}, {0}), {.accumDtype = DType::F32, .outDtype = DType::F32});
  CHECK(wide.dtype() == DType::F32);
  CHECK(fn.liveOps() == 7);
  CHECK(l.dotGeneral(r, DotDims({}, {1}, {0}), {.accumDtype = DType::F16, .outDtype = DType::F16}));
  CHECK(fn.liveOps() == 8);
  REQUIRE(g.finish({back, wide}));
  verifies();
}

TEST_CASE_FIXTURE(BuilderFixture, "a dot product may conjugate its operands, which real numbers are by themselves") {
  GraphValue l = g.param("l", {DType::C64, {Dim(2), Dim(3)}}), r = g.param("r", {DType::C64, {Dim(3), Dim(4)}});
  GraphValue both = l.dotGeneral(r, DotDims({}, {1}, {0}), {.conjugateLhs = true, .conjugateRhs = true});
  REQUIRE(both);
  CHECK(fn.liveOps() == 3);
  GraphValue one = l.dotGeneral(r, DotDims({}, {1}, {0}), {.conjugateRhs = true});
  CHECK(fn.liveOps() == 5);
  Op dot = one.value().definingOp();
  CHECK(dot.operand(0) == l.value());
  CHECK(dot.operand(1).definingOp().fullName() == "tensor.conj");
  GraphValue x = f32("x", {Dim(2), Dim(3)}), y = f32("y", {Dim(3), Dim(4)});
  CHECK(x.dotGeneral(y, DotDims({}, {1}, {0}), {.conjugateLhs = true}));
  CHECK(fn.liveOps() == 6);
  REQUIRE(g.finish({both, one}));
  verifies();
}

TEST_CASE_FIXTURE(BuilderFixture, "an error goes through whatever is built from it") {
  GraphValue x = f32("x", {Dim(2), Dim(3)});
  GraphValue bad = x.reduceMax({7}, true);
  std::string why(bad.error());
  wants(softmax(x, 7), why);
  wants(x.add(bad).exp().reduceSum({0}, false).broadcastLike(x).cast(DType::F64), why);
  wants(bad.dotGeneral(x, DotDims({}, {0}, {0})), why);
  wants(x.dotGeneral(bad, DotDims({}, {0}, {0})), why);
  wants(x.broadcastLike(bad), why);
  wants(g.emit("add", {x, bad}).intoValue(), why);
  wants(g.emit("add", {x, bad}).tupleElement(0), why);
  CHECK(g.finish({x, bad}).error() == "result 2: " + why);
  CHECK(g.finish({GraphValue()}).error() == "result 1: there is no value");
}

TEST_CASE_FIXTURE(BuilderFixture, "capture keeps all or nothing") {
  GraphValue x = f32("x", {Dim(2), Dim(3)});
  GraphValue kept = x.exp();
  GraphValue y = g.capture([&](GraphBuilder &) { return kept.add(x.exp()).reduceSum({5}, true); });
  wants(y, "reduce_sum: axis 5 lies outside 0..2 of f32[2, 3]", 1);
  CHECK(g.capture([&](GraphBuilder &) { return kept.add(x); }));
  CHECK(fn.liveOps() == 2);
}

TEST_CASE_FIXTURE(BuilderFixture, "any op is emitted by name, checked by its declaration") {
  GraphValue x = f32("x", {Dim(2), Dim(3)});
  auto perm = [&](std::initializer_list<int64_t> p) { return ctx().intsAttr(p); };
  wants(g.emit("tranpose", {x}).intoValue(), "no op named `tensor.tranpose`; did you mean `tensor.transpose`?");
  wants(g.emit("add", {x}).intoValue(), "add: takes 2 operands, not 1");
  wants(g.emit("concat", {}).intoValue(), "concat: concat needs an operand");
  wants(g.emit("transpose", {x}).intoValue(), "transpose: needs the attribute `perm`");
  wants(g.emit("transpose", {x}, {{"pern", perm({1, 0})}}).intoValue(),
        "transpose: has no attribute `pern`; did you mean `perm`?");
  wants(g.emit("transpose", {x}, {{"perm", ctx().intAttr(1)}}).intoValue(),
        "transpose: attribute `perm` must be a list of whole numbers");
  wants(g.emit("transpose", {x}, {{"perm", perm({1, 0})}, {"perm", perm({0, 1})}}).intoValue(),
        "transpose: attribute `perm` is given twice");
  wants(g.emit("transpose", {x}, {{"perm", AttrId()}}).intoValue(), "transpose: attribute `perm` has no value");
  wants(g.emit("transpose", {x}, {{"perm", perm({1, 1})}}).intoValue(),
        "transpose: perm must be a permutation of 0..2");
  wants(g.emit("t.cond", {x}).intoValue(), "cond: the op holds regions; write it as a text snippet");
  wants(g.emit("exp", {g.absent()}).intoValue(), "exp: operand `x` cannot be left out");
  GraphValue t = g.emit("tensor.transpose", {x}, {{"perm", perm({1, 0})}}).intoValue();
  REQUIRE(t);
  CHECK(t.dims()[0] == Dim(3));
  GraphValue joined = g.emit("concat", {x, x}, {{"axis", ctx().intAttr(1)}}).intoValue();
  REQUIRE(joined);
  CHECK(joined.dims()[1] == Dim(6));
  CHECK(g.emit("onnx.Clip", {x, g.absent(), g.absent()}).intoValue());
}

TEST_CASE_FIXTURE(BuilderFixture, "values come from this function") {
  Function &other = program.addFunction("other");
  Value foreign = other.addParam(ctx().tensorType(DType::F32, {Dim(2)}));
  wants(g.import(foreign), "import: the value is none of this function");
  wants(g.import(Value()), "import: the value is none of this function");
  wants(g.importSpec("w", foreign, {DType::F32, {Dim(2)}}), "import: `w` is no value of this function");
  GraphValue x = f32("x", {Dim(2)}), gone = x.exp();
  fn.erase(gone.value().definingOp().id);
  wants(gone.exp(), "exp: operand 1 is a value of another function, or of an op that was erased");
  CHECK(g.finish({gone}).error() == "result 1: a value of another function, or of an op that was erased");
}

TEST_CASE_FIXTURE(BuilderFixture, "importSpec states what is known of a value") {
  Value open = fn.addParam(ctx().unrankedType(DType::F32));
  Value made = OpBuilder(fn, fn.body())
                   .createTyped(ctx().ops().lookup("tensor.exp"), std::vector<ValueId>{open.id}, ctx().noAttrs(),
                                std::vector<TypeId>{ctx().unrankedType(DType::F32)})
                   .result();
  GraphValue spec = g.importSpec("made", made, {DType::F32, {Dim(2), Dim(3)}});
  REQUIRE(spec);
  CHECK(spec.rank() == 2);
  CHECK(ctx().text(fn.valueName(made.id)) == "made");
  wants(g.importSpec("made", made, {DType::I8, {Dim(2), Dim(3)}}),
        "import: `made` is stated as i8[2, 3] but is f32[2, 3]", 1);
  wants(g.importSpec("open", open, {DType::F32, {Dim(2)}}),
        "import: `open` is stated as f32[2], which the parameter's type f32[*] does not say", 1);
}

TEST_CASE_FIXTURE(BuilderFixture, "parameters have roles") {
  GraphValue w = g.param("w", {DType::F32, {Dim(2)}}, {.role = ParamRole::Param, .stableId = 7});
  wants(g.param("x", {DType::F32, {}}, {.stableId = 7}), "param: `x` is no model parameter but is given an id");
  REQUIRE(g.finish({w}));
  CHECK(text() == "func @main(%w: param(7) f32[2]) -> f32[2] {\n  return %w\n}\n");
  CHECK(g.finish({w}).error() == "finish: the function has ended already");
}

TEST_CASE_FIXTURE(BuilderFixture, "constants") {
  float one = 1;
  GraphValue x = f32("x", {Dim(2)});
  GraphValue c = g.constant(ctx().splatAttr(ctx().tensorType(DType::F32, {Dim(2)}), std::as_bytes(std::span(&one, 1))));
  REQUIRE(c);
  CHECK(c.value().constant());
  CHECK(x.mul(c));
  wants(g.constant(ctx().intAttr(1)), "constant: the attribute is no dense tensor", 2);
  GraphBuilder nothing(fn, "nothing");
  wants(nothing.constant(ctx().splatAttr(x.value().typeId(), std::as_bytes(std::span(&one, 1)))),
        "constant: the dialect `nothing` has no constant op", 2);
}

TEST_CASE_FIXTURE(BuilderFixture, "results are taken one by one") {
  GraphValue x = f32("x", {Dim(2)});
  GraphResults one = g.emit("exp", {x});
  REQUIRE(one);
  CHECK(one.size() == 1);
  CHECK(one.tupleElement(0));
  CHECK(one.tupleElement(1).error() == "there is no result 1: there are 1");
  GraphResults two = g.emit("t.split", {x}, {{"axis", ctx().intAttr(0)}}, 2);
  REQUIRE(two.size() == 2);
  CHECK(two.intoValue().error() == "there are 2 results, not one: take them by tupleElement");
  CHECK(two.tupleElement(1).id() == two.tupleElement(0).value().definingOp().result(1).id);
  GraphResults svd = g.emit("svd", {f32("a", {Dim(4), Dim(3)})});
  REQUIRE_MESSAGE(svd, std::string(svd.error()));
  REQUIRE(svd.size() == 3);
  CHECK(svd.tupleElement(1).dims().size() == 1);
  GraphResults tuple = g.emit("tuple", {x, svd.tupleElement(0)});
  REQUIRE_MESSAGE(tuple, std::string(tuple.error()));
  CHECK(tuple.tupleElement(1).value().typeId() == svd.tupleElement(0).value().typeId());
  CHECK(tuple.tupleElement(2).error() == "there is no element 2 in a tuple of 2");
  CHECK(GraphResults().error() == "there are no results");
  CHECK_FALSE(GraphResults().intoValue());
}

TEST_CASE_FIXTURE(BuilderFixture, "ops go before a place") {
  GraphValue x = f32("x", {Dim(2)});
  GraphValue y = x.exp();
  REQUIRE(g.finish({y}));
  GraphBuilder before(y.value().definingOp());
  GraphValue z = before.import(x.value()).add(before.import(x.value()));
  REQUIRE(z);
  CHECK(z.value().definingOp().isBefore(y.value().definingOp()));
  CHECK(before.finish({z}).error() == "finish: this builder adds to a function and does not end it");
}

/// A pattern that builds with the builder (what it computes is beside the point).
struct ReluToExp final : MultiOpPattern {
  explicit ReluToExp(const OpRegistry &ops) : MultiOpPattern({.name = "ReluToExp"}, {ops.lookup("tensor.relu")}) {}
  bool matchAndRewrite(Op root, PatternRewriter &rw) const override {
    GraphBuilder g(rw.function(),
                   [&](KindId kind, std::span<const ValueId> operands, AttrsId attrs, std::span<const TypeId> types) {
                     return rw.createTyped(kind, operands, attrs, types);
                   });
    GraphValue x = g.import(root.operand(0)), y = x.exp().add(x);
    return y ? rw.replaceOp(root, y.value()) : rw.abandon();
  }
};

TEST_CASE_FIXTURE(BuilderFixture, "a pattern builds through its rewriter") {
  GraphValue x = f32("x", {Dim(2)}), i = g.param("i", {DType::I32, {Dim(2)}});
  GraphValue y = g.emit("relu", {x}).intoValue(), j = g.emit("relu", {i}).intoValue();
  REQUIRE(g.finish({y, j}));
  PatternSet set(rw::test::builtins().ops);
  set.add<ReluToExp>();
  GreedyRewriteConfig config;
  config.expensiveChecks = true;
  RewriteResult r = applyPatternsGreedily(fn, std::move(set).freeze(), config);
  CHECK(r.converged);
  CHECK(r.rewrites == 1); // the integer one is refused
  CHECK(r.checkFailure == "");
  CHECK(text().find("tensor.exp(%x)") != std::string::npos);
  CHECK(text().find("tensor.relu(%i)") != std::string::npos);
}

} // namespace
