// The reference evaluator on text programs with results worked out by hand.
#include "rw/interp/constant_folder.h"
#include "rw/interp/element.h"
#include "rw/interp/evaluate.h"
#include "rw/ir/parser.h"
#include "rw/passes/pass.h"
#include "rw_builtin_register.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

using namespace rw;

namespace {
Tensor floats(Shape dims, std::vector<float> values) {
  Tensor t = *Tensor::make(DType::F32, std::move(dims));
  std::copy(values.begin(), values.end(), t.mutableData<float>());
  return t;
}
Tensor bytes(std::vector<int8_t> values) {
  Tensor t = *Tensor::make(DType::I8, {int64_t(values.size())});
  std::copy(values.begin(), values.end(), t.mutableData<int8_t>());
  return t;
}
std::vector<double> numbers(const Tensor &t) {
  std::vector<double> out;
  for (size_t i = 0; i < t.size(); ++i)
    out.push_back(t.floatAt(i));
  return out;
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
  EvalResult operator()(std::vector<Tensor> inputs) { return evaluate(*program->function("main"), inputs); }
};
} // namespace

TEST_CASE("transposes move elements") {
  Run run("func @main(%x: f32[2, 3]) -> f32[3, 2] {\n %0 = tensor.transpose(%x) {perm = [1, 0]} : f32[3, 2]\n return "
          "%0\n}");
  EvalResult r = run({floats({2, 3}, {1, 2, 3, 4, 5, 6})});
  REQUIRE(r.error == "");
  CHECK(r.values[0].shape() == Shape{3, 2});
  CHECK(numbers(r.values[0]) == std::vector<double>{1, 4, 2, 5, 3, 6});
}

TEST_CASE("elementwise ops broadcast, round to the element type, keep -0 and NaN") {
  Run run("func @main(%x: f32[2, 2], %y: f32[2]) -> (f32[2, 2], f32[2]) {\n %0 = tensor.add(%x, %y) : f32[2, 2]\n"
          " %1 = tensor.mul(%y, %y) : f32[2]\n return %0, %1\n}");
  EvalResult r = run({floats({2, 2}, {1, 16777216, -0.0, NAN}), floats({2}, {-0.0, 1})});
  REQUIRE(r.error == "");
  CHECK(r.values[0].floatAt(0) == 1);
  CHECK(r.values[0].floatAt(1) == 16777216); // 2^24 + 1 is no f32
  CHECK(std::signbit(r.values[0].floatAt(2)));
  CHECK(std::isnan(r.values[0].floatAt(3)));
  CHECK_FALSE(std::signbit(r.values[1].floatAt(0)));
}

TEST_CASE("integers wrap, division by zero is an error") {
  Run run("func @main(%x: i8[2], %y: i8[2]) -> (i8[2], i8[2]) {\n %0 = tensor.add(%x, %y) : i8[2]\n %1 = "
          "tensor.div(%x, %y) : i8[2]\n"
          " return %0, %1\n}");
  Tensor x = bytes({127, -7}), y = bytes({1, 2});
  EvalResult r = run({x, y});
  REQUIRE(r.error == "");
  CHECK(numbers(r.values[0]) == std::vector<double>{-128, -5});
  CHECK(numbers(r.values[1]) == std::vector<double>{127, -3}); // towards zero
  y = bytes({0, 1});
  CHECK(run({x, y}).error.find("division by zero") != std::string::npos);
}

TEST_CASE("dot_general puts batch dimensions first, then the free ones of lhs, then of rhs") {
  Run run("func @main(%a: f32[2, 1, 2], %b: f32[2, 2, 1]) -> f32[2, 1, 1] {\n %0 = tensor.dot_general(%a, %b) "
          "{lhs_batch = [0], rhs_batch = [0], "
          "lhs_contract = [2], rhs_contract = [1]} : f32[2, 1, 1]\n return %0\n}");
  EvalResult r = run({floats({2, 1, 2}, {1, 2, 3, 4}), floats({2, 2, 1}, {5, 6, 7, 8})});
  REQUIRE(r.error == "");
  CHECK(numbers(r.values[0]) == std::vector<double>{17, 53});
}

TEST_CASE("reductions, slices, concatenation, softmax") {
  Run run("func @main(%x: f32[2, 2]) -> (f32[2], f32[2, 1], f32[4, 2], f32[2, 2]) {\n"
          " %0 = tensor.reduce_max(%x) {axes = [0]} : f32[2]\n"
          " %1 = tensor.slice(%x) {start = [0, 1], limit = [2, 2]} : f32[2, 1]\n"
          " %2 = tensor.concat(%x, %x) {axis = 0} : f32[4, 2]\n"
          " %3 = tensor.softmax(%x) {axis = 1} : f32[2, 2]\n return %0, %1, %2, %3\n}");
  EvalResult r = run({floats({2, 2}, {1, 1, 3, 3})});
  REQUIRE(r.error == "");
  CHECK(numbers(r.values[0]) == std::vector<double>{3, 3});
  CHECK(numbers(r.values[1]) == std::vector<double>{1, 3});
  CHECK(numbers(r.values[2]) == std::vector<double>{1, 1, 3, 3, 1, 1, 3, 3});
  CHECK(numbers(r.values[3]) == std::vector<double>{0.5, 0.5, 0.5, 0.5});
}

TEST_CASE("what has no kernel, and operands that do not fit, are errors in words") {
  Run unknown("func @main(%x: f32[2]) -> f32[2] {\n %0 = other.op(%x) : f32[2]\n return %0\n}");
  EvalResult r = unknown({floats({2}, {1, 2})});
  CHECK(r.unsupported);
  CHECK(r.opName == "other.op");
  Run fits("func @main(%x: f32[A], %y: f32[A]) -> f32[A] {\n %0 = tensor.add(%x, %y) : f32[A]\n return %0\n}");
  CHECK(fits({floats({2}, {1, 2}), floats({3}, {1, 2, 3})}).error.find("do not broadcast") != std::string::npos);
  CHECK(fits({}).error.find("has no value") != std::string::npos);
}

TEST_CASE("16-bit floats round to nearest even") {
  CHECK(float(Half(2049)) == 2048);
  CHECK(float(Half(70000)) == INFINITY);
  CHECK(float(BFloat(257)) == 256);
  CHECK(convertElement<uint8_t>(int64_t(300)) == 44);
}

TEST_CASE("folding stops at its size limit and at ops with effects") {
  Run run("func @main() -> (f32[2], f32[2]) {\n %c = tensor.constant() {value = dense<f32[2]: [1, 2]>} : f32[2]\n"
          " %0 = tensor.neg(%c) : f32[2]\n %1 = tensor.rng_uniform() {shape = [2], dtype = f32} : f32[2]\n return %0, "
          "%1\n}");
  Function &fn = *run.program->function("main");
  Op constant = *fn.ops(fn.body()).begin(), neg = constant.next(), draw = neg.next();
  InterpreterFolder folder;
  std::vector<AttrId> results;
  CHECK_FALSE(folder.fold(neg, 4, results));
  CHECK_FALSE(folder.fold(draw, 1024, results));
  CHECK(results.empty());
  REQUIRE(folder.fold(neg, 1024, results));
  CHECK(numbers(*Tensor::fromAttr(fn.context(), results[0])) == std::vector<double>{-1, -2});
}

TEST_CASE("folding stops where the program would have grown too much, and what goes makes room") {
  Run run("func @main() -> (f32[2], f32[2], f32[2], f32[2]) {\n %c = tensor.constant() {value = dense<f32[2]: [1, 2]>} "
          ": f32[2]\n"
          " %d = tensor.constant() {value = dense<f32[2]: [3, 4]>} : f32[2]\n %0 = tensor.neg(%c) : f32[2]\n"
          " %1 = tensor.abs(%c) : f32[2]\n %2 = tensor.neg(%d) : f32[2]\n return %c, %0, %1, %2\n}");
  Function &fn = *run.program->function("main");
  Op shared = (*fn.ops(fn.body()).begin()).next().next(), again = shared.next(), alone = again.next();
  InterpreterFolder folder(0, 8);
  std::vector<AttrId> results;
  CHECK(folder.fold(shared, 1024, results)); // 8 bytes more: %c stays
  CHECK_FALSE(folder.fold(again, 1024, results));
  CHECK(results.empty());
  CHECK(folder.fold(alone, 1024, results)); // %d goes
}

TEST_CASE("a large constant that stays is not folded into another one") {
  for (const char *size : {"100000", "200000"}) { // 400 kB, 800 kB
    std::string type = std::string("f32[") + size + "]";
    Run run(("func @main() -> (" + type + ", " + type + ", " + type + ") {\n %c = tensor.constant() {value = dense<" +
             type + ": 1>} : " + type + "\n %d = tensor.constant() {value = dense<" + type + ": 2>} : " + type +
             "\n %0 = tensor.neg(%c) : " + type + "\n %1 = tensor.neg(%d) : " + type + "\n return %c, %0, %1\n}")
                .c_str());
    Function &fn = *run.program->function("main");
    Op shared = (*fn.ops(fn.body()).begin()).next().next(), alone = shared.next();
    InterpreterFolder folder;
    std::vector<AttrId> results;
    CHECK(folder.fold(shared, 1 << 20, results) == (size[0] == '1'));
    CHECK(folder.fold(alone, 1 << 20, results));
  }
}

TEST_CASE("iota counts along its axis in every kind of number") {
  for (const char *dtype :
       {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "c64", "c128"}) {
    std::string type = std::string(dtype) + "[2, 3]",
                text = "func @main() -> (" + type + ", " + type +
                       ") {\n %0 = tensor.iota() {shape = [2, 3], dtype = " + dtype +
                       ", axis = 1}\n %1 = tensor.iota() {shape = [2, 3], dtype = " + dtype + "}\n return %0, %1\n}";
    Run run(text.c_str());
    EvalResult r = run({});
    REQUIRE(r.error == "");
    CHECK(numbers(r.values[0]) == std::vector<double>{0, 1, 2, 0, 1, 2});
    CHECK(numbers(r.values[1]) == std::vector<double>{0, 0, 0, 1, 1, 1});
  }
}

TEST_CASE("assertions, loops without end and indices outside are errors in words, not hangs or crashes") {
  Run asserts("func @main(%p: bool[2]) -> () {\n tensor.assert(%p) {message = \"both must hold\"}\n return\n}");
  Tensor p = *Tensor::make(DType::Bool, {2});
  p.mutableData<uint8_t>()[0] = 1;
  CHECK(asserts({p}).error == "the assertion does not hold: both must hold");
  p.mutableData<uint8_t>()[1] = 1;
  CHECK(asserts({p}).error == "");
  Run endless("func @main(%p: bool[]) -> bool[] {\n %0 = tensor.while(%p) : bool[] cond(%c: bool[]) {\n return %c\n } "
              "body(%b: bool[]) {\n return %b\n }\n return %0\n}");
  Tensor one = Tensor::scalar(DType::Bool, uint8_t(1));
  CHECK(evaluate(*endless.program->function("main"), std::vector<Tensor>{one}, {.maxWork = 100000})
            .error.find("more steps than allowed") != std::string::npos);
  Run rounds("func @main(%n: i64[], %p: bool[], %x: f32[]) -> f32[] {\n %0 = onnx.Loop(%n, %p, %x) : f32[] body(%i: "
             "i64[], %c: bool[], %v: f32[]) {\n return %c, %v\n }\n return %0\n}");
  EvalResult most = rounds({Tensor::scalar(DType::I64, INT64_MAX), one, Tensor::scalar(DType::F32, 1.0f)});
  CHECK(most.error.find("more steps than allowed") != std::string::npos); // within seconds
  CHECK(most.exhausted);
  Run gathers("func @main(%x: f32[2], %i: i64[1]) -> f32[1] {\n %0 = tensor.gather(%x, %i) : f32[1]\n return %0\n}");
  CHECK(gathers({floats({2}, {1, 2}), Tensor::scalar(DType::I64, int64_t(5)).withShape({1})})
            .error.find("lies outside") != std::string::npos);
  CHECK(!gathers({floats({2}, {1, 2}), Tensor::scalar(DType::I64, int64_t(5)).withShape({1})}).exhausted);
  Run resized("func @main(%x: f32[1, 1], %s: i64[2]) -> f32[?, ?] {\n %0 = onnx.Resize(%x, _, _, %s) {mode = "
              "\"nearest\"} : f32[?, ?]\n return %0\n}");
  Tensor sizes = *Tensor::make(DType::I64, {2});
  sizes.mutableData<int64_t>()[0] = int64_t(1) << 30;
  sizes.mutableData<int64_t>()[1] = int64_t(1) << 20;
  EvalResult large = resized({floats({1, 1}, {1}), sizes}); // before it looks for where a billion rows come from
  CHECK(large.error.find("too large") != std::string::npos);
  CHECK(large.exhausted);
  Run scans("func @main(%n: i32[]) -> i32[0] {\n %z = tensor.constant() {value = dense<i32[]: 0>}\n"
            " %s, %0 = tensor.scan(%z) {carries = 1, length = 0} : i32[], i32[0] body(%c: i32[]) {\n return %c, %c\n "
            "}\n return %0\n}");
  EvalResult none = scans({Tensor::scalar(DType::I32, int32_t(1))});
  REQUIRE(none.error == "");
  CHECK(none.values[0].shape() == Shape{0}); // of no round
}

TEST_CASE("amounts of slices and pads are what their symbols stand for, below 0 too") {
  Run run("func @main(%x: f32[B], %v: f32[]) -> (f32[*], f32[*], f32[*]) {\n"
          " %0 = tensor.slice(%x) {start = [B - 2], limit = [B]}\n"
          " %1 = tensor.pad(%x, %v) {low = [3 - B], high = [B]}\n"
          " %2 = tensor.pad(%x, %v) {low = [-1], high = [4 - 2*B], interior = [1]}\n return %0, %1, %2\n}");
  EvalResult r = run({floats({4}, {1, 2, 3, 4}), floats({}, {9})});
  REQUIRE(r.error == "");
  CHECK(numbers(r.values[0]) == std::vector<double>{3, 4});
  CHECK(numbers(r.values[1]) == std::vector<double>{2, 3, 4, 9, 9, 9, 9});
  CHECK(numbers(r.values[2]) == std::vector<double>{9, 2}); // 1 9 2 9 3 9 4 without the first and the last four
  CHECK(run({floats({1}, {1}), floats({}, {9})}).error.find("outside the operand") != std::string::npos);
  Run unknown("func @main(%x: f32[2]) -> f32[*] {\n %0 = tensor.slice(%x) {start = [0], limit = [N]}\n return %0\n}");
  // nothing says what N is
  CHECK(unknown({floats({2}, {1, 2})}).error.find("do not fit the rank") != std::string::npos);
}

TEST_CASE(
    "a pad that takes away more than there is, and a dilated image without room for a window, are errors in words") {
  Run pads("func @main(%x: f32[B], %v: f32[]) -> f32[*] {\n %0 = tensor.pad(%x, %v) {low = [-2], high = [-1]}\n return "
           "%0\n}");
  CHECK(pads({floats({3}, {1, 2, 3}), floats({}, {9})}).error == "");
  CHECK(pads({floats({2}, {1, 2}), floats({}, {9})}).error.find("the padding is out of range") != std::string::npos);
  Run convs("func @main(%x: f32[1, 1, B], %w: f32[1, 1, 3]) -> f32[*] {\n"
            " %0 = tensor.conv(%x, %w) {input_dilations = [2], pads = [-1, 0]}\n return %0\n}");
  EvalResult r = convs({floats({1, 1, 3}, {1, 2, 3}), floats({1, 1, 3}, {1, 10, 100})});
  REQUIRE(r.error == "");
  CHECK(numbers(r.values[0]) == std::vector<double>{20, 302}); // of 0 2 0 3
  CHECK(convs({floats({1, 1, 2}, {1, 2}), floats({1, 1, 3}, {1, 1, 1})}).error.find("a window of 3 on 2 places") !=
        std::string::npos);
}

TEST_CASE("the nearest element keeps the sign of a zero") {
  Run run("func @main(%x: f32[2]) -> f32[*] {\n %s = onnx.Constant() {value = dense<f32[1]: 2>}\n"
          " %0 = onnx.Resize(%x, _, %s)\n return %0\n}");
  EvalResult r = run({floats({2}, {-0.0f, 1})});
  REQUIRE(r.error == "");
  CHECK(std::signbit(numbers(r.values[0])[0]));
  CHECK(numbers(r.values[0])[3] == 1);
}

TEST_CASE("Resize along some axes is that of all dimensions with a factor of 1 for the others") {
  const Tensor x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  for (const char *how : {"mode = \"linear\"", "mode = \"cubic\"", "mode = \"nearest\""}) {
    auto made = [&](const char *factors, const char *axes) {
      return "func @main(%x: f32[2, 3]) -> f32[*] {\n %s = onnx.Constant() {value = dense<" + std::string(factors) +
             ">}\n %0 = onnx.Resize@18(%x, _, %s) {" + how + axes + "} : f32[?, ?]\n return %0\n}";
    };
    EvalResult some = Run(made("f32[2]: [3, 2]", ", axes = [1, -2]").c_str())({x}),
               all = Run(made("f32[2]: [2, 3]", "").c_str())({x});
    REQUIRE(some.error == "");
    REQUIRE(all.error == "");
    CHECK(some.values[0].shape() == Shape{4, 9});
    CHECK(numbers(some.values[0]) == numbers(all.values[0]));
    EvalResult one = Run(made("f32[1]: 2", ", axes = [1]").c_str())({x});
    REQUIRE(one.error == "");
    CHECK(one.values[0].shape() == Shape{2, 6});
  }
  Run wrong("func @main(%x: f32[2, 3]) -> f32[*] {\n %s = onnx.Constant() {value = dense<f32[2]: 2>}\n"
            " %0 = onnx.Resize@18(%x, _, %s) {axes = [1]} : f32[?, ?]\n return %0\n}");
  CHECK(wrong({x}).error.find("do not fit the axes") != std::string::npos);
}

// Source of the factors and of the places: the text of ONNX's operator Resize, version 18.
TEST_CASE("Resize keeps the aspect ratio where it is told to, and takes off at both ends what rounding takes off") {
  auto shapeOf = [](const char *policy, const char *axes) {
    Run run(("func @main(%x: f32[2, 4]) -> f32[*] {\n %s = onnx.Constant() {value = dense<i64[2]: [7, 8]>}\n"
             " %0 = onnx.Resize@18(%x, _, _, %s) {keep_aspect_ratio_policy = \"" +
             std::string(policy) + "\"" + axes + "} : f32[?, ?]\n return %0\n}")
                .c_str());
    EvalResult r = run({floats({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})});
    REQUIRE(r.error == "");
    return r.values[0].shape();
  };
  CHECK(shapeOf("stretch", "") == Shape{7, 8});
  CHECK(shapeOf("not_larger", "") == Shape{4, 8});                // by 2
  CHECK(shapeOf("not_smaller", "") == Shape{7, 14});              // by 3.5
  CHECK(shapeOf("not_larger", ", axes = [1, 0]") == Shape{4, 7}); // by 1.75: 3.5 becomes 4
  Run symmetric("func @main(%x: f32[4]) -> f32[*] {\n %s = onnx.Constant() {value = dense<f32[1]: 0.6>}\n"
                " %0 = onnx.Resize@19(%x, _, %s) {mode = \"linear\", "
                "coordinate_transformation_mode = \"half_pixel_symmetric\"} : f32[?]\n return %0\n}");
  EvalResult r = symmetric({floats({4}, {1, 2, 3, 4})});
  REQUIRE(r.error == "");
  const std::vector<double> seen = numbers(r.values[0]);
  REQUIRE(seen.size() == 2);
  CHECK(seen[0] == doctest::Approx(5.0 / 3)); // at (4 / 2)(1 - 2 / 2.4) + 0.5 / 0.6 - 0.5 = 2 / 3
  CHECK(seen[1] == doctest::Approx(10.0 / 3));
}

// Source of the numbers: ONNX's tests of operator Resize, `resize_downsample_sizes_linear_antialias` and `…_cubic_…`.
TEST_CASE("Resize filters an image that becomes smaller where antialias says so") {
  std::vector<float> image;
  for (int i = 1; i <= 16; ++i)
    image.push_back(float(i));
  auto first = [&](const char *mode) {
    Run run(
        ("func @main(%x: f32[1, 1, 4, 4]) -> f32[*] {\n %s = onnx.Constant() {value = dense<i64[4]: [1, 1, 3, 3]>}\n"
         " %0 = onnx.Resize@18(%x, _, _, %s) {antialias = 1, mode = \"" +
         std::string(mode) + "\"}\n return %0\n}")
            .c_str());
    Tensor x = *Tensor::make(DType::F32, {1, 1, 4, 4});
    std::ranges::copy(image, x.mutableData<float>());
    EvalResult r = run({x});
    REQUIRE(r.error == "");
    return numbers(r.values[0]);
  };
  CHECK(first("linear")[0] == doctest::Approx(2.3636363));
  CHECK(first("linear")[4] == doctest::Approx(8.5));
  CHECK(first("cubic")[0] == doctest::Approx(1.7750092));
  CHECK(first("nearest")[0] == 1);
  // A part of an image that reaches far outside, at as small a scale, has no end of places to be weighted.
  Run endless("func @main(%x: f32[2]) -> f32[?] {\n %r = onnx.Constant() {value = dense<f32[2]: [0, 1e12]>}\n"
              " %s = onnx.Constant() {value = dense<f32[1]: 1e-12>}\n"
              " %0 = onnx.Resize@18(%x, %r, %s) {antialias = 1, mode = \"linear\", "
              "coordinate_transformation_mode = \"tf_crop_and_resize\"} : f32[?]\n return %0\n}");
  CHECK(endless({floats({2}, {1, 2})}).error.find("much larger than the image") != std::string::npos);
}

TEST_CASE("batch normalization of old models has numbers for each feature where spatial is 0") {
  Run run("func @main(%x: f32[2, 1, 2], %s: f32[1, 2], %o: f32[1, 2], %m: f32[1, 2], %v: f32[1, 2]) -> f32[2, 1, 2] {\n"
          " %y = onnx.BatchNormalization@7(%x, %s, %o, %m, %v) {epsilon = 0.0, spatial = 0}\n return %y\n}");
  const Tensor ones = floats({1, 2}, {1, 1}), scale = floats({1, 2}, {2, 10}), offset = floats({1, 2}, {0, 100});
  EvalResult r = run({floats({2, 1, 2}, {1, 2, 3, 4}), scale, offset, ones, ones});
  REQUIRE(r.error == "");
  CHECK(numbers(r.values[0]) == std::vector<double>{0, 110, 4, 130});
  const Tensor one = floats({1}, {1}); // as many as channels are too few
  CHECK(run({floats({2, 1, 2}, {1, 2, 3, 4}), one, one, one, one}).error.find("per feature") != std::string::npos);
}

TEST_CASE("batch normalization in training takes the numbers of the batch, and gives running ones") {
  Run run("func @main(%x: f32[2, 2], %s: f32[2], %o: f32[2], %m: f32[2], %v: f32[2]) -> (f32[2, 2], f32[2], f32[2]) {\n"
          " %y, %n, %w = onnx.BatchNormalization(%x, %s, %o, %m, %v) {epsilon = 0.0, momentum = 0.75, training_mode = "
          "1}\n return %y, %n, %w\n}");
  EvalResult r = run({floats({2, 2}, {1, 10, 3, 30}), floats({2}, {1, 2}), floats({2}, {0, 1}), floats({2}, {0, 4}),
                      floats({2}, {1, 4})});
  REQUIRE(r.error == "");
  CHECK(numbers(r.values[0]) == std::vector<double>{-1, -1, 1, 3});
  CHECK(numbers(r.values[1]) == std::vector<double>{0.5, 8});
  CHECK(numbers(r.values[2]) == std::vector<double>{1, 28}); // of the whole population
}

TEST_CASE("softmax needs an axis, a slice of a gather one element in dimensions that are left out") {
  Run softmax("func @main(%x: f32[]) -> f32[] {\n %y = onnx.Softmax@13(%x)\n return %y\n}");
  CHECK(softmax({floats({}, {1})}).error.find("rank 0") != std::string::npos);
  Run gather("func @main(%x: f32[3], %i: i64[1], %n: i64[1]) -> f32[] {\n"
             " %y = stablehlo.dynamic_gather(%x, %i, %n) {collapsed_slice_dims = [0], start_index_map = [0]} : f32[]\n"
             " return %y\n}");
  auto ints = [](int64_t n) {
    Tensor t = *Tensor::make(DType::I64, {1});
    *t.mutableData<int64_t>() = n;
    return t;
  };
  EvalResult one = gather({floats({3}, {5, 6, 7}), ints(1), ints(1)});
  REQUIRE(one.error == "");
  CHECK(numbers(one.values[0]) == std::vector<double>{6});
  CHECK(gather({floats({3}, {5, 6, 7}), ints(1), ints(2)}).error.find("left out") != std::string::npos);
}

TEST_CASE("CHLO's comparison that stretches knows the total order") {
  Run run("func @main(%x: f32[2], %y: f32[]) -> (bool[2], bool[2]) {\n"
          " %0 = chlo.broadcast_compare(%x, %y) {comparison_direction = \"LT\", compare_type = \"TOTALORDER\"}\n"
          " %1 = chlo.broadcast_compare(%x, %y) {comparison_direction = \"LT\"}\n return %0, %1\n}");
  EvalResult r = run({floats({2}, {-0.0f, 1}), floats({}, {0})});
  REQUIRE(r.error == "");
  CHECK(numbers(r.values[0]) == std::vector<double>{1, 0}); // -0 comes before 0
  CHECK(numbers(r.values[1]) == std::vector<double>{0, 0});
}

TEST_CASE("a scale for each block of places along an axis") {
  Run run("func @main(%x: f32[2, 5], %s: f32[2, 3]) -> f32[2, 5] {\n"
          " %q = onnx.QuantizeLinear@21(%x, %s) {axis = 1, block_size = 2} : u8[2, 5]\n"
          " %0 = onnx.DequantizeLinear@21(%q, %s) {axis = -1, block_size = 2} : f32[2, 5]\n return %0\n}");
  EvalResult r = run({floats({2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), floats({2, 3}, {1, 2, 3, 4, 5, 6})});
  REQUIRE(r.error == "");
  // 1 and 2 by 1, 3 and 4 by 2 (1.5 and 2 become 2), 5 by 3 (2); 6 and 7 by 4 (1.5 and 1.75), 8 and 9 by 5, 10 by 6
  CHECK(numbers(r.values[0]) == std::vector<double>{1, 2, 4, 4, 6, 8, 8, 10, 10, 12});
  CHECK(
      run({floats({2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), floats({2, 2}, {1, 2, 3, 4})}).error.find("does not fit") !=
      std::string::npos);
}

TEST_CASE("a sum of one element is that element, -0 as well") {
  Run run("func @main(%x: f32[2, 1]) -> (f32[2, 1], f32[1, 2], f32[2, 1]) {\n"
          " %0 = tensor.cumsum(%x) {axis = 1}\n"
          " %1 = onnx.Einsum(%x) {equation = \"ij->ji\"} : f32[1, 2]\n"
          " %2 = tensor.cumsum(%x) {axis = 1, exclusive = true}\n return %0, %1, %2\n}");
  EvalResult r = run({floats({2, 1}, {-0.0f, 3})});
  REQUIRE(r.error == "");
  CHECK(std::signbit(numbers(r.values[0])[0]));
  CHECK(std::signbit(numbers(r.values[1])[0]));
  CHECK_FALSE(std::signbit(numbers(r.values[2])[0])); // of none it is 0
}

TEST_CASE("the sum of magnitudes of unsigned numbers wraps as other sums do") {
  Run run("func @main(%x: u64[2]) -> u64[1] {\n %0 = onnx.ReduceL1@13(%x) {axes = [0]}\n return %0\n}");
  Tensor x = *Tensor::make(DType::U64, {2});
  x.mutableData<uint64_t>()[0] = 5;
  x.mutableData<uint64_t>()[1] = UINT64_MAX;
  EvalResult r = run({x});
  REQUIRE(r.error == "");
  CHECK(r.values[0].data<uint64_t>()[0] == 4);
}

TEST_CASE("operands of which the specification asks more are refused") {
  Run pad("func @main(%x: f64[2], %v: f32[]) -> f64[*] {\n"
          " %0 = onnx.initializer() {value = dense<i64[2]: 1>}\n %1 = onnx.Pad(%x, %0, %v)\n return %1\n}");
  CHECK(pad({*Tensor::make(DType::F64, {2}), floats({}, {1})}).error.find("another element type") != std::string::npos);
  Run norm("func @main(%x: f32[1, 2], %s: f32[2], %b: f32[2, 1]) -> f32[1, 2] {\n"
           " %0 = onnx.BatchNormalization(%x, %s, %b, %s, %s)\n return %0\n}");
  CHECK(norm({floats({1, 2}, {1, 2}), floats({2}, {1, 1}), floats({2, 1}, {0, 0})}).error.find("is not a list") !=
        std::string::npos);
}

TEST_CASE("numbers are quantized to the type that an op states") {
  Run run("func @main(%x: f32[3], %s: f32[], %z: i8[]) -> (i8[3], f16[3], i16[3], i8[3]) {\n"
          " %0 = onnx.QuantizeLinear@21(%x, %s) {output_dtype = 3} : i8[3]\n"
          " %1 = onnx.DequantizeLinear@23(%0, %s) {output_dtype = 10} : f16[3]\n"
          " %2 = onnx.QuantizeLinear@21(%x, %s) {output_dtype = 5} : i16[3]\n"
          " %3 = onnx.QuantizeLinear@21(%x, %s, %z) {output_dtype = 3} : i8[3]\n return %0, %1, %2, %3\n}");
  Tensor zero = *Tensor::make(DType::I8, {});
  *zero.mutableData<int8_t>() = 1;
  EvalResult r = run({floats({3}, {-1, 100, 0.5f}), floats({}, {0.5f}), zero});
  REQUIRE(r.error == "");
  CHECK(numbers(r.values[0]) == std::vector<double>{-2, 127, 1});
  CHECK(r.values[1].dtype() == DType::F16);
  CHECK(numbers(r.values[1]) == std::vector<double>{-1, 63.5, 0.5});
  CHECK(numbers(r.values[2]) == std::vector<double>{-2, 200, 1});
  CHECK(numbers(r.values[3]) == std::vector<double>{-1, 127, 2});
  Run other("func @main(%x: f32[3], %s: f32[], %z: u8[]) -> i8[3] {\n"
            " %0 = onnx.QuantizeLinear@21(%x, %s, %z) {output_dtype = 3} : i8[3]\n return %0\n}");
  CHECK(other({floats({3}, {1, 2, 3}), floats({}, {1}), *Tensor::make(DType::U8, {})}).error.find("zero point") !=
        std::string::npos);
}

TEST_CASE("numbers are divided by their scale in the stated precision") {
  // 2049 is none of 16 bits, which have 2048 there.
  Run run("func @main(%x: f32[1], %s: f32[]) -> (i16[1], i16[1]) {\n"
          " %0 = onnx.QuantizeLinear@23(%x, %s) {output_dtype = 5, precision = 10} : i16[1]\n"
          " %1 = onnx.QuantizeLinear@23(%x, %s) {output_dtype = 5, precision = 1} : i16[1]\n return %0, %1\n}");
  EvalResult r = run({floats({1}, {2049}), floats({}, {1})});
  REQUIRE(r.error == "");
  CHECK(numbers(r.values[0]) == std::vector<double>{2048});
  CHECK(numbers(r.values[1]) == std::vector<double>{2049});
  Run whole("func @main(%x: f32[1], %s: f32[]) -> u8[1] {\n"
            " %0 = onnx.QuantizeLinear@23(%x, %s) {precision = 6} : u8[1]\n return %0\n}");
  CHECK(whole({floats({1}, {1}), floats({}, {1})}).error.find("`precision` is no float") != std::string::npos);
}

TEST_CASE("elements of 16 bits are compared with what their type has of a threshold") {
  // 1.1 is 1.1015625 as a bf16.
  Run run("func @main(%x: bf16[1]) -> (bf16[1], bf16[1]) {\n %0 = onnx.ThresholdedRelu(%x) {alpha = 1.1}\n"
          " %1 = onnx.Shrink(%x) {lambd = 1.1}\n return %0, %1\n}");
  Tensor x = *Tensor::make(DType::BF16, {1});
  x.mutableData<BFloat>()[0] = BFloat(1.1);
  EvalResult r = run({x});
  REQUIRE(r.error == "");
  CHECK(numbers(r.values[0]) == std::vector<double>{0});
  CHECK(numbers(r.values[1]) == std::vector<double>{0});
}

TEST_CASE("ThresholdedRelu makes 0 of what is not above, NaN included") {
  Run run("func @main(%x: f32[3]) -> f32[*] {\n %0 = onnx.ThresholdedRelu(%x) {alpha = 1.0}\n return %0\n}");
  EvalResult r = run({floats({3}, {std::numeric_limits<float>::quiet_NaN(), 1, 2})});
  REQUIRE(r.error == "");
  CHECK(numbers(r.values[0]) == std::vector<double>{0, 0, 2});
}

TEST_CASE("what lies outside an image counts as zeros, also for weights that are no numbers") {
  const double inf = std::numeric_limits<double>::infinity();
  for (const char *op : {"tensor.conv(%x, %w) {pads = [1, 0]}", "onnx.Conv(%x, %w) {pads = [1, 0]}"}) {
    Run run((std::string("func @main(%x: f32[1, 1, 2], %w: f32[1, 1, 2]) -> f32[*] {\n %0 = ") + op + "\n return %0\n}")
                .c_str());
    EvalResult r = run({floats({1, 1, 2}, {1, 2}), floats({1, 1, 2}, {float(inf), 1})});
    REQUIRE(r.error == "");
    CHECK(std::isnan(numbers(r.values[0])[0]));
    CHECK(numbers(r.values[0])[1] == inf);
  }
}

TEST_CASE("a remainder of unsigned numbers by the greatest one is the number itself") {
  Run run("func @main() -> u8[*] {\n %0 = tensor.constant() {value = dense<u8[2]: [93, 255]>}\n"
          " %1 = tensor.constant() {value = dense<u8[2]: 255>}\n %2 = tensor.rem(%0, %1)\n return %2\n}");
  EvalResult r = run({});
  REQUIRE(r.error == "");
  CHECK(r.values[0].intAt(0) == 93);
  CHECK(r.values[0].intAt(1) == 0);
}

TEST_CASE("starts of dynamic slices and updates are held to where all lies inside") {
  Run run("func @main(%x: f32[B], %u: f32[2], %i: i64[]) -> (f32[2], f32[B]) {\n %0 = tensor.dynamic_slice(%x, %i) "
          "{sizes = [2]}\n"
          " %1 = tensor.dynamic_update_slice(%x, %u, %i)\n return %0, %1\n}");
  auto at = [&](int64_t i, size_t which) {
    EvalResult r = run({floats({4}, {1, 2, 3, 4}), floats({2}, {8, 9}), Tensor::scalar(DType::I64, i)});
    REQUIRE(r.error == "");
    return numbers(r.values[which]);
  };
  CHECK(at(1, 0) == std::vector<double>{2, 3});
  CHECK(at(INT64_MIN, 0) == std::vector<double>{1, 2});
  CHECK(at(INT64_MAX, 0) == std::vector<double>{3, 4});
  CHECK(at(1, 1) == std::vector<double>{1, 8, 9, 4});
  CHECK(at(-1, 1) == std::vector<double>{8, 9, 3, 4});
  CHECK(at(3, 1) == std::vector<double>{1, 2, 8, 9});
  CHECK(
      run({floats({1}, {1}), floats({2}, {8, 9}), Tensor::scalar(DType::I64, int64_t(0))}).error.find("does not fit") !=
      std::string::npos);
  Run words("func @main(%x: str[3], %u: str[1], %i: i32[]) -> str[3] {\n %0 = tensor.dynamic_update_slice(%x, %u, "
            "%i)\n return %0\n}");
  Tensor x = *Tensor::make(DType::String, {3}), u = *Tensor::make(DType::String, {1});
  x.mutableStrings() = {"a", "b", "c"};
  u.mutableStrings() = {"z"};
  EvalResult r = words({x, u, Tensor::scalar(DType::I32, int32_t(1))});
  REQUIRE(r.error == "");
  CHECK(r.values[0].strings() == std::vector<std::string>{"a", "z", "c"});
  CHECK(x.strings()[1] == "b"); // the operand stays
}

TEST_CASE("a pad where interior stands between no elements, and dimensions that stand elsewhere") {
  Run run("func @main(%x: f32[2, 1], %v: f32[]) -> (f32[*], f32[*]) {\n %0 = tensor.pad(%x, %v) {low = [0, 1], high = "
          "[-1, 0], interior = [2, 5]}\n"
          " %1 = tensor.broadcast_in_dim(%x) {shape = [3, 2, 2], dims = [2, 0]}\n return %0, %1\n}");
  EvalResult r = run({floats({2, 1}, {1, 2}), floats({}, {9})});
  REQUIRE(r.error == "");
  CHECK(r.values[0].shape() == Shape{3, 2});
  CHECK(numbers(r.values[0]) == std::vector<double>{9, 1, 9, 9, 9, 9});
  CHECK(numbers(r.values[1]) == std::vector<double>{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2});
}
