// What each spelling of StableHLO texts is read as: ops in both forms, regions, functions, modules.
#include "stablehlo_fixture.h"

using namespace test;

namespace {
/// Both texts of an op are read as the same line.
void checkBoth(const std::string &params, const std::string &shortForm, const std::string &generic,
               const std::string &line) {
  CHECK(opOf(params, shortForm) == line);
  CHECK(opOf(params, generic) == line);
}
} // namespace

TEST_CASE("ops without attributes") {
  checkBoth("%a: tensor<2x?xf32>, %b: tensor<2x?xf32>", "%0 = stablehlo.add %a, %b : tensor<2x?xf32>",
            "%0 = \"stablehlo.add\"(%a, %b) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>",
            "%0 = stablehlo.add(%a, %b) : f32[2, ?]");
  CHECK(opOf("%a: tensor<2xi32>", "%x = mhlo.negate %a : tensor<2xi32>") == "%x = stablehlo.negate(%a) : i32[2]");
  CHECK(opOf("%a: tensor<2xf32>", "%x = mhlo.erf %a : tensor<2xf32>") == "%x = chlo.erf(%a) : f32[2]");
  CHECK(opOf("%a: tensor<2xf32>", "%x = chlo.erf %a : tensor<2xf32> -> tensor<2xf32>") == "%x = chlo.erf(%a) : f32[2]");
  checkBoth("%a: tensor<2xf32>", "%0 = stablehlo.complex %a, %a : tensor<2xcomplex<f32>>",
            "%0 = \"stablehlo.complex\"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>",
            "%0 = stablehlo.complex(%a, %a) : c64[2]");
  CHECK(opOf("%p: tensor<i1>, %a: tensor<2xf32>", "%0 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<2xf32>") ==
        "%0 = stablehlo.select(%p, %a, %a) : f32[2]");
  CHECK(opOf("%a: tensor<f32>", "stablehlo.optimization_barrier()") == "stablehlo.optimization_barrier()");
  CHECK(opOf("%a: tensor<f32>, %b: tensor<i32>",
             "%0:2 = stablehlo.optimization_barrier %a, %b : tensor<f32>, tensor<i32>") ==
        "%0, %1 = stablehlo.optimization_barrier(%a, %b) : f32[], i32[]");
  CHECK(opOf("", "%0 = stablehlo.partition_id : tensor<ui32>") == "%0 = stablehlo.partition_id() : u32[]");
  CHECK(opOf("", "%0 = stablehlo.create_token : !stablehlo.token") ==
        "%0 = stablehlo.create_token() : opaque<\"stablehlo.token\">");
}

TEST_CASE("a result whose name nothing gives") {
  CHECK(opOf("%a: tensor<2xf32>", "stablehlo.abs %a : tensor<2xf32>") == "%0 = stablehlo.abs(%a) : f32[2]");
  CHECK(opOf("%a: tensor<2xf32>", "\"stablehlo.abs\"(%a) : (tensor<2xf32>) -> tensor<2xf32>") ==
        "%0 = stablehlo.abs(%a) : f32[2]");
}

TEST_CASE("attributes that the short form has by other names") {
  checkBoth(
      "%a: tensor<2x3xf32>", "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
      "%0 = \"stablehlo.transpose\"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>",
      "%0 = stablehlo.transpose(%a) {permutation = [1, 0]} : f32[3, 2]");
  checkBoth("%a: tensor<8xf32>", "%0 = stablehlo.slice %a [1:8:2] : (tensor<8xf32>) -> tensor<4xf32>",
            "%0 = \"stablehlo.slice\"(%a) {start_indices = dense<1> : tensor<1xi64>, limit_indices = dense<[8]> : "
            "tensor<1xi64>, "
            "strides = array<i64: 2>} : (tensor<8xf32>) -> tensor<4xf32>",
            "%0 = stablehlo.slice(%a) {start_indices = [1], limit_indices = [8], strides = [2]} : f32[4]");
  CHECK(opOf("%a: tensor<8xf32>", "%0 = stablehlo.slice %a [1:8] : (tensor<8xf32>) -> tensor<7xf32>") ==
        "%0 = stablehlo.slice(%a) {start_indices = [1], limit_indices = [8]} : f32[7]");
  checkBoth("%a: tensor<2xi32>",
            "%0 = stablehlo.compare LT, %a, %a, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>",
            "%0 = \"stablehlo.compare\"(%a, %a) <{comparison_direction = #stablehlo<comparison_direction LT>}> : "
            "(tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>",
            "%0 = stablehlo.compare(%a, %a) {comparison_direction = \"LT\"} : bool[2]");
  CHECK(opOf("%a: tensor<2xf32>",
             "%0 = stablehlo.compare  LT, %a, %a,  TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>") ==
        "%0 = stablehlo.compare(%a, %a) {comparison_direction = \"LT\", compare_type = \"TOTALORDER\"} : bool[2]");
  checkBoth(
      "%a: tensor<2x3xi8>, %b: tensor<2x4xi8>",
      "%0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0], precision = [HIGH, DEFAULT], algorithm = "
      "<lhs_precision_type = tf32, lhs_component_count = 1> : (tensor<2x3xi8>, tensor<2x4xi8>) -> tensor<3x4xi32>",
      "%0 = \"stablehlo.dot_general\"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = "
      "[0], "
      "rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision "
      "DEFAULT>], algorithm = "
      "#stablehlo.dot_algorithm<lhs_precision_type = tf32, lhs_component_count = 1>}> : (tensor<2x3xi8>, "
      "tensor<2x4xi8>) -> tensor<3x4xi32>",
      "%0 = stablehlo.dot_general(%a, %b) {lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], "
      "precision_config = "
      "[\"HIGH\", \"DEFAULT\"], lhs_precision_type = \"tf32\", lhs_component_count = 1, dtype = i32} : i32[3, 4]");
  checkBoth("%a: tensor<1x4x2xf32>, %b: tensor<1x2x3xf32>",
            "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], "
            "pad = [[1, 0]], "
            "reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, "
            "tensor<1x2x3xf32>) -> "
            "tensor<1x3x3xf32>",
            "%0 = \"stablehlo.convolution\"(%a, %b) {window_strides = dense<2> : tensor<1xi64>, padding = dense<[[1, "
            "0]]> : tensor<1x2xi64>, "
            "window_reversal = dense<true> : tensor<1xi1>, dimension_numbers = #stablehlo.conv<raw "
            "input_batch_dimension = 0, "
            "input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, "
            "kernel_output_feature_dimension = 2, "
            "kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, "
            "output_spatial_dimensions = [1]>, "
            "batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> "
            "tensor<1x3x3xf32>",
            "%0 = stablehlo.convolution(%a, %b) {input_batch_dimension = 0, input_feature_dimension = 2, "
            "input_spatial_dimensions = [1], "
            "kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], "
            "output_batch_dimension = 0, "
            "output_feature_dimension = 2, output_spatial_dimensions = [1], window_strides = [2], padding = [[1, 0]], "
            "window_reversal = [true], "
            "feature_group_count = 1, batch_group_count = 1} : f32[1, 3, 3]");
  checkBoth("%a: tensor<2xf32>", "%0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<2xf32>",
            "%0 = \"stablehlo.reduce_precision\"(%a) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : "
            "(tensor<2xf32>) -> tensor<2xf32>",
            "%0 = stablehlo.reduce_precision(%a) {exponent_bits = 5, mantissa_bits = 10} : f32[2]");
  for (const char *element : {"stablehlo.get_tuple_element %a[1] :", // of @main a tuple is several parameters
                              "\"stablehlo.get_tuple_element\"(%a) {index = 1 : i32} :"}) {
    StablehloText read(
        "func.func private @f(%a: tuple<tensor<f32>, tensor<i1>>) -> tensor<i1> {\n%0 = " + std::string(element) +
        " (tuple<tensor<f32>, tensor<i1>>) -> tensor<i1>\nreturn %0 : "
        "tensor<i1>\n}");
    CHECK(read.print() == "func @f(%a: (f32[], bool[])) -> bool[] {\n  %0 = stablehlo.get_tuple_element(%a) "
                          "{index = 1} : bool[]\n  return %0\n}\n");
  }
  checkBoth(
      "%a: tensor<4xf32>",
      "%values, %indices = chlo.top_k(%a, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)",
      "%values, %indices = \"chlo.top_k\"(%a) <{k = 2 : i64}> : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)",
      "%values, %indices = chlo.top_k(%a) {k = 2} : f32[2], i32[2]");
  checkBoth(
      "%a: tensor<4xf32>", "%0:2 = mhlo.topk(%a, k=2, largest=false) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)",
      "%0:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 2 : i64, largest = false}, mhlo.version = "
      "1 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)",
      "%0, %1 = chlo.top_k(%a) {k = 2, largest = false} : f32[2], i32[2]");
  checkBoth(
      "%a: tensor<f32>",
      "stablehlo.custom_call @foo(%a) {has_side_effect = true, backend_config = {n = 1 : i32}} : (tensor<f32>) -> ()",
      "\"stablehlo.custom_call\"(%a) <{call_target_name = \"foo\", has_side_effect = true, backend_config = {n = 1 : "
      "i32}}> : "
      "(tensor<f32>) -> ()",
      "stablehlo.custom_call(%a) {call_target_name = \"foo\", has_side_effect = true, backend_config = [[\"n\", 1]]}");
}

TEST_CASE("the result's type says shapes and element types") {
  checkBoth("", "%0 = stablehlo.iota dim = 1 : tensor<2x3xi32>",
            "%0 = \"stablehlo.iota\"() {iota_dimension = 1 : i64} : () -> tensor<2x3xi32>",
            "%0 = stablehlo.iota() {iota_dimension = 1, shape = [2, 3], dtype = i32} : i32[2, 3]");
  CHECK(opOf("%a: tensor<2xf32>", "%0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xf64>") ==
        "%0 = stablehlo.convert(%a) {dtype = f64} : f64[2]");
  CHECK(opOf("%a: tensor<2xf32>",
             "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>") ==
        "%0 = stablehlo.broadcast_in_dim(%a) {broadcast_dimensions = [1], shape = [3, 2]} : f32[3, 2]");
}

TEST_CASE("structured attributes become one attribute for each field") {
  std::string params = "%a: tensor<3x4xf32>, %i: tensor<2x1xi32>",
              types = " : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>";
  std::string line = "%0 = stablehlo.gather(%a, %i) {offset_dims = [1], collapsed_slice_dims = [0], start_index_map = "
                     "[0], index_vector_dim = 1, "
                     "slice_sizes = [1, 4]} : f32[2, 4]";
  std::string fields = "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>";
  CHECK(opOf(params, "%0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<" + fields +
                         ", indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}>" + types) == line);
  CHECK(opOf(params, "%0 = \"mhlo.gather\"(%a, %i) {dimension_numbers = #mhlo.gather<" + fields +
                         ", slice_sizes = dense<[1, 4]> : tensor<2xi64>}" + types) == line);
  StablehloText aliased(
      "#numbers = #stablehlo.gather<" + fields + "\n#loc = loc(\"a\":1:2)\n" +
      inFunction(params,
                 "%0 = \"stablehlo.gather\"(%a, %i) {dimension_numbers = #numbers, slice_sizes = array<i64: 1, 4>}" +
                     types + " loc(#loc)"));
  CHECK(aliased.print().find(line) != std::string::npos);
}

TEST_CASE("attributes of no meaning are kept apart") {
  CHECK(opOf("%a: tensor<f32>",
             "%0 = stablehlo.abs %a {mhlo.sharding = \"{replicated}\", name = \"abs.1\"} : tensor<f32>") ==
        "%0 = stablehlo.abs(%a) {\"$mhlo.sharding\" = \"{replicated}\", \"$name\" = \"abs.1\"} : f32[]");
  CHECK(opOf("%a: tensor<f32>",
             "%0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = "
             "#stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<f32>") ==
        "%0 = stablehlo.exponential(%a) {\"$result_accuracy\" = [[\"ulps\", 2], [\"mode\", \"TOLERANCE\"]]} : f32[]");
}

TEST_CASE("regions") {
  std::string params = "%a: tensor<2x3xf32>, %i: tensor<f32>";
  std::string generic = "%0 = \"stablehlo.reduce\"(%a, %i) ({\n^bb0(%x: tensor<f32> loc(\"x\"), %y: tensor<f32>):\n%1 "
                        "= stablehlo.add %x, %y : "
                        "tensor<f32>\nstablehlo.return %1 : tensor<f32>\n}) {dimensions = array<i64: 1>} : "
                        "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>";
  std::string applies = "%0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] : "
                        "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>";
  std::string reducer =
      "%0 = stablehlo.reduce(%a init: %i) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n"
      "reducer(%x: tensor<f32>, %y: tensor<f32>) {\n%1 = stablehlo.add %x, %y : tensor<f32>\nstablehlo.return %1 : "
      "tensor<f32>\n}";
  std::string expected = StablehloText(inFunction(params, generic)).print(false);
  CHECK(expected == "func @main(%0: f32[2, 3], %1: f32[]) -> () {\n  %2 = stablehlo.reduce(%0, %1) {dimensions = [1]} "
                    ": f32[2] body(%3: f32[], %4: f32[]) {\n"
                    "    %5 = stablehlo.add(%3, %4) : f32[]\n    return %5\n  }\n  return\n}\n");
  CHECK(StablehloText(inFunction(params, applies)).print(false) == expected);
  CHECK(StablehloText(inFunction(params, reducer)).print(false) == expected);
}

TEST_CASE("the pairs of a reducer's parameters") {
  StablehloText text(inFunction("%a: tensor<3xf32>, %b: tensor<3xi32>, %i: tensor<f32>, %j: tensor<i32>",
                                "%0:2 = stablehlo.reduce(%a init: %i), (%b init: %j) across dimensions = [0] : "
                                "(tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> "
                                "(tensor<f32>, tensor<i32>)\n reducer(%p: tensor<f32>, %q: tensor<f32>) (%r: "
                                "tensor<i32>, %s: tensor<i32>) {\nstablehlo.return %q, %r : "
                                "tensor<f32>, tensor<i32>\n}"));
  CHECK(text.print().find("body(%p: f32[], %r: i32[], %q: f32[], %s: i32[]) {\n    return %q, %r") !=
        std::string::npos);
}

TEST_CASE("while, whose regions name what it carries") {
  StablehloText text(inFunction(
      "%a: tensor<i32>, %b: tensor<2xf32>",
      "%0:2 = stablehlo.while(%i = %a, %x = %b) : tensor<i32>, tensor<2xf32> attributes {mhlo.n = 1 : i32}\ncond {\n"
      "%c = stablehlo.compare LT, %i, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %c : "
      "tensor<i1>\n} do {\n"
      "stablehlo.return %i, %x : tensor<i32>, tensor<2xf32>\n}\n%1 = stablehlo.abs %0#1 : tensor<2xf32>"));
  CHECK(text.print() == "func @main(%a: i32[], %b: f32[2]) -> () {\n  %0, %1 = stablehlo.while(%a, %b) {\"$mhlo.n\" = "
                        "1} : i32[], f32[2] cond(%i: i32[], %x: "
                        "f32[2]) {\n    %c = stablehlo.compare(%i, %a) {comparison_direction = \"LT\"} : bool[]\n    "
                        "return %c\n  } body(%i: i32[], %x: "
                        "f32[2]) {\n    return %i, %x\n  }\n  %2 = stablehlo.abs(%1) : f32[2]\n  return\n}\n");
}

TEST_CASE("case becomes ifs; the last branch is that of every other number") {
  auto branch = [](const std::string &x) { return "{\nstablehlo.return " + x + " : tensor<f32>\n}"; };
  std::string params = "%i: tensor<i32>, %a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>";
  StablehloText three(inFunction(params, "%0 = \"stablehlo.case\"(%i) (" + branch("%a") + ", " + branch("%b") + ", " +
                                             branch("%c") + ") : (tensor<i32>) -> tensor<f32>"));
  CHECK(three.print(false) == "func @main(%0: i32[], %1: f32[], %2: f32[], %3: f32[]) -> () {\n  %4 = "
                              "stablehlo.constant() {value = dense<i32[]: 0>} : i32[]\n  %5 = "
                              "stablehlo.compare(%0, %4) {comparison_direction = \"EQ\"} : bool[]\n  %6 = "
                              "stablehlo.if(%5) : f32[] true_branch {\n    return %1\n  } "
                              "false_branch {\n    %7 = stablehlo.constant() {value = dense<i32[]: 1>} : i32[]\n    %8 "
                              "= stablehlo.compare(%0, %7) {comparison_direction = "
                              "\"EQ\"} : bool[]\n    %9 = stablehlo.if(%8) : f32[] true_branch {\n      return %2\n    "
                              "} false_branch {\n      return %3\n    }\n    return "
                              "%9\n  }\n  return\n}\n");
  StablehloText one(
      inFunction(params, "%0 = \"stablehlo.case\"(%i) (" + branch("%b") + ") : (tensor<i32>) -> tensor<f32>"));
  CHECK(one.print().find("%0 = stablehlo.optimization_barrier(%b) : f32[]\n") != std::string::npos);
}

TEST_CASE("functions, calls and modules") {
  std::string body = "func.func public @main(%arg0: tensor<f32> {mhlo.sharding = \"\"} loc(\"x\")) -> (tensor<f32> "
                     "{jax.result_info = \"y\"}) attributes "
                     "{a = 1 : i32} {\n%0:2 = call @two(%arg0) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)\nreturn "
                     "%0#1 : tensor<f32>\n}\n"
                     "func.func private @two(%arg0: tensor<f32>) -> (tensor<f32>, tensor<f32>) {\nfunc.return %arg0, "
                     "%arg0 : tensor<f32>, tensor<f32>\n}\n";
  std::string expected = "func @main(%arg0: f32[]) -> (y: f32[]) {\n  %0, %1 = tensor.call(%arg0) {callee = @two} : "
                         "f32[], f32[]\n  return %1\n}\n\n"
                         "func @two(%arg0: f32[]) -> (f32[], f32[]) {\n  return %arg0, %arg0\n}\n";
  CHECK(StablehloText(body).print() == expected);
  CHECK(StablehloText("module @jit_f attributes {mhlo.num_partitions = 1 : i32} {\n" + body +
                      "} loc(#loc)\n#loc = loc(unknown)\n")
            .print() == expected);
  CHECK(StablehloText("module {\n" + body + "}\n// -----\n").print() == expected);
  StablehloText generic("\"builtin.module\"() <{sym_name = \"m\"}> ({\n\"func.func\"() <{function_type = (tensor<f32>) "
                        "-> tensor<f32>, sym_name = \"main\", "
                        "res_attrs = [{jax.result_info = \"y\"}]}> ({\n^bb0(%arg0: tensor<f32>):\n%0:2 = "
                        "\"func.call\"(%arg0) <{callee = @two}> : "
                        "(tensor<f32>) -> (tensor<f32>, tensor<f32>)\n\"func.return\"(%0#1) : (tensor<f32>) -> ()\n}) "
                        ": () -> ()\n\"func.func\"() ({\n"
                        "^bb0(%arg0: tensor<f32>):\n\"func.return\"(%arg0, %arg0) : (tensor<f32>, tensor<f32>) -> "
                        "()\n}) {function_type = (tensor<f32>) "
                        "-> (tensor<f32>, tensor<f32>), sym_name = \"two\", sym_visibility = \"private\"} : () -> "
                        "()\n}) {a = 1 : i32} : () -> ()\n");
  CHECK(generic.print() == expected);
  StablehloText nested("module {\nmodule @inner {\nfunc.func @f() {\nreturn\n}\nfunc.func @g() {\ncall @f() : () -> "
                       "()\nreturn\n}\n}\n}\n");
  CHECK(nested.print() == "func @\"inner::f\"() -> () {\n  return\n}\n\nfunc @\"inner::g\"() -> () {\n  tensor.call() "
                          "{callee = @\"inner::f\"}\n  return\n}\n");
}

TEST_CASE("types") {
  auto typeOf = [](const std::string &type) {
    StablehloText text("!alias = tensor<7xf64>\nfunc.func @f(%a: " + type + ") {\nreturn\n}\n");
    std::string printed = text.print();
    return text.program ? printed.substr(12, printed.find(") -> ()") - 12) : printed;
  };
  CHECK(typeOf("tensor<f32>") == "f32[]");
  CHECK(typeOf("tensor<0x2xi1>") == "bool[0, 2]");
  CHECK(typeOf("tensor<4 x ui8>") == "u8[4]");
  CHECK(typeOf("tensor<2xindex>") == "i64[2]");
  CHECK(typeOf("tensor<*xbf16>") == "bf16[*]");
  CHECK(typeOf("tensor<?xcomplex<f64>>") == "c128[?]");
  CHECK(typeOf("tensor<?x?xf32, #stablehlo.bounds<3, ?>>") == "f32[?, ?]");
  CHECK(typeOf("tensor<?xf32, #mhlo.type_extensions<bounds = [4]>>") == "f32[?]");
  CHECK(typeOf("tensor<3xf8E4M3FN>") == "f8e4m3fn[3]");
  CHECK(typeOf("!stablehlo.token") == "opaque<\"stablehlo.token\">");
  CHECK(typeOf("tuple<tensor<f32>, tuple<>>") == "(f32[], ())");
  CHECK(typeOf("!alias") == "f64[7]");
}

TEST_CASE("what begins as MLIR does") {
  using rw::stablehlo::looksLikeMlir;
  CHECK(looksLikeMlir("// a comment\n\nmodule @m {"));
  CHECK(looksLikeMlir("  func.func @f()"));
  CHECK(looksLikeMlir("#loc = loc(unknown)"));
  CHECK(looksLikeMlir("\"builtin.module\"()"));
  CHECK(looksLikeMlir("ML\xefR\x0d"));
  CHECK_FALSE(looksLikeMlir("func @main() {"));
  CHECK_FALSE(looksLikeMlir("// a comment"));
  CHECK_FALSE(looksLikeMlir(""));
}

TEST_CASE("attributes of other dialects that are not understood are left out") {
  const std::string body = "  %0 = stablehlo.abs %a : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n";
  const std::string plain = StablehloText("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n" + body).print();
  auto same = [&](const std::string &head, const std::string &param, const std::string &result,
                  const std::string &function) {
    std::string inside = "func.func @main(%a: tensor<2xf32> {" + param + "}) -> (tensor<2xf32> {" + result +
                         "}) attributes {" + function + "} {\n" + body;
    return StablehloText("module attributes {" + head + "} {\n" + inside + "}\n").print();
  };
  CHECK(same("", "", "", "") == plain);
  for (const char *value :
       {"#foo.bar", "#foo.bar<1, [2, \"}\"], a -> b>", "#foo<bar baz>", "affine_map<(d0) -> (d0 + 1)>",
        "dense<64> : vector<2xi64>", "!foo.type<3>", "vector<2xf32>", "99999999999999999999 : i128", "1.0 : f80",
        "18446744073709551615 : ui64", "opaque<\"a\", \"0x00\">", "distinct[0]<42>",
        "dense_resource<r> : tensor<2xf32>", "[#foo.bar, {x.y = #foo.baz}]", "strided<[1], offset: 2>"}) {
    CAPTURE(value);
    const std::string entry = std::string("a.b = ") + value;
    CHECK(same(entry + ", mhlo.num_partitions = 1 : i32", "", "", "") == plain);
    CHECK(same("", entry, "x.y, " + entry, entry + ", z.z = 1 : i32") == plain);
    CHECK(opOf("%a: tensor<2xf32>", "%0 = stablehlo.abs %a {" + entry + ", c.d = 1 : i32} : tensor<2xf32>") ==
          "%0 = stablehlo.abs(%a) {\"$c.d\" = 1} : f32[2]");
  }
  CHECK(StablehloText("#m = #foo.bar<1>\nmodule attributes {a.b = #m} {\nfunc.func @main(%a: tensor<2xf32>) -> "
                      "tensor<2xf32> {\n" +
                      body + "}\n")
            .print() == plain);
}

TEST_CASE("functions without a body that nothing calls are left out") {
  const std::string text = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}\n";
  CHECK(StablehloText(text + "func.func private @g(tensor<f32>) -> tensor<f32>\n"
                             "func.func private @h(%a: tensor<f32> {x.y = 1 : i32}) attributes {z.z = 1 : i32}\n"
                             "\"func.func\"() <{sym_name = \"k\", function_type = () -> ()}> ({\n}) : () -> ()\n")
            .print() == StablehloText(text).print());
}
