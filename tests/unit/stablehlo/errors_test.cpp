// What the reader says of texts that are wrong, or of what it does not read: the place, and one message.
#include "stablehlo_fixture.h"

using namespace test;

namespace {
std::string errorOf(const std::string &text) { return StablehloText(text).error(); }
/// Of an op on line 2, with %a: tensor<2xf32> and %i: tensor<i32>.
std::string errorIn(const std::string &body) { return errorOf(inFunction("%a: tensor<2xf32>, %i: tensor<i32>", body)); }
} // namespace

TEST_CASE("what is not read is refused by name") {
  CHECK(errorOf("ML\xefR\x01") == "1:1 unsupported: this is MLIR bytecode, which is not read");
  CHECK(errorOf("\"vhlo.func_v1\"() : () -> ()") ==
        "1:1 unsupported: VHLO, the versioned form of StableHLO, is not read: here `vhlo.func_v1`");
  CHECK(errorIn("%0 = \"stablehlo.abs\"(%a) {x = #vhlo<a b>} : (tensor<2xf32>) -> tensor<2xf32>") ==
        "2:31 unsupported: VHLO, the versioned form of StableHLO, is not read: here the attribute `#vhlo`");
  CHECK(errorIn("%0 = stablehlo.abs %a : tensor<2x!vhlo.f32_v1>") ==
        "2:34 unsupported: VHLO, the versioned form of StableHLO, is not read: here the type `!vhlo.f32_v1`");
  CHECK(errorOf("module {\nsdy.mesh @mesh = <[\"x\"=2]>\n}") ==
        "2:1 unsupported: meshes and shardings of several devices (the dialect sdy) are not read: here `sdy.mesh`");
  CHECK(errorOf("func.func @f(%a: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {\nreturn\n}") ==
        "1:46 unsupported: shardings over several devices are not read: here `#sdy.sharding` of the dialect sdy");
  CHECK(errorIn("%0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>") ==
        "2:6 unsupported: quantised tensors are not read: here `stablehlo.uniform_quantize`");
  CHECK(errorOf("func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 1.0>>) {\nreturn\n}") ==
        "1:27 unsupported: quantised tensors, with elements of type `!quant.uniform`, are not read");
  CHECK(errorIn("%0 = \"stablehlo.async_start\"(%a) : (tensor<2xf32>) -> tensor<2xf32>") ==
        "2:6 unsupported: ops that run beside others are not read: here `stablehlo.async_start`");
  CHECK(errorIn("%0 = tensor.pad %a[] : tensor<f32>") ==
        "2:6 unsupported: ops of the dialect `tensor` are not read: here `tensor.pad`");
  CHECK(errorOf("func.func @f(%a: tensor<2xf32, #CSR>) {\nreturn\n}") ==
        "1:32 unsupported: tensors with the encoding `#CSR` are not read");
  CHECK(errorOf("func.func @f(%a: tensor<2xf8E3M4>) {\nreturn\n}") ==
        "1:27 unsupported: elements of type `f8E3M4` are not read");
  CHECK(errorOf("func.func @f(%a: i32) {\nreturn\n}") ==
        "1:18 unsupported: values of type `i32` are not read, only tensors");
  CHECK(errorOf("func.func @f(%a: memref<2xf32>) {\nreturn\n}") ==
        "1:18 unsupported: `memref` is no type of StableHLO programs");
  CHECK(errorOf("func.func @f(%a: !mesh.x) {\nreturn\n}") == "1:18 unsupported: values of type `!mesh.x` are not read");
  CHECK(errorOf("func.func private @f(tensor<f32>) -> tensor<f32>") ==
        "1:19 unsupported: `@f` is declared without a body");
  CHECK(errorOf("\"func.func\"() <{sym_name = \"f\", function_type = () -> ()}> ({}) : () -> ()") ==
        "1:62 unsupported: `@f` is declared without a body");
  CHECK(errorOf(inFunction("%a: tensor<f32>", "%0 = call @g(%a) : (tensor<f32>) -> tensor<f32>") +
                "func.func private @g(tensor<f32>) -> tensor<f32>") ==
        "5:19 unsupported: `@g` is declared without a body");
  CHECK(errorOf("func.func @f() {\nreturn\n}\n// -----\nfunc.func @g() {\nreturn\n}") ==
        "4:1 unsupported: this text holds several programs, which `// -----` divides");
  CHECK(errorOf("module {\n}\nmodule {\n}") ==
        "3:1 unsupported: this text holds several programs: here begins a second module");
  CHECK(errorIn("stablehlo.return\n^bb1:\nstablehlo.return") ==
        "3:1 unsupported: a second block that no jump of this function leads to is not read");
  CHECK(errorIn("\"stablehlo.abs\"(%a)[^bb1] : () -> ()") == "2:20 unsupported: jumps to other blocks are not read");
  CHECK(errorIn("%0 = stablehlo.abs %a {x = affine_map<() -> ()>} : tensor<2xf32>") ==
        "2:28 unsupported: attributes of the kind `affine_map` are not read");
  CHECK(errorIn("%0 = stablehlo.abs %a {x = #gpu.block<1>} : tensor<2xf32>") ==
        "2:28 unsupported: attributes of the dialect `gpu` are not read: here `#gpu.block`");
  CHECK(errorOf("#m = affine_map<(d0) -> (d0)>\n" +
                inFunction("%a: tensor<f32>", "%0 = stablehlo.abs %a {x = #m} : tensor<f32>")) ==
        "3:28 unsupported: `#m` stands for an attribute that is not read, `affine_map`");
}

TEST_CASE("names") {
  CHECK(errorIn("%0 = stablehlo.addd %a, %a : tensor<2xf32>") == "2:6 unknown-op: no op is named `stablehlo.addd`");
  CHECK(errorIn("%0 = \"chlo.nothing\"(%a) : (tensor<2xf32>) -> tensor<2xf32>") ==
        "2:6 unknown-op: no op is named `chlo.nothing`");
  CHECK(errorIn("%0 = stablehlo.abs %b : tensor<2xf32>") ==
        "2:20 undefined-value: no value named `%b` is in scope here");
  CHECK(errorIn("%0 = stablehlo.abs %a#1 : tensor<2xf32>") ==
        "2:20 undefined-value: `%a` stands for 1 results, numbered from 0");
  CHECK(errorIn("%a = stablehlo.abs %a : tensor<2xf32>") == "2:1 redefined-value: `%a` is in scope already");
  CHECK(errorOf("func.func @f() {\nreturn\n}\nfunc.func @f() {\nreturn\n}") ==
        "4:11 duplicate-function: a function named `f` is there already");
  CHECK(errorIn("call @g() : () -> ()") == "2:1 verify-symbol: no function is named `g`");
  CHECK(errorOf("func.func @f(%a: tensor<f33>) {\nreturn\n}") ==
        "1:25 unsupported: elements of type `f33` are not read");
  CHECK(errorOf("func.func @f(%a: tensr<f32>) {\nreturn\n}") == "1:18 unknown-type: no type is named `tensr`");
  CHECK(errorOf("func.func @f(%a: !t) {\nreturn\n}") == "1:18 unknown-type: no type is named `!t` above");
  CHECK(errorOf("func.func @f(%a: tensor<complex<i8>>) {\nreturn\n}") ==
        "1:25 unknown-type: complex numbers have parts of f32 or f64");
  CHECK(errorIn("%0 = stablehlo.abs %a {x = #n} : tensor<2xf32>") ==
        "2:28 unknown-attribute: no attribute is named `#n` above");
  CHECK(errorIn("%0 = stablehlo.transpose %a, perm = [0] : (tensor<2xf32>) -> tensor<2xf32>") ==
        "2:30 unknown-attribute: the short form of `stablehlo.transpose` has no `perm`");
}

TEST_CASE("counts and types") {
  CHECK(errorIn("%0 = stablehlo.add %a : tensor<2xf32>") ==
        "2:6 wrong-operand-count: `stablehlo.add` has 2 operands, here are 1");
  CHECK(errorIn("%0 = \"stablehlo.add\"(%a, %a) : (tensor<2xf32>) -> tensor<2xf32>") ==
        "2:6 wrong-operand-count: `stablehlo.add` has 2 operands here, and types for 1");
  CHECK(errorIn("%0, %1 = \"stablehlo.abs\"(%a) : (tensor<2xf32>) -> tensor<2xf32>") ==
        "2:1 wrong-result-count: 2 results are named, and types stated for 1");
  CHECK(errorIn("%0:2 = \"stablehlo.abs\"(%a) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)") ==
        "2:1 wrong-result-count: `stablehlo.abs` has 1 result, here are 2");
  CHECK(errorIn("%0:0 = stablehlo.abs %a : tensor<2xf32>") == "2:4 too-large: an op has 1 to 16383 results");
  CHECK(errorIn("%0 = \"stablehlo.abs\"(%a) ({\nstablehlo.return\n}) : (tensor<2xf32>) -> tensor<2xf32>") ==
        "2:6 wrong-region-count: `stablehlo.abs` has 0 regions, here are 1");
  CHECK(errorIn("%0 = stablehlo.abs %a : tensor<3xf32>") ==
        "2:6 type-mismatch: operand 0 is stated as f32[3], and is f32[2]");
  CHECK(errorIn("%0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<3xf32>") ==
        "2:6 verify-check: 2 elements do not go into [3]");
  CHECK(errorIn(
            "%m = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>\n"
            "%j = stablehlo.constant dense<0> : tensor<i64>\n%0 = stablehlo.dynamic_slice %m, %i, %j, sizes = [1, 1] : "
            "(tensor<2x3xf32>, tensor<i32>, tensor<i64>) -> tensor<1x1xf32>") ==
        "4:6 verify-check: all indices must be of one type");
  CHECK(errorIn("%m = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>\n"
                "%j = stablehlo.constant dense<0> : tensor<i64>\n"
                "%0 = stablehlo.dynamic_update_slice %m, %m, %i, %j : "
                "(tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i64>) -> tensor<2x3xf32>") ==
        "4:6 verify-check: all indices must be of one type");
  CHECK(errorIn("%0 = \"stablehlo.abs\"(%a) : (tensor<2xf32>) -> tensor<3xf32>") ==
        "2:6 verify-type: %0 is recorded as f32[3], inferred as f32[2]");
  CHECK(errorOf("func.func @f(%a: tensor<f32>) -> tensor<i32> {\nreturn %a : tensor<f32>\n}") ==
        "1:11 type-mismatch: result 0 of `@f` is stated as i32[], but f32[] is returned");
  CHECK(errorOf("func.func @f(%a: tensor<f32>) {\nreturn %a : tensor<f32>\n}") ==
        "1:11 wrong-result-count: `@f` states 0 results, and returns 1");
  CHECK(errorIn("return %a : tensor<3xf32>") == "2:1 type-mismatch: operand 0 is stated as f32[3], and is f32[2]");
  CHECK(errorIn("return %a") == "2:1 wrong-operand-count: 1 values are returned, and types stated for 0");
  CHECK(errorIn("%0 = stablehlo.iota dim = 0 : tensor<*xf32>") ==
        "2:6 type-mismatch: the result of `stablehlo.iota` is a tensor of known rank");
  CHECK(errorIn("%0 = \"stablehlo.case\"(%a) ({\nstablehlo.return\n}) : (tensor<2xf32>) -> ()") ==
        "2:6 wrong-operand-count: `stablehlo.case` has one operand, of type i32[]");
  CHECK(errorIn("\"stablehlo.case\"(%i) () : (tensor<i32>) -> ()") ==
        "2:1 wrong-region-count: `stablehlo.case` needs a branch");
  CHECK(errorIn("\"stablehlo.case\"(%i) ({\nstablehlo.return %a : tensor<2xf32>\n}) : (tensor<i32>) -> ()") ==
        "2:1 wrong-result-count: the branch returns 1 values, and types are stated for 0");
}

TEST_CASE("attributes") {
  CHECK(errorIn("%0 = \"stablehlo.transpose\"(%a) : (tensor<2xf32>) -> tensor<2xf32>") ==
        "2:6 missing-attribute: `stablehlo.transpose` needs the attribute `permutation`");
  CHECK(errorIn("%0 = \"stablehlo.transpose\"(%a) {permutation = \"x\"} : (tensor<2xf32>) -> tensor<2xf32>") ==
        "2:33 bad-attribute: the attribute `permutation` of `stablehlo.transpose` is a list of whole numbers, and this "
        "is none");
  CHECK(errorIn("%0 = \"stablehlo.transpose\"(%a) {permutation = dense<0> : tensor<99999999xi64>} : (tensor<2xf32>) -> "
                "tensor<2xf32>") == "2:33 bad-attribute: the attribute `permutation` of `stablehlo.transpose` is a "
                                    "list of whole numbers, and this is none");
  CHECK(errorIn("%0 = \"stablehlo.transpose\"(%a) <{permutation = array<i64: 0>}> {permutation = array<i64: 0>} : "
                "(tensor<2xf32>) -> tensor<2xf32>") ==
        "2:65 duplicate-attribute: the attribute `permutation` stands here twice");
  CHECK(errorIn("%0 = stablehlo.abs %a {x, x} : tensor<2xf32>") ==
        "2:27 duplicate-attribute: the attribute `x` stands here twice");
  CHECK(errorIn("%0 = stablehlo.abs %a {x = 99999999999999999999} : tensor<2xf32>") ==
        "2:28 too-large: this number does not fit a signed 64-bit integer");
  CHECK(errorIn("%0 = stablehlo.abs %a {x = array<i64: 1.5>} : tensor<2xf32>") == "2:39 bad-attribute: this is no i64");
  CHECK(errorIn("%0 = stablehlo.reduce_precision %a, format = e8 : tensor<2xf32>") ==
        "2:37 bad-attribute: a format is written `e8m10`: so many bits of exponent, and of mantissa");
  CHECK(errorIn("%0 = \"stablehlo.compare\"(%a, %a) {comparison_direction = #stablehlo<comparison_direction XX>} : "
                "(tensor<2xf32>, tensor<2xf32>) -> "
                "tensor<2xi1>")
            .find("2:6 verify-check") == 0);
  std::string convolution = "%0 = stablehlo.convolution(%a, %a) dim_numbers = ";
  CHECK(errorIn(convolution + "[b, b]") == "2:54 bad-attribute: this dimension stands here twice");
  CHECK(errorIn(convolution + "[b, 0]x[o, i]") == "2:50 bad-attribute: dimensions are `b`, `f` and 0, 1, … once each");
  CHECK(errorIn(convolution + "[b, f, 99]") == "2:57 bad-attribute: no convolution has so many dimensions");
  CHECK(errorIn(convolution + "[b, f]x[o, i]->[b, f], window = {strid = [1]}") ==
        "2:83 unknown-attribute: a window has stride, pad, lhs_dilate, rhs_dilate and reverse");
}

TEST_CASE("syntax") {
  CHECK(errorOf("") == "1:1 empty-program: this text holds no function");
  CHECK(errorOf("module {\n}") == "1:1 empty-program: this text holds no function");
  CHECK(errorOf("func.func @f() {\n") ==
        "2:1 unterminated: expected `}` after a region's ops, found the end of the text");
  CHECK(errorOf("module {\n") ==
        "2:1 unterminated: expected `}` after the module's functions, found the end of the text");
  CHECK(errorOf("func.func @f() {\n}") ==
        "2:1 missing-return: a region ends with `stablehlo.return`, a function with `return`");
  CHECK(errorIn("return\nstablehlo.abs %a : tensor<2xf32>") ==
        "3:1 op-after-return: `return` is the last op of its region");
  CHECK(errorOf("stablehlo.abs") ==
        "1:1 syntax: ops stand in functions, `func.func @main(…) { … }`, and `stablehlo.abs` stands outside");
  CHECK(errorOf("nonsense") == "1:1 syntax: expected a function, found `nonsense`");
  CHECK(errorIn("%0 = stablehlo.abs %a {x = \"y") == "2:28 unterminated: this string has no closing quote on its line");
  CHECK(errorIn("%0 = stablehlo.abs %a {x = \"\\q\"}") ==
        "2:29 bad-escape: unknown escape; MLIR has \\n, \\t, \\\", \\\\ and \\HH");
  CHECK(errorIn("%0 = stablehlo.abs %a {x = \"\\0Aa\\\"\"} : tensor<2xf32> loc(") ==
        "2:57 unterminated: nothing closes this bracket");
  CHECK(errorIn("%0 = stablehlo.abs %a, : tensor<2xf32>") ==
        "2:24 syntax: expected an operand or `key = value`, found `:`");
  CHECK(errorIn("% = stablehlo.abs %a : tensor<2xf32>") == "2:1 syntax: expected a value's name after `%`");
  CHECK(errorIn("call @ f() : () -> ()") == "2:8 syntax: expected a name after `@`, found `f`");
  CHECK(errorIn("%0 = ") == "2:1 wrong-result-count: `return` has no results");
  CHECK(errorIn("%0 = stablehlo.slice %a [0] : (tensor<2xf32>) -> tensor<2xf32>") ==
        "2:27 syntax: expected `:` before where the slice ends, found `]`");
  CHECK(errorIn("%0 = stablehlo.case") ==
        "2:6 syntax: `case` has no short form: write `\"stablehlo.case\"(%index) ({…}, {…}) : (tensor<i32>) -> T`");
  CHECK(errorIn("%0 = stablehlo.reduce(%a init: %a) applies stablehlo.abs across dimensions = [0] : (tensor<2xf32>, "
                "tensor<2xf32>) -> tensor<f32>") ==
        "2:44 wrong-operand-count: `applies` takes an op of two operands, and reduces one input");
}

TEST_CASE("deep nesting, and long lists, are one error") {
  std::string many(100000, '[');
  CHECK(errorIn("%0 = stablehlo.abs %a {x = " + many + "} : tensor<2xf32>") ==
        "2:228 too-deep: nested more than 200 levels deep");
  CHECK(errorIn("%0 = stablehlo.constant dense<" + many + "> : tensor<2xf32>") ==
        "2:32 bad-attribute: nested deeper than f32[2] has dimensions");
  std::string tuples;
  for (int i = 0; i < 100000; ++i)
    tuples += "tuple<";
  CHECK(errorOf("func.func @f(%a: " + tuples).find("too-deep") != std::string::npos);
  std::string modules;
  for (int i = 0; i < 100000; ++i)
    modules += "module {";
  CHECK(errorOf(modules).find("too-deep") != std::string::npos);
  std::string regions;
  for (int i = 0; i < 100000; ++i)
    regions += "\"stablehlo.if\"(%p) ({";
  CHECK(errorOf("func.func @f(%p: tensor<i1>) {" + regions).find("too-deep") != std::string::npos);
  std::string branches = "{\nstablehlo.return\n}";
  for (int i = 0; i < 1000; ++i)
    branches += ", {\nstablehlo.return\n}";
  CHECK(errorIn("\"stablehlo.case\"(%i) (" + branches + ") : (tensor<i32>) -> ()").find("too-deep") !=
        std::string::npos);
}
