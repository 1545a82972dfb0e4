// What cannot be, but is no reason for engines to refuse a model: it is read, a warning says so, and it comes out as it
// went in.
#include "pipeline.h"

#include "rw/ir/verifier.h"

#include <cstring>
#include <set>

using namespace whole;

namespace {
struct Read {
  rw::SourceManager sources;
  rw::Diagnostics diags{sources};
  std::optional<rw::OnnxModel> model;

  explicit Read(const std::string &bytes) : model(rw::importOnnxBytes(bytes, "m.onnx", builtins().ops, diags)) {}
  std::string said() { return diags.renderText(); }
  std::string exported() {
    std::string bytes;
    REQUIRE(model);
    REQUIRE(rw::verifyProgram(model->program, diags));
    REQUIRE(rw::exportOnnxBytes(*model, bytes, diags));
    return bytes;
  }
};

std::string modelOf(const std::string &graph, const std::string &imports = "opset_import { version: 15 }") {
  return modelBytes("ir_version: 8 graph { name: \"g\" " + graph + " } " + imports);
}

std::string value(const std::string &name, const std::string &dims) {
  std::string text = "name: \"" + name + "\" type { tensor_type { elem_type: 1 shape { ";
  for (char d : dims)
    text += std::string("dim { dim_value: ") + d + " } ";
  return text + "} } }";
}
const std::string kInput = "input { " + value("x", "23") + " } ";
const std::string kRelu = R"(node { op_type: "Relu" input: "x" output: "y" } )";
std::string weights(const char *name, const char *number) {
  return std::string("initializer { name: \"") + name + "\" data_type: 1 dims: 1 float_data: " + number + " } ";
}
} // namespace

TEST_CASE("An output listed twice is one result, and is listed twice again") {
  for (const char *outputs : {"y y", "y x y y", "x x", "w y w"}) {
    std::string graph = kInput + kRelu + weights("w", "1");
    for (const char *c = outputs; *c; ++c)
      if (*c != ' ')
        graph += std::string("output { name: \"") + *c + "\" } ";
    std::string m = modelOf(graph);
    Read in(m);
    INFO(outputs, "\n", in.said());
    CHECK(in.exported() == m);
    CHECK(in.said().empty());
    std::vector<rw::StringId> names = in.model->main().resultNames();
    std::set<uint32_t> different;
    for (rw::StringId name : names)
      different.insert(name.raw);
    CHECK(different.size() == names.size());
  }
}

TEST_CASE("Of two initializers with one name the last one counts; both stay until it changes") {
  std::string m = modelOf(kInput + weights("w", "1") + weights("v", "5") + weights("w", "2") +
                          R"(node { op_type: "Add" input: "x" input: "w" output: "y" } output { name: "y" })");
  Read in(m);
  CHECK(in.exported() == m);
  CHECK(in.said() == "m.onnx: warning: two initializers are named `w`: the last one counts, as it does for engines "
                     "[onnx-initializer]\n");
  rw::Function &main = in.model->main();
  rw::Context &ctx = main.context();
  for (rw::Op op : main.ops(main.body()))
    if (op.fullName() == "onnx.initializer" && ctx.text(main.valueName(op.result().id)) == "w") {
      rw::AttrId read = op.result().constant();
      float two;
      std::memcpy(&two, ctx.attr(read).dense->bytes.data(), sizeof two);
      CHECK(two == 2);
      float seven = 7;
      rw::AttrId other = ctx.denseAttr(ctx.attr(read).dense->type, std::as_bytes(std::span(&seven, 1)));
      main.setAttrs(op.id, ctx.withAttr(op.attrsId(), unsigned(op.schema().attrIndex("value")), other));
    }
  onnx::ModelProto after;
  REQUIRE(after.ParseFromString(in.exported()));
  REQUIRE(after.graph().initializer_size() == 2);
  CHECK(after.graph().initializer(0).name() == "v");
  CHECK(after.graph().initializer(1).name() == "w");
}

TEST_CASE("A default given twice is the last one") {
  std::string m = modelOf("input { " + value("x", "1") + " } " + weights("x", "1") + weights("x", "2") + kRelu +
                          R"(output { name: "y" })");
  Read in(m);
  CHECK(in.exported() == m);
  CHECK(in.model->main().paramInfo(0).defaultValue);
}

TEST_CASE("An op that its declaration refuses is opaque if ONNX has nothing against it, else an error") {
  auto transposed = [](const char *perm) {
    return modelOf(kInput +
                   R"(node { op_type: "Transpose" input: "x" output: "y" attribute { name: "perm" type: INTS )" + perm +
                   R"( } } output { name: "y" })");
  };
  Read odd(transposed("ints: 0"));
  CHECK(odd.exported() == transposed("ints: 0"));
  CHECK(odd.said() == "m.onnx: warning: #0 (Transpose, output `y`) stays as it is, and nothing is known of it: perm "
                      "must be a permutation of 0..2 [onnx-op]\n");
  Read wrong(transposed("ints: 1 ints: 1"));
  CHECK(!wrong.model);
  CHECK(wrong.said() ==
        "m.onnx: error: #0 (Transpose, output `y`) cannot be: perm must be a permutation of 0..2 [onnx-op]\n");
}

TEST_CASE("A main domain imported twice is of the last version") {
  std::string m = modelOf(kInput + kRelu + R"(output { name: "y" })",
                          R"(opset_import { version: 9 } opset_import { domain: "ai.onnx" version: 13 })");
  Read in(m);
  CHECK(in.exported() == m);
  CHECK(in.model->opsetVersion() == 13);
}
