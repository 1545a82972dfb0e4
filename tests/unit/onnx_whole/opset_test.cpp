// Ops of a newer operator set than the model's are not made, whoever runs the patterns: a pipeline, a pass, or the
// driver alone.
#include "pipeline.h"

#include "rw/rewrite/greedy_driver.h"

using namespace rw;
using namespace whole;

namespace {

/// x · min(max(x + 3, 0), 6) / 6 and a limited Relu, in an operator set.
std::optional<OnnxModel> hardSwish(int opset) {
  std::string limits = opset < 11 ? "" : R"(input: "zero" input: "six")";
  std::string attributes =
      opset < 11 ? R"(attribute { name: "min" f: 0 type: FLOAT } attribute { name: "max" f: 6 type: FLOAT })" : "";
  std::string text = "ir_version: 8 opset_import { version: " + std::to_string(opset) + R"( }
    graph { name: "g"
      node { op_type: "Add" input: "x" input: "three" output: "a" }
      node { op_type: "Clip" input: "a" )" +
                     limits + R"( output: "c" )" + attributes + R"( }
      node { op_type: "Div" input: "c" input: "six" output: "d" }
      node { op_type: "Mul" input: "x" input: "d" output: "y" }
      node { op_type: "Relu" input: "x" output: "r" }
      node { op_type: "Min" input: "r" input: "six" output: "z" }
      initializer { name: "zero" data_type: 1 float_data: 0 }
      initializer { name: "three" data_type: 1 float_data: 3 }
      initializer { name: "six" data_type: 1 float_data: 6 }
      input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } } } } }
      output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } } } } }
      output { name: "z" type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } } } } } })";
  SourceManager sources;
  Diagnostics diags(sources);
  std::optional<OnnxModel> model = importOnnxBytes(modelBytes(text), "test", builtins().ops, diags);
  REQUIRE(model);
  return model;
}

} // namespace

TEST_CASE("a pipeline on models of several operator sets") {
  for (int opset : {10, 13, 14, 18}) {
    CAPTURE(opset);
    std::optional<OnnxModel> model = hardSwish(opset);
    runPipeline(*model, "onnx_fast");
    CHECK(countOf(*model, "HardSwish") == (opset >= 14));
    CHECK(countOf(*model, "Min") == (opset < 11)); // Relu and Min become Clip, whose limits were attributes before 11
  }
}

TEST_CASE("one pass, and the driver alone") {
  for (int opset : {13, 14}) {
    CAPTURE(opset);
    std::optional<OnnxModel> model = hardSwish(opset);
    runPipeline(*model, "fuse_hard_swish{fastmath=true}");
    CHECK(countOf(*model, "HardSwish") == (opset >= 14));

    std::optional<OnnxModel> again = hardSwish(opset);
    PatternSet set(builtins().ops);
    for (const PatternEntry &pattern : builtins().patterns.all())
      if (pattern.info.name == "HardSwish")
        set.add(pattern.make(builtins().ops));
    FrozenPatternSet frozen = std::move(set).freeze();
    GreedyRewriteConfig config;
    config.allowFastMath = true;
    CHECK(applyPatternsGreedily(again->main(), frozen, config).changed == (opset >= 14));
  }
}

TEST_CASE("versions of dialects") {
  std::optional<OnnxModel> model = hardSwish(13);
  Context &ctx = model->program.context();
  CHECK(ctx.dialectVersion("onnx") == 13);
  CHECK(ctx.dialectVersion("tensor") == 0);
  ctx.setDialectVersion("onnx", 14);
  CHECK(ctx.dialectVersion("onnx") == 14);
  CHECK(ctx.dialectVersions().size() == 1);
  runPipeline(*model, "fuse_hard_swish{fastmath=true}");
  CHECK(countOf(*model, "HardSwish") == 1);
}

TEST_CASE("no op is made that the model's operator set has in another form") {
  for (int opset : {6, 7, 13}) {
    CAPTURE(opset);
    SourceManager sources;
    Diagnostics diags(sources);
    // In operator set 6 Gemm repeats its third operand only if an attribute says so.
    std::optional<OnnxModel> model =
        importOnnxBytes(modelBytes("ir_version: 3 opset_import { version: " + std::to_string(opset) + R"( }
      graph { name: "g"
        node { op_type: "Transpose" input: "w" output: "t" attribute { name: "perm" ints: 1 ints: 0 type: INTS } }
        node { op_type: "MatMul" input: "x" input: "t" output: "y" }
        input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } dim { dim_value: 3 } } } } }
        input { name: "w" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } dim { dim_value: 3 } } } } }
        output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } dim { dim_value: 2 } } } } } })"),
                        "test", builtins().ops, diags);
    REQUIRE(model);
    runPipeline(*model, "onnx");
    CHECK(countOf(*model, "Gemm") == (opset >= 7));
    // In these IR versions every initializer is an input, so that the new zero is an op. From operator set 11 on Gemm
    // needs none.
    std::string bytes;
    REQUIRE(exportOnnxBytes(*model, bytes, diags));
    onnx::ModelProto out;
    REQUIRE(out.ParseFromString(bytes));
    CHECK(out.graph().initializer_size() == 0);
    CHECK(out.graph().node_size() == (opset >= 11 ? 1 : 2));
    CHECK(out.graph().node(0).op_type() == std::string(opset >= 11 ? "Gemm" : opset >= 7 ? "Constant" : "Transpose"));
  }
}

TEST_CASE("an attribute of old models that is an operand of new ones is built as the model's version has it") {
  for (int opset : {11, 13}) {
    CAPTURE(opset);
    onnx::ModelProto out = optimised("ir_version: 8 opset_import { version: " + std::to_string(opset) + R"( }
      graph { name: "g"
        node { op_type: "Transpose" input: "x" output: "t" attribute { name: "perm" ints: 0 ints: 2 ints: 3 ints: 1 type: INTS } }
        node { op_type: "Max" input: "v" input: "t" output: "a" }
        node { op_type: "Transpose" input: "a" output: "y" attribute { name: "perm" ints: 0 ints: 3 ints: 1 ints: 2 type: INTS } }
        input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } dim { dim_value: 3 } dim { dim_value: 4 } dim { dim_value: 5 } } } } }
        input { name: "v" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } } } } }
        output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } dim { dim_value: 3 } dim { dim_value: 4 } dim { dim_value: 5 } } } } } })",
                                     "transpose_dags");
    unsigned found = 0;
    for (const onnx::NodeProto &node : out.graph().node()) {
      CHECK(node.op_type() != "Transpose");
      if (node.op_type() != "Unsqueeze")
        continue;
      ++found;
      CHECK(node.attribute_size() == (opset < 13 ? 1 : 0));
      CHECK(node.input_size() == (opset < 13 ? 1 : 2));
    }
    CHECK(found == 1);
  }
}
