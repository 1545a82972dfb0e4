// Mutated texts: whatever is read of one, it ends, and either gives a program that is written and read again, or one
// diagnostic with a place. Some of what is read is converted to ONNX as well. RW_STABLEHLO_MUTATIONS says how many are
// tried.
#include "../support/mutated_text.h"
#include "stablehlo_fixture.h"

#include <cstdlib>
#include <random>

using namespace test;

namespace {
/// A little of everything.
const std::string &seed() {
  static const std::string text =
      "#gather = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
      "index_vector_dim = 1>\n"
      "module @m attributes {mhlo.num_partitions = 1 : i32} {\n"
      "func.func public @main(%arg0: tensor<3x4xf32> {a.b = \"x\"}, %i: tensor<2x1xi32>, %k: tensor<i32>) -> "
      "(tensor<2x4xf32> {jax.result_info = \"r\"}) {\n"
      "%0 = \"stablehlo.gather\"(%arg0, %i) <{dimension_numbers = #gather, slice_sizes = array<i64: 1, 4>}> : "
      "(tensor<3x4xf32>, tensor<2x1xi32>) -> "
      "tensor<2x4xf32> loc(\"l\")\n"
      "%c = stablehlo.constant dense<[[1.0, 0xFF800000], [-2.5e1, 3.0]]> : tensor<2x2xf32>\n"
      "%h = stablehlo.constant dense<\"0x0000803F00000040\"> : tensor<2xf32>\n"
      "%z = stablehlo.constant dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>\n"
      "%s = stablehlo.slice %c [0:1, 0:2:2] : (tensor<2x2xf32>) -> tensor<1x1xf32>\n"
      "%f = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "%r:2 = stablehlo.reduce(%c init: %f), (%c init: %f) across dimensions = [0] : (tensor<2x2xf32>, "
      "tensor<2x2xf32>, tensor<f32>, tensor<f32>) -> "
      "(tensor<2xf32>, tensor<2xf32>)\nreducer(%p: tensor<f32>, %q: tensor<f32>) (%u: tensor<f32>, %v: tensor<f32>) {\n"
      "%m = stablehlo.maximum %p, %q : tensor<f32>\nstablehlo.return %m, %u : tensor<f32>, tensor<f32>\n}\n"
      "%t = stablehlo.reduce(%c init: %f) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf32>, "
      "tensor<f32>) -> tensor<2xf32>\n"
      "%w:2 = stablehlo.while(%a = %k, %b = %r#1) : tensor<i32>, tensor<2xf32> cond {\n"
      "%l = stablehlo.compare LT, %a, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %l : "
      "tensor<i1>\n} do {\n"
      "stablehlo.return %a, %b : tensor<i32>, tensor<2xf32>\n}\n"
      "%y = \"stablehlo.case\"(%k) ({\nstablehlo.return %t : tensor<2xf32>\n}, {\nstablehlo.return %w#1 : "
      "tensor<2xf32>\n}) : (tensor<i32>) -> "
      "tensor<2xf32>\n"
      "%x = stablehlo.custom_call @\"f g\"(%y) {backend_config = {n = 1 : i32, l = [1.0, true]}} : (tensor<2xf32>) -> "
      "tensor<2xf32>\n"
      "%d = stablehlo.dot_general %c, %c, contracting_dims = [1] x [0], precision = [DEFAULT, HIGH], algorithm = "
      "<lhs_precision_type = tf32> : "
      "(tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>\n"
      "%n = call @other(%d) : (tensor<2x2xf32>) -> tensor<2x2xf32>\nreturn %0 : tensor<2x4xf32>\n}\n"
      "func.func private @other(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"
      "%g = stablehlo.reduce_precision %arg0, format = e8m10 : tensor<2x2xf32>\nreturn %g : tensor<2x2xf32>\n}\n}\n";
  return text;
}

/// Jumps between blocks, sizes computed by other dialects, older spellings.
const std::string &otherSeed() {
  static const std::string text =
      "func.func @main(%n: tensor<i32>, %b: tensor<i1>, %x: tensor<?x3xf32>) -> tuple<tensor<?x3xf32>> {\n"
      "%limit = tensor.extract %n[] : tensor<i32>\n%flag = tensor.extract %b[] : tensor<i1>\n"
      "%c0 = arith.constant 0 : i32\n%k = arith.constant 1 : index\n%d = tensor.dim %x, %k : tensor<?x3xf32>\n"
      "%l = tensor.from_elements %d, %d : tensor<2xindex>\n%s = shape.shape_of %x : tensor<?x3xf32> -> "
      "tensor<2xindex>\n%e = tensor.extract %l[%k] : tensor<2xindex>\n"
      "cf.br ^loop(%c0, %x : i32, tensor<?x3xf32>)\n^loop(%i: i32, %v: tensor<?x3xf32>):\n"
      "cf.cond_br %flag, ^yes, ^no\n^yes:\n%0 = stablehlo.sine %v : tensor<?x3xf32>\n"
      "cf.br ^meet(%0 : tensor<?x3xf32>)\n^no:\ncf.br ^meet(%v : tensor<?x3xf32>)\n"
      "^meet(%w: tensor<?x3xf32>):\n%2 = arith.addi %i, %limit : i32\n%3 = arith.cmpi sge, %2, %limit : i32\n"
      "\"cf.cond_br\"(%3, %2, %w)[^exit, ^loop] <{operandSegmentSizes = array<i32: 1, 0, 2>}> : (i1, i32, "
      "tensor<?x3xf32>) -> ()\n"
      "^exit:\ncf.cond_br %flag, ^exit2(%w : tensor<?x3xf32>), ^last\n^last:\ncf.br ^exit2(%v : tensor<?x3xf32>)\n"
      "^exit2(%r: tensor<?x3xf32>):\n%q = stablehlo.custom_call @mhlo.erf(%r) {mhlo.attributes = {}} : "
      "(tensor<?x3xf32>) -> tensor<?x3xf32>\n%t = stablehlo.tuple %q : tuple<tensor<?x3xf32>>\n"
      "return %t : tuple<tensor<?x3xf32>>\n}\n";
  return text;
}

std::string mutated(std::mt19937 &random) {
  static const rw::test::TextAlphabet alphabet = {
      .bytes = std::string_view("()[]{}<>\"%@#!:,=-x?0159.^/\\ \n\0\xff"
                                "aef",
                                34),
      .numbers = {"0", "-1", "9223372036854775807", "18446744073709551616", "4294967296", "65", "1e400", "0x7F"},
      .words = {}};
  return rw::test::mutatedText(random() % 4 == 0 ? otherSeed() : seed(), random, alphabet);
}
} // namespace

TEST_CASE("the text itself") {
  StablehloText text(seed());
  REQUIRE_MESSAGE(text.program, text.error());
}

TEST_CASE("mutations of it") {
  const char *asked = std::getenv("RW_STABLEHLO_MUTATIONS");
  unsigned runs = asked ? unsigned(std::strtoul(asked, nullptr, 10)) : 3000;
  std::mt19937 random(asked ? 12345 : 1);
  size_t read = 0;
  for (unsigned i = 0; i < runs; ++i) {
    std::string text = mutated(random);
    INFO(text);
    StablehloText first(text);
    if (!first.program) {
      REQUIRE(first.diags.hasErrors());
      REQUIRE(bool(first.diags.all()[0].range));
      first.diags.renderText();
      continue;
    }
    ++read;
    std::string written = first.write();
    StablehloText again(written);
    REQUIRE_MESSAGE(again.program, again.error() << "\n" << written);
    REQUIRE(again.write() == written);
    if (read % 16 == 0)
      first.convert();
  }
  CHECK(read > 0);
}
