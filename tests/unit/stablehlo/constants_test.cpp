// Constants in every form, and what is wrong with others.
#include "stablehlo_fixture.h"

using namespace test;

namespace {
/// What is printed between `dense<` and its end; an error's text otherwise.
std::string constant(const std::string &elements, const std::string &type) {
  StablehloText text(inFunction("", "%0 = stablehlo.constant dense<" + elements + "> : " + type));
  std::string printed = text.print();
  if (!text.program)
    return text.error();
  size_t from = printed.find("dense<") + 6;
  return printed.substr(from, printed.find(">}", from) - from);
}
} // namespace

TEST_CASE("elements one by one") {
  CHECK(constant("[[1, -2], [3, 4]]", "tensor<2x2xi32>") == "i32[2, 2]: [[1, -2], [3, 4]]");
  CHECK(constant("7", "tensor<2x2xui64>") == "u64[2, 2]: 7");
  CHECK(constant("[1.5, -0.0, 1.000000e+10]", "tensor<3xf32>") == "f32[3]: [1.5, -0.0, 1e+10]");
  CHECK(constant("[0x7F800000, 0xFF800000]", "tensor<2xf32>") == "f32[2]: [inf, -inf]");
  CHECK(constant("0x7FF8000000000000", "tensor<f64>") == "f64[]: nan");
  CHECK(constant("[1.0, 0x7C00]", "tensor<2xf16>") == "f16[2]: [1, inf]");
  CHECK(constant("0.1", "tensor<bf16>") == "bf16[]: 0.1");
  CHECK(constant("[true, false]", "tensor<2xi1>") == "bool[2]: [true, false]");
  CHECK(constant("[0, 1]", "tensor<2xi1>") == "bool[2]: [false, true]");
  CHECK(constant("[(1.0, -2.0), (0.0, 0x7F800000)]", "tensor<2xcomplex<f32>>") == "c64[2]: [(1, -2), (0, inf)]");
  CHECK(constant("[1, -8, 7]", "tensor<3xi4>") == "i4[3]: hex \"8107\"");
  CHECK(constant("3", "tensor<3xui4>") == "u4[3]: hex \"3303\"");
  CHECK(constant("[1.0, 3.0e-01, -448.0, 0x7F]", "tensor<4xf8E4M3FN>") == "f8e4m3fn[4]: hex \"382afe7f\"");
  CHECK(constant("1.000000e+00", "tensor<2xf8E5M2>") == "f8e5m2[2]: splat hex \"3c\"");
  CHECK(constant("[ // a note > with a bracket\n 1, 2]", "tensor<2xi8>") == "i8[2]: [1, 2]");
}

TEST_CASE("no elements") {
  CHECK(constant("", "tensor<0x3xf32>") == "f32[0, 3]: []");
  CHECK(constant("[]", "tensor<0xf32>") == "f32[0]: []");
  CHECK(constant("[[], []]", "tensor<2x0xi32>") == "i32[2, 0]: []");
}

TEST_CASE("elements as bytes") {
  CHECK(constant("\"0x0100000002000000\"", "tensor<2xi32>") == "i32[2]: [1, 2]");
  CHECK(constant("\"0x01000000\"", "tensor<5xi32>") == "i32[5]: 1");
  CHECK(constant("\"0x0001FF\"", "tensor<3xi1>") == "bool[3]: [false, true, true]");
  CHECK(constant("\"0x05\"", "tensor<3xi1>") == "bool[3]: [true, false, true]"); // as older texts have it
  CHECK(constant("\"0x01FF07\"", "tensor<3xi4>") == "i4[3]: hex \"f107\"");
  CHECK(constant("\"0x38\"", "tensor<1xf8E4M3FN>") == "f8e4m3fn[1]: splat hex \"38\"");
}

TEST_CASE("what is wrong with a constant") {
  CHECK(constant("[1, 2]", "tensor<3xi32>") == "2:36 bad-attribute: dimension 0 of i32[3] has 3 elements");
  CHECK(constant("[1, 2, 3, 4]", "tensor<3xi32>") == "2:39 bad-attribute: dimension 0 of i32[3] has 3 elements");
  CHECK(constant("[[1, 2], [3]]", "tensor<2x2xi32>") == "2:42 bad-attribute: dimension 1 of i32[2, 2] has 2 elements");
  CHECK(constant("[[1]]", "tensor<1xi32>") == "2:32 bad-attribute: nested deeper than i32[1] has dimensions");
  CHECK(constant("[1]", "tensor<1x1xi32>") == "2:32 bad-attribute: i32[1, 1] has 2 dimensions, here are 1");
  CHECK(constant("", "tensor<2xi32>") == "2:30 bad-attribute: here are no elements, and i32[2] has 2");
  CHECK(constant("300", "tensor<i8>") == "2:31 too-large: this number does not fit i8");
  CHECK(constant("-1", "tensor<ui8>") == "2:31 too-large: this number does not fit u8");
  CHECK(constant("16", "tensor<ui4>") == "2:31 too-large: this number does not fit u4");
  CHECK(constant("1.5", "tensor<i32>") == "2:31 bad-attribute: expected a whole number");
  CHECK(constant("1e39", "tensor<f32>") == "2:31 too-large: this number does not fit f32");
  CHECK(constant("1e6", "tensor<f16>") == "2:31 too-large: this number does not fit f16");
  CHECK(constant("0x1FFFFFFFF", "tensor<f32>") == "2:31 too-large: this number does not fit f32");
  CHECK(constant("-0x1", "tensor<f32>") == "2:31 bad-attribute: bits have no sign");
  CHECK(constant("x", "tensor<i1>") == "2:31 bad-attribute: expected `true` or `false`, found `x`");
  CHECK(constant("1e6", "tensor<f8E5M2>") == "2:31 too-large: this number does not fit f8e5m2");
  CHECK(constant("500.0", "tensor<f8E4M3FN>") == "2:31 too-large: this number does not fit f8e4m3fn");
  CHECK(constant("1.0", "tensor<f4E2M1FN>") == "2:31 unsupported: elements of f4e2m1 are read as bytes alone");
  CHECK(constant("\"0x01\"", "tensor<2xi32>") == "2:31 bad-attribute: i32[2] needs 8 bytes, here are 1");
  CHECK(constant("\"0x012\"", "tensor<2xi8>") == "2:31 bad-attribute: an odd number of hex digits: two make a byte");
  CHECK(constant("\"0x0g\"", "tensor<1xi8>") ==
        "2:31 bad-attribute: only hex digits may stand here, and `0g` are none");
  CHECK(constant("\"01\"", "tensor<1xi8>") == "2:31 bad-attribute: elements in quotes are hex digits after `0x`");
  CHECK(constant("1", "tensor<?xi32>") == "2:36 bad-attribute: a constant needs a type with known sizes");
  CHECK(constant("1 2", "tensor<i32>") == "2:33 bad-attribute: expected `>` after the last element, found `2`");
  CHECK(constant("[1 2]", "tensor<2xi32>") == "2:34 syntax: expected `,` or `]` after an element, found `2`");
  CHECK(StablehloText(inFunction("", "%0 = stablehlo.constant dense_resource<__elided__> : tensor<2xf32>")).error() ==
        "2:25 unsupported: the elements of this constant are not in the text (`dense_resource`)");
  CHECK(StablehloText(inFunction("", "%0 = stablehlo.constant 1 : i32")).error() ==
        "2:25 unsupported: a constant that is no tensor is not read");
  CHECK(StablehloText("func.func @f() {\n%0 = stablehlo.constant dense<[1, 2").error() ==
        "2:30 unterminated: nothing closes this bracket");
}

TEST_CASE("a type alone takes no memory") {
  CHECK(constant("1.0", "tensor<1000000000000x1000xf32>") == "f32[1000000000000, 1000]: 1");
  CHECK(constant("[1.0]", "tensor<1000000000000xf32>") ==
        "2:35 bad-attribute: dimension 0 of f32[1000000000000] has 1000000000000 elements");
  CHECK(constant("\"0x00\"", "tensor<1000000000000xf64>") ==
        "2:31 bad-attribute: f64[1000000000000] needs 8000000000000 bytes, here are 1");
  CHECK(constant("1", "tensor<1000000000xi4>") == "2:31 too-large: so many elements of i4 are not read");
  CHECK(constant("1", "tensor<9223372036854775807x2xi8>") ==
        "2:36 too-large: the number of elements of this type does not fit 64 bits");
  CHECK(constant("1", "tensor<9223372036854775808xi8>") == "2:43 too-large: a size is a whole number below 2^63");
}
