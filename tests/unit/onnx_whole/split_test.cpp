// Parts of a Split that nobody reads are written all the same: their number says how a value is cut.
#include "pipeline.h"

using namespace rw;
using namespace whole;

TEST_CASE("a Split that is made anew, of which one part is read") {
  std::string text = R"(ir_version: 8 opset_import { version: 13 } graph { name: "g"
      node { op_type: "Transpose" input: "x" output: "t" attribute { name: "perm" ints: 1 ints: 0 type: INTS } }
      node { op_type: "Split" input: "t" input: "sizes" output: "a" output: "b" attribute { name: "axis" i: 0 type: INT } }
      node { op_type: "Transpose" input: "a" output: "y" attribute { name: "perm" ints: 1 ints: 0 type: INTS } }
      initializer { name: "sizes" dims: 2 data_type: 7 int64_data: 1 int64_data: 2 }
      input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } dim { dim_value: 3 } } } } }
      output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } dim { dim_value: 1 } } } } } })";
  onnx::ModelProto out = optimised(text, "onnx");
  REQUIRE(out.graph().node_size() == 1);
  CHECK(out.graph().node(0).op_type() == "Split");
  CHECK(out.graph().node(0).output_size() == 2);
}
