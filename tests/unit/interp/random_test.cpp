// Random draws: reproducible, different from each other, in their range; never merged, folded or removed.
#include "rw/interp/constant_folder.h"
#include "rw/interp/element.h"
#include "rw/interp/evaluate.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/passes/cse.h"
#include "rw/passes/dce.h"
#include "rw/passes/pass.h"
#include "rw_builtin_register.h"

#include <cstring>
#include <doctest/doctest.h>

using namespace rw;

namespace {
struct RandomText {
  Registry registry;
  SourceManager sources;
  Diagnostics diags{sources};
  std::unique_ptr<Program> program;
  explicit RandomText(const std::string &text) {
    builtin::register_rw_builtin(registry);
    program = parseProgram(sources.addText("t.rwir", text), sources, diags, registry.ops);
    INFO(diags.renderText());
    REQUIRE(program);
  }
  Function &main() { return *program->function("main"); }
  EvalResult run(std::vector<Tensor> inputs = {}, uint64_t seed = 1) {
    return evaluate(main(), inputs, {.seed = seed});
  }
};
bool same(const Tensor &a, const Tensor &b) {
  return a.byteSize() == b.byteSize() && std::memcmp(a.data<std::byte>(), b.data<std::byte>(), a.byteSize()) == 0;
}
const char *kTwoDraws =
    "func @main() -> (f32[8], f32[8]) {\n %0 = tensor.rng_uniform() {shape = [8], dtype = f32} : f32[8]\n"
    " %1 = tensor.rng_uniform() {shape = [8], dtype = f32} : f32[8]\n return %0, %1\n}";
} // namespace

TEST_CASE("two draws differ, two evaluations of one seed agree, two seeds differ") {
  RandomText text(kTwoDraws);
  EvalResult a = text.run(), b = text.run(), c = text.run({}, 2);
  REQUIRE(a.error == "");
  CHECK_FALSE(same(a.values[0], a.values[1]));
  CHECK(same(a.values[0], b.values[0]));
  CHECK(same(a.values[1], b.values[1]));
  CHECK_FALSE(same(a.values[0], c.values[0]));
}

TEST_CASE("equal draws are never merged, folded or removed") {
  RandomText text(kTwoDraws);
  size_t before = text.main().liveOps();
  CHECK(eliminateCommonSubexpressions(text.main()).merged == 0);
  CHECK(eliminateDeadCode(text.main()) == 0);
  InterpreterFolder folder;
  std::vector<AttrId> results;
  for (Op op : text.main().ops(text.main().body()))
    CHECK_FALSE(folder.fold(op, 1 << 20, results));
  CHECK(text.main().liveOps() == before);
  RandomText keyed(
      "func @main(%k: u64[2]) -> (f32[8], f32[8]) {\n %0 = tensor.rng_normal(%k) {shape = [8], dtype = f32} : f32[8]\n"
      " %1 = tensor.rng_normal(%k) {shape = [8], dtype = f32} : f32[8]\n return %0, %1\n}");
  CHECK(eliminateCommonSubexpressions(keyed.main()).merged == 0);
}

TEST_CASE("a key decides the draw, whatever was drawn before") {
  RandomText text("func @main(%k: u64[2], %l: u64[2]) -> (f64[4], f64[4], f64[4]) {\n %0 = tensor.rng_normal(%k) "
                  "{shape = [4], dtype = f64} : f64[4]\n"
                  " %1 = tensor.rng_normal(%k) {shape = [4], dtype = f64} : f64[4]\n %2 = tensor.rng_normal(%l) {shape "
                  "= [4], dtype = f64} : f64[4]\n"
                  " return %0, %1, %2\n}");
  Tensor k = *Tensor::make(DType::U64, {2}), l = *Tensor::make(DType::U64, {2});
  l.mutableData<uint64_t>()[1] = 1;
  EvalResult r = text.run({k, l});
  REQUIRE(r.error == "");
  CHECK(same(r.values[0], r.values[1]));
  CHECK_FALSE(same(r.values[0], r.values[2]));
}

TEST_CASE("draws have the range, mean and variance of their distribution, in every float type") {
  for (const char *dtype : {"f16", "bf16", "f32", "f64"}) {
    std::string type = std::string(dtype) + "[10000]", attrs = "{shape = [10000], dtype = " + std::string(dtype) + "}";
    RandomText text("func @main() -> (" + type + ", " + type + ") {\n %0 = tensor.rng_uniform() " + attrs + " : " +
                    type + "\n %1 = tensor.rng_normal() " + attrs + " : " + type + "\n return %0, %1\n}");
    EvalResult r = text.run();
    REQUIRE(r.error == "");
    double sum = 0, normalSum = 0, squares = 0;
    bool inside = true;
    for (size_t i = 0; i < 10000; ++i) {
      double u = r.values[0].floatAt(i), n = r.values[1].floatAt(i);
      inside &= u >= 0 && u < 1;
      sum += u;
      normalSum += n;
      squares += n * n;
    }
    INFO(dtype);
    CHECK(inside);
    CHECK(sum / 10000 == doctest::Approx(0.5).epsilon(0.03));
    CHECK(std::abs(normalSum / 10000) < 0.05);
    CHECK(squares / 10000 == doctest::Approx(1).epsilon(0.06));
  }
}

TEST_CASE("dropout zeroes some elements and scales the others; not training, it is the operand") {
  RandomText text(
      "func @main(%x: f32[1000]) -> (f32[1000], f32[1000]) {\n %0 = tensor.dropout(%x) {rate = 0.75} : f32[1000]\n"
      " %1 = tensor.dropout(%x) {rate = 0.75, training = false} : f32[1000]\n return %0, %1\n}");
  Tensor x = *Tensor::make(DType::F32, {1000});
  for (size_t i = 0; i < 1000; ++i)
    x.mutableData<float>()[i] = 2;
  EvalResult r = text.run({x});
  REQUIRE(r.error == "");
  size_t kept = 0;
  for (size_t i = 0; i < 1000; ++i) {
    double v = r.values[0].floatAt(i);
    CHECK((v == 0 || v == 8));
    kept += v != 0;
  }
  CHECK(kept > 200);
  CHECK(kept < 300);
  CHECK(same(r.values[1], x));
}
