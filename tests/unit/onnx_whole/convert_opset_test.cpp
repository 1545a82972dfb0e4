// Models in another version of ONNX's operator set compute what they computed.
#include "pipeline.h"

#include "rw/interp/compare.h"

#include <filesystem>

using namespace rw;
using namespace whole;

namespace {

/// The model in that operator set, which takes its tensors; none and why if it cannot be.
std::optional<OnnxModel> inOpset(const OnnxModel &model, int version, std::string &why) {
  SourceManager sources;
  Diagnostics diags(sources);
  std::optional<OnnxModel> made = convertOpset(model, version, builtins().ops, diags);
  if (made) {
    CHECK(made->opsetVersion() == version);
    return made;
  }
  REQUIRE(diags.all().size() == 1);
  CHECK(diags.all()[0].tag == "onnx-convert");
  why = diags.all()[0].message;
  return std::nullopt;
}

/// Whether both give the same on random inputs.
void checkSame(OnnxModel &a, OnnxModel &b) {
  EvalOptions options;
  options.program = &a.program;
  Comparison c = compareFunctions(a.main(), b.main(), 2, 1e-5, 1, options);
  CHECK_MESSAGE(c.outcome == Comparison::Agree, c.text);
}

OnnxModel read(const std::string &path) {
  SourceManager sources;
  Diagnostics diags(sources);
  std::optional<OnnxModel> model = importOnnx(path, builtins().ops, diags);
  REQUIRE(model);
  return std::move(*model);
}

/// A model of these nodes, of f32 but for `c`, a condition.
OnnxModel modelOf(const std::string &nodes, int version) {
  SourceManager sources;
  Diagnostics diags(sources);
  const std::string shape = "shape { dim { dim_value: 2 } dim { dim_value: 3 } dim { dim_value: 4 } }";
  std::optional<OnnxModel> model = importOnnxBytes(
      modelBytes("ir_version: 7 opset_import { version: " + std::to_string(version) + " } graph { name: \"g\" " +
                 nodes + "input { name: \"x\" type { tensor_type { elem_type: 1 " + shape +
                 " } } } input { name: \"c\" type { tensor_type { elem_type: 9 shape { } } } }"
                 "output { name: \"y\" type { tensor_type { elem_type: 1 } } } }"),
      "test", builtins().ops, diags);
  REQUIRE_MESSAGE(model, diags.renderText());
  return std::move(*model);
}

} // namespace

TEST_CASE("models of tests/models, up and down again") {
  unsigned converted = 0, back = 0;
  for (const char *name :
       {"bilstm", "convnext_mini", "ctl_if_loop", "functions", "mixer_nhwc", "swin_mini", "tf_encoder"}) {
    const std::string path = std::string(RW_SOURCE_DIR "/tests/models/") + name + ".onnx";
    CAPTURE(path);
    OnnxModel model = read(path);
    const int version = int(model.opsetVersion());
    for (int to : {version + 1, 17}) {
      CAPTURE(to);
      std::string why;
      std::optional<OnnxModel> newer = inOpset(read(path), to, why);
      REQUIRE_MESSAGE(newer, why);
      checkSame(model, *newer);
      ++converted;
      if (std::optional<OnnxModel> older = inOpset(*newer, version, why)) {
        checkSame(model, *older);
        ++back;
      }
    }
  }
  CHECK(converted == 14);
  CHECK(back >= 10);
}

TEST_CASE("ops that are written otherwise in another version, at the top and in a body") {
  const std::string axis = R"(attribute { name: "axis" type: INT i: 1 })";
  struct Case {
    const char *what;
    int from, to;
    std::string node; // from `a` to `b`
  };
  const Case cases[] = {
      {"a shape seen as a matrix", 11, 13, R"(node { op_type: "Softmax" input: "a" output: "b" )" + axis + "}"},
      {"axes that were an attribute", 11, 13,
       R"(node { op_type: "ReduceSum" input: "a" output: "b" attribute { name: "axes" type: INTS ints: 1 } })"},
      {"limits that were attributes", 10, 13,
       R"(node { op_type: "Clip" input: "a" output: "b" attribute { name: "min" type: FLOAT f: -0.5 }
          attribute { name: "max" type: FLOAT f: 0.5 } })"},
      {"dimensions that were an attribute", 11, 13,
       R"(node { op_type: "Unsqueeze" input: "a" output: "b" attribute { name: "axes" type: INTS ints: 0 ints: 2 } })"},
      {"several outputs, sizes as an attribute", 11, 13,
       R"(node { op_type: "Split" input: "a" output: "b" output: "" attribute { name: "axis" type: INT i: 1 }
          attribute { name: "split" type: INTS ints: 1 ints: 2 } })"},
      {"only more element types", 13, 17, R"(node { op_type: "Relu" input: "a" output: "b" })"},
      {"only more element types, the other way", 17, 13,
       R"(node { op_type: "Mul" input: "a" input: "a" output: "b" })"},
      {"an attribute that says its default", 14, 13,
       R"(node { op_type: "Constant" output: "s" attribute { name: "value" type: TENSOR t { data_type: 7 dims: 2 int64_data: 2 int64_data: 12 } } }
          node { op_type: "Reshape" input: "a" input: "s" output: "b" attribute { name: "allowzero" type: INT i: 0 } })"},
  };
  for (const Case &c : cases) {
    const std::string what = c.what;
    CAPTURE(what);
    std::string why;
    OnnxModel top = modelOf(R"(node { op_type: "Neg" input: "x" output: "a" })" + c.node +
                                R"(node { op_type: "Neg" input: "b" output: "y" })",
                            c.from);
    std::optional<OnnxModel> other = inOpset(top, c.to, why);
    REQUIRE_MESSAGE(other, why);
    checkSame(top, *other);

    const std::string branch = R"(node { op_type: "Neg" input: "x" output: "a" })" + c.node;
    const std::string output = R"(output { name: "b" type { tensor_type { elem_type: 1 } } })";
    OnnxModel inside = modelOf(
        R"(node { op_type: "If" input: "c" output: "y"
          attribute { name: "then_branch" type: GRAPH g { name: "t" )" +
            branch + output + R"( } }
          attribute { name: "else_branch" type: GRAPH g { name: "e" )" +
            branch + output + " } } }",
        c.from);
    other = inOpset(inside, c.to, why);
    REQUIRE_MESSAGE(other, why);
    checkSame(inside, *other);
  }
}
