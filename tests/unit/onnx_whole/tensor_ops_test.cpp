// Ops of the tensor dialect as ONNX has them: what is written computes the same, whatever their attributes say.
#include "pipeline.h"

#include "rw/interp/evaluate.h"
#include "rw/ir/parser.h"
#include "rw/onnx/from_tensor.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

using namespace rw;

namespace {

struct Case {
  std::string_view params, op, result;
};
constexpr Case kCases[] = {
    {"%x: f32[2, 3, 4], %y: f32[2, 4, 5]",
     "tensor.dot_general(%x, %y) {lhs_batch = [0], rhs_batch = [0], lhs_contract = [2], rhs_contract = [1]}",
     "f32[2, 3, 5]"},
    {"%x: f32[2, 3, 4], %y: f32[2, 4, 5]",
     "tensor.dot_general(%x, %y) {lhs_batch = [0], rhs_batch = [0], lhs_contract = [2], rhs_contract = [1], batch_last "
     "= true}",
     "f32[3, 5, 2]"},
    {"%x: f32[2, 3, 4, 5], %y: f32[5, 6, 3, 2]",
     "tensor.dot_general(%x, %y) {lhs_batch = [0, 1], rhs_batch = [3, 2], lhs_contract = [3], rhs_contract = [0], "
     "batch_last = true}",
     "f32[4, 6, 2, 3]"},
    {"%x: f32[2, 3], %y: f32[3, 4]",
     "tensor.dot_general(%x, %y) {lhs_contract = [1], rhs_contract = [0], batch_last = true}", "f32[2, 4]"},
    {"%x: f32[2, 4, 5, 5], %y: f32[6, 2, 2, 2]",
     "tensor.conv(%x, %y) {strides = [1, 2], pads = [1, 0, 0, 1], dilations = [2, 1], groups = 2}", "f32[2, 6, 4, 3]"},
    {"%x: f32[2, 5]", "tensor.cumsum(%x) {axis = 1, exclusive = true}", "f32[2, 5]"},
    {"%x: f32[2, 5]", "tensor.cumsum(%x) {axis = 1, reverse = true}", "f32[2, 5]"},
    {"%x: f32[2, 5]", "tensor.cumsum(%x) {axis = 0, exclusive = true, reverse = true}", "f32[2, 5]"},
    {"%x: f32[2, 5]", "tensor.sort(%x) {axis = 1}", "f32[2, 5]"},
    {"%x: f32[2, 5]", "tensor.sort(%x) {axis = 1, descending = true}", "f32[2, 5]"},
    {"%x: f32[2, 5]", "tensor.reduce_argmax(%x) {axis = 1, keepdims = true}", "i64[2, 1]"},
    {"%x: f32[2, 5]", "tensor.reduce_argmax(%x) {axis = 0}", "i64[5]"},
    {"%x: f32[2, 5]", "tensor.reduce_sum(%x) {axes = [1], keepdims = true}", "f32[2, 1]"},
    {"%x: f32[2, 5]", "tensor.reduce_max(%x) {axes = [0]}", "f32[5]"},
    {"%x: f32[2, 5]", "tensor.softmax(%x) {axis = 0}", "f32[2, 5]"},
    {"%x: f32[2, 5], %v: f32[]", "tensor.pad(%x, %v) {low = [1, 0], high = [0, 2], interior = [0, 0]}", "f32[3, 7]"},
    {"%x: f32[2, 5]", "tensor.slice(%x) {start = [0, 1], limit = [2, 5], stride = [1, 2]}", "f32[2, 2]"},
    {"%x: f32[2, 5]", "tensor.reverse(%x) {axes = [1]}", "f32[2, 5]"},
    {"%x: f32[2, 5], %y: f32[2, 5]", "tensor.compare(%x, %y) {direction = \"ne\"}", "bool[2, 5]"},
};

} // namespace

TEST_CASE("what an op of the tensor dialect is written as computes the same") {
  for (const Case &c : kCases) {
    CAPTURE(c.op);
    const std::string text =
        fmt::format("func @main({}) -> {} {{\n  %r = {} : {}\n  return %r\n}}", c.params, c.result, c.op, c.result);
    SourceManager sources;
    Diagnostics diags(sources);
    std::unique_ptr<Program> program = parseProgram(sources.addText("t.rwir", text), sources, diags, builtins().ops);
    REQUIRE_MESSAGE(program, diags.renderText());
    Function &before = *program->function("main");
    std::optional<OnnxModel> model = onnxFromTensor(before, builtins().ops, diags);
    REQUIRE_MESSAGE(model, diags.renderText());
    for (uint64_t seed : {1, 2, 3}) {
      std::vector<Tensor> inputs;
      for (ValueId p : before.params(before.body())) {
        const TypeData &type = before.value(p).type();
        Shape shape;
        for (Dim d : type.dims)
          shape.push_back(d.size());
        Tensor t = *Tensor::make(DType::F32, shape);
        for (size_t i = 0; i < t.size(); ++i) // small whole numbers: sums are exact in any order
          t.mutableData<float>()[i] = float(int((seed * 7919 + i * i * 31 + i * 17) % 19) - 9);
        inputs.push_back(t);
      }
      EvalResult a = evaluate(before, inputs), b = evaluate(model->main(), inputs, {.opset = 17});
      REQUIRE_MESSAGE(a.ok, a.error);
      REQUIRE_MESSAGE(b.ok, b.opName << ": " << b.error);
      REQUIRE(a.values[0].shape() == b.values[0].shape());
      for (size_t i = 0; i < a.values[0].size(); ++i)
        CHECK(a.values[0].floatAt(i) == doctest::Approx(b.values[0].floatAt(i)).epsilon(1e-6));
    }
  }
}
