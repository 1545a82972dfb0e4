// Kernels that a tool adds for its own ops.
#include "rw/interp/evaluate.h"
#include "rw/interp/kernel.h"
#include "rw/ir/parser.h"
#include "rw/passes/pass.h"

#include <doctest/doctest.h>

using namespace rw;

namespace {
bool twice(Call &c) {
  Tensor *y = c.result(0, c.in[0].dtype(), c.in[0].shape());
  if (!y)
    return false;
  for (size_t i = 0; i < y->size(); ++i)
    y->mutableData<float>()[i] = 2 * c.in[0].data<float>()[i];
  return true;
}
} // namespace

TEST_CASE("an op of one's own is evaluated once there is a kernel for it, and names are taken once") {
  SourceManager sources;
  Diagnostics diags(sources);
  Registry registry;
  const char *text = "func @main(%x: f32[2]) -> f32[2] {\n %0 = own_kernel_test.twice(%x) : f32[2]\n return %0\n}";
  std::unique_ptr<Program> program = parseProgram(sources.addText("t.rwir", text), sources, diags, registry.ops);
  REQUIRE(program);
  Tensor x = *Tensor::make(DType::F32, {2});
  x.mutableData<float>()[0] = 1.5f;
  x.mutableData<float>()[1] = -3;
  CHECK(evaluate(*program->function("main"), {{x}}).unsupported);
  CHECK_FALSE(canEvaluate("own_kernel_test.twice"));

  CHECK(addKernel("own_kernel_test.twice", twice));
  CHECK(canEvaluate("own_kernel_test.twice"));
  EvalResult r = evaluate(*program->function("main"), {{x}});
  REQUIRE(r.error == "");
  CHECK(r.values[0].floatAt(0) == 3);
  CHECK(r.values[0].floatAt(1) == -6);

  CHECK_FALSE(addKernel("own_kernel_test.twice", twice)); // there is one
  CHECK_FALSE(addKernel("tensor.add", twice));
  CHECK_FALSE(addKernel("", twice));
  CHECK_FALSE(addKernel("own_kernel_test.none", nullptr));
}
