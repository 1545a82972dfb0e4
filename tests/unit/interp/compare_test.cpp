// Comparing functions on random inputs: the inputs must be such that there is something to compare.
#include "rw/interp/compare.h"
#include "rw/interp/size_text.h"
#include "rw/ir/parser.h"
#include "rw/passes/pass.h"
#include "rw_builtin_register.h"

#include <doctest/doctest.h>

using namespace rw;

namespace {
/// A function before and after, as text.
struct Pair {
  Registry registry;
  SourceManager sources;
  Diagnostics diags{sources};
  std::unique_ptr<Program> before, after;
  Pair(const std::string &was, const std::string &is) {
    builtin::register_rw_builtin(registry);
    before = parseProgram(sources.addText("before.rwir", was), sources, diags, registry.ops);
    after = parseProgram(sources.addText("after.rwir", is), sources, diags, registry.ops);
    INFO(diags.renderText());
    REQUIRE(before);
    REQUIRE(after);
  }
  Comparison compare(unsigned rounds = 3) {
    return compareFunctions(*before->function("main"), *after->function("main"), rounds, 0);
  }
};

/// The same operation, with results that differ by a factor.
Comparison scaled(const std::string &params, const std::string &body, const std::string &value,
                  const char *dtype = "f32", unsigned rounds = 3) {
  auto text = [&](const char *factor) {
    return "func @main(" + params + ") -> ? {\n" + body + "\n %factor = onnx.initializer() {value = dense<" + dtype +
           "[]: " + factor + ">} : " + dtype + "[]\n %scaled = onnx.Mul(" + value +
           ", %factor) : ?\n return %scaled\n}";
  };
  bool isFloat = dtype[0] == 'f';
  return Pair(text(isFloat ? "1.0" : "1"), text(isFloat ? "1.5" : "2")).compare(rounds);
}
} // namespace

TEST_CASE("images are drawn as large as the windows of a program want them") {
  std::string kernel = " %w = onnx.initializer() {value = dense<f32[1, 1, 7, 7]: 0.5>} : f32[1, 1, 7, 7]\n";
  CHECK(scaled("%x: f32[1, 1, H, W]", kernel + " %y = onnx.Conv(%x, %w)", "%y").outcome == Comparison::Differ);
  CHECK(scaled("%x: f32[N, 1, H, W]", kernel + " %y = onnx.Conv(%x, %w)", "%y").outcome == Comparison::Differ);
  CHECK(scaled("%x: f32[N, 1, H, 9]", kernel + " %y = onnx.Conv(%x, %w)", "%y").outcome == Comparison::Differ);
  CHECK(scaled("%x: f32[1, 1, H, W]",
               kernel + " %c = onnx.Conv(%x, %w) {strides = [4, 4]}\n %p = onnx.MaxPool(%c) {kernel_shape = [3, 3], "
                        "strides = [2, 2]}\n"
                        " %y = onnx.GlobalAveragePool(%p)",
               "%y")
            .outcome == Comparison::Differ);
  Comparison c = scaled("%x: f32[N, 1, H, W]", " %y = onnx.AveragePool(%x) {kernel_shape = [40, 40]}", "%y");
  CHECK(c.outcome == Comparison::Differ);
  CHECK(c.inputs == 3);
  CHECK(c.sizes.find("N = 2") == 0); // few images
}

TEST_CASE("windows that fit nowhere are errors, a result of no place too") {
  auto error = [](const std::string &shape, const std::string &op) {
    std::string text =
        "func @main(%x: f32[" + shape +
        "]) -> ? {\n %w = onnx.initializer() {value = dense<f32[1, 1, 3, 3]: 0.5>} : f32[1, 1, 3, 3]\n %y = " + op +
        " : ?\n return %y\n}";
    Pair pair(text, text);
    Function &fn = *pair.before->function("main");
    return evaluate(fn, randomInputs(fn, 1)).error;
  };
  for (const char *op :
       {"onnx.Conv(%x, %w)", "onnx.Conv(%x, %w) {strides = [4, 4]}", "onnx.MaxPool(%x) {kernel_shape = [3, 3]}",
        "onnx.AveragePool(%x) {kernel_shape = [3, 3]}", "onnx.LpPool(%x) {kernel_shape = [3, 3]}"}) {
    INFO(op);
    CHECK(error("1, 1, 2, 5", op) == "a window of 3 on 2 places, padding included");
    CHECK(error("1, 1, 3, 3", op) == "");
    CHECK(error("0, 1, 3, 3", op) == ""); // no images are no error
  }
  CHECK(error("1, 1, 2, 2", "onnx.MaxPool(%x) {kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1}") == "");
  CHECK(error("1, 1, 1, 1", "onnx.MaxPool(%x) {kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1}") != "");
  CHECK(error("1, 1, 0, 3", "onnx.MaxPool(%x) {kernel_shape = [3, 3], pads = [2, 2, 2, 2]}") ==
        "an image without any place");
  CHECK(error("1, 1, 0, 3", "onnx.GlobalAveragePool(%x)") == "an image without any place");
  CHECK(error("1, 1, 1, 1", "onnx.ConvTranspose(%x, %w) {pads = [2, 2, 1, 1]}") == "a result of no size that can be");
}

TEST_CASE("integers are drawn as places, axes and divisors want them") {
  CHECK(scaled("%x: f32[3, 4], %i: i64[2, 4]", " %y = onnx.GatherElements(%x, %i)", "%y").outcome ==
        Comparison::Differ);
  CHECK(scaled("%x: f32[3, 4], %i: i64[5, 2]", " %y = onnx.GatherND(%x, %i)", "%y").outcome == Comparison::Differ);
  CHECK(scaled("%x: f32[3, 4], %i: i64[2, 4], %u: f32[2, 4]", " %y = onnx.ScatterElements(%x, %i, %u)", "%y").outcome ==
        Comparison::Differ);
  CHECK(scaled("%x: f32[3, 4], %i: i64[2, 1], %u: f32[2, 4]", " %y = onnx.ScatterND(%x, %i, %u)", "%y").outcome ==
        Comparison::Differ);
  CHECK(scaled("%x: f32[3, 4], %a: i32[]", " %y = onnx.CumSum(%x, %a)", "%y").outcome == Comparison::Differ);
  CHECK(scaled("%x: f32[3, 4], %a: i64[1]", " %y = onnx.ReduceSum(%x, %a) {keepdims = 0}", "%y").outcome ==
        Comparison::Differ);
  CHECK(scaled("%x: f32[1, 5], %a: i64[1]", " %y = onnx.Squeeze(%x, %a)", "%y").outcome == Comparison::Differ);
  CHECK(scaled("%x: f32[5, 4], %a: i64[2]", " %y = onnx.Unsqueeze(%x, %a)", "%y").outcome == Comparison::Differ);
  CHECK(scaled("%x: f32[5, 4], %s: i64[2], %e: i64[2], %a: i64[2], %t: i64[2]",
               " %y = onnx.Slice(%x, %s, %e, %a, %t) : ?", "%y")
            .outcome == Comparison::Differ);
  CHECK(scaled("%x: i64[30], %d: i64[30]", " %y = onnx.Div(%x, %d)", "%y", "i64").outcome == Comparison::Differ);
  CHECK(
      scaled(
          "%x: i64[30], %d: i64[30]",
          " %q = onnx.Mod(%x, %d)\n %c = onnx.initializer() {value = dense<i64[]: 1>} : i64[]\n %y = onnx.Add(%q, %c)",
          "%y", "i64")
          .outcome == Comparison::Differ);
}

TEST_CASE("floats are drawn where functions are defined; what is so nowhere is said") {
  CHECK(scaled("%x: f32[8, 8]", " %l = onnx.Log(%x)\n %y = onnx.ReduceSum(%l)", "%y").outcome == Comparison::Differ);
  CHECK(scaled("%x: f32[8, 8]", " %l = onnx.Acosh(%x)\n %y = onnx.ReduceSum(%l)", "%y").outcome == Comparison::Differ);
  CHECK(scaled("%x: f32[8, 8]", " %n = onnx.Neg(%x)\n %l = onnx.Sqrt(%n)\n %y = onnx.ReduceSum(%l)", "%y").outcome ==
        Comparison::Differ);
  Comparison nowhere = scaled("%x: f32[4]", " %e = onnx.Exp(%x)\n %n = onnx.Neg(%e)\n %y = onnx.Log(%n)", "%y");
  CHECK(nowhere.outcome == Comparison::Vacuous);
  CHECK(nowhere.text == "result 0 had no finite number on all 3 inputs");
  Comparison empty = scaled("%x: f32[N, 4]", " %z = onnx.Sub(%x, %x)\n %y = onnx.NonZero(%z) : ?", "%y", "i64", 1);
  CHECK(empty.outcome == Comparison::Vacuous);
  CHECK(empty.text == "result 0 was empty on the only input");
}

TEST_CASE("some results may have nothing to compare while others have") {
  std::string text = "func @main(%x: f32[4]) -> (y: f32[4], z: f32[4], e: f32[0]) {\n %y = onnx.Exp(%x)\n %n = "
                     "onnx.Neg(%y)\n %z = onnx.Log(%n)\n"
                     " %e = onnx.initializer() {value = dense<f32[0]: []>} : f32[0]\n return %y, %z, %e\n}";
  Comparison c = Pair(text, text).compare(1);
  CHECK(c.outcome == Comparison::Agree);
  CHECK(c.results == 3);
  // e is empty by its type
  CHECK(c.notCompared == std::vector<std::string>{"result 1 (z) had no finite number on the only input"});
}

TEST_CASE("a size named by an expression over others has the size that says") {
  Comparison c = scaled("%x: f32[B, S], %k: f32[B, past], %m: f32[B, \"S + past\"]",
                        " %a = onnx.Concat(%x, %k) {axis = 1}\n %y = onnx.Add(%a, %m)", "%y");
  CHECK(c.outcome == Comparison::Differ);
  CHECK(c.sizes == "B = 2, 3, 1; S = 3, 1, 5; past = 1, 5, 4; S + past = 4, 6, 9");
  CHECK(scaled("%x: f32[batch, \"batch-size\"]", " %y = onnx.Relu(%x)", "%y").outcome == Comparison::Differ);
}

TEST_CASE("what names of sizes are expressions") {
  auto size = [](std::string_view text) {
    return sizeOfText(text, [](std::string_view name) {
      return name == "S" ? std::optional<int64_t>(7) : name == "past_1" ? std::optional<int64_t>(3) : std::nullopt;
    });
  };
  CHECK(size("S + past_1") == 10);
  CHECK(size("2*S - 1") == 13);
  CHECK(size("S//2") == 3);
  CHECK(size("(S + 1)*past_1") == 24);
  CHECK(size("floor(S/2) + 1") == 4);
  CHECK(size("ceil(S/2)") == 4);
  CHECK(size("Max(1, S % past_1)") == 1);
  CHECK(size("min(S, past_1)*0") == 0);
  for (const char *plain :
       {"S", "batch-size", "S +", "(S", "S + T", "", "12", "S/0", "past_1 - S", "f(S)", "S S", "S + 1)"}) {
    INFO(plain);
    CHECK_FALSE(size(plain));
  }
}

TEST_CASE("sequences and optional values are drawn") {
  std::string zero = " %i = onnx.initializer() {value = dense<i64[]: 0>} : i64[]\n";
  CHECK(scaled("%s: opaque<\"seq<f32[2, N]>\">", zero + " %y = onnx.SequenceAt(%s, %i) : ?", "%y").outcome ==
        Comparison::Differ);
  CHECK(scaled("%s: opaque<\"seq<f32[2]>\">", " %y = onnx.SequenceLength(%s) : ?", "%y", "i64").outcome ==
        Comparison::Differ);
  Comparison c = scaled("%o: opaque<\"optional<f32[2]>\">", " %y = onnx.OptionalGetElement(%o) : ?", "%y");
  CHECK(c.outcome == Comparison::Differ);
  CHECK(c.inputs == 2); // in the other round there was nothing to get
  CHECK(scaled("%o: opaque<\"map<i64, f32[2]>\">", zero + " %y = onnx.SequenceAt(%o, %i) : ?", "%y").outcome ==
        Comparison::NotEvaluated);
}

TEST_CASE("casts to floats of 8 bits are compared by their numbers") {
  auto text = [](const char *factor, const char *to) {
    return std::string("func @main(%x: f32[64]) -> ? {\n %f = onnx.initializer() {value = dense<f32[]: ") + factor +
           ">} : f32[]\n %m = onnx.Mul(%x, %f)\n %y = onnx.Cast(%m) {to = " + to + "}\n return %y\n}";
  };
  for (const char *to : {"17", "18", "19", "20"}) {
    INFO(to);
    CHECK(Pair(text("1.0", to), text("1.0", to)).compare().outcome == Comparison::Agree);
    CHECK(Pair(text("1.0", to), text("1.25", to)).compare().outcome == Comparison::Differ);
  }
}
