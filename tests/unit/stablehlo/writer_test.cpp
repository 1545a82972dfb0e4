// What is written is read as the same program, and written the same again; what has no spelling is refused.
#include "stablehlo_fixture.h"

#include "rw/ir/parser.h"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace test;

namespace {
void checkRoundTrip(const std::string &text) {
  StablehloText first(text);
  REQUIRE_MESSAGE(first.program, first.error());
  std::string written = first.write();
  StablehloText again(written);
  REQUIRE_MESSAGE(again.program, again.error() << "\n" << written);
  CHECK(again.write() == written);
  CHECK(again.print(false) == first.print(false));
}
/// What the first op of a body is written as.
std::string written(const std::string &params, const std::string &body) {
  std::string text = StablehloText(inFunction(params, body)).write();
  size_t from = text.find("\n    ");
  return from == std::string::npos ? text : text.substr(from + 5, text.find('\n', from + 1) - from - 5);
}
/// Why a program in `.rwir` is not written.
std::string refusal(const std::string &rwir) {
  rw::SourceManager sources;
  rw::Diagnostics diags(sources);
  auto program = rw::parseProgram(sources.addText("in.rwir", rwir), sources, diags, builtinRegistry().ops);
  REQUIRE_MESSAGE(program, diags.renderText());
  std::string out = "unchanged";
  CHECK_FALSE(rw::stablehlo::writeProgram(*program, out, "out.mlir", diags));
  CHECK(out == "unchanged");
  REQUIRE(diags.errorCount() == 1);
  return diags.all().back().message;
}
} // namespace

TEST_CASE("attributes are written as MLIR has them") {
  CHECK(written("%a: tensor<2x3xf32>",
                "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>") ==
        "%0 = \"stablehlo.transpose\"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>");
  CHECK(written("%a: tensor<8xf32>", "%x = stablehlo.slice %a [1:8] : (tensor<8xf32>) -> tensor<7xf32>") ==
        "%x = \"stablehlo.slice\"(%a) <{start_indices = array<i64: 1>, limit_indices = array<i64: 8>, strides = "
        "array<i64: 1>}> : "
        "(tensor<8xf32>) -> tensor<7xf32>");
  CHECK(written("%a: tensor<2x3xi8>, %b: tensor<2x4xi8>",
                "%0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0], precision = [HIGH, DEFAULT] : "
                "(tensor<2x3xi8>, tensor<2x4xi8>) -> tensor<3x4xi32>") ==
        "%0 = \"stablehlo.dot_general\"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = "
        "[0], "
        "rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision "
        "DEFAULT>]}> : "
        "(tensor<2x3xi8>, tensor<2x4xi8>) -> tensor<3x4xi32>");
  CHECK(written("%a: tensor<1x4x2xf32>, %b: tensor<1x2x3xf32>",
                "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, "
                "0]], reverse = [true]} "
                "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) "
                "-> tensor<1x5x3xf32>") == "%0 = \"stablehlo.convolution\"(%a, %b) <{dimension_numbers = "
                                           "#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, padding = "
                                           "dense<[[1, 0]]> : tensor<1x2xi64>, window_reversal = array<i1: true>, "
                                           "feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : "
                                           "(tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> tensor<1x5x3xf32>");
  CHECK(written("%a: tensor<2xf32>", "%0 = stablehlo.reduce_precision %a, format = e5m10 {name = \"x\", mhlo.d = {k = "
                                     "\"v\"}, u} : tensor<2xf32>") ==
        "%0 = \"stablehlo.reduce_precision\"(%a) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> {mhlo.d = {k = "
        "\"v\"}, name = \"x\", u} "
        ": (tensor<2xf32>) -> tensor<2xf32>");
  CHECK(written("%a: tensor<f32>",
                "%0 = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = "
                "#stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<f32>") ==
        "%0 = \"stablehlo.tanh\"(%a) <{result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = "
        "#stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<f32>) -> tensor<f32>");
}

TEST_CASE("constants") {
  auto constant = [](const std::string &c) {
    std::string text = written("", "%0 = stablehlo.constant " + c);
    size_t from = text.find("dense<");
    return text.substr(from, text.find("}>") - from);
  };
  for (const char *c :
       {"dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>", "dense<1.5> : tensor<2x2xf32>", "dense<> : tensor<0x3xf32>",
        "dense<[true, false]> : tensor<2xi1>", "dense<(1.0, -2.0)> : tensor<complex<f32>>",
        "dense<0x7F800000> : tensor<f32>", "dense<18446744073709551615> : tensor<ui64>",
        "dense<1.0e-20> : tensor<3xf64>", "dense<[1.0, 0x7E00]> : tensor<2xf16>", "dense<\"0x010F07\"> : tensor<3xi4>",
        "dense<\"0x3839\"> : tensor<2xf8E4M3FN>", "dense<\"0x38\"> : tensor<5xf8E4M3FN>"})
    CHECK(constant(c) == std::string(c));
  CHECK(constant("dense<0.1> : tensor<bf16>") == "dense<0.100097656> : tensor<bf16>");
}

TEST_CASE("names of values") {
  std::string text =
      StablehloText(inFunction("%a: tensor<f32>",
                               "%x:2 = stablehlo.optimization_barrier %a, %a : tensor<f32>, tensor<f32>\n"
                               "%x_1 = stablehlo.abs %x#1 : tensor<f32>"))
          .write();
  CHECK(text.find("%x, %x_1 = \"stablehlo.optimization_barrier\"(%a, %a)") != std::string::npos);
  CHECK(text.find("%x_1_1 = \"stablehlo.abs\"(%x_1)") != std::string::npos);
}

TEST_CASE("the programs of the golden tests") {
  size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(RW_SOURCE_DIR "/tests/golden/stablehlo")) {
    std::ifstream in(entry.path());
    std::ostringstream whole;
    whole << in.rdbuf();
    std::string text = whole.str();
    size_t from = text.find("==== file in.mlir"), to = text.find("\n==== ", from + 1);
    if (from == std::string::npos || text.find("==== exit") != std::string::npos)
      continue;
    from = text.find('\n', from) + 1;
    INFO(entry.path().filename().string());
    checkRoundTrip(text.substr(from, to - from));
    ++count;
  }
  CHECK(count >= 3);
}

TEST_CASE("what has no spelling") {
  CHECK(refusal("func @main(%x: f32[2]) {\n  %0 = tensor.exp(%x)\n  return %0\n}\n") ==
        "`tensor.exp` is no op of StableHLO, and has no spelling there");
  CHECK(refusal("func @main(%x: f32[2]) {\n  %0 = \"foo.bar\"(%x) : f32[2]\n  return %0\n}\n") ==
        "`foo.bar` is no op of StableHLO, and has no spelling there");
  CHECK(refusal("func @main(%x: str[2]) {\n  return\n}\n") ==
        "parameter 0 of @main has a type that MLIR does not have, or a value that holds where it is left out");
  CHECK(refusal("func @main(%x: f32[] = dense<f32[]: 0>) {\n  return\n}\n") ==
        "parameter 0 of @main has a type that MLIR does not have, or a value that holds where it is left out");
  CHECK(refusal("func @main(%x: f32[2]) {\n  %0 = stablehlo.abs(%x) {mine = 1}\n  return %0\n}\n") ==
        "the attribute `mine` is not declared, and may mean anything");
  CHECK(refusal("func @main(%x: f32[2]) {\n  %0 = stablehlo.abs(%x) {\"$mine\" = bytes<\"00\">}\n  return %0\n}\n") ==
        "the attribute `mine` cannot be written");
  CHECK(refusal("func @main(%x: f32[2]) {\n  %0 = stablehlo.custom_call(%x) {call_target_name = \"f\", backend_config "
                "= bytes<\"00\">} : f32[2]\n  "
                "return %0\n}\n") == "the attribute `backend_config` of `stablehlo.custom_call` cannot be written");
  CHECK(
      refusal(
          "func @main(%x: f32[2]) {\n  %0 = stablehlo.custom_call(%x) {call_target_name = \"f\"} : ?\n  return\n}\n") ==
      "a result of `stablehlo.custom_call` is of type ?, which MLIR does not have: infer types first (infer_shapes)");
}
