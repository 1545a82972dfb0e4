// What ops mean at work: types, functions of meanings, evaluation, and ops of C++ that mean themselves. The ops are
// those of meanings.rw.
#include "meanings.rw.h"

#include "rw/interp/constant_folder.h"
#include "rw/interp/evaluate.h"
#include "rw/interp/kernel.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/passes/pass.h"
#include "rw/rewrite/meaning.h"

#include <doctest/doctest.h>

using namespace rw;

namespace {
struct MeaningTest {
  Registry registry;
  SourceManager sources;
  Diagnostics diags{sources};
  std::unique_ptr<Program> program;
  explicit MeaningTest(const std::string &text) {
    test::generated::register_meanings(registry);
    program = parseProgram(sources.addText("t.rwir", text), sources, diags, registry.ops);
    INFO(diags.renderText());
    REQUIRE(program);
  }
  Function &main() { return *program->function("main"); }
  Op last() {
    Op op = main().terminator(main().body()).prev();
    REQUIRE(op);
    return op;
  }
  std::string typeOfLast() { return program->context().typeToString(last().result().typeId()); }
};

Tensor floatsOf(std::vector<float> values) {
  Tensor t = *Tensor::make(DType::F32, {int64_t(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    t.mutableData<float>()[i] = values[i];
  return t;
}

template <class F> bool mapped(Call &c, F f) {
  Tensor *y = c.result(0, c.in[0].dtype(), c.in[0].shape());
  for (size_t i = 0; y && i < y->size(); ++i)
    y->mutableData<float>()[i] = f(c, i);
  return y;
}
float at(const Tensor &t, size_t i) { return t.data<float>()[t.size() == 1 ? 0 : i]; }
bool addFloats(Call &c) {
  return mapped(c, [](Call &c, size_t i) { return at(c.in[0], i) + at(c.in[1], i); });
}
bool mulFloats(Call &c) {
  return mapped(c, [](Call &c, size_t i) { return at(c.in[0], i) * at(c.in[1], i); });
}
bool hundreds(Call &c) {
  return mapped(c, [](Call &, size_t) { return 100.0f; });
}
bool heldValue(Call &c) {
  std::optional<Tensor> value = Tensor::fromAttr(c.op.context(), c.op.result().constant(), c.budget.memory);
  if (value)
    c.out[0] = *value;
  return value.has_value();
}
} // namespace

TEST_CASE("types of results follow from what ops mean, as far as it holds") {
  CHECK(MeaningTest("func @main(%x: f32[2, B]) -> ? { %0 = meant.twice(%x)\n return %0 }").typeOfLast() == "f32[2, B]");
  CHECK(
      MeaningTest("func @main(%x: f32[3], %b: f32[2, 1]) -> ? { %0 = meant.scale(%x, %b)\n return %0 }").typeOfLast() ==
      "f32[2, 3]");
  // None of its meanings holds.
  CHECK(MeaningTest("func @main(%x: f32[3], %b: f32[3]) -> f32[3] { %0 = meant.scale(%x, %b) {mode = \"m\"} : f32[3]\n "
                    "return %0 }")
            .typeOfLast() == "f32[3]");
}

TEST_CASE("a meaning is a function of the operands that are there; constants stay in it or are handed in") {
  MeaningTest t("func @main(%x: f32[2], %b: f32[2]) -> f32[2] { %c = meant.constant() {value = dense<f32[2]: [1, 2]>}\n"
                "%0 = meant.scale(%x, %c) {by = 3.0}\n return %0 }");
  std::optional<MeaningFunction> meant = meaningOf(*InputsOf(t.last()), 1);
  REQUIRE(meant);
  CHECK(meant->operands == std::vector<unsigned>{0});
  std::string text = printFunction(meant->function);
  CHECK(text.find("dense<f32[2]: [1, 2]>") != text.npos);
  CHECK(text.find("dense<f32[]: 1.5>") != text.npos);
  meant = meaningOf(*InputsOf(t.last()), 1, {}, Constants::AsParams);
  REQUIRE(meant);
  CHECK(meant->operands == std::vector<unsigned>{0, 1});
  CHECK(printFunction(meant->function).find("dense<f32[2]: [1, 2]>") == text.npos);
}

TEST_CASE("an op without a kernel is evaluated and folded by what it means; its own kernel wins") {
  MeaningTest t("func @main(%x: f32[2]) -> f32[2] { %0 = meant.twice(%x)\n return %0 }");
  EvalResult r = evaluate(t.main(), {{floatsOf({1, -2})}});
  CHECK(r.unsupported);
  CHECK(r.error.find("in what it means: meant.scale: in what it means: meant.") != r.error.npos);
  CHECK(addKernel("meant.add", addFloats));
  CHECK(addKernel("meant.mul", mulFloats));
  CHECK(addKernel("meant.constant", heldValue));
  r = evaluate(t.main(), {{floatsOf({1, -2})}});
  REQUIRE(r.error == "");
  CHECK(r.values[0].floatAt(0) == 4);
  CHECK(r.values[0].floatAt(1) == -8);
  CHECK(evaluateOp(t.last(), {{floatsOf({3, 0})}}).values.at(0).floatAt(0) == 12);
  CHECK_FALSE(evaluate(t.main(), {{floatsOf({1, -2})}}, {.maxWork = 100'000}).ok); // each meaning takes its steps

  MeaningTest folded("func @main() -> f32[2] { %c = meant.constant() {value = dense<f32[2]: [1, 2]>}\n %0 = "
                     "meant.twice(%c)\n return %0 }");
  std::vector<AttrId> values;
  REQUIRE(InterpreterFolder().fold(folded.last(), 1000, values));
  CHECK(Tensor::fromAttr(folded.program->context(), values.at(0), std::make_shared<MemoryBudget>())->floatAt(1) == 8);
  CHECK_FALSE(InterpreterFolder().fold(folded.last(), 4, values)); // it would be larger

  CHECK(addKernel("meant.twice", hundreds));
  CHECK(evaluate(t.main(), {{floatsOf({1, -2})}}).values.at(0).floatAt(0) == 100);
}

// Ops of C++ may mean what they like: themselves, too.
namespace {
bool expandAgain(Op op, PatternRewriter &rw) {
  Op again = rw.create(op.schema(), {op.operand(0)});
  return rw.replaceOp(op, again.result());
}
constexpr OperandSchema kAgainOperands[] = {{"x", Arity::Single}};
constexpr ResultSchema kAgainResults[] = {{"", Arity::Single}};
constinit const OpSchema kAgain{.dialect = "meant",
                                .name = "again",
                                .operands = kAgainOperands,
                                .results = kAgainResults,
                                .traits = Traits(Trait::Pure),
                                .inferTypes = inferByMeaning,
                                .expand = expandAgain,
                                .meantTypes = inferByMeaning};
} // namespace

TEST_CASE("a meaning without end is given up") {
  Registry registry;
  registry.ops.add(kAgain);
  SourceManager sources;
  Diagnostics diags(sources);
  const char *text = "func @main(%x: f32[2]) -> f32[2] { %0 = meant.again(%x) : f32[2]\n return %0 }";
  std::unique_ptr<Program> program = parseProgram(sources.addText("t.rwir", text), sources, diags, registry.ops);
  REQUIRE(program);
  EvalResult r = evaluate(*program->function("main"), {{floatsOf({1, 2})}});
  CHECK_FALSE(r.ok);
  CHECK(r.error.find("a recursion without end") != r.error.npos);
}
