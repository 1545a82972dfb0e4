// The entries that optimise first: the same values as before the pipeline, over machine numbers and over semirings.
#include "../support/tensor_programs.h"
#include "exec_fixture.h"

using namespace rw;
using test::checkSame;
using test::registry;
using test::TextProgram;

namespace {
constexpr const char *kPipelines[] = {"tenferro", "tenferro_batch_first"};

template <class E, class Make>
std::vector<Tensor> inputsFor(const std::vector<Tensor> &shapes, DType dtype, Make make) {
  std::vector<Tensor> out;
  for (const Tensor &t : shapes) {
    out.push_back(*Tensor::make(dtype, t.shape()));
    for (size_t i = 0; i < t.size(); ++i)
      out.back().mutableData<E>()[i] = E(make());
  }
  return out;
}

/// Contractions and moves over S: before and after each pipeline.
template <Semiring S, class Make> void checkContractions(DType dtype, Make make) {
  KernelTable kernels = kernelsOver<S>();
  size_t contractions = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Program program(registry().ops);
    test::TensorPrograms(program, registry().ops, seed, {.dtypes = {dtype}, .contractions = 50, .elementwise = false});
    std::string text = printProgram(program);
    CAPTURE(text);
    contractions += text.find("dot_general") != std::string::npos;
    std::vector<Tensor> inputs =
        inputsFor<typename S::Element>(randomInputs(*program.function("main"), seed), dtype, make);
    EvalResult before = evaluate(*program.function("main"), inputs, {.kernels = &kernels});
    REQUIRE(before.error == "");
    for (const char *pipeline : kPipelines) {
      SourceManager sources;
      Diagnostics diags(sources);
      std::optional<SemiringExec> exec =
          compileSemiringToExec<S>(program, "main", registry(), diags, {.pipeline = pipeline, .strict = true});
      INFO(diags.renderText());
      REQUIRE(exec);
      CHECK(checkExec(exec->program) == "");
      checkSame(before, exec->run(inputs));
    }
    CHECK(printProgram(program) == text);
  }
  CHECK(contractions > 100);
}
} // namespace

TEST_CASE("compileStdToExec: integers and moves are equal bit for bit, floats but for the order of sums") {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Program program(registry().ops);
    bool floats = seed % 4 == 0;
    test::TensorPrograms(program, registry().ops, seed,
                         {.dtypes = {floats ? DType::F64 : DType::I32}, .contractions = 50, .elementwise = !floats});
    std::string text = printProgram(program);
    CAPTURE(text);
    for (const char *pipeline : kPipelines) {
      SourceManager sources;
      Diagnostics diags(sources);
      std::optional<ExecProgram> exec =
          compileStdToExec(program, "main", registry(), diags, {.pipeline = pipeline, .strict = true});
      INFO(diags.renderText());
      REQUIRE(exec);
      std::vector<Tensor> inputs = randomInputs(*program.function("main"), seed);
      EvalResult before = evaluate(*program.function("main"), inputs);
      ExecResult after = runExec(*exec, inputs);
      REQUIRE(before.ok == after.ok);
      REQUIRE(before.values.size() == after.values.size());
      for (size_t i = 0; i < before.values.size(); ++i) {
        double largest = 0;
        CHECK(differenceOf(before.values[i], after.values[i], floats ? 1e-9 : 0, largest) == "");
      }
    }
    CHECK(printProgram(program) == text); // the program given stays as it is
  }
}

TEST_CASE("max-plus contractions are equal before and after the pipeline") {
  test::RandomPrograms random(3);
  checkContractions<MaxPlus>(DType::F64,
                             [&] { return random.chance(10) ? MaxPlus::zero() : double(random.below(19)) - 9; });
}
TEST_CASE("boolean contractions are equal before and after the pipeline") {
  test::RandomPrograms random(4);
  checkContractions<Boolean>(DType::Bool, [&] { return random.chance(40); });
}
TEST_CASE("contractions of numbers modulo a prime are equal before and after the pipeline") {
  test::RandomPrograms random(5);
  checkContractions<Modulo<1'000'003>>(DType::U64, [&] { return random.below(1'000'003); });
}

TEST_CASE("a contraction of unknown dimensions: merged and restored over a semiring too") {
  TextProgram text(
      "func @main(%l: f64[?, 2, ?], %r: f64[2, ?, ?]) -> f64[?, ?, ?, ?] {\n"
      "  %0 = tensor.dot_general(%l, %r) {lhs_contract = [1], rhs_contract = [0]} : f64[?, ?, ?, ?]\n  return %0\n}\n");
  std::optional<SemiringExec> exec = compileSemiringToExec<MaxPlus>(*text.program, "main", registry(), text.diags);
  INFO(text.diags.renderText());
  REQUIRE(exec);
  CHECK(printExec(exec->program).find("tensor.reshape_like") != std::string::npos);
  std::vector<Tensor> inputs = {randomTensor(DType::F64, {3, 2, 2}, 1), randomTensor(DType::F64, {2, 2, 3}, 2)};
  KernelTable kernels = kernelsOver<MaxPlus>();
  EvalResult before = evaluate(text.main(), inputs, {.kernels = &kernels});
  REQUIRE(before.error == "");
  checkSame(before, exec->run(inputs));
}

TEST_CASE("nothing is folded with machine numbers over a semiring") {
  TextProgram text("func @main() -> f64[] {\n  %0 = tensor.constant() {value = dense<f64[]: 2>}\n"
                   "  %1 = tensor.constant() {value = dense<f64[]: 3>}\n  %2 = tensor.add(%0, %1)\n  return %2\n}\n");
  std::optional<SemiringExec> paths = compileSemiringToExec<MaxPlus>(*text.program, "main", registry(), text.diags);
  REQUIRE(paths);
  ExecResult longest = paths->run({});
  REQUIRE(longest.error == "");
  CHECK(longest.values[0].floatAt(0) == 3);
  std::optional<ExecProgram> numbers = compileStdToExec(*text.program, "main", registry(), text.diags);
  REQUIRE(numbers);
  CHECK(runExec(*numbers, {}).values[0].floatAt(0) == 5);
}

TEST_CASE("ops that mean nothing over a semiring are refused, wherever they stand") {
  TextProgram text(
      "func @main(%p: bool[], %x: f64[2]) -> f64[2] {\n  %0 = tensor.cond(%p) : f64[2] on_true {\n"
      "    %1 = tensor.exp(%x)\n    return %1\n  } on_false {\n    %2 = tensor.call(%x) {callee = @other} : f64[2]\n"
      "    return %2\n  }\n  return %0\n}\n\n"
      "func @other(%x: f64[2]) -> f64[2] {\n  %0 = tensor.sub(%x, %x)\n  return %0\n}\n");
  CHECK_FALSE(compileSemiringToExec<MaxPlus>(*text.program, "main", registry(), text.diags));
  CHECK(text.diags.renderText() == "t.rwir:3:10: error: `tensor.exp` means nothing over a semiring, which has ⊕, ⊗, 0 "
                                   "and 1 alone: say it by add, mul, "
                                   "reduce_sum, reduce_prod, dot_general and what moves elements, or compile with "
                                   "compileStdToExec [not-in-semiring]\n"
                                   "    %1 = tensor.exp(%x)\n         ^\n"
                                   "t.rwir:13:8: error: `tensor.sub` means nothing over a semiring, which has ⊕, ⊗, 0 "
                                   "and 1 alone: say it by add, mul, "
                                   "reduce_sum, reduce_prod, dot_general and what moves elements, or compile with "
                                   "compileStdToExec [not-in-semiring]\n"
                                   "  %0 = tensor.sub(%x, %x)\n       ^\n");
}

TEST_CASE("elements of another width are refused before anything runs") {
  TextProgram text("func @main(%x: f32[2], %i: i64[1]) -> f32[1] {\n  %0 = tensor.gather(%x, %i) {axis = 0}\n"
                   "  %1 = tensor.add(%0, %0)\n  return %1\n}\n");
  CHECK_FALSE(compileSemiringToExec<MaxPlus>(*text.program, "main", registry(), text.diags));
  std::string told = text.diags.renderText();
  CHECK(told.find("`tensor.add` computes elements of f32, but those of the semiring take 8 bytes") !=
        std::string::npos);
  CHECK(told.find("gather") == std::string::npos); // which only moves them
}

TEST_CASE("an unknown pipeline is told") {
  TextProgram text("func @main(%x: f32[2]) -> f32[2] {\n  return %x\n}\n");
  CHECK_FALSE(compileStdToExec(*text.program, "main", registry(), text.diags, {.pipeline = "tenfero"}));
  REQUIRE(text.diags.all().size() == 1);
  CHECK(text.diags.all()[0].tag == "bad-pipeline");
  CHECK(text.diags.renderText().find("note: did you mean `tenferro`?") != std::string::npos);
}

TEST_CASE("an unknown function is told, with the nearest name") {
  TextProgram text("func @main(%x: f32[2]) -> f32[2] {\n  return %x\n}\n");
  CHECK_FALSE(lowerToExec(*text.program, "mian", text.diags));
  CHECK(text.diags.renderText() ==
        "program: error: no function is named `mian`; did you mean `main`? [unknown-function]\n");
}
