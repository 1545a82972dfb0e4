// Text snippets: every kind of placeholder where it belongs, every mistake shown at its place, all or nothing.
#include "builder_fixture.h"

#include "rw/builder/text_snippet.h"
#include "rw/rewrite/greedy_driver.h"

using namespace rw;
using rw::test::BuilderFixture;

namespace {

const TextSnippet kReduce("reduce", R"(
  // {{this}} is a comment
  %r = tensor.reduce_sum({{x}}) {axes = {{axes}}, keepdims = {{keep}}, note = "{{text}}"} : f32[{{shape}}, {{one}}]
  %c = tensor.cast(%r) {dtype = {{t}}} : {{t}}[{{shape}}, 1]
  %s = tensor.softmax(%r) {axis = {{axis}}}
  %b = tensor.broadcast(%s) {shape = {{wide}}}
  return %b, %c, {{x}}
)");

SnippetArgs reduceArgs(const GraphValue &x, Dim b) {
  return SnippetArgs()
      .value("x", x)
      .dims("axes", {1})
      .boolean("keep", true)
      .shape("shape", {b})
      .integer("one", 1)
      .dtype("t", DType::F16)
      .integer("axis", 0)
      .shape("wide", {b, Dim(3)});
}

TEST_CASE_FIXTURE(BuilderFixture, "placeholders of every kind, and several results") {
  GraphValue x = f32("x", {symbol("B"), Dim(3)});
  GraphResults r = kReduce.instantiate(g, reduceArgs(x, symbol("B")));
  REQUIRE_MESSAGE(r, std::string(r.error()));
  REQUIRE(r.size() == 3);
  CHECK(r.tupleElement(1).dtype() == DType::F16);
  CHECK(r.tupleElement(2).id() == x.id());
  CHECK(r.tupleElement(3).error() == "there is no result 3: there are 3");
  CHECK(r.intoValue().error() == "there are 3 results, not one: take them by tupleElement");
  GraphResults again = kReduce.instantiate(g, reduceArgs(r.tupleElement(0), symbol("B")));
  REQUIRE_MESSAGE(again, std::string(again.error()));
  REQUIRE(g.finish({again.tupleElement(0), r.tupleElement(1)}));
  CHECK(text() == R"(func @main(%x: f32[B, 3]) -> (f32[B, 3], f16[B, 1]) {
  %0 = tensor.reduce_sum(%x) {axes = [1], keepdims = true, note = "{{text}}"} : f32[B, 1]
  %1 = tensor.cast(%0) {dtype = f16} : f16[B, 1]
  %2 = tensor.softmax(%0) {axis = 0} : f32[B, 1]
  %3 = tensor.broadcast(%2) {shape = [B, 3]} : f32[B, 3]
  %4 = tensor.reduce_sum(%3) {axes = [1], keepdims = true, note = "{{text}}"} : f32[B, 1]
  %5 = tensor.cast(%4) {dtype = f16} : f16[B, 1]
  %6 = tensor.softmax(%4) {axis = 0} : f32[B, 1]
  %7 = tensor.broadcast(%6) {shape = [B, 3]} : f32[B, 3]
  return %7, %1
}
)");
  verifies();
}

TEST_CASE("the names of the placeholders") {
  CHECK(kReduce.placeholders() == std::vector<std::string>{"x", "axes", "keep", "shape", "one", "t", "axis", "wide"});
}

TEST_CASE_FIXTURE(BuilderFixture, "a snippet and the builder write the same program") {
  TextSnippet snippet("softmax", R"(
    %max = tensor.reduce_max({{x}}) {axes = {{axes}}, keepdims = true}
    %max_wide = tensor.broadcast(%max) {shape = {{shape}}}
    %shifted = tensor.sub({{x}}, %max_wide)
    %exp = tensor.exp(%shifted)
    %sum = tensor.reduce_sum(%exp) {axes = {{axes}}, keepdims = true}
    %sum_wide = tensor.broadcast(%sum) {shape = {{ shape }}}
    %softmax = tensor.div(%exp, %sum_wide)
    return %softmax)");
  GraphValue x = f32("x", {Dim(2), Dim(3)});
  GraphResults r =
      snippet.instantiate(g, SnippetArgs().value("x", x).dims("axes", {1}).shape("shape", {Dim(2), Dim(3)}));
  REQUIRE_MESSAGE(r, std::string(r.error()));
  REQUIRE(g.finish({r.intoValue()}));

  Program other(program.sharedContext());
  GraphBuilder h(other.addFunction("main"));
  GraphValue y = h.param("x", {DType::F32, {Dim(2), Dim(3)}});
  GraphValue e = y.sub(y.reduceMax({1}, true).broadcastLike(y)).exp();
  REQUIRE(h.finish({e.div(e.reduceSum({1}, true).broadcastLike(y))}));
  CHECK(text() == printProgram(other));
}

/// What an instantiation that must fail says.
std::string errorOf(BuilderFixture &f, const TextSnippet &snippet, const SnippetArgs &args) {
  size_t ops = f.fn.liveOps();
  GraphResults r = snippet.instantiate(f.g, args);
  CHECK_FALSE(r);
  CHECK(f.fn.liveOps() == ops);
  CHECK(r.intoValue().error() == r.error());
  return std::string(r.error());
}

TEST_CASE_FIXTURE(BuilderFixture, "missing and unused") {
  GraphValue x = f32("x", {Dim(2), Dim(3)});
  TextSnippet sum("sum", "%r = tensor.reduce_sum({{x}}) {axes = {{axes}}}\nreturn %r\n");
  CHECK(errorOf(*this, sum, SnippetArgs().value("x", x)) ==
        R"(sum:1:39: error: nothing is given for `axes` [snippet-missing]
%r = tensor.reduce_sum({{x}}) {axes = {{axes}}}
                                      ^~~~~~~~)");
  CHECK(errorOf(*this, sum, SnippetArgs().value("x", x).dims("axis", {1})) ==
        R"(sum:1:39: error: nothing is given for `axes` [snippet-missing]
%r = tensor.reduce_sum({{x}}) {axes = {{axes}}}
                                      ^~~~~~~~
note: there is an argument `axis`
sum: error: the argument `axis` fills no placeholder; did you mean `axes`? [snippet-unused])");
  CHECK(errorOf(*this, sum, SnippetArgs().value("x", x).dims("axes", {1}).dims("axes", {0})) ==
        "sum: error: the argument `axes` is given twice [snippet-argument]");
}

TEST_CASE_FIXTURE(BuilderFixture, "mistyped: every kind in every wrong place") {
  GraphValue x = f32("x", {Dim(2), Dim(3)});
  struct Case {
    const char *text;
    SnippetArgs args;
    const char *message;
  };
  auto p = [] { return SnippetArgs(); };
  const Case cases[] = {
      {"return {{p}}", p().integer("p", 1), "`p` is an int, but a value stands here"},
      {"return {{p}}", p().shape("p", {Dim(2)}), "`p` is a shape, but a value stands here"},
      {"%r = tensor.exp({{p}})\nreturn %r", p().dtype("p", DType::F32), "`p` is a dtype, but a value stands here"},
      {"%r = tensor.iota() : {{p}}[2]\nreturn %r", p().integer("p", 3), "`p` is an int, but a dtype stands here"},
      {"%r = tensor.iota() : {{p}}[2]\nreturn %r", p().value("p", x), "`p` is a value, but a dtype stands here"},
      {"%r = tensor.iota() : f32[2, {{p}}]\nreturn %r", p().dtype("p", DType::F32),
       "`p` is a dtype, but a shape or an int stands here"},
      {"%r = tensor.iota() : f32[{{p}}]\nreturn %r", p().boolean("p", true),
       "`p` is a bool, but a shape or an int stands here"},
      {"%r = tensor.iota() : f32[{{p}}]\nreturn %r", p().dims("p", {1}),
       "`p` is a list of dimension numbers, but a shape or an int stands here"},
      {"%r = tensor.iota() : ?[{{p}}]\nreturn %r", p().value("p", x),
       "`p` is a value, but a shape or an int stands here"},
      {"%r = t.attrs() {i = {{p}}}\nreturn %r", p().value("p", x), "`p` is a value, but an attribute stands here"},
      {"%r = t.attrs() {is = [1, {{p}}]}\nreturn %r", p().dims("p", {1}),
       "`p` is a list of dimension numbers, but an int, a bool or a dtype stands here"},
  };
  for (const Case &c : cases) {
    CAPTURE(c.text);
    std::string error = errorOf(*this, TextSnippet("s", c.text), c.args);
    CHECK_MESSAGE(error.find(c.message) != std::string::npos, error);
    CHECK_MESSAGE(error.find("[snippet-mistyped]") != std::string::npos, error);
    CHECK_MESSAGE(error.find("^~~~~") != std::string::npos, error);
  }
}

/// A snippet whose placeholder `p` is the attribute `attr`.
TextSnippet withAttr(const std::string &attr) {
  return TextSnippet("s", "%r = t.attrs() {" + attr + " = {{p}}} : f32[2]\nreturn %r");
}

TEST_CASE_FIXTURE(BuilderFixture, "mistyped: attributes of another kind than declared") {
  auto p = [] { return SnippetArgs(); };
  const std::pair<const char *, SnippetArgs> cases[] = {
      {"i", p().boolean("p", true)}, {"i", p().dtype("p", DType::F32)}, {"i", p().dims("p", {1})},
      {"b", p().integer("p", 1)},    {"dt", p().integer("p", 1)},       {"is", p().shape("p", {Dim(2)})},
      {"ds", p().dims("p", {2})},    {"ds", p().integer("p", 2)},       {"is", p().boolean("p", false)},
  };
  for (const auto &[attr, args] : cases) {
    CAPTURE(attr);
    std::string error = errorOf(*this, withAttr(attr), args);
    CHECK_MESSAGE(error.find("s:1:") == 0, error);
    CHECK_MESSAGE(error.find("[bad-attribute]") != std::string::npos, error);
  }
  const std::pair<const char *, SnippetArgs> good[] = {
      {"i", p().integer("p", -4)}, {"b", p().boolean("p", true)}, {"dt", p().dtype("p", DType::F32)},
      {"is", p().dims("p", {})},   {"is", p().dims("p", {0, 1})}, {"ds", p().shape("p", {Dim(2), Dim::unknown()})},
  };
  for (const auto &[attr, args] : good) {
    GraphResults r = withAttr(attr).instantiate(g, args);
    CHECK_MESSAGE(r, std::string(r.error()));
  }
}

TEST_CASE_FIXTURE(BuilderFixture, "errors of the text stand where the snippet has them") {
  GraphValue x = f32("x", {Dim(2), Dim(3)});
  auto error = [&](const char *text) { return errorOf(*this, TextSnippet("s", text), SnippetArgs().value("x", x)); };
  CHECK(error("%r = tensor.exq({{x}})\n  return %r").find("s:1:6: error: ") == 0);
  CHECK(error("%r = tensor.exp({{x}})\n  return %s").find("s:2:10: error: no value named `%s` is in scope") == 0);
  CHECK(error("%r = tensor.transpose({{x}}) {perm = [0, 0]}\nreturn %r")
            .find("s:1:6: error: perm must be a permutation") == 0);
  CHECK(error("%r = tensor.exp({{x}})").find("s:1:") == 0); // no return
  CHECK(error("%r = tensor.add({{x}})\nreturn %r").find("s:1:") == 0);
  CHECK(error("return {{x}} }\nfunc @b() { return").find("a snippet is the body of one function [snippet-syntax]") !=
        std::string::npos);
  CHECK(error("return {{x").find("s:1:8: error: this placeholder is never closed by `}}` [snippet-placeholder]") == 0);
  CHECK(error("return {{x\n}}").find("never closed") != std::string::npos);
  CHECK(error("return {{}}").find("s:1:8: error: a placeholder is a name") == 0);
  CHECK(error("return {{a b}}").find("s:1:8: error: a placeholder is a name") == 0);
  CHECK(error("\"{{x}}").find("[snippet-unused]") != std::string::npos); // open quote: no placeholder in it
}

TEST_CASE_FIXTURE(BuilderFixture, "arguments that are no arguments") {
  GraphValue x = f32("x", {Dim(2), Dim(3)});
  TextSnippet s("s", "%r = tensor.exp({{x}})\nreturn %r");
  CHECK(errorOf(*this, s, SnippetArgs().value("x", x.reduceMax({4}, true))) ==
        "s: error: the argument `x`: reduce_max: axis 4 lies outside 0..2 of f32[2, 3] [snippet-argument]");
  Function &other = program.addFunction("other");
  GraphBuilder h(other);
  CHECK(errorOf(*this, s, SnippetArgs().value("x", h.param("x", {DType::F32, {}}))) ==
        "s: error: the argument `x` is no value of this function [snippet-argument]");
  TextSnippet t("t", "%r = tensor.cast({{x}}) {dtype = {{t}}}\nreturn %r");
  CHECK(errorOf(*this, t, SnippetArgs().value("x", x).dtype("t", DType::Unknown)) ==
        "t: error: the argument `t` is no known dtype [snippet-argument]");
}

TEST_CASE_FIXTURE(BuilderFixture, "regions come along") {
  GraphValue x = f32("x", {Dim(2)});
  TextSnippet s("s", R"(
    %y = tensor.exp({{x}})
    %r = t.cond({{x}}) : f32[{{n}}] then {
      %a = tensor.add(%y, {{x}})
      %in = t.cond(%a) : f32[{{n}}] then { return %a } else { return %y }
      return %in
    } else { return {{x}} }
    return %r)");
  SnippetArgs args = SnippetArgs().value("x", x).integer("n", 2);
  GraphResults r = s.instantiate(g, args);
  REQUIRE_MESSAGE(r, std::string(r.error()));
  REQUIRE(g.finish({r.intoValue()}));
  verifies();
  CHECK(text().find("tensor.add(%0, %x)") != std::string::npos);
  CHECK(fn.liveOps() == 9);

  GraphBuilder through(fn, [&](KindId, std::span<const ValueId>, AttrsId, std::span<const TypeId>) { return Op(); });
  GraphResults refused = s.instantiate(through, args);
  CHECK(refused.error().find("s:3:10: error: ops with regions cannot be made through a rewriter [snippet-regions]") ==
        0);
}

/// x * x as a pattern whose right side is a snippet (what it computes is beside the point).
struct ReluToSquare final : MultiOpPattern {
  explicit ReluToSquare(const OpRegistry &ops)
      : MultiOpPattern({.name = "ReluToSquare"}, {ops.lookup("tensor.relu")}) {}
  bool matchAndRewrite(Op root, PatternRewriter &rw) const override {
    static const TextSnippet square("square", "%y = tensor.mul({{x}}, {{x}})\nreturn %y");
    GraphBuilder g(rw.function(),
                   [&](KindId kind, std::span<const ValueId> operands, AttrsId attrs, std::span<const TypeId> types) {
                     return rw.createTyped(kind, operands, attrs, types);
                   });
    GraphResults y = square.instantiate(g, SnippetArgs().value("x", g.import(root.operand(0))));
    return y && rw.replaceOp(root, y.intoValue().value());
  }
};

TEST_CASE_FIXTURE(BuilderFixture, "a pattern builds from a snippet") {
  GraphValue x = f32("x", {Dim(2)});
  GraphValue y = g.emit("relu", {x}).intoValue();
  fn.setValueName(y.id(), ctx().intern("y"));
  REQUIRE(g.finish({y}));
  PatternSet set(rw::test::builtins().ops);
  set.add<ReluToSquare>();
  GreedyRewriteConfig config;
  config.expensiveChecks = true;
  RewriteResult r = applyPatternsGreedily(fn, std::move(set).freeze(), config);
  CHECK(r.rewrites == 1);
  CHECK(r.checkFailure == "");
  CHECK(text() == "func @main(%x: f32[2]) -> f32[2] {\n  %y = tensor.mul(%x, %x) : f32[2]\n  return %y\n}\n");
}

} // namespace
