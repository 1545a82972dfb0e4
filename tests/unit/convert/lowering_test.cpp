// Lowerings in C++ and conversions: what they make, and one test for each way to fail.
#include "rw/builtin.h"
#include "rw/convert/onnx_sizes.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"
#include "rw/optimize/optimize.h"
#include "rw/passes/conversion.h"
#include "rw/passes/expect_graph.h"
#include "rw/passes/lowering.h"
#include "rw/stablehlo/stablehlo.h"

#include <doctest/doctest.h>

using namespace rw;

namespace {

/// A conversion from StableHLO to ONNX by these lowerings alone, and what becomes of a text.
struct Converted {
  Registry registry;
  SourceManager sources;
  Diagnostics diags{sources};
  std::unique_ptr<Program> program;
  bool good = false;

  using Lower = bool (*)(LoweringContext &);
  explicit Converted(const std::string &text, std::vector<LoweringEntry> lowerings, ConversionEntry entry = plain()) {
    Registry builtin;
    registerAll(builtin);
    registry.ops = builtin.ops;
    registerCorePasses(registry);
    for (LoweringEntry &lowering : lowerings)
      registry.addLowering(std::move(lowering));
    registry.addPass({.name = "convert", .conversion = std::make_shared<const ConversionEntry>(std::move(entry))});
    program = stablehlo::parseProgram(sources.addText("in.mlir", text), sources, diags, registry.ops);
    REQUIRE_MESSAGE(program, diags.renderText());
    before = printProgram(*program);
    good = optimizeProgram(*program, registry, {.pipeline = "convert"}, diags, 0, "none", "in.mlir").has_value();
  }
  static ConversionEntry plain() { return {.from = {"stablehlo"}, .to = {"onnx"}, .version = 17, .lastVersion = 18}; }

  /// The first error and its notes, one a line; and the program must be as it was.
  std::string error() {
    REQUIRE_FALSE(good);
    CHECK(printProgram(*program) == before);
    std::string out;
    for (const Diagnostic &d : diags.all()) {
      LineColumn at = sources.lineColumn(d.range.begin);
      out = (d.range ? std::to_string(at.line) + ":" + std::to_string(at.column) + " " : "") + d.message;
      for (const Diagnostic::Note &note : d.notes)
        out += "\n" + note.message;
      break;
    }
    return out;
  }
  std::string before;
};

const std::string kNegate = "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n  %y = stablehlo.negate %x : "
                            "tensor<2x3xf32>\n  return %y : tensor<2x3xf32>\n}\n";

LoweringEntry negateBy(Converted::Lower lower) {
  return {.op = "stablehlo.negate", .to = "onnx", .name = "negate", .lower = lower};
}

/// What is said of kNegate if that is how it is lowered.
std::string refusal(Converted::Lower lower) {
  std::string text = Converted(kNegate, {negateBy(lower)}).error(),
              head = "2:8 no lowering for `stablehlo.negate`\nits operands are of types f32[2, 3]\nnegate needs: ";
  REQUIRE_MESSAGE(text.starts_with(head), text);
  return text.substr(head.size());
}

bool toNeg(LoweringContext &ctx) { return ctx.bind(0, ctx.make("Neg", {ctx.get(0)})); }

} // namespace

TEST_CASE("a lowering binds its results, and names go on") {
  Converted c(kNegate, {negateBy(toNeg)});
  REQUIRE_MESSAGE(c.good, c.diags.renderText());
  CHECK(printProgram(*c.program) ==
        "func @main(%x: f32[2, 3]) -> f32[2, 3] {\n  %y = onnx.Neg(%x) : f32[2, 3]\n  return %y\n}\n");
  CHECK(expectGraph(c.program->functions().front(), "Neg:2x3", ExpectMode::Exact).holds);
}

TEST_CASE("by another name of the op") {
  Converted c(kNegate, {{.op = "stablehlo.abs", .aliases = {"stablehlo.negate"}, .to = "onnx", .lower = toNeg}});
  CHECK(c.good);
}

/// -x as 0 - 0 - x; it fails if the zeros are two values.
bool toDifference(LoweringContext &ctx) {
  TypeId type = ctx.context().tensorType(DType::F32, {});
  const float zero = 0;
  auto constant = [&] { return ctx.constant(ctx.context().denseAttr(type, std::as_bytes(std::span(&zero, 1)))); };
  Value first = constant(), second = constant();
  return first == second && ctx.bind(0, ctx.make("Sub", {ctx.make("Sub", {first, second}), ctx.get(0)}));
}
TEST_CASE("equal constants of a lowering are one") {
  Converted c(kNegate, {negateBy(toDifference)});
  REQUIRE_MESSAGE(c.good, c.diags.renderText());
}

TEST_CASE("what a lowering can do wrong") {
  CHECK(refusal([](LoweringContext &) { return true; }) == "result 0 of stablehlo.negate is bound to a value");
  CHECK(refusal([](LoweringContext &ctx) { return ctx.bind(0, ctx.get(0)) && ctx.bind(0, ctx.get(0)); }) ==
        "result 0 of stablehlo.negate is bound once, not twice");
  CHECK(refusal([](LoweringContext &ctx) { return ctx.bind(1, ctx.get(0)); }) == "stablehlo.negate has a result 1");
  CHECK(refusal([](LoweringContext &ctx) { return ctx.bind(0, ctx.get(1)); }) == "stablehlo.negate has an operand 1");
  CHECK(refusal([](LoweringContext &ctx) { return ctx.bind(0, ctx.make("Negate", {ctx.get(0)})); }) ==
        "version 18 of `onnx` has the op onnx.Negate");
  CHECK(refusal([](LoweringContext &ctx) {
          return ctx.bind(0, ctx.make("Neg", {ctx.get(0)}, {{"axis", ctx.context().intAttr(0)}}));
        }) == "onnx.Neg has the attribute `axis`");
  CHECK(refusal([](LoweringContext &ctx) {
          return ctx.bind(0, ctx.make("Cast", {ctx.get(0)}, {{"to", ctx.context().dtypeAttr(DType::F64)}},
                                      ctx.context().tensorType(DType::F64, {Dim(2), Dim(3)})));
        }) == "result 0 of stablehlo.negate is of type f32[2, 3], not f64[2, 3]");
  CHECK(refusal([](LoweringContext &) { return false; }) == "the lowering says why it does not apply");
  CHECK(refusal([](LoweringContext &ctx) { return ctx.fail("a number below 0"); }) == "a number below 0");
}

TEST_CASE("what stands in the way of a conversion") {
  CHECK(Converted(kNegate, {}).error() == "2:8 no lowering for `stablehlo.negate`\nits operands are of types f32[2, "
                                          "3]\nno pattern of the conversion starts at such an op");
  const std::string f32 = "tensor<f32>";
  auto function = [](const std::string &body) {
    return "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n" + body + "\n  return %y : tensor<f32>\n}\n";
  };
  CHECK(Converted(function("  %z = stablehlo.custom_call @lapack_spotrf(%x) : (tensor<f32>) -> tensor<f32>\n  %y = "
                           "stablehlo.custom_call @lapack_spotrf(%z) : (tensor<f32>) -> tensor<f32>"),
                  {})
            .error() == "2:8 no lowering for custom_call \"lapack_spotrf\"\nits operands are of types f32[]\nthere are "
                        "2 of these\nno pattern of the conversion starts at such an op");
  CHECK(Converted("func.func private @f(%x: tensor<f32>) -> tensor<f32> {\n  %y = call @f(%x) : (tensor<f32>) -> "
                  "tensor<f32>\n  return %y : tensor<f32>\n}\n" +
                      function("  %y = call @f(%x) : (tensor<f32>) -> tensor<f32>"),
                  {})
            .error() == "2:8 @f calls itself: a function that does cannot be written without calls");
}

TEST_CASE("the version that has an op is found; one that is asked for stays") {
  // 18 has it first
  LoweringEntry toMish = negateBy([](LoweringContext &ctx) { return ctx.bind(0, ctx.make("Mish", {ctx.get(0)})); });
  Converted found(kNegate, {toMish});
  REQUIRE_MESSAGE(found.good, found.diags.renderText());
  CHECK(found.program->context().dialectVersion("onnx") == 18);
  Converted fixed(kNegate, {toMish}, {.from = {"stablehlo"}, .to = {"onnx"}, .version = 17, .lastVersion = 17});
  CHECK(fixed.error() == "2:8 no lowering for `stablehlo.negate`\nits operands are of types f32[2, 3]\nnegate needs: "
                         "version 17 of `onnx` has the op onnx.Mish");
}

TEST_CASE("two lowerings of one op are an error of the registry") {
  Registry registry;
  registerCorePasses(registry);
  registry.addLowering(negateBy(toNeg));
  registry.addLowering(negateBy(toNeg)); // the same again
  SourceManager sources;
  Diagnostics diags(sources);
  CHECK(registry.check(diags));
  registry.addLowering(negateBy([](LoweringContext &) { return false; }));
  CHECK_FALSE(registry.check(diags));
  CHECK(diags.all().front().tag == "duplicate-lowering");
}
