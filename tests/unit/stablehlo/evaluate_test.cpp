// What ops of StableHLO compute, in the corners that their meanings and kernels are about: each program checks itself.
#include "stablehlo_fixture.h"

#include "rw/interp/evaluate.h"

using namespace test;

namespace {
/// What comes of the function @main: empty, or the op that fails and why.
std::string outcome(const std::string &text) {
  StablehloText read(text);
  REQUIRE_MESSAGE(read.program, read.error());
  rw::EvalOptions options;
  options.program = &*read.program;
  rw::EvalResult result = rw::evaluate(*read.program->function("main"), {}, options);
  return result.ok ? "" : result.opName + ": " + result.error;
}
std::string run(const std::string &body) { return outcome(inFunction("", body)); }

/// `op`, which makes %y of %x, and of what `more` says, gives `expected`.
void check(const std::string &x, const std::string &op, const std::string &expected, const std::string &more = "",
           const std::string &how = "check.expect_eq_const") {
  INFO(op);
  CHECK(run("%x = stablehlo.constant dense<" + x + "\n" + more + "%y = " + op + "\n" + how + " %y, dense<" +
            expected) == "");
}
const std::string kScalarAdd = "({\n^bb0(%a: tensor<i32>, %b: tensor<i32>):\n%s = stablehlo.add %a, %b : "
                               "tensor<i32>\nstablehlo.return %s : tensor<i32>\n})";
} // namespace

TEST_CASE("checks fail where something else comes out") {
  std::string one = "%x = stablehlo.constant dense<1.0> : tensor<f32>\n";
  CHECK(run(one + "check.expect_eq_const %x, dense<1.0> : tensor<f32>") == "");
  CHECK(run(one + "check.expect_eq_const %x, dense<1.0000001> : tensor<f32>") ==
        "check.expect_eq_const: the operand is not what is expected");
  CHECK(run(one + "check.expect_almost_eq_const %x, dense<1.0009> : tensor<f32>") == "");
  CHECK(run(one + "check.expect_almost_eq_const %x, dense<1.0011> : tensor<f32>") ==
        "check.expect_almost_eq_const: the operand is not what is expected");
  std::string near = one + "%y = stablehlo.constant dense<1.0000002> : tensor<f32>\n"; // two floats on
  CHECK(run(near + "check.expect_close %x, %y : tensor<f32>, tensor<f32>") == "");
  CHECK(run(near + "check.expect_close %x, %y, max_ulp_difference = 1 : tensor<f32>, tensor<f32>") ==
        "check.expect_close: the operand is not what is expected");
  CHECK(run(near + "check.expect_close %x, %y, min_ulp_difference = 3 : tensor<f32>, tensor<f32>") ==
        "check.expect_close: the operand is not what is expected");
  CHECK(run(near + "check.expect_eq %x, %y : tensor<f32>") == "check.expect_eq: the operand is not what is expected");
  CHECK(run(near + "stablehlo.custom_call @check.expect_eq(%x, %y) : (tensor<f32>, tensor<f32>) -> ()") ==
        "stablehlo.custom_call: the operand is not what is expected");
  CHECK(run(near + "stablehlo.custom_call @foo(%x) : (tensor<f32>) -> ()") ==
        "stablehlo.custom_call: nothing is known of `foo`");
}

TEST_CASE("elementwise") {
  check("[1, -1, 127]> : tensor<3xi8>", "stablehlo.popcnt %x : tensor<3xi8>", "[1, 8, 7]> : tensor<3xi8>");
  check("[0, 1, -1]> : tensor<3xi16>", "stablehlo.count_leading_zeros %x : tensor<3xi16>",
        "[16, 15, 0]> : tensor<3xi16>");
  check("[0x7F800000, 1.0, 0x7FC00000]> : tensor<3xf32>", "stablehlo.is_finite %x : (tensor<3xf32>) -> tensor<3xi1>",
        "[false, true, false]> : tensor<3xi1>");
  check("[2.5, -2.5, 0.5]> : tensor<3xf32>", "stablehlo.round_nearest_afz %x : tensor<3xf32>",
        "[3.0, -3.0, 1.0]> : tensor<3xf32>");
  check("[2.5, -2.5, 3.5]> : tensor<3xf32>", "stablehlo.round_nearest_even %x : tensor<3xf32>",
        "[2.0, -2.0, 4.0]> : tensor<3xf32>");
  check("[true, false]> : tensor<2xi1>", "stablehlo.add %x, %x : tensor<2xi1>", "[true, false]> : tensor<2xi1>");
  check("[true, false]> : tensor<2xi1>", "stablehlo.multiply %x, %x : tensor<2xi1>", "[true, false]> : tensor<2xi1>");
  check("[3.0e9, -1.0, 0x7FC00000]> : tensor<3xf32>", "stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xi32>",
        "[2147483647, -1, 0]> : tensor<3xi32>");
  check("[3, -5]> : tensor<2xi32>", "stablehlo.compare GE, %x, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>",
        "true> : tensor<2xi1>");
  check("[1.0, 2.0]> : tensor<2xf32>", "stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xi32>",
        "[1065353216, 1073741824]> : tensor<2xi32>");
  check("[1, 256]> : tensor<2xi32>", "stablehlo.bitcast_convert %x : (tensor<2xi32>) -> tensor<2x2xi16>",
        "[[1, 0], [256, 0]]> : tensor<2x2xi16>");
  check("[[1, 0], [256, 0]]> : tensor<2x2xi16>", "stablehlo.bitcast_convert %x : (tensor<2x2xi16>) -> tensor<2xi32>",
        "[1, 256]> : tensor<2xi32>");
  CHECK(run("%x = stablehlo.constant dense<5.0> : tensor<2xf32>\n%l = stablehlo.constant dense<1.0> : tensor<f32>\n%h "
            "= stablehlo.constant dense<3.0> : "
            "tensor<f32>\n%y = stablehlo.clamp %l, %x, %h : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> "
            "tensor<2xf32>\ncheck.expect_eq_const %y, "
            "dense<3.0> : tensor<2xf32>") == "");
}

TEST_CASE("the total order of floats") {
  std::string x = "%x = stablehlo.constant dense<[0xFFC00000, 0xFF800000, -0.0, 1.0, 0x7FC00000]> : tensor<5xf32>\n%z "
                  "= stablehlo.constant "
                  "dense<0.0> : tensor<5xf32>\n";
  auto compared = [&](const std::string &how, const std::string &expected) {
    return run(x + "%y = stablehlo.compare " + how +
               " : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>\ncheck.expect_eq_const %y, dense<[" + expected +
               "]> : tensor<5xi1>");
  };
  CHECK(compared("LT, %x, %z, TOTALORDER", "true, true, true, false, false") == "");
  CHECK(compared("GT, %x, %z, TOTALORDER", "false, false, false, true, true") == "");
  CHECK(compared("EQ, %x, %x, TOTALORDER", "true, true, true, true, true") == "");
  CHECK(compared("LT, %x, %z, FLOAT", "false, true, false, false, false") == "");
  CHECK(compared("EQ, %x, %x, FLOAT", "false, true, true, true, false") == "");
}

TEST_CASE("formats of fewer bits") {
  check("[1.1, 65504.0, 65520.0, 1.0e-8]> : tensor<4xf32>",
        "stablehlo.reduce_precision %x, format = e5m10 : tensor<4xf32>",
        "[1.09960938, 65504.0, 0x7F800000, 0.0]> : tensor<4xf32>");
  // Numbers below the least normal one are kept where the exponent has as many bits, but for digits.
  check("[1.0e-40, -1.4e-45, 2.1e-39]> : tensor<3xf32>",
        "stablehlo.reduce_precision %x, format = e8m23 : tensor<3xf32>",
        "[1.0e-40, -1.4e-45, 2.1e-39]> : tensor<3xf32>");
  check("[0x00000001, 0x00300000, 0x00500000]> : tensor<3xf32>",
        "stablehlo.reduce_precision %x, format = e8m1 : tensor<3xf32>",
        "[0x00000000, 0x00400000, 0x00400000]> : tensor<3xf32>");
  check("[0x00000001, 0x00300000]> : tensor<2xf32>", "stablehlo.reduce_precision %x, format = e7m23 : tensor<2xf32>",
        "[0.0, 0.0]> : tensor<2xf32>");
  check("[1.5, -2.5]> : tensor<2xf32>", "stablehlo.reduce_precision %x, format = e8m0 : tensor<2xf32>",
        "[2.0, -2.0]> : tensor<2xf32>");
  check("[1.5, 3.0, 0.75, 0.375, 1.4]> : tensor<5xf64>", "stablehlo.reduce_precision %x, format = e8m0 : tensor<5xf64>",
        "[2.0, 2.0, 0.5, 0.5, 1.0]> : tensor<5xf64>");
  check("0x7FC00000> : tensor<f32>", "stablehlo.reduce_precision %x, format = e8m0 : tensor<f32>",
        "0x7F800000> : tensor<f32>");
  check("0x7FC00000> : tensor<f32>", "stablehlo.reduce_precision %x, format = e8m1 : tensor<f32>",
        "0x7FC00000> : tensor<f32>");
}

TEST_CASE("gather moves slices inside") {
  std::string x = "%x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n%i = stablehlo.constant "
                  "dense<[[0, 2], [9, -4]]> : "
                  "tensor<2x2xi32>\n";
  CHECK(run(x + "%y = \"stablehlo.gather\"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], "
                "collapsed_slice_dims = [0], "
                "start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>} : (tensor<2x3xi32>, "
                "tensor<2x2xi32>) -> "
                "tensor<2x2xi32>\ncheck.expect_eq_const %y, dense<[[2, 3], [4, 5]]> : tensor<2x2xi32>") == "");
  std::string b = "%x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n%i = stablehlo.constant "
                  "dense<[2, 0]> : tensor<2xi32>\n";
  CHECK(run(b + "%y = \"stablehlo.gather\"(%x, %i) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], "
                "operand_batching_dims = [0], "
                "start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = "
                "array<i64: 1, 1>} : (tensor<2x3xi32>, "
                "tensor<2xi32>) -> tensor<2xi32>\ncheck.expect_eq_const %y, dense<[3, 4]> : tensor<2xi32>") == "");
}

TEST_CASE("scatter leaves out what is outside") {
  std::string x = "%x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>\n%i = stablehlo.constant dense<[[0], [5], "
                  "[-1], [0]]> : tensor<4x1xi32>\n%u = "
                  "stablehlo.constant dense<[10, 20, 30, 40]> : tensor<4xi32>\n";
  CHECK(run(x + "%y = \"stablehlo.scatter\"(%x, %i, %u) " + kScalarAdd +
            " {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims "
            "= [0], index_vector_dim = 1>} : "
            "(tensor<3xi32>, tensor<4x1xi32>, tensor<4xi32>) -> tensor<3xi32>\ncheck.expect_eq_const %y, dense<[51, 2, "
            "3]> : tensor<3xi32>") == "");
}

TEST_CASE("a window of a scatter that reaches outside is left out as a whole") {
  check("[[1, 2, 3]]> : tensor<1x3xi32>",
        "\"stablehlo.scatter\"(%x, %i, %u) ({\n^bb0(%a: tensor<i32>, %b: tensor<i32>):\nstablehlo.return %b : "
        "tensor<i32>\n}) "
        "{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = "
        "[1], "
        "index_vector_dim = 1>} : (tensor<1x3xi32>, tensor<3x1xi32>, tensor<3x1x2xi32>) -> tensor<1x3xi32>\n",
        "[[4, 4, 3]]> : tensor<1x3xi32>",
        "%i = stablehlo.constant dense<[[2], [0], [-1]]> : tensor<3x1xi32>\n"
        "%u = stablehlo.constant dense<4> : tensor<3x1x2xi32>\n");
}

TEST_CASE("integers divided by 0, and the least one by -1") {
  std::string x = "[7, -7, -128, -128]> : tensor<4xi8>",
              by = "%c = stablehlo.constant dense<[0, 0, -1, 0]> : tensor<4xi8>\n";
  check(x, "stablehlo.divide %x, %c : tensor<4xi8>", "[-1, -1, -128, -1]> : tensor<4xi8>", by);
  check(x, "stablehlo.remainder %x, %c : tensor<4xi8>", "[7, -7, 0, -128]> : tensor<4xi8>", by);
  by = "%c = stablehlo.constant dense<[0, 3]> : tensor<2xui8>\n";
  check("[7, 255]> : tensor<2xui8>", "stablehlo.divide %x, %c : tensor<2xui8>", "[255, 85]> : tensor<2xui8>", by);
  check("[7, 255]> : tensor<2xui8>", "stablehlo.remainder %x, %c : tensor<2xui8>", "[7, 0]> : tensor<2xui8>", by);
}

TEST_CASE("random bits") {
  auto bits = [](const std::string &state, const std::string &algorithm, const std::string &type,
                 const std::string &next, const std::string &expected) {
    std::string states = state.substr(state.rfind("tensor"));
    CHECK(run("%x = stablehlo.constant dense<" + state +
              "\n%s, %b = \"stablehlo.rng_bit_generator\"(%x) {rng_algorithm = #stablehlo<rng_algorithm " + algorithm +
              ">} : (" + states + ") -> (" + states + ", " + type + ")\ncheck.expect_eq_const %s, dense<" + next +
              " : " + states + "\ncheck.expect_eq_const %b, dense<" + expected + " : " + type) == "");
  };
  // the example of the specification
  bits("[1, 2]> : tensor<2xui64>", "THREE_FRY", "tensor<2x2xui64>", "[1, 6]>",
       "[[9236835810183407956, 16087790271692313299], [18212823393184779219, 2658481902456610144]]>");
  // known answers of both generators, of a counter and key of 0
  bits("0> : tensor<2xui64>", "THREE_FRY", "tensor<2xui32>", "[0, 1]>", "[0x6B200159, 0x99BA4EFE]>");
  bits("0> : tensor<3xui64>", "PHILOX", "tensor<4xui32>", "[0, 1, 0]>",
       "[0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]>");
  bits("0> : tensor<2xui64>", "DEFAULT", "tensor<2xui16>", "[0, 1]>", "[0xE8D5, 0xC58D]>");
}

TEST_CASE("normalisation by the batch's own mean, and its gradients") {
  std::string all =
      "%o = stablehlo.constant dense<1.0> : tensor<2xf32>\n%m = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf32>\n"
      "%g = stablehlo.constant dense<0.1> : tensor<2x2x2xf32>\n";
  std::string x =
      "%x = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]> : tensor<2x2x2xf32>\n";
  CHECK(run(x + all +
            "%y:3 = \"stablehlo.batch_norm_training\"(%x, %o, %o) {epsilon = 0.0 : f32, feature_index = 2 : i64} : "
            "(tensor<2x2x2xf32>, "
            "tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>)\n"
            "check.expect_eq_const %y#0, dense<[[[0.0, 0.0], [2.0, 2.0]], [[2.0, 2.0], [0.0, 0.0]]]> : "
            "tensor<2x2x2xf32>\n"
            "check.expect_eq %y#1, %m : tensor<2xf32>\ncheck.expect_eq %y#2, %o : tensor<2xf32>") == "");
  CHECK(run(x + all +
            "%y:3 = \"stablehlo.batch_norm_grad\"(%x, %o, %m, %o, %g) {epsilon = 0.0 : f32, feature_index = 2 : i64} : "
            "(tensor<2x2x2xf32>, "
            "tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2xf32>, "
            "tensor<2xf32>)\n"
            "check.expect_almost_eq_const %y#0, dense<0.0> : tensor<2x2x2xf32>\ncheck.expect_almost_eq_const %y#1, "
            "dense<0.0> : tensor<2xf32>\n"
            "check.expect_almost_eq_const %y#2, dense<0.4> : tensor<2xf32>") == "");
}

TEST_CASE("roots of matrices, products by labels, sums of powers") {
  check("[[1.0, 2.0, 3.0], [2.0, 20.0, 26.0], [3.0, 26.0, 70.0]]> : tensor<3x3xf32>",
        "\"stablehlo.cholesky\"(%x) {lower = true} : (tensor<3x3xf32>) -> tensor<3x3xf32>",
        "[[1.0, 0.0, 0.0], [2.0, 4.0, 0.0], [3.0, 5.0, 6.0]]> : tensor<3x3xf32>");
  check("[[1.0, 2.0, 3.0], [9.0, 20.0, 26.0], [9.0, 9.0, 70.0]]> : tensor<3x3xf32>",
        "\"stablehlo.cholesky\"(%x) : (tensor<3x3xf32>) -> tensor<3x3xf32>",
        "[[1.0, 2.0, 3.0], [0.0, 4.0, 5.0], [0.0, 0.0, 6.0]]> : tensor<3x3xf32>");
  check("[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>",
        "\"stablehlo.einsum\"(%x, %x) {einsum_config = \"ij,kj->ik\"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
        "tensor<2x2xf32>",
        "[[5.0, 11.0], [11.0, 25.0]]> : tensor<2x2xf32>");
  check("[2.0, 4.0, 1.0, 0.5]> : tensor<4xf64>", "chlo.zeta %x, %c : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>",
        "[1.6449340668482264, 0.082323233711138191, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>",
        "%c = stablehlo.constant dense<[1.0, 2.0, 1.0, 1.0]> : tensor<4xf64>\n", "check.expect_almost_eq_const");
  check("[0.0, 1.0, 2.0, 0.5]> : tensor<4xf64>",
        "chlo.polygamma %x, %c : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>",
        "[-0.57721566490153287, 0.64493406684822641, -2.4041138063191885, 0x7FF8000000000000]> : tensor<4xf64>",
        "%c = stablehlo.constant dense<[1.0, 2.0, 1.0, 1.0]> : tensor<4xf64>\n", "check.expect_almost_eq_const");
}

TEST_CASE("reductions") {
  std::string x = "%x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n%i = stablehlo.constant "
                  "dense<100> : tensor<i32>\n";
  CHECK(run(x + "%y = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1] : (tensor<2x3xi32>, "
                "tensor<i32>) -> "
                "tensor<2xi32>\ncheck.expect_eq_const %y, dense<[106, 115]> : tensor<2xi32>") == "");
  CHECK(run(x + "%y = stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [0, 1] : "
                "(tensor<2x3xi32>, tensor<i32>) -> "
                "tensor<i32>\ncheck.expect_eq_const %y, dense<100> : tensor<i32>") == "");
  // Places that padding makes hold initial values, too: 100 before, and as padding.
  CHECK(run(x + "%y = \"stablehlo.reduce_window\"(%x, %i) " + kScalarAdd +
            " {window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [1, "
            "0]]> : tensor<2x2xi64>} : "
            "(tensor<2x3xi32>, tensor<i32>) -> tensor<2x2xi32>\ncheck.expect_eq_const %y, dense<[[201, 105], [204, "
            "111]]> : tensor<2x2xi32>") == "");
  CHECK(run(x + "%y = \"stablehlo.reduce_window\"(%x, %i) " + kScalarAdd +
            " {window_dimensions = array<i64: 2, 2>, window_dilations = array<i64: 1, 2>} : (tensor<2x3xi32>, "
            "tensor<i32>) -> "
            "tensor<1x1xi32>\ncheck.expect_eq_const %y, dense<114> : tensor<1x1xi32>") == "");
  CHECK(run(x + "%y = \"stablehlo.map\"(%x, %x) " + kScalarAdd +
            " {dimensions = array<i64: 0, 1>} : (tensor<2x3xi32>, tensor<2x3xi32>) -> "
            "tensor<2x3xi32>\ncheck.expect_eq_const %y, dense<[[2, 4, 6], "
            "[8, 10, 12]]> : tensor<2x3xi32>") == "");
  std::string select =
      "({\n^bb0(%a: tensor<i32>, %b: tensor<i32>):\n%s = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> "
      "tensor<i1>\nstablehlo.return %s : tensor<i1>\n}, {\n^bb0(%a: tensor<i32>, %b: tensor<i32>):\n%s = stablehlo.add "
      "%a, %b : "
      "tensor<i32>\nstablehlo.return %s : tensor<i32>\n})";
  CHECK(run("%x = stablehlo.constant dense<[1, 5, 5, 2]> : tensor<4xi32>\n%u = stablehlo.constant dense<[10, 20, 30]> "
            ": tensor<3xi32>\n%i = "
            "stablehlo.constant dense<0> : tensor<i32>\n%y = \"stablehlo.select_and_scatter\"(%x, %u, %i) " +
            select +
            " {window_dimensions = array<i64: 2>} : (tensor<4xi32>, tensor<3xi32>, tensor<i32>) -> "
            "tensor<4xi32>\ncheck.expect_eq_const %y, "
            "dense<[0, 30, 30, 0]> : tensor<4xi32>") == "");
}

TEST_CASE("sums of a reduction are rounded once, in whichever order a body's op has its operands") {
  // 2048 + 1 is 2048 in f16, each time anew: 2048 + 4 is not.
  std::string x = "%x = stablehlo.constant dense<[2048.0, 1.0, 1.0, 1.0, 1.0]> : tensor<5xf16>\n%i = "
                  "stablehlo.constant dense<0.0> : tensor<f16>\n";
  CHECK(run(x + "%y = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : (tensor<5xf16>, "
                "tensor<f16>) -> tensor<f16>\ncheck.expect_eq_const %y, dense<2052.0> : tensor<f16>") == "");
  CHECK(run(x + "%y = \"stablehlo.reduce_window\"(%x, %i) ({\n^bb0(%a: tensor<f16>, %b: tensor<f16>):\n%s = "
                "stablehlo.add %b, %a : tensor<f16>\nstablehlo.return %s : tensor<f16>\n}) {window_dimensions = "
                "array<i64: 5>} : (tensor<5xf16>, tensor<f16>) -> tensor<1xf16>\ncheck.expect_eq_const %y, "
                "dense<2052.0> : tensor<1xf16>") == "");
  std::string small = "%x = stablehlo.constant dense<[-100, 100, 3]> : tensor<3xi8>\n%i = stablehlo.constant dense<0> "
                      ": tensor<i8>\n";
  auto of = [&](const std::string &how, const std::string &expected) {
    return run(small + "%y = stablehlo.reduce(%x init: %i) applies stablehlo." + how +
               " across dimensions = [0] : (tensor<3xi8>, tensor<i8>) -> tensor<i8>\ncheck.expect_eq_const %y, dense<" +
               expected + "> : tensor<i8>");
  };
  CHECK(of("add", "3") == "");
  CHECK(of("maximum", "100") == "");
  CHECK(of("minimum", "-100") == "");
  // An op of one of the two alone is no such sum.
  CHECK(run(x + "%y = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<5xf16>, tensor<f16>) -> "
                "tensor<f16>\nreducer(%a: tensor<f16>, %b: tensor<f16>) {\n%s = stablehlo.add %b, %b : "
                "tensor<f16>\nstablehlo.return %s : tensor<f16>\n}\ncheck.expect_eq_const %y, dense<2.0> : "
                "tensor<f16>") == "");
}

TEST_CASE("sorting keeps the order of equal elements, and takes others along") {
  std::string less = "({\n^bb0(%a: tensor<i32>, %b: tensor<i32>, %p: tensor<i32>, %q: tensor<i32>):\n%s = "
                     "stablehlo.compare LT, %a, %b : (tensor<i32>, "
                     "tensor<i32>) -> tensor<i1>\nstablehlo.return %s : tensor<i1>\n})";
  CHECK(run("%x = stablehlo.constant dense<[3, 1, 3, 1, 2]> : tensor<5xi32>\n%n = stablehlo.iota dim = 0 : "
            "tensor<5xi32>\n%y:2 = \"stablehlo.sort\"(%x, "
            "%n) " +
            less +
            " {dimension = 0 : i64, is_stable = true} : (tensor<5xi32>, tensor<5xi32>) -> (tensor<5xi32>, "
            "tensor<5xi32>)\ncheck.expect_eq_const %y#0, dense<[1, 1, 2, 3, 3]> : tensor<5xi32>\ncheck.expect_eq_const "
            "%y#1, dense<[1, 3, 4, 0, 2]> : "
            "tensor<5xi32>") == "");
  check("[1.0, 0x7FC00000, 3.0, 3.0]> : tensor<4xf32>", "chlo.constant dense<0> : tensor<i32>", "0> : tensor<i32>");
  CHECK(run("%x = stablehlo.constant dense<[1.0, 3.0, 2.0, 3.0]> : tensor<4xf32>\n%v, %i = chlo.top_k(%x, k = 3) : "
            "tensor<4xf32> -> (tensor<3xf32>, "
            "tensor<3xi32>)\ncheck.expect_eq_const %v, dense<[3.0, 3.0, 2.0]> : tensor<3xf32>\ncheck.expect_eq_const "
            "%i, dense<[1, 3, 2]> : "
            "tensor<3xi32>") == "");
}

TEST_CASE("products") {
  std::string x = "%x = stablehlo.constant dense<[[[1], [2], [3]]]> : tensor<1x3x1xi8>\n%w = stablehlo.constant "
                  "dense<[[[10]], [[100]]]> : "
                  "tensor<2x1x1xi8>\n";
  auto conv = [&](const std::string &window, const std::string &out, const std::string &expected) {
    return run(
        x + "%y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {" + window +
        "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1xi8>, tensor<2x1x1xi8>) -> " +
        out + "\ncheck.expect_eq_const %y, dense<" + expected + "> : " + out);
  };
  CHECK(conv("", "tensor<1x2x1xi32>", "[[[210], [320]]]") == ""); // wider than the operands
  CHECK(conv("pad = [[1, -1]]", "tensor<1x2x1xi32>", "[[[100], [210]]]") == "");
  CHECK(conv("lhs_dilate = [2]", "tensor<1x4x1xi32>", "[[[10], [200], [20], [300]]]") == "");
  CHECK(conv("rhs_dilate = [2]", "tensor<1x1x1xi32>", "[[[310]]]") == "");
  CHECK(conv("reverse = [true]", "tensor<1x2x1xi32>", "[[[120], [230]]]") == "");
  CHECK(conv("stride = [2]", "tensor<1x1x1xi32>", "[[[210]]]") == "");
  CHECK(run("%x = stablehlo.constant dense<[[100, 100]]> : tensor<1x2xi8>\n%y = stablehlo.dot_general %x, %x, "
            "contracting_dims = [1] x [1] : "
            "(tensor<1x2xi8>, tensor<1x2xi8>) -> tensor<1x1xi32>\ncheck.expect_eq_const %y, dense<20000> : "
            "tensor<1x1xi32>") == "");
}

TEST_CASE("weights that are infinite meet the zeros of pads, and those between elements that are spread out") {
  std::string x = "%x = stablehlo.constant dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>\n%w = stablehlo.constant "
                  "dense<[[[0x7F800000]], [[1.0]]]> : tensor<2x1x1xf32>\n";
  auto conv = [&](const std::string &window, const std::string &out, const std::string &expected) {
    return run(
        x + "%y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {" + window +
        "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xf32>, tensor<2x1x1xf32>) -> " +
        out + "\ncheck.expect_eq_const %y, dense<" + expected + "> : " + out);
  };
  CHECK(conv("pad = [[1, 0]]", "tensor<1x2x1xf32>", "[[[0x7FC00000], [0x7F800000]]]") == "");
  CHECK(conv("pad = [[1, 0]], lhs_dilate = [2]", "tensor<1x3x1xf32>", "[[[0x7FC00000], [0x7F800000], [0x7FC00000]]]") ==
        "");
}

TEST_CASE("older products, and normalisation") {
  CHECK(
      run("%x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>\n%v = stablehlo.constant dense<[10, 1]> : "
          "tensor<2xi32>\n%y = stablehlo.dot %x, %v : (tensor<2x2xi32>, tensor<2xi32>) -> "
          "tensor<2xi32>\ncheck.expect_eq_const %y, "
          "dense<[12, 34]> : tensor<2xi32>") == "");
  CHECK(run("%x = stablehlo.constant dense<[[1.0, 10.0], [3.0, 30.0]]> : tensor<2x2xf32>\n%m = stablehlo.constant "
            "dense<[2.0, 20.0]> : "
            "tensor<2xf32>\n%v = stablehlo.constant dense<[3.0, 99.0]> : tensor<2xf32>\n%s = stablehlo.constant "
            "dense<[1.0, 2.0]> : "
            "tensor<2xf32>\n%o = stablehlo.constant dense<[0.0, 100.0]> : tensor<2xf32>\n%y = "
            "\"stablehlo.batch_norm_inference\"(%x, %s, %o, "
            "%m, %v) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, "
            "tensor<2xf32>, "
            "tensor<2xf32>) -> tensor<2x2xf32>\ncheck.expect_eq_const %y, dense<[[-0.5, 98.0], [0.5, 102.0]]> : "
            "tensor<2x2xf32>") == "");
}

TEST_CASE("shapes that are computed") {
  std::string x = "%x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>\n%s = stablehlo.constant dense<[3, 1]> : "
                  "tensor<2xi32>\n%t = "
                  "stablehlo.constant dense<[2, 3]> : tensor<2xi32>\n%o = stablehlo.constant dense<1> : "
                  "tensor<1xi32>\n%p = stablehlo.constant dense<9> : "
                  "tensor<i32>\n%l = stablehlo.constant dense<3> : tensor<1xi32>\n";
  CHECK(run(x + "%y = stablehlo.dynamic_reshape %x, %s : (tensor<3xi32>, tensor<2xi32>) -> "
                "tensor<3x1xi32>\ncheck.expect_eq_const %y, dense<[[1], [2], "
                "[3]]> : tensor<3x1xi32>") == "");
  CHECK(run(x + "%y = stablehlo.dynamic_iota %t, dim = 1 : (tensor<2xi32>) -> tensor<2x3xi64>\ncheck.expect_eq_const "
                "%y, dense<[[0, 1, 2], [0, 1, 2]]> : "
                "tensor<2x3xi64>") == "");
  CHECK(run(x + "%y = stablehlo.dynamic_broadcast_in_dim %x, %t, dims = [1] : (tensor<3xi32>, tensor<2xi32>) -> "
                "tensor<2x3xi32>\ncheck.expect_eq_const "
                "%y, dense<[[1, 2, 3], [1, 2, 3]]> : tensor<2x3xi32>") == "");
  CHECK(run(x + "%y = stablehlo.dynamic_pad %x, %p, %o, %o, %o : (tensor<3xi32>, tensor<i32>, tensor<1xi32>, "
                "tensor<1xi32>, tensor<1xi32>) -> "
                "tensor<7xi32>\ncheck.expect_eq_const %y, dense<[9, 1, 9, 2, 9, 3, 9]> : tensor<7xi32>") == "");
  CHECK(run(x + "%y = stablehlo.real_dynamic_slice %x, %o, %l, %o : (tensor<3xi32>, tensor<1xi32>, tensor<1xi32>, "
                "tensor<1xi32>) -> "
                "tensor<2xi32>\ncheck.expect_eq_const %y, dense<[2, 3]> : tensor<2xi32>") == "");
  CHECK(run(x + "%y = stablehlo.get_dimension_size %x, dim = 0 : (tensor<3xi32>) -> tensor<i32>\ncheck.expect_eq_const "
                "%y, dense<3> : tensor<i32>") == "");
}

TEST_CASE("what is said to other processes, where there are none") {
  const std::string one = "%x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n",
                    to = " : (tensor<2xi32>) -> tensor<2xi32>\n";
  auto collective = [&](const std::string &name, const std::string &attributes, const std::string &body = "") {
    return run(one + "%y = \"stablehlo." + name + "\"(%x) " + body + " {" + attributes + "}" + to +
               "check.expect_eq_const %y, dense<[1, 2]> : tensor<2xi32>");
  };
  const std::string groups = "replica_groups = dense<", alone = groups + "[[0, -1], [1, -1]]> : tensor<2x2xi64>",
                    nobody = groups + "> : tensor<0x0xi64>", pair = groups + "[[0, 1]]> : tensor<1x2xi64>",
                    channel = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>";
  auto others = [](const std::string &name) {
    return "stablehlo." + name + ": it communicates with other processes, and the evaluator is one";
  };
  struct Named {
    std::string name, attributes, body;
  };
  for (const auto &[name, attributes, body] :
       {Named{"all_reduce", "", kScalarAdd}, Named{"all_gather", "all_gather_dim = 0 : i64, ", ""},
        Named{"reduce_scatter", "scatter_dimension = 0 : i64, ", kScalarAdd},
        Named{"all_to_all", "split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, ", ""},
        Named{"collective_broadcast", "", ""}, Named{"collective_reduce", "", kScalarAdd}}) {
    INFO(name);
    CHECK(collective(name, attributes + alone, body) == "");
    CHECK(collective(name, attributes + nobody + channel, body) == "");
    CHECK(collective(name, attributes + pair, body) == others(name));
  }
  CHECK(collective("collective_broadcast", groups + "1> : tensor<1x1xi64>") == others("collective_broadcast"));
  CHECK(collective("collective_permute", "source_target_pairs = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>") == "");
  CHECK(collective("collective_permute", "source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>") ==
        others("collective_permute"));
  CHECK(collective("collective_permute", "source_target_pairs = dense<1> : tensor<1x2xi64>") ==
        others("collective_permute"));
  CHECK(collective("collective_permute", "source_target_pairs = dense<> : tensor<0x2xi64>") ==
        "check.expect_eq_const: the operand is not what is expected");
  CHECK(run(one + "%y = \"stablehlo.collective_permute\"(%x) {source_target_pairs = dense<> : tensor<0x2xi64>}" + to +
            "check.expect_eq_const %y, dense<0> : tensor<2xi32>") == "");
  // a body that computes in a wider type
  CHECK(run("%x = stablehlo.constant dense<-1> : tensor<2xi8>\n%y = \"stablehlo.all_reduce\"(%x) " + kScalarAdd + " {" +
            nobody + "} : (tensor<2xi8>) -> tensor<2xi32>\ncheck.expect_eq_const %y, dense<-1> : tensor<2xi32>") == "");
  CHECK(run("%x = stablehlo.replica_id : tensor<ui32>\n%y = stablehlo.partition_id : tensor<ui32>\n"
            "check.expect_eq_const %x, dense<0> : tensor<ui32>\ncheck.expect_eq_const %y, dense<0> : tensor<ui32>") ==
        "");
}

TEST_CASE("what a module says of processes counts") {
  auto in = [&](const std::string &counts, const std::string &op) {
    return outcome("module attributes {" + counts + "} {\n" +
                   inFunction("", "%x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n%y = " + op) + "}");
  };
  const std::string replicas = "mhlo.num_replicas = 2 : i32", partitions = "mhlo.num_partitions = 2 : i32",
                    one = "mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32",
                    to = " : (tensor<2xi32>) -> tensor<2xi32>";
  auto fails = [](const std::string &outcome) {
    return outcome.ends_with("it communicates with other processes, and the evaluator is one");
  };
  CHECK(in(one, "stablehlo.replica_id : tensor<ui32>") == "");
  CHECK(fails(in(replicas, "stablehlo.replica_id : tensor<ui32>")));
  CHECK(in(partitions, "stablehlo.replica_id : tensor<ui32>") == "");
  CHECK(fails(in(partitions, "stablehlo.partition_id : tensor<ui32>")));
  CHECK(in(replicas, "stablehlo.partition_id : tensor<ui32>") == "");
  auto gather = [&](const std::string &groups, const std::string &rest) {
    return "\"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<" + groups + rest + "}" + to;
  };
  const std::string channel = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>";
  CHECK(fails(in(replicas, gather("> : tensor<0x0xi64>", ""))));
  CHECK(in(replicas, gather("[[0], [1]]> : tensor<2x1xi64>", channel)) == "");
  CHECK(in(partitions, gather("0> : tensor<1x1xi64>", "")) == "");
  CHECK(fails(in(partitions, gather("0> : tensor<1x1xi64>", channel)))); // of a replica with both its partitions
  CHECK(in(partitions, gather("[[0], [1]]> : tensor<2x1xi64>", channel + ", use_global_device_ids")) == "");
  auto permute = [&](const std::string &pairs) {
    return "\"stablehlo.collective_permute\"(%x) {source_target_pairs = dense<" + pairs + "}" + to;
  };
  CHECK(fails(in(replicas, permute("0> : tensor<1x2xi64>")))); // the other one gets zeros
  CHECK(in(partitions, permute("0> : tensor<1x2xi64>")) == "");
  CHECK(in(replicas, permute("[[0, 0], [1, 1]]> : tensor<2x2xi64>")) == "");
}

TEST_CASE("integers of 4 bits") {
  const std::string of = " : tensor<4xi4>", x = "[7, -8, -1, 3]>" + of,
                    y = "%z = stablehlo.constant dense<[1, -1, 3, 2]>" + of + "\n", u = " : tensor<3xui4>",
                    v = "[15, 8, 1]>" + u;
  for (auto [op, result] : {std::pair<std::string, std::string>{"add", "-8, 7, 2, 5"},
                            {"subtract", "6, -7, -4, 1"},
                            {"multiply", "7, -8, -3, 6"},
                            {"divide", "7, -8, 0, 1"},
                            {"remainder", "0, 0, -1, 1"},
                            {"power", "7, 0, -1, -7"},
                            {"maximum", "7, -1, 3, 3"},
                            {"and", "1, -8, 3, 2"},
                            {"xor", "6, 7, -4, 1"},
                            {"shift_left", "-2, 0, -8, -4"},
                            {"shift_right_arithmetic", "3, -1, -1, 0"},
                            {"shift_right_logical", "3, 0, 1, 0"}})
    check(x, "stablehlo." + op + " %x, %z" + of, "[" + result + "]>" + of, y);
  for (auto [op, result] : {std::pair<std::string, std::string>{"negate", "-7, -8, 1, -3"},
                            {"abs", "7, -8, 1, 3"},
                            {"sign", "1, -1, -1, 1"},
                            {"not", "-8, 7, 0, -4"},
                            {"popcnt", "3, 1, 4, 2"},
                            {"count_leading_zeros", "1, 0, 0, 2"}})
    check(x, "stablehlo." + op + " %x" + of, "[" + result + "]>" + of);
  check(v, "stablehlo.not %x" + u, "[0, 7, 14]>" + u);
  check(v, "stablehlo.add %x, %x" + u, "[14, 0, 2]>" + u);
  check(v, "stablehlo.negate %x" + u, "[1, 8, 15]>" + u);
  check(v, "stablehlo.popcnt %x" + u, "[4, 1, 1]>" + u);
  check(v, "stablehlo.count_leading_zeros %x" + u, "[0, 0, 3]>" + u);
  check(v, "stablehlo.divide %x, %z" + u, "[15, 4, 0]>" + u, "%z = stablehlo.constant dense<[0, 2, 2]>" + u + "\n");
  check(v, "stablehlo.compare GT, %x, %z : (tensor<3xui4>, tensor<3xui4>) -> tensor<3xi1>",
        "[true, true, false]> : tensor<3xi1>", "%z = stablehlo.constant dense<[7, 7, 7]>" + u + "\n");
  check("[-9.5, 8.0, 0x7FC00000, -3.7]> : tensor<4xf32>", "stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xi4>",
        "[-8, 7, 0, -3]>" + of);
  check("[-9.5, 18.0, 3.7]> : tensor<3xf32>", "stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xui4>",
        "[0, 15, 3]>" + u);
  check("[255, 8, 100, -9]> : tensor<4xi32>", "stablehlo.convert %x : (tensor<4xi32>) -> tensor<4xi4>",
        "[-1, -8, 4, 7]>" + of);
  check(x, "stablehlo.convert %x : (tensor<4xi4>) -> tensor<4xui8>", "[7, 248, 255, 3]> : tensor<4xui8>");
  check(v, "stablehlo.bitcast_convert %x : (tensor<3xui4>) -> tensor<3xi4>", "[-1, -8, 1]> : tensor<3xi4>");
  check("[[7, -8], [-1, 3]]> : tensor<2x2xi4>", "stablehlo.bitcast_convert %x : (tensor<2x2xi4>) -> tensor<2xui8>",
        "[135, 63]> : tensor<2xui8>");
  check("135> : tensor<i16>", "stablehlo.bitcast_convert %x : (tensor<i16>) -> tensor<4xi4>", "[7, -8, 0, 0]>" + of);
  check("[[7, -8], [-1, 3]]> : tensor<2x2xi4>",
        "stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2xi4>) -> tensor<2x2xi4>",
        "[[7, -1], [-8, 3]]> : tensor<2x2xi4>");
  check("7> : tensor<3xi4>",
        "stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xi4>, tensor<i4>) -> "
        "tensor<i4>",
        "6> : tensor<i4>", "%z = stablehlo.constant dense<1> : tensor<i4>\n");
  check(x, "stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<4xi4>, tensor<4xi4>) -> tensor<i32>",
        "123> : tensor<i32>");
  CHECK(run("%y = stablehlo.iota dim = 0 : tensor<17xui4>\n%z = stablehlo.slice %y [14:17] : (tensor<17xui4>) -> "
            "tensor<3xui4>\n"
            "check.expect_eq_const %z, dense<[14, 15, 0]> : tensor<3xui4>") == "");
}

TEST_CASE("transforms there and back") {
  check("[(1.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)]> : tensor<4xcomplex<f32>>",
        "stablehlo.fft %x, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>",
        "(1.0, 0.0)> : tensor<4xcomplex<f32>>");
  CHECK(run("%x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]> : tensor<2x3xf32>\n%f = stablehlo.fft "
            "%x, type = RFFT, length = [2, 3] : "
            "(tensor<2x3xf32>) -> tensor<2x2xcomplex<f32>>\n%y = stablehlo.fft %f, type = IRFFT, length = [2, 3] : "
            "(tensor<2x2xcomplex<f32>>) -> "
            "tensor<2x3xf32>\ncheck.expect_almost_eq %x, %y : tensor<2x3xf32>") == "");
}

TEST_CASE("functions") {
  auto close = [](const std::string &op, const std::string &x, const std::string &expected) {
    INFO(op);
    CHECK(run("%x = stablehlo.constant dense<" + x + "> : tensor<3xf64>\n%y = chlo." + op +
              " %x : tensor<3xf64> -> tensor<3xf64>\n%e = stablehlo.constant "
              "dense<" +
              expected +
              "> : tensor<3xf64>\ncheck.expect_almost_eq %y, %e {tolerance = 1.0e-12 : f32} : tensor<3xf64>") == "");
  };
  close("digamma", "[1.0, 0.5, -0.5]", "[-0.5772156649015329, -1.9635100260214235, 0.03648997397857652]");
  close("erf_inv", "[0.5, -0.9, 0.001]", "[0.4769362762044699, -1.1630871536766743, 8.862271574665521e-4]");
  close("bessel_i1e", "[0.5, -2.0, 30.0]", "[0.15642080318487173, -0.21526928924893768, 0.07191633059864756]");
  close("erfc", "[0.5, -2.0, 3.0]", "[0.4795001221869535, 1.9953222650189528, 2.2090496998585445e-5]");
  close("lgamma", "[0.5, 10.0, -0.5]", "[0.5723649429247001, 12.801827480081469, 1.2655121234846454]");
}

TEST_CASE("control flow, calls and composites") {
  CHECK(outcome("func.func @main() {\n%x = stablehlo.constant dense<2> : tensor<i32>\n%n = stablehlo.constant "
                "dense<10> : tensor<i32>\n%y:2 = "
                "stablehlo.while(%a = %x, %b = %x) : tensor<i32>, tensor<i32> cond {\n%c = stablehlo.compare LT, %a, "
                "%n : (tensor<i32>, tensor<i32>) -> "
                "tensor<i1>\nstablehlo.return %c : tensor<i1>\n} do {\n%d = stablehlo.add %a, %b : "
                "tensor<i32>\nstablehlo.return %d, %b : tensor<i32>, "
                "tensor<i32>\n}\n%z = stablehlo.composite \"my.twice\" %y#0 {decomposition = @twice} : (tensor<i32>) "
                "-> tensor<i32>\n%m = "
                "stablehlo.constant dense<-1> : tensor<i32>\n%k = \"stablehlo.case\"(%m) ({\nstablehlo.return %x : "
                "tensor<i32>\n}, {\nstablehlo.return "
                "%z : tensor<i32>\n}) : (tensor<i32>) -> tensor<i32>\ncheck.expect_eq_const %k, dense<20> : "
                "tensor<i32>\nreturn\n}\nfunc.func private "
                "@twice(%x: tensor<i32>) -> tensor<i32> {\n%y = stablehlo.add %x, %x : tensor<i32>\nreturn %y : "
                "tensor<i32>\n}\n") == "");
}
