// The functions of a model: their bodies are functions of the program, their interfaces stay.
#include "onnx_fixture.h"

using namespace onnxtest;

namespace {

/// A model whose graph calls functions, from the text form of both.
onnx::ModelProto modelWith(const std::string &graph, std::initializer_list<std::string> functions) {
  onnx::ModelProto m = modelOf(graph);
  onnx::OperatorSetIdProto *domain = m.add_opset_import();
  domain->set_domain("my");
  domain->set_version(1);
  for (const std::string &text : functions) {
    onnx::FunctionProto &f = *m.add_functions();
    REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &f));
    f.set_domain("my");
    if (!f.opset_import_size())
      f.add_opset_import()->set_version(15);
  }
  return m;
}

const char *const kCall = R"(
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } dim { dim_value: 3 } } } } }
  node { op_type: "F" domain: "my" input: "x" output: "h" }
  node { op_type: "F" domain: "my" input: "h" output: "y" }
  output { name: "y" })";

const char *const kRelu =
    R"(name: "F" input: "a" output: "r" node { op_type: "Relu" input: "a" output: "r" name: "n" })";

std::string typeOfResult(rw::Function &fn) {
  return fn.context().typeToString(fn.terminator(fn.body()).operand(0).typeId());
}

} // namespace

TEST_CASE("A function of a model is a function of the program, and comes out as it went in") {
  onnx::ModelProto m = modelWith(kCall, {kRelu});
  Imported in(m);
  REQUIRE(in.model);
  rw::Function *f = in.model->program.function("my.F");
  REQUIRE(f);
  CHECK(typeOfResult(*f) == "f32[2, 3]"); // as both calls have it, the second through the first
  CHECK(typeOfResult(in.model->main()) == "f32[2, 3]");
  CHECK(equal(m, in.exported()));
}

TEST_CASE("Parameters are of the types that all calls have in common") {
  onnx::ModelProto m =
      modelWith(R"(
    input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } dim { dim_value: 3 } } } } }
    input { name: "z" type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } dim { dim_value: 3 } } } } }
    node { op_type: "F" domain: "my" input: "x" output: "h" }
    node { op_type: "F" domain: "my" input: "z" output: "y" }
    node { op_type: "G" domain: "my" input: "z" output: "i" }
    output { name: "y" })",
                {kRelu, R"(name: "G" input: "a" output: "r" node { op_type: "F" domain: "my" input: "a" output: "r" })",
                 R"(name: "Unused" input: "a" output: "r" node { op_type: "F" domain: "my" input: "a" output: "r" })"});
  Imported in(m);
  REQUIRE(in.model);
  CHECK(typeOfResult(*in.model->program.function("my.F")) == "f32[?, 3]");
  CHECK(typeOfResult(*in.model->program.function("my.G")) == "f32[?, 3]");
  CHECK(typeOfResult(*in.model->program.function("my.Unused")) == "?");
  CHECK(equal(m, in.exported()));
}

TEST_CASE("Functions that call each other without end have no types, and stay") {
  onnx::ModelProto m = modelWith(
      kCall, {R"(name: "F" input: "a" output: "r" node { op_type: "F" domain: "my" input: "a" output: "r" })"});
  Imported in(m);
  REQUIRE(in.model);
  CHECK(typeOfResult(*in.model->program.function("my.F")) == "?");
  CHECK(equal(m, in.exported()));
}

TEST_CASE("A reference to the function's attribute makes its op opaque, a graph too") {
  onnx::ModelProto m = modelWith(kCall, {R"(
    name: "F" input: "a" output: "r" attribute: "p" attribute: "g"
    node { op_type: "Transpose" input: "a" output: "t" attribute { name: "perm" ref_attr_name: "p" type: INTS } }
    node { op_type: "If" input: "t" output: "r" attribute { name: "then_branch" ref_attr_name: "g" type: GRAPH }
      attribute { name: "else_branch" type: GRAPH g { name: "e" node { op_type: "Relu" input: "t" output: "q" } output { name: "q" } } } })"});
  Imported in(m);
  REQUIRE(in.model);
  rw::Function *f = in.model->program.function("my.F");
  REQUIRE(f);
  int opaque = 0;
  for (rw::Op op : f->ops(f->body()))
    opaque += op.kind() == rw::kOpaqueKind;
  CHECK(opaque == 2);
  CHECK(equal(m, in.exported()));
}

TEST_CASE("Left as they are: another version of the main domain, none, two of one name") {
  for (int version : {13, 0}) {
    onnx::ModelProto m = modelWith(kCall, {kRelu});
    m.mutable_functions(0)->clear_opset_import();
    if (version)
      m.mutable_functions(0)->add_opset_import()->set_version(version);
    Imported in(m);
    REQUIRE(in.model);
    CHECK(in.model->program.functions().size() == 1);
    CHECK(equal(m, in.exported()));
  }
  onnx::ModelProto m = modelWith(kCall, {kRelu, kRelu});
  Imported in(m);
  REQUIRE(in.model);
  CHECK(in.model->program.functions().size() == 1);
  CHECK(equal(m, in.exported()));
}

TEST_CASE("What is wrong in a function is reported with its name") {
  Imported in(
      modelWith(kCall, {R"(name: "F" input: "a" output: "r" node { op_type: "Relu" input: "b" output: "r" })"}));
  CHECK(!in.model);
  CHECK(in.tag() == "onnx-undefined-value");
  CHECK(in.message() == "in the function `F`: #0 (Relu, output `r`) reads `b`, which nothing defines");
}

TEST_CASE("Constants of a body are ops; outputs keep their names") {
  onnx::ModelProto m = modelWith(kCall, {R"(
    name: "F" input: "a" output: "r" output: "s" output: "again" doc_string: "kept"
    node { op_type: "Constant" output: "c" attribute { name: "value" type: TENSOR t { data_type: 1 dims: 1 float_data: 2 } } }
    node { op_type: "Add" input: "a" input: "c" output: "r" }
    node { op_type: "Identity" input: "a" output: "s" }
    node { op_type: "Identity" input: "r" output: "again" })"});
  Imported in(m);
  REQUIRE(in.model);
  rw::Function &f = *in.model->program.function("my.F");
  std::vector<rw::Op> ops;
  for (rw::Op op : f.ops(f.body()))
    ops.push_back(op);
  REQUIRE(ops.size() == 5);
  // The constant as stored data, as folding leaves it; both identities gone.
  f.setKind(ops[0].id, f.context().ops().lookup("onnx.initializer"));
  f.setOperand(ops[4].id, 1, f.params(f.body())[0]);
  f.setOperand(ops[4].id, 2, ops[1].result().id);
  f.erase(ops[2].id);
  f.erase(ops[3].id);
  onnx::ModelProto out = in.exported();
  const onnx::FunctionProto &body = out.functions(0);
  CHECK(body.doc_string() == "kept");
  CHECK(body.output_size() == 3);
  std::vector<std::string> written;
  for (const onnx::NodeProto &node : body.node())
    written.push_back(node.op_type() + " " + node.output(0));
  CHECK(written == std::vector<std::string>{"Constant c", "Add r", "Identity s", "Identity again"});
}
