// What becomes of the parts of a model.
#include "onnx_fixture.h"

#include "rw/ir/verifier.h"

using namespace onnxtest;
using rw::AttrKind;
using rw::Op;

static Op opNamed(rw::Function &fn, std::string_view name) {
  for (uint32_t i = 0; i < fn.opCapacity(); ++i)
    if (fn.context().text(fn.opName(rw::OpId(i))) == name)
      return fn.op(rw::OpId(i));
  return {};
}

static Op first(rw::Function &fn, std::string_view kind) {
  for (uint32_t i = 0; i < fn.opCapacity(); ++i)
    if (Op op = fn.op(rw::OpId(i)); op.fullName() == kind)
      return op;
  return {};
}

static const char *kInputX =
    R"(input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_param: "B" } dim { dim_value: 3 } dim { } dim { dim_value: -1 } } } } })";

TEST_CASE("Kinds follow the opset version and the domain") {
  std::string graph = std::string(kInputX) + R"(
    node { op_type: "Relu" name: "a" input: "x" output: "r" }
    node { op_type: "Relu" domain: "ai.onnx" name: "b" input: "r" output: "s" }
    node { op_type: "Relu" domain: "other" name: "c" input: "s" output: "t" }
    node { op_type: "Relu" domain: "onnx" name: "d" input: "t" output: "u" }
    node { op_type: "FooBar" name: "e" input: "u" output: "v" }
    node { op_type: "Add" name: "f" input: "v" input: "x" output: "y" attribute { name: "axis" i: 1 type: INT } }
    output { name: "y" })";
  onnx::ModelProto m = modelOf(graph, 6);
  for (const char *domain : {"other", "onnx"}) {
    m.add_opset_import()->set_domain(domain);
    m.mutable_opset_import(m.opset_import_size() - 1)->set_version(1);
  }
  Imported in(m);
  REQUIRE(in.model);
  rw::Function &fn = in.model->main();
  CHECK(opNamed(fn, "a").fullName() == "onnx.Relu");
  CHECK(opNamed(fn, "a").kind() != rw::kOpaqueKind);
  CHECK(opNamed(fn, "b").kind() == opNamed(fn, "a").kind());
  CHECK(opNamed(fn, "c").fullName() == "@other.Relu"); // `other` is a registered dialect
  CHECK(opNamed(fn, "c").kind() == rw::kOpaqueKind);
  CHECK(opNamed(fn, "d").fullName() == "@onnx.Relu");
  CHECK(opNamed(fn, "d").kind() == rw::kOpaqueKind);
  CHECK(opNamed(fn, "e").fullName() == "onnx.FooBar");
  CHECK(opNamed(fn, "f").fullName() == "onnx.Add"); // registered from version 7 on
  CHECK(opNamed(fn, "f").kind() == rw::kOpaqueKind);
  CHECK(in.model->opsetVersion() == 6);
  CHECK(in.model->opsetVersion("other") == 1);
  CHECK(in.model->opsetVersion("none") == 0);
  CHECK(equal(m, in.exported()));
}

TEST_CASE("A dialect may stand for a domain of another name, in the version that the model imports") {
  std::string graph = std::string(kInputX) + R"(
    node { op_type: "Gelu" domain: "com.example.engine" name: "a" input: "x" output: "r" }
    node { op_type: "Tanh" domain: "com.example.engine" name: "b" input: "r" output: "s" }
    node { op_type: "Gelu" domain: "engine" name: "c" input: "s" output: "y" }
    output { name: "y" })";
  for (int version : {1, 2}) {
    onnx::ModelProto m = modelOf(graph, 13);
    for (const char *domain : {"com.example.engine", "engine"}) {
      m.add_opset_import()->set_domain(domain);
      m.mutable_opset_import(m.opset_import_size() - 1)->set_version(version);
    }
    Imported in(m);
    REQUIRE(in.model);
    rw::Function &fn = in.model->main();
    CHECK(opNamed(fn, "a").fullName() == "engine.Gelu");
    CHECK((opNamed(fn, "a").kind() != rw::kOpaqueKind) == (version == 2)); // it is declared from version 2 on
    CHECK(opNamed(fn, "b").fullName() == "engine.Tanh");
    CHECK(opNamed(fn, "b").kind() == rw::kOpaqueKind);
    CHECK(opNamed(fn, "c").fullName() == "@engine.Gelu");
    CHECK(opNamed(fn, "c").kind() == rw::kOpaqueKind);
    CHECK(equal(m, in.exported()));
  }
}

TEST_CASE("A function of the model takes its op from the dialect") {
  onnx::ModelProto m = modelOf(std::string(kInputX) + R"(
    node { op_type: "Relu" name: "a" input: "x" output: "y" } output { name: "y" })");
  m.add_functions()->set_name("Relu");
  Imported in(m);
  REQUIRE(in.model);
  CHECK(opNamed(in.model->main(), "a").kind() == rw::kOpaqueKind);
  CHECK(equal(m, in.exported()));
}

TEST_CASE("Types: symbols, unknown sizes, inference, other types") {
  onnx::ModelProto m = modelOf(std::string(kInputX) + R"(
    input { name: "s" type { sequence_type { elem_type { tensor_type { elem_type: 7 } } } } }
    input { name: "n" }
    node { op_type: "Relu" input: "x" output: "r" }
    node { op_type: "Relu" input: "n" output: "y" }
    value_info { name: "y" type { tensor_type { elem_type: 10 } } }
    output { name: "r" } output { name: "y" })");
  Imported in(m);
  REQUIRE(in.model);
  rw::Function &fn = in.model->main();
  rw::Context &ctx = fn.context();
  auto type = [&](rw::ValueId v) { return ctx.typeToString(fn.data(v).type); };
  CHECK(type(fn.params(fn.body())[0]) == "f32[B, 3, ?, ?]");
  CHECK(type(fn.params(fn.body())[1]) == "opaque<\"seq<i64[*]>\">");
  CHECK(type(fn.params(fn.body())[2]) == "?");
  CHECK(type(fn.terminator(fn.body()).operand(0).id) == "f32[B, 3, ?, ?]"); // inferred
  CHECK(type(fn.terminator(fn.body()).operand(1).id) == "f16[*]");          // recorded
  CHECK(ctx.text(fn.resultNames()[1]) == "y");
  CHECK(equal(m, in.exported()));
}

TEST_CASE("Attributes: declared ones have places, the rest names; what is missing stays missing") {
  onnx::ModelProto m = modelOf(std::string(kInputX) + R"(
    input { name: "w" }
    node { op_type: "Conv" name: "c" input: "x" input: "w" input: "" output: "y"
      attribute { name: "strides" ints: 1 ints: 2 type: INTS }
      attribute { name: "group" i: 1 type: INT doc_string: "one" }
      attribute { name: "alpha" f: 0.1 type: FLOAT }
      attribute { name: "$op" s: "mine" type: STRING }
      attribute { name: "names" strings: "a" strings: "" type: STRINGS }
      attribute { name: "none" strings: [] type: STRINGS }
      attribute { name: "fs" floats: 0.1 floats: nan type: FLOATS }
      attribute { name: "t" t { dims: 2 data_type: 1 float_data: 1 float_data: 2 name: "kept" } type: TENSOR }
      attribute { name: "ts" tensors { dims: 1 data_type: 7 int64_data: 5 } type: TENSORS }
      attribute { name: "tp" tp { tensor_type { elem_type: 1 } } type: TYPE_PROTO }
      attribute { name: "typeless" i: 3 }
    }
    output { name: "y" })");
  Imported in(m);
  REQUIRE(in.model);
  rw::Function &fn = in.model->main();
  rw::Context &ctx = fn.context();
  Op conv = opNamed(fn, "c");
  REQUIRE(conv.kind() != rw::kOpaqueKind);
  CHECK(conv.operandCount() == 3);
  CHECK(!conv.operand(2));
  CHECK(ctx.attr(conv.attr(0)).i == 1);
  CHECK(!conv.attr(1)); // pads
  CHECK(ctx.attr(conv.extraAttr("alpha")).f == double(0.1f));
  CHECK(ctx.attr(conv.extraAttr("$$op")).text == "mine");
  CHECK(!conv.extraAttr("$op"));
  CHECK(ctx.attr(conv.extraAttr("strides")).ints.size() == 2);
  CHECK(ctx.attr(conv.extraAttr("names")).elements.size() == 2);
  CHECK(ctx.attr(conv.extraAttr("t")).kind == AttrKind::Dense);
  CHECK(ctx.attr(conv.extraAttr("ts")).kind == AttrKind::List);
  CHECK(ctx.attr(conv.extraAttr("tp")).kind == AttrKind::Bytes);
  CHECK(ctx.attr(conv.extraAttr("typeless")).i == 3);
  CHECK(in.exported().SerializeAsString() == m.SerializeAsString());
}

TEST_CASE("An op that its declaration does not fit is opaque") {
  onnx::ModelProto m = modelOf(std::string(kInputX) + R"(
    node { op_type: "Transpose" name: "wrong" input: "x" output: "t" attribute { name: "perm" i: 1 type: INT } }
    node { op_type: "Concat" name: "graph" input: "t" output: "u"
      attribute { name: "axis" i: 1 type: INT }
      attribute { name: "g" g { name: "n" node { op_type: "Relu" input: "x" output: "q" } output { name: "q" } } type: GRAPH } }
    node { op_type: "Dropout" name: "one" input: "u" output: "y" }
    output { name: "y" })");
  Imported in(m);
  REQUIRE(in.model);
  rw::Function &fn = in.model->main();
  CHECK(opNamed(fn, "wrong").kind() == rw::kOpaqueKind);
  CHECK(opNamed(fn, "graph").kind() == rw::kOpaqueKind);
  CHECK(opNamed(fn, "graph").regions().size() == 1);
  CHECK(opNamed(fn, "one").kind() != rw::kOpaqueKind);
  CHECK(opNamed(fn, "one").resultCount() == 2); // the mask is declared
  CHECK(rw::verifyProgram(in.model->program, in.diags));
  CHECK(equal(m, in.exported()));
}

TEST_CASE("Initializers are constants, unless they are inputs too or not in the file") {
  onnx::ModelProto m = modelOf(std::string(kInputX) + R"(
    input { name: "w" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
    initializer { name: "e" dims: 4 data_type: 1 data_location: EXTERNAL external_data { key: "location" value: "data/e..bin" } }
    initializer { name: "c" dims: 2 data_type: 1 raw_data: "\000\000\200\077\000\000\000\100" doc_string: "kept" }
    initializer { name: "w" dims: 2 data_type: 1 float_data: 1 float_data: 2 }
    initializer { name: "u8" dims: 3 data_type: 2 int32_data: 1 int32_data: 2 int32_data: 3 }
    initializer { name: "strs" dims: 1 data_type: 8 string_data: "\377" }
    initializer { name: "later" dims: 1 data_type: 99 raw_data: "a" }
    sparse_initializer { values { name: "sp" dims: 1 data_type: 1 float_data: 1 } indices { dims: 1 data_type: 7 int64_data: 2 } dims: 4 }
    node { op_type: "Concat" input: "c" input: "w" input: "e" input: "sp" input: "u8" input: "later" output: "y"
      attribute { name: "axis" i: 0 type: INT } }
    output { name: "y" })");
  Imported in(m);
  REQUIRE(in.model);
  rw::Function &fn = in.model->main();
  rw::Context &ctx = fn.context();
  Op concat = first(fn, "onnx.Concat");
  rw::AttrId c = concat.operand(0).constant();
  REQUIRE(c);
  CHECK(ctx.attr(c).dense->bytes.size() == 8);
  CHECK(static_cast<const void *>(ctx.attr(c).dense->owner.get()) != nullptr);
  CHECK(concat.operand(1).isParam());
  CHECK(ctx.attr(fn.paramInfo(1).defaultValue).kind == AttrKind::Dense);
  CHECK(!concat.operand(2).constant());
  CHECK(concat.operand(2).definingOp().kind() == rw::kOpaqueKind);
  CHECK(!concat.operand(3).constant());
  REQUIRE(concat.operand(4).constant());
  CHECK(int(ctx.attr(concat.operand(4).constant()).dense->bytes[2]) == 3);
  CHECK(!concat.operand(5).constant());
  CHECK(equal(m, in.exported()));
  CHECK(in.exported().SerializeAsString() == m.SerializeAsString());
}

TEST_CASE("An initializer that only a quantization annotation refers to is not taken for dead") {
  onnx::ModelProto m = modelOf(std::string(kInputX) + R"(
    initializer { name: "scale" dims: 1 data_type: 1 float_data: 0.5 }
    quantization_annotation { tensor_name: "y" quant_parameter_tensor_names { key: "SCALE_TENSOR" value: "scale" } }
    node { op_type: "Relu" input: "x" output: "y" } output { name: "y" })");
  Imported in(m);
  REQUIRE(in.model);
  Op scale = first(in.model->main(), "onnx.kept_initializer");
  REQUIRE(scale);
  CHECK(!scale.schema().isPure());
  CHECK(in.exported().SerializeAsString() == m.SerializeAsString());
}

TEST_CASE("Nested graphs capture, shadow and have names of their own") {
  onnx::ModelProto m = modelOf(std::string(kInputX) + R"(
    input { name: "cond" }
    node { op_type: "Relu" input: "x" output: "r" }
    node { op_type: "If" name: "if" input: "cond" output: "y"
      attribute { name: "else_branch" type: GRAPH g { name: "e" node { op_type: "Relu" input: "x" output: "k" } output { name: "k" } } }
      attribute { name: "then_branch" type: GRAPH g { name: "t" doc_string: "d"
        initializer { name: "k" dims: 1 data_type: 1 float_data: 7 }
        node { op_type: "Add" input: "r" input: "k" output: "z" name: "inner" } output { name: "z" } } } }
    output { name: "y" })");
  Imported in(m);
  REQUIRE(in.model);
  rw::Function &fn = in.model->main();
  Op choice = opNamed(fn, "if");
  REQUIRE(choice.regions().size() == 2);
  Op inner = opNamed(fn, "inner");
  CHECK(inner.region() == choice.regions()[0]); // in the declaration's order, not the file's
  CHECK(inner.operand(0).definingOp() == first(fn, "onnx.Relu"));
  CHECK(inner.operand(0).definingOp().region() == fn.body());
  CHECK(inner.operand(1).constant());
  CHECK(rw::verifyProgram(in.model->program, in.diags));
  CHECK(in.exported().SerializeAsString() == m.SerializeAsString());
}

TEST_CASE("Ops are put in order, and stay as near to the given order as that allows") {
  onnx::ModelProto m = modelOf(std::string(kInputX) + R"(
    input { name: "cond" }
    node { op_type: "If" name: "3" input: "cond" output: "y"
      attribute { name: "then_branch" type: GRAPH g { name: "t" node { op_type: "Relu" input: "late" output: "q" } output { name: "q" } } }
      attribute { name: "else_branch" type: GRAPH g { name: "e" output { name: "early" } } } }
    node { op_type: "Relu" name: "1" input: "x" output: "early" }
    node { op_type: "Relu" name: "2" input: "early" output: "late" }
    node { op_type: "Relu" name: "4" input: "x" output: "other" }
    output { name: "y" } output { name: "other" })");
  Imported in(m);
  REQUIRE(in.model);
  onnx::ModelProto out = in.exported();
  std::string names;
  for (const onnx::NodeProto &n : out.graph().node())
    names += n.name();
  CHECK(names == "1234");
  CHECK(rw::verifyProgram(in.model->program, in.diags));
  CHECK(equal(out, Imported(out).exported()));
}

TEST_CASE("A large tensor shares the model's bytes, also in a copy") {
  onnx::ModelProto m = modelOf(
      R"(initializer { name: "c" dims: 100000 data_type: 2 } node { op_type: "Relu" input: "c" output: "y" } output { name: "y" })");
  std::string *raw = m.mutable_graph()->mutable_initializer(0)->mutable_raw_data();
  for (int i = 0; i < 100000; ++i)
    raw->push_back(char(i % 100));
  Imported in(m);
  REQUIRE(in.model);
  rw::OnnxModel copy = in.model->clone();
  in.model.reset();
  rw::Function &fn = copy.main();
  rw::AttrId value = first(fn, "onnx.Relu").operand(0).constant();
  REQUIRE(value);
  CHECK(fn.context().attr(value).dense->bytes.size() == 100000);
  CHECK(int(fn.context().attr(value).dense->bytes[99999]) == 99);
  std::string bytes;
  REQUIRE(rw::exportOnnxBytes(copy, bytes, in.diags));
  CHECK(bytes == m.SerializeAsString());
}
