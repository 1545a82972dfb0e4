// Running execution programs: what evaluate() computes, slots really given back, errors instead of crashes.
#include "../support/tensor_programs.h"
#include "exec_fixture.h"

using namespace rw;
using test::checkSame;
using test::registry;
using test::TextProgram;

TEST_CASE("random programs compute bit for bit what the evaluator does") {
  size_t evaluated = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    Program program(registry().ops);
    test::TensorPrograms(program, registry().ops, seed, {.contractions = seed % 3 ? 10u : 60u});
    CAPTURE(printProgram(program));
    SourceManager sources;
    Diagnostics diags(sources);
    std::optional<ExecProgram> exec = lowerToExec(program, "main", diags);
    REQUIRE(exec);
    for (unsigned round = 0; round < 2; ++round) {
      std::vector<Tensor> inputs = randomInputs(*program.function("main"), seed, round);
      EvalResult whole = evaluate(*program.function("main"), inputs);
      evaluated += whole.ok;
      checkSame(whole, runExec(*exec, inputs));
    }
  }
  CHECK(evaluated > 1000);
}

TEST_CASE("control flow, calls, draws and defaults are what they are to the evaluator") {
  TextProgram text(
      R"(func @main(%p: bool[], %n: i32[], %x: f32[2, 3], %d: f32[] = dense<f32[]: 4>) -> (f32[2], f32[3], f32[3, 2], f32[]) {
  %u = tensor.rng_uniform() {shape = [2], dtype = f32}
  %q = tensor.neg(%d)
  %c = tensor.cond(%p) : f32[2] on_true {
    %a = tensor.rng_uniform() {shape = [2], dtype = f32}
    %b = tensor.add(%u, %a)
    return %b
  } on_false {
    %b = tensor.mul(%u, %q)
    return %b
  }
  %v = tensor.rng_normal() {shape = [3], dtype = f32}
  %one = tensor.constant() {value = dense<i32[]: 1>}
  %w, %k = tensor.while(%v, %n) : f32[3], i32[] cond(%s: f32[3], %i: i32[]) {
    %z = tensor.constant() {value = dense<i32[]: 0>}
    %g = tensor.compare(%i, %z) {direction = "gt"}
    return %g
  } body(%s: f32[3], %i: i32[]) {
    %r = tensor.rng_uniform() {shape = [3], dtype = f32}
    %s2 = tensor.add(%s, %r)
    %i2 = tensor.sub(%i, %one)
    return %s2, %i2
  }
  %t = tensor.call(%x) {callee = @turn} : f32[3, 2]
  return %c, %w, %t, %q
}

func @turn(%x: f32[2, 3]) -> f32[3, 2] {
  %0 = tensor.transpose(%x) {perm = [1, 0]} : f32[3, 2]
  return %0
}
)");
  ExecProgram exec = text.lowered();
  for (uint8_t p : {0, 1}) {
    std::vector<Tensor> inputs = {Tensor::scalar<uint8_t>(DType::Bool, p), Tensor::scalar<int32_t>(DType::I32, 3),
                                  randomTensor(DType::F32, {2, 3}, 5), Tensor()};
    EvalOptions options{.seed = 9, .program = text.program.get()};
    EvalResult whole = evaluate(text.main(), inputs, options);
    REQUIRE(whole.error == "");
    checkSame(whole, runExec(exec, inputs, {.seed = 9}));
  }
}

TEST_CASE("freed slots give their memory back") {
  constexpr int64_t kElements = 100'000; // 400 kB
  std::string body = "func @main(%x: f32[100000]) -> f32[100000] {\n  %0 = tensor.neg(%x)\n";
  for (int i = 1; i < 20; ++i)
    body += "  %" + std::to_string(i) + " = tensor.neg(%" + std::to_string(i - 1) + ")\n";
  TextProgram text((body + "  return %19\n}\n").c_str());
  ExecProgram exec = text.lowered();
  std::vector<Tensor> inputs = randomInputs(text.main(), 1);
  size_t each = size_t(kElements) * sizeof(float);
  ExecResult r = runExec(exec, inputs, {.maxBytes = 2 * each});
  REQUIRE(r.error == "");
  CHECK(r.peakBytes == 2 * each);
  CHECK(r.bytesAtEnd == each);
  // Where they are kept, the same does not fit.
  for (ExecInstruction &i : exec.instructions)
    i.lastUse.assign(i.inputs.size(), false);
  CHECK(runExec(exec, inputs, {.maxBytes = 2 * each}).error != "");
  CHECK(runExec(exec, inputs).peakBytes == 20 * each);
}

TEST_CASE("nothing that is freed is read") {
  TextProgram text(
      "func @main(%x: f32[2]) -> f32[2] {\n  %a = tensor.neg(%x)\n  %b = tensor.add(%a, %x)\n  return %b\n}\n");
  std::vector<Tensor> inputs = randomInputs(text.main(), 1);
  ExecProgram exec = text.lowered();
  exec.instructions[0].lastUse[0] = true;
  ExecResult r = runExec(exec, inputs);
  CHECK(r.error == "reads slot 0, which was freed before");
  CHECK(r.instruction == 1);
  CHECK(r.opName == "tensor.add");
  CHECK(r.values.empty());
  exec = text.lowered();
  exec.instructions[1].unused[0] = true;
  CHECK(runExec(exec, inputs).error == "reads slot 2, which was freed before");
  std::swap(exec.instructions[0], exec.instructions[1]);
  CHECK(runExec(exec, inputs).error == "reads slot 1, which nothing was written to");
  exec = text.lowered();
  exec.instructions[1].inputs[0] = 7;
  CHECK(runExec(exec, inputs).error == "reads slot 7, which there is none of");
  exec.instructions[1].inputs.pop_back();
  CHECK(runExec(exec, inputs).error == "has other inputs or outputs than its op");
  CHECK(runExec(text.lowered(), {}).error == "parameter 0 has no value");
}

TEST_CASE("a singular matrix is an error, used or not") {
  TextProgram text("func @main(%a: f64[2, 2], %b: f64[2]) -> f64[2] {\n  %0 = tensor.validate_nonsingular(%a)\n"
                   "  %1 = tensor.neg(%b)\n  return %1\n}\n");
  std::optional<ExecProgram> exec = compileStdToExec(*text.program, "main", registry(), text.diags);
  REQUIRE(exec);
  REQUIRE(exec->instructions.size() == 2);
  CHECK(exec->instructions[0].unused == std::vector<bool>{true});
  auto matrix = [](std::vector<double> elements) {
    Tensor t = *Tensor::make(DType::F64, {2, 2});
    std::copy(elements.begin(), elements.end(), t.mutableData<double>());
    return t;
  };
  Tensor b = randomTensor(DType::F64, {2}, 3);
  CHECK(runExec(*exec, std::vector<Tensor>{matrix({1, 2, 3, 4}), b}).ok);
  ExecResult r = runExec(*exec, std::vector<Tensor>{matrix({1, 2, 2, 4}), b});
  CHECK_FALSE(r.ok);
  CHECK(r.opName == "tensor.validate_nonsingular");
  CHECK(r.error.find("singular") != std::string::npos);
}
