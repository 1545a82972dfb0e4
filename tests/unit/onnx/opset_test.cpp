// Models in another version of ONNX's operator set, by ONNX's own converter.
#include "onnx_fixture.h"

#include "rw/onnx/model_check.h"

using namespace rw;
using namespace onnxtest;

namespace {
std::optional<onnx::ModelProto> converted(const onnx::ModelProto &model, int version, std::string *why = nullptr) {
  Imported read(model);
  REQUIRE(read.model);
  std::optional<OnnxModel> made = convertOpset(*read.model, version, registry(), read.diags);
  if (!made) {
    REQUIRE(read.diags.errorCount() == 1);
    CHECK(read.tag() == "onnx-convert");
    if (why)
      *why = read.message();
    return std::nullopt;
  }
  onnx::ModelProto out;
  std::string bytes;
  REQUIRE(exportOnnxBytes(*made, bytes, read.diags));
  REQUIRE(out.ParseFromString(bytes));
  CHECK(onnxio::faultOf(out, ".") == "");
  return out;
}
} // namespace

TEST_CASE("operator set conversion: attributes become operands, and all else of the model stays") {
  onnx::ModelProto model = modelOf(R"(
    name: "squeezed"
    node { input: "x" output: "y" op_type: "Squeeze" name: "s" attribute { name: "axes" type: INTS ints: 0 } }
    node { input: "y" input: "w" output: "z" op_type: "Add" }
    initializer { name: "w" data_type: 1 dims: 400 raw_data: ")" +
                                       std::string(1600, 'a') + R"(" }
    input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 400 } } } } }
    output { name: "z" type { tensor_type { elem_type: 1 shape { dim { dim_value: 400 } } } } })",
                                   11);
  model.set_producer_name("somebody");
  onnx::StringStringEntryProto &entry = *model.add_metadata_props();
  entry.set_key("license");
  entry.set_value("free");
  std::optional<onnx::ModelProto> out = converted(model, 13);
  REQUIRE(out);
  CHECK(out->opset_import(0).version() == 13);
  CHECK(out->producer_name() == "somebody");
  CHECK(out->metadata_props(0).value() == "free");
  REQUIRE(out->graph().node_size() >= 2);
  const onnx::NodeProto &squeeze = out->graph().node(out->graph().node_size() - 2);
  CHECK(squeeze.op_type() == "Squeeze");
  CHECK(squeeze.name() == "s");
  CHECK(squeeze.input_size() == 2);
  CHECK(squeeze.attribute_size() == 0);
  CHECK(out->graph().initializer(0).raw_data() == std::string(1600, 'a'));
  CHECK(out->graph().input_size() == 1);
  CHECK(out->graph().input(0).name() == "x");
}

TEST_CASE("operator set conversion: where it fails the model is as it was") {
  onnx::ModelProto model = modelOf(
      R"(node { input: "x" output: "y" op_type: "NoSuchOp" } node { input: "y" input: "w" output: "z" op_type: "Add" }
    initializer { name: "w" data_type: 1 dims: 400 raw_data: ")" +
          std::string(1600, 'a') + R"(" }
    input { name: "x" type { tensor_type { elem_type: 1 } } } output { name: "z" type { tensor_type { elem_type: 1 } } })",
      13);
  Imported read(model);
  REQUIRE(read.model);
  CHECK(!convertOpset(*read.model, 15, registry(), read.diags));
  CHECK(equal(model, read.exported()));
}

TEST_CASE("operator set conversion: what it cannot do is one diagnostic") {
  std::string why;
  onnx::ModelProto plain = modelOf(R"(node { input: "x" output: "y" op_type: "Relu" }
    input { name: "x" type { tensor_type { elem_type: 1 } } } output { name: "y" type { tensor_type { elem_type: 1 } } })",
                                   15);
  CHECK(!converted(plain, 99, &why));
  CHECK(why.starts_with("cannot be converted from operator set 15 to 99: ONNX's converter, of the version built in, "
                        "knows operator sets 1 to "));
  onnx::ModelProto unknown = modelOf(R"(node { input: "x" output: "y" op_type: "NoSuchOp" }
    input { name: "x" type { tensor_type { elem_type: 1 } } } output { name: "y" type { tensor_type { elem_type: 1 } } })",
                                     13);
  CHECK(!converted(unknown, 15, &why));
  CHECK(why == "cannot be converted from operator set 13 to 15: `NoSuchOp` is no op of operator set 13");
  onnx::ModelProto newer = modelOf(R"(node { input: "x" output: "y" op_type: "Trilu" name: "t" }
    input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } dim { dim_value: 2 } } } } }
    output { name: "y" type { tensor_type { elem_type: 1 } } })",
                                   14);
  CHECK(!converted(newer, 13, &why));
  CHECK(why.starts_with("cannot be converted from operator set 14 to 13: `Trilu` (t): ONNX's converter says: "));
}

TEST_CASE("operator set conversion: in bodies as well") {
  onnx::ModelProto inside = modelOf(R"(
    node { input: "c" output: "y" op_type: "If"
      attribute { name: "then_branch" type: GRAPH g { name: "t" node { input: "x" output: "a" op_type: "Softmax" } output { name: "a" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } dim { dim_value: 3 } } } } } } }
      attribute { name: "else_branch" type: GRAPH g { name: "e" node { input: "x" output: "b" op_type: "Relu" } output { name: "b" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } dim { dim_value: 3 } } } } } } } }
    input { name: "c" type { tensor_type { elem_type: 9 shape { } } } } input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } dim { dim_value: 3 } } } } }
    output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } dim { dim_value: 3 } } } } })",
                                    11);
  std::optional<onnx::ModelProto> out = converted(inside, 13);
  REQUIRE(out);
  const onnx::GraphProto &body = out->graph().node(0).attribute(0).g();
  CHECK(body.node_size() >= 1);
  for (const onnx::NodeProto &node : body.node())
    if (node.op_type() == "Softmax")
      CHECK(node.attribute_size() == 1);
  CHECK(body.node(body.node_size() - 1).output(0) == "a");
}
