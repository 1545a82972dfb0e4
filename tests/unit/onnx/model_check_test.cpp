// What ONNX's checker is asked before a model is written.
#include "onnx_fixture.h"

#include "rw/onnx/model_check.h"

using namespace rw;
using namespace onnxtest;

namespace {
constexpr char kAround[] = R"(
    name: "g"
    input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
    output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
)";

onnx::ModelProto with(const std::string &nodes) { return modelOf(kAround + nodes, 17); }
} // namespace

TEST_CASE("ops that ONNX's own domain lacks are named, and hide no other fault") {
  Imported before(with(R"(node { input: "x" output: "y" op_type: "Relu" })"));
  REQUIRE(before.model);
  std::set<std::string> names;
  onnx::ModelProto added = with(R"(node { input: "x" output: "z" op_type: "Simplified" }
                                   node { input: "z" output: "y" op_type: "Relu" })");
  const std::string bytes = added.SerializeAsString();
  CHECK(onnxio::newFault(*before.model->rest(), added, names) == "");
  CHECK(names == std::set<std::string>{"Simplified"});
  CHECK(added.SerializeAsString() == bytes);

  onnx::ModelProto wrong = with(R"(node { input: "x" output: "z" op_type: "Simplified" }
                                   node { input: "z" output: "y" output: "w" op_type: "Relu" })");
  CHECK(onnxio::newFault(*before.model->rest(), wrong, names).find("output size 2") != std::string::npos);

  onnx::ModelProto nested = with(R"(node { input: "c" output: "y" op_type: "If"
      attribute { name: "then_branch" type: GRAPH g { name: "t" output { name: "u" }
                  node { input: "x" output: "u" op_type: "Inner" } } }
      attribute { name: "else_branch" type: GRAPH g { name: "e" output { name: "v" }
                  node { input: "x" output: "v" op_type: "Relu" } } } }
      initializer { name: "c" data_type: 9 int32_data: 1 })");
  names.clear();
  CHECK(onnxio::newFault(*before.model->rest(), nested, names) == "");
  CHECK(names == std::set<std::string>{"Inner"});
}
