// Loops of which results go: what the body's outputs are said to be follows the values, not their old places.
#include "pipeline.h"

using namespace rw;
using namespace whole;

TEST_CASE("a loop that no longer carries a number: the types of its body's outputs") {
  std::string type = R"(type { tensor_type { elem_type: )";
  std::string text =
      R"(ir_version: 8 opset_import { version: 13 } graph { name: "g"
      node { op_type: "Loop" input: "rounds" input: "go" input: "x" input: "zero" output: "last" output: "count" output: "every"
        attribute { name: "body" type: GRAPH g { name: "b"
          node { op_type: "Identity" input: "c" output: "c2" }
          node { op_type: "Exp" input: "h" output: "h2" }
          node { op_type: "Add" input: "n" input: "one" output: "n2" }
          node { op_type: "Identity" input: "h2" output: "each" }
          input { name: "i" )" +
      type + R"(7 shape {} } } }  input { name: "c" )" + type + R"(9 shape {} } } }
          input { name: "h" )" +
      type + R"(1 shape { dim { dim_value: 2 } } } } }  input { name: "n" )" + type + R"(6 shape {} } } }
          output { name: "c2" )" +
      type + R"(9 shape {} } } }  output { name: "h2" )" + type + R"(1 shape { dim { dim_value: 2 } } } } }
          output { name: "n2" )" +
      type + R"(6 shape {} } } }  output { name: "each" )" + type + R"(1 shape { dim { dim_value: 2 } } } } } } } }
      initializer { name: "zero" data_type: 6 int32_data: 0 }
      initializer { name: "one" data_type: 6 int32_data: 1 }
      input { name: "rounds" )" +
      type + R"(7 shape {} } } }  input { name: "go" )" + type + R"(9 shape {} } } }
      input { name: "x" )" +
      type + R"(1 shape { dim { dim_value: 2 } } } } }
      output { name: "last" )" +
      type + R"(1 shape { dim { dim_value: 2 } } } } }
      output { name: "every" )" +
      type + R"(1 shape { dim { dim_param: "n" } dim { dim_value: 2 } } } } } })";
  onnx::ModelProto out = optimised(text, "onnx");
  for (const onnx::NodeProto &node : out.graph().node()) {
    if (node.op_type() != "Loop")
      continue;
    const onnx::GraphProto &body = node.attribute(0).g();
    REQUIRE(body.output_size() == 3);
    CHECK(body.output(0).type().tensor_type().elem_type() == onnx::TensorProto::BOOL);
    CHECK(body.output(1).type().tensor_type().elem_type() == onnx::TensorProto::FLOAT);
    CHECK(body.output(2).type().tensor_type().elem_type() == onnx::TensorProto::FLOAT);
  }
}
