// The reference evaluator on text programs with results worked out by hand.
#include "rw/interp/constant_folder.h"
#include "rw/interp/evaluator.h"
#include "rw/ir/parser.h"
#include "rw/passes/pass.h"
#include "rw_builtin_register.h"

#include <cmath>
#include <doctest/doctest.h>

using namespace rw;

namespace {
Tensor floats(std::vector<int64_t> dims, std::vector<double> values, DType type = DType::F32) {
  Tensor t = Tensor::zeros(type, std::move(dims));
  t.f = std::move(values);
  return t;
}
struct Run {
  Registry registry;
  SourceManager sources;
  Diagnostics diags{sources};
  std::unique_ptr<Program> program;
  explicit Run(const char *text) {
    builtin::register_rw_builtin(registry);
    program = parseProgram(sources.addText("t.rwir", text), sources, diags, registry.ops);
    INFO(diags.renderText());
    REQUIRE(program);
    REQUIRE_FALSE(diags.hasErrors());
  }
  EvalResult operator()(std::vector<std::optional<Tensor>> inputs) { return evaluate(*program->function("main"), inputs); }
};
} // namespace

TEST_CASE("transposes move elements") {
  Run run("func @main(%x: f32[2, 3]) -> f32[3, 2] {\n %0 = tensor.transpose(%x) {perm = [1, 0]} : f32[3, 2]\n return %0\n}");
  EvalResult r = run({floats({2, 3}, {1, 2, 3, 4, 5, 6})});
  REQUIRE(r.error == "");
  CHECK(r.results[0].dims == std::vector<int64_t>{3, 2});
  CHECK(r.results[0].f == std::vector<double>{1, 4, 2, 5, 3, 6});
}

TEST_CASE("elementwise ops broadcast, round to the element type, keep -0 and NaN") {
  Run run("func @main(%x: f32[2, 2], %y: f32[2]) -> (f32[2, 2], f32[2]) {\n %0 = tensor.add(%x, %y) : f32[2, 2]\n"
          " %1 = tensor.mul(%y, %y) : f32[2]\n return %0, %1\n}");
  EvalResult r = run({floats({2, 2}, {1, 16777216, -0.0, NAN}), floats({2}, {-0.0, 1})});
  REQUIRE(r.error == "");
  CHECK(r.results[0].f[0] == 1);
  CHECK(r.results[0].f[1] == 16777216); // 2^24 + 1 is no f32
  CHECK(std::signbit(r.results[0].f[2]));
  CHECK(std::isnan(r.results[0].f[3]));
  CHECK_FALSE(std::signbit(r.results[1].f[0]));
}

TEST_CASE("integers wrap, division by zero is an error") {
  Run run("func @main(%x: i8[2], %y: i8[2]) -> (i8[2], i8[2]) {\n %0 = tensor.add(%x, %y) : i8[2]\n %1 = tensor.div(%x, %y) : i8[2]\n"
          " return %0, %1\n}");
  Tensor x = Tensor::zeros(DType::I8, {2}), y = x;
  x.i = {127, -7}, y.i = {1, 2};
  EvalResult r = run({x, y});
  REQUIRE(r.error == "");
  CHECK(r.results[0].i == std::vector<int64_t>{-128, -5});
  CHECK(r.results[1].i == std::vector<int64_t>{127, -3}); // towards zero
  y.i = {0, 1};
  CHECK(run({x, y}).error.find("division by zero") != std::string::npos);
}

TEST_CASE("dot_general puts batch dimensions first, then the free ones of lhs, then of rhs") {
  Run run("func @main(%a: f32[2, 1, 2], %b: f32[2, 2, 1]) -> f32[2, 1, 1] {\n %0 = tensor.dot_general(%a, %b) {lhs_batch = [0], rhs_batch = [0], "
          "lhs_contract = [2], rhs_contract = [1]} : f32[2, 1, 1]\n return %0\n}");
  EvalResult r = run({floats({2, 1, 2}, {1, 2, 3, 4}), floats({2, 2, 1}, {5, 6, 7, 8})});
  REQUIRE(r.error == "");
  CHECK(r.results[0].f == std::vector<double>{17, 53});
}

TEST_CASE("reductions, slices, concatenation, softmax") {
  Run run("func @main(%x: f32[2, 2]) -> (f32[2], f32[2, 1], f32[4, 2], f32[2, 2]) {\n"
          " %0 = tensor.reduce_max(%x) {axes = [0]} : f32[2]\n"
          " %1 = tensor.slice(%x) {start = [0, 1], limit = [2, 2]} : f32[2, 1]\n"
          " %2 = tensor.concat(%x, %x) {axis = 0} : f32[4, 2]\n"
          " %3 = tensor.softmax(%x) {axis = 1} : f32[2, 2]\n return %0, %1, %2, %3\n}");
  EvalResult r = run({floats({2, 2}, {1, 1, 3, 3})});
  REQUIRE(r.error == "");
  CHECK(r.results[0].f == std::vector<double>{3, 3});
  CHECK(r.results[1].f == std::vector<double>{1, 3});
  CHECK(r.results[2].f == std::vector<double>{1, 1, 3, 3, 1, 1, 3, 3});
  CHECK(r.results[3].f == std::vector<double>{0.5, 0.5, 0.5, 0.5});
}

TEST_CASE("what has no kernel, and operands that do not fit, are errors in words") {
  Run unknown("func @main(%x: f32[2]) -> f32[2] {\n %0 = other.op(%x) : f32[2]\n return %0\n}");
  CHECK(unknown({floats({2}, {1, 2})}).error == "other.op has no kernel in the evaluator");
  Run fits("func @main(%x: f32[A], %y: f32[A]) -> f32[A] {\n %0 = tensor.add(%x, %y) : f32[A]\n return %0\n}");
  CHECK(fits({floats({2}, {1, 2}), floats({3}, {1, 2, 3})}).error.find("do not broadcast") != std::string::npos);
  CHECK(fits({}).error.find("has no value") != std::string::npos);
}

TEST_CASE("16-bit floats round to nearest even") {
  CHECK(roundTo(DType::F16, 2049) == 2048);
  CHECK(roundTo(DType::F16, 70000) == INFINITY);
  CHECK(roundTo(DType::BF16, 257) == 256);
  CHECK(wrapTo(DType::U8, 300) == 44);
}

TEST_CASE("folding stops at its size limit and at ops with effects") {
  Run run("func @main() -> (f32[2], f32[2]) {\n %c = tensor.constant() {value = dense<f32[2]: [1, 2]>} : f32[2]\n"
          " %0 = tensor.neg(%c) : f32[2]\n %1 = tensor.rng_uniform() {shape = [2], dtype = f32} : f32[2]\n return %0, %1\n}");
  Function &fn = *run.program->function("main");
  Op constant = *fn.ops(fn.body()).begin(), neg = constant.next(), draw = neg.next();
  InterpreterFolder folder;
  std::vector<AttrId> results;
  CHECK_FALSE(folder.fold(neg, 4, results));
  CHECK_FALSE(folder.fold(draw, 1024, results));
  CHECK(results.empty());
  REQUIRE(folder.fold(neg, 1024, results));
  CHECK(Tensor::fromAttr(fn.context(), results[0])->f == std::vector<double>{-1, -2});
}
