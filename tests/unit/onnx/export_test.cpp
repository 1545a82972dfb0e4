// What an edited program becomes: names, aliases, new values, what is dropped.
#include "onnx_fixture.h"

#include "rw/ir/builder.h"
#include "rw/onnx/result_copies.h"

#include <onnx/checker.h>

#include <cstdio>
#include <filesystem>
#include <unistd.h>

using namespace onnxtest;
using rw::Op;
using rw::ValueId;

namespace {
struct Edited : Imported {
  using Imported::Imported;
  rw::Function &fn() { return model->main(); }
  rw::Context &ctx() { return fn().context(); }
  Op producing(std::string_view name) {
    for (uint32_t v = 0; v < fn().valueCapacity(); ++v)
      if (ctx().text(fn().valueName(ValueId(v))) == name)
        return fn().value(ValueId(v)).definingOp();
    return {};
  }
  /// Replaces an op of one operand by that operand.
  void bypass(std::string_view name) {
    Op op = producing(name);
    REQUIRE(op);
    fn().replaceAllUses(op.result().id, op.operand(0).id);
    fn().erase(op.id);
  }
  Op insertBefore(std::string_view name, std::string_view kind, std::vector<ValueId> operands) {
    Op before = producing(name);
    REQUIRE(before);
    rw::TypeId type = ctx().unknownType();
    rw::KindId id = ctx().ops().lookup(kind);
    REQUIRE(id != rw::kOpaqueKind);
    return fn().insertOp(before.id, id, operands, ctx().noAttrs(), {&type, 1});
  }
};

/// "Relu(x)->y Identity(y)->z"
std::string summary(const onnx::GraphProto &g) {
  std::string text;
  for (const onnx::NodeProto &n : g.node()) {
    text += (text.empty() ? "" : " ") + n.op_type() + "(";
    for (int i = 0; i < n.input_size(); ++i)
      text += (i ? "," : "") + n.input(i);
    text += ")->";
    for (int i = 0; i < n.output_size(); ++i)
      text += (i ? "," : "") + n.output(i);
  }
  return text;
}

std::string type(const char *what, const std::string &name, const char *dims) {
  return std::string(what) + " { name: \"" + name + "\" type { tensor_type { elem_type: 1 shape { " + dims +
         " } } } }\n";
}
const std::string kX23 = type("input", "x", "dim { dim_value: 2 } dim { dim_value: 3 }");
std::string output(const std::string &name) {
  return type("output", name, "dim { dim_value: 2 } dim { dim_value: 3 }");
}
std::string relu(const std::string &from, const std::string &to, const char *more = "") {
  return "node { op_type: \"Relu\" input: \"" + from + "\" output: \"" + to + "\" " + more + " }\n";
}
} // namespace

TEST_CASE("A new op of a dialect that stands for a domain is written in that domain, which is imported then") {
  Edited in(modelOf(
      R"(input { name: "x" } node { op_type: "Relu" name: "a" input: "x" output: "y" } output { name: "y" })", 13));
  REQUIRE(in.model);
  Op gelu = in.insertBefore("y", "engine.Gelu", {in.fn().params(in.fn().body())[0]});
  in.fn().setOperand(in.producing("y").id, 0, gelu.result().id);
  onnx::ModelProto out = in.exported();
  REQUIRE(out.graph().node_size() == 2);
  CHECK(out.graph().node(0).op_type() == "Gelu");
  CHECK(out.graph().node(0).domain() == "com.example.engine");
  REQUIRE(out.opset_import_size() == 2);
  CHECK(out.opset_import(1).domain() == "com.example.engine");
  CHECK(out.opset_import(1).version() == 2);
}

TEST_CASE("An output that would be an input gets an Identity") {
  Edited m(modelOf(kX23 + relu("x", "y") + output("y")));
  REQUIRE(m.model);
  m.bypass("y");
  onnx::ModelProto out = m.exported();
  CHECK(summary(out.graph()) == "Identity(x)->y");
  CHECK_NOTHROW(onnx::checker::check_model(out));
  CHECK(equal(out, Imported(out).exported()));
}

TEST_CASE("Copies for outputs go before Constants at the end, which are there when a written model is read again") {
  Edited m(modelOf(kX23 + relu("x", "y") +
                   "node { op_type: \"Constant\" output: \"c\" attribute { name: \"value\" type: TENSOR "
                   "t { dims: 2 data_type: 1 float_data: [1,2] } } }\n" +
                   output("y") + output("c")));
  REQUIRE(m.model);
  m.bypass("y");
  CHECK(rw::addResultCopies(m.model->program) == 1);
  CHECK(summary(m.exported().graph()) == "Identity(x)->y Constant()->c");
}

TEST_CASE("Two outputs of one value: one takes it, the other gets an Identity") {
  Edited m(modelOf(kX23 + relu("x", "a") + relu("a", "y") + relu("a", "z") + output("y") + output("z")));
  REQUIRE(m.model);
  m.bypass("y");
  m.bypass("z");
  onnx::ModelProto out = m.exported();
  CHECK(summary(out.graph()) == "Relu(x)->y Identity(y)->z");
  CHECK_NOTHROW(onnx::checker::check_model(out));
}

TEST_CASE("A value that is one output already keeps that name") {
  Edited m(modelOf(kX23 + relu("x", "z") + relu("z", "y") + output("y") + output("z")));
  REQUIRE(m.model);
  m.bypass("y");
  CHECK(summary(m.exported().graph()) == "Relu(x)->z Identity(z)->y");
}

TEST_CASE("The value that becomes an output takes its name, and its record goes") {
  Edited m(modelOf(kX23 + relu("x", "a") + relu("a", "y") + relu("a", "b") + relu("b", "z") +
                   type("value_info", "a", "dim { dim_param: \"N\" } dim { dim_value: 3 }") +
                   type("value_info", "b", "") + type("value_info", "never", "") + output("y") + output("z")));
  REQUIRE(m.model);
  m.bypass("y");
  onnx::ModelProto out = m.exported();
  CHECK(summary(out.graph()) == "Relu(x)->y Relu(y)->b Relu(b)->z");
  REQUIRE(out.graph().value_info_size() == 2);
  CHECK(out.graph().value_info(0).name() == "b");
  CHECK(out.graph().value_info(1).name() == "never"); // it named nothing before either
}

TEST_CASE("An initializer as an output is written as a Constant if it is small, else it gets an Identity") {
  Edited m(modelOf(kX23 + "initializer { name: \"c\" dims: 2 dims: 3 data_type: 1 float_data: [1,2,3,4,5,6] }\n" +
                   relu("c", "y") + output("y")));
  REQUIRE(m.model);
  m.bypass("y");
  onnx::ModelProto out = m.exported();
  CHECK(summary(out.graph()) == "Constant()->y");
  CHECK(out.graph().initializer_size() == 0);
  CHECK_NOTHROW(onnx::checker::check_model(out));

  std::string zeros;
  for (int i = 0; i < 3000; ++i)
    zeros += i ? ",0" : "0";
  Edited large(modelOf(type("input", "x", "dim { dim_value: 3000 }") +
                       "initializer { name: \"c\" dims: 3000 data_type: 1 float_data: [" + zeros + "] }\n" +
                       relu("c", "y") + output("y")));
  REQUIRE(large.model);
  large.bypass("y");
  onnx::ModelProto kept = large.exported();
  CHECK(summary(kept.graph()) == "Identity(c)->y");
  CHECK(kept.graph().initializer(0).float_data_size() == 3000);
  CHECK_NOTHROW(onnx::checker::check_model(kept));
}

TEST_CASE("A small constant that is used beside the output stays an initializer") {
  Edited m(modelOf(kX23 + "initializer { name: \"c\" dims: 2 dims: 3 data_type: 1 float_data: [1,2,3,4,5,6] }\n" +
                   relu("c", "y") + relu("c", "z") + output("y") + output("z")));
  REQUIRE(m.model);
  m.bypass("y");
  onnx::ModelProto out = m.exported();
  CHECK(summary(out.graph()) == "Relu(c)->z Constant()->y");
  CHECK(out.graph().initializer_size() == 1);
  CHECK_NOTHROW(onnx::checker::check_model(out));
}

TEST_CASE("Outputs that were inputs, initializers or the same value from the start stay so") {
  onnx::ModelProto m = modelOf(kX23 + "initializer { name: \"c\" dims: 1 data_type: 1 float_data: 1 }\n" +
                               relu("x", "y") + output("x") + output("c") + output("y") + output("y"));
  CHECK(equal(m, Imported(m).exported()));
}

TEST_CASE("New values get names that nothing has, new constants become initializers") {
  std::string inner = "attribute { name: \"then_branch\" type: GRAPH g { name: \"t\" " + relu("x", "rw_0") +
                      " output { name: \"rw_0\" } } }"
                      "attribute { name: \"else_branch\" type: GRAPH g { name: \"e\" " +
                      relu("x", "q") + " output { name: \"q\" } } }";
  Edited m(modelOf(kX23 + type("input", "rw_1", "") + "node { op_type: \"If\" input: \"rw_1\" output: \"i\" " + inner +
                   " }\n" + relu("x", "y") + output("y") + output("i") + type("value_info", "rw_2", "")));
  REQUIRE(m.model);
  float one = 1;
  rw::TypeId t = m.ctx().tensorType(rw::DType::F32, {rw::Dim(2), rw::Dim(3)});
  rw::AttrId value = m.ctx().splatAttr(t, std::as_bytes(std::span(&one, 1)));
  rw::OpBuilder b(m.fn(), m.producing("y").id);
  rw::Value c = b.createConstant("onnx", value, t);
  Op add = m.insertBefore("y", "onnx.Add", {m.producing("y").operand(0).id, c.id});
  m.fn().setOperand(m.producing("y").id, 0, add.result().id);
  onnx::ModelProto out = m.exported();
  CHECK(summary(out.graph()) == "If(rw_1)->i Add(x,rw_3)->rw_4 Relu(rw_4)->y");
  REQUIRE(out.graph().initializer_size() == 1);
  CHECK(out.graph().initializer(0).name() == "rw_3");
  CHECK(out.graph().initializer(0).raw_data().size() == 24);
  CHECK_NOTHROW(onnx::checker::check_model(out));
  CHECK(m.exported().SerializeAsString() == out.SerializeAsString());
}

TEST_CASE(
    "Results that an op must have are written though nobody reads them, also in operator sets that are newer than "
    "the library") {
  for (int version : {15, 18, 24}) {
    INFO(version);
    Edited m(modelOf(kX23 + relu("x", "y") + output("y"), version));
    REQUIRE(m.model);
    ValueId x = m.producing("y").operand(0).id;
    rw::TypeId types[] = {m.ctx().unknownType(), m.ctx().unknownType()};
    Op top = m.fn().insertOp(m.producing("y").id, m.ctx().ops().lookup("onnx.TopK"), std::vector<ValueId>{x, x},
                             m.ctx().noAttrs(), types);
    m.fn().setOperand(m.producing("y").id, 0, top.result(1).id);
    onnx::ModelProto out = m.exported();
    CHECK(summary(out.graph()) == "TopK(x,x)->rw_0,rw_1 Relu(rw_1)->y");
    m.fn().setOperand(m.producing("y").id, 0, top.result(0).id);
    CHECK(summary(m.exported().graph()) == "TopK(x,x)->rw_0,rw_1 Relu(rw_0)->y");
  }
}

TEST_CASE("The replacement of an op takes over its names; what ONNX says of the op stays if it is of the same type") {
  Edited m(modelOf(kX23 +
                   relu("x", "a", "name: \"first\" doc_string: \"doc\" attribute { name: \"tag\" i: 1 type: INT }") +
                   relu("a", "y") + output("y")));
  REQUIRE(m.model);
  for (const char *kind : {"onnx.Relu", "onnx.Identity"}) {
    Op old = m.producing("a");
    Op op = m.insertBefore("a", kind, {old.operand(0).id});
    m.fn().setValueName(op.result().id, m.fn().valueName(old.result().id));
    m.fn().setOpName(op.id, m.fn().opName(old.id));
    m.fn().replaceAllUses(old.result().id, op.result().id);
    m.fn().setValueName(old.result().id, rw::StringId());
    m.fn().erase(old.id);
    const onnx::ModelProto out = m.exported();
    const onnx::NodeProto &node = out.graph().node(0);
    CHECK(node.name() == "first");
    CHECK(node.output(0) == "a");
    CHECK(node.doc_string() == (node.op_type() == "Relu" ? "doc" : ""));
    CHECK(node.attribute_size() == 0);
  }
}

TEST_CASE("Two values with one name: the later one gets another, also across nested graphs") {
  std::string inner = "attribute { name: \"then_branch\" type: GRAPH g { name: \"t\" " + relu("x", "p") +
                      relu("p", "p2") +
                      " output { name: \"p2\" } } }"
                      "attribute { name: \"else_branch\" type: GRAPH g { name: \"e\" " +
                      relu("x", "q") + " output { name: \"q\" } } }";
  Edited m(modelOf(kX23 + type("input", "c", "") + relu("x", "a") + relu("a", "b") +
                   "node { op_type: \"If\" input: \"c\" output: \"i\" " + inner + " }\n" + output("i") + output("b")));
  REQUIRE(m.model);
  m.fn().setValueName(m.producing("p").result().id, m.ctx().intern("a"));
  m.fn().setOperand(m.producing("p2").id, 0, m.producing("a").result().id); // reads the outer `a` where an inner one is
  onnx::ModelProto out = m.exported();
  CHECK_NOTHROW(onnx::checker::check_model(out));
  const onnx::GraphProto &then = out.graph().node(2).attribute(0).g();
  CHECK(summary(then) == "Relu(x)->rw_0 Relu(a)->p2");
}

TEST_CASE("Results of nested graphs: copies of what is captured") {
  std::string inner = "attribute { name: \"then_branch\" type: GRAPH g { name: \"t\" " + relu("x", "p") +
                      " output { name: \"p\" } } }"
                      "attribute { name: \"else_branch\" type: GRAPH g { name: \"e\" " +
                      relu("x", "q") + " output { name: \"q\" } } }";
  Edited m(modelOf(kX23 + type("input", "c", "") + "node { op_type: \"If\" input: \"c\" output: \"i\" " + inner +
                   " }\n" + output("i")));
  REQUIRE(m.model);
  m.bypass("p");
  onnx::ModelProto out = m.exported();
  CHECK(summary(out.graph().node(0).attribute(0).g()) == "Identity(x)->p");
  CHECK_NOTHROW(onnx::checker::check_model(out));
}

TEST_CASE("A constant or a captured value that took the name of a result is no result itself") {
  std::string inner = "attribute { name: \"then_branch\" type: GRAPH g { name: \"t\" " + relu("x", "p") +
                      " output { name: \"p\" } } }"
                      "attribute { name: \"else_branch\" type: GRAPH g { name: \"e\" " +
                      relu("x", "q") + " output { name: \"q\" } } }";
  Edited m(modelOf(kX23 + type("input", "c", "") + "initializer { name: \"k\" dims: 1 data_type: 1 float_data: 1 }\n" +
                   relu("x", "a") + relu("k", "y") + "node { op_type: \"If\" input: \"c\" output: \"i\" " + inner +
                   " }\n" + relu("a", "z") + output("i") + output("y") + output("z")));
  REQUIRE(m.model);
  m.bypass("y");
  m.fn().setValueName(m.producing("k").result().id, m.ctx().intern("y"));
  m.fn().replaceAllUses(m.producing("p").result().id, m.producing("a").result().id);
  m.fn().erase(m.producing("p").id);
  m.fn().setValueName(m.producing("a").result().id, m.ctx().intern("p"));
  onnx::ModelProto out = m.exported();
  CHECK(summary(out.graph()) == "Relu(x)->p If(c)->i Relu(p)->z Constant()->y");
  CHECK(out.graph().initializer_size() == 0);
  const onnx::GraphProto &then = out.graph().node(1).attribute(0).g();
  CHECK(summary(then) == "Identity(p)->rw_0");
  CHECK(then.output(0).name() == "rw_0");
  CHECK_NOTHROW(onnx::checker::check_model(out));
}

TEST_CASE("Types: sizes that became known replace labels; other records stay as they are") {
  Edited m(modelOf(kX23 + relu("x", "a") + relu("a", "y") +
                   type("value_info", "a", "dim { dim_param: \"N\" denotation: \"BATCH\" } dim { }") + output("y")));
  REQUIRE(m.model);
  CHECK(m.exported().graph().value_info(0).type().tensor_type().shape().dim(0).dim_param() == "N");
  rw::Dim n = m.ctx().dims().symbol(m.ctx().intern("N"));
  m.fn().setType(m.producing("a").result().id, m.ctx().tensorType(rw::DType::F32, {n, rw::Dim(3)}));
  onnx::ModelProto out = m.exported();
  const onnx::TensorShapeProto &shape = out.graph().value_info(0).type().tensor_type().shape();
  CHECK(shape.dim(0).dim_param() == "N");
  CHECK(shape.dim(1).dim_value() == 3);
}

TEST_CASE("Erased initializers go, the others keep their order") {
  Edited m(modelOf(kX23 +
                   "initializer { name: \"a\" dims: 1 data_type: 1 float_data: 1 }\n"
                   "initializer { name: \"b\" dims: 1 data_type: 1 float_data: 2 }\n"
                   "initializer { name: \"unused\" dims: 1 data_type: 1 float_data: 3 }\n" +
                   relu("b", "y") + output("y")));
  REQUIRE(m.model);
  CHECK(m.exported().graph().initializer_size() == 3);
  m.fn().erase(m.producing("a").id);
  onnx::ModelProto out = m.exported();
  REQUIRE(out.graph().initializer_size() == 2);
  CHECK(out.graph().initializer(0).name() == "b");
}

TEST_CASE("Ids may be renumbered before the model is written") {
  onnx::ModelProto m = modelOf(kX23 + relu("x", "a", "doc_string: \"d\"") + relu("a", "y") + output("y") +
                               "node { op_type: \"Print\" domain: \"my\" input: \"a\" doc_string: \"no output\" }");
  m.add_opset_import()->set_domain("my");
  m.mutable_opset_import(1)->set_version(1);
  Edited in(m);
  REQUIRE(in.model);
  in.fn().compact();
  CHECK(in.exported().SerializeAsString() == m.SerializeAsString());
}

TEST_CASE("What ONNX cannot say is an error that names the op; nothing is written") {
  Edited m(modelOf(kX23 + relu("x", "y", "name: \"r\"") + output("y")));
  REQUIRE(m.model);
  Op y = m.producing("y");
  m.fn().setAttrs(y.id, m.ctx().withExtra(y.attrsId(), m.ctx().intern("flag"), m.ctx().unitAttr()));
  std::string bytes;
  CHECK(!rw::exportOnnxBytes(*m.model, bytes, m.diags));
  CHECK(m.tag() == "onnx-export");
  CHECK(m.message() == "`r` (onnx.Relu) has an attribute `flag` of a kind that ONNX does not have");
  std::string path = (std::filesystem::temp_directory_path() / ("rw_onnx_test_" + std::to_string(getpid()))).string();
  CHECK(!rw::exportOnnx(*m.model, path, m.diags));
  CHECK(!std::filesystem::exists(path));
  m.fn().setAttrs(y.id, m.ctx().noAttrs());
  REQUIRE(rw::exportOnnx(*m.model, path, m.diags));
  CHECK(readAll(path) == m.exported().SerializeAsString());
  rw::Diagnostics diags(m.sources);
  CHECK(rw::importOnnx(path, registry(), diags));
  std::remove(path.c_str());
  CHECK(!rw::exportOnnx(*m.model, "/nonexistent/folder/m.onnx", diags));
  CHECK(diags.all().back().tag == "onnx-file");
}

TEST_CASE("What ONNX's checker refuses is not written, unless the model was so when it was read") {
  auto withAttribute = [](Edited &m, const char *value) {
    REQUIRE(m.model);
    Op op = m.producing(value);
    m.fn().setAttrs(op.id, m.ctx().withExtra(op.attrsId(), m.ctx().intern("flag"), m.ctx().intAttr(1)));
    std::string bytes;
    return rw::exportOnnxBytes(*m.model, bytes, m.diags);
  };
  onnx::ModelProto valid = modelOf(kX23 + relu("x", "a") + relu("a", "y") + output("y"));
  Edited m(valid);
  CHECK(!withAttribute(m, "a"));
  CHECK(m.tag() == "onnx-invalid");
  CHECK(m.message().find("Unrecognized attribute: flag for operator Relu") != std::string::npos);
  CHECK(m.message().find('\n') == std::string::npos);
  std::string path =
      (std::filesystem::temp_directory_path() / ("rw_onnx_invalid_" + std::to_string(getpid()))).string();
  { std::ofstream(path) << "old"; }
  CHECK(!rw::exportOnnx(*m.model, path, m.diags));
  CHECK(readAll(path) == "old");
  std::remove(path.c_str());
  onnx::AttributeProto *other = valid.mutable_graph()->mutable_node(1)->add_attribute();
  other->set_name("other");
  other->set_type(onnx::AttributeProto::INT);
  Edited was(valid);
  CHECK(withAttribute(was, "a"));
}

TEST_CASE("A domain that the model uses without importing it is not imported for the sake of a new op") {
  onnx::ModelProto proto = modelOf(kX23 + relu("x", "a") + relu("a", "y") + output("y") + output("z") +
                                   "node { op_type: \"Slice\" input: \"a\" input: \"x\" input: \"x\" output: \"z\" }");
  proto.mutable_opset_import(0)->set_domain("other");
  Edited m(proto);
  INFO(m.diags.renderText());
  REQUIRE(m.model);
  m.fn().replaceAllUses(m.producing("y").result().id, m.producing("z").result().id); // two results are one value
  onnx::ModelProto out = m.exported();
  CHECK(out.opset_import_size() == 1);
  CHECK(out.graph().node(out.graph().node_size() - 1).op_type() == "Identity");
  CHECK(Imported(out).model);
}

TEST_CASE("Values that are new get a record of their type; in an edited model known sizes replace labels") {
  std::string graph = kX23 + relu("x", "a") + relu("a", "b") + relu("b", "y") + output("y") +
                      type("value_info", "b", "dim { dim_param: \"N\" denotation: \"BATCH\" } dim { dim_value: 3 }");
  Edited m(modelOf(graph));
  REQUIRE(m.model);
  onnx::ModelProto before = m.exported();
  CHECK(before.graph().value_info(0).type().tensor_type().shape().dim(0).dim_param() == "N"); // nothing was edited
  Op made = m.insertBefore("b", "onnx.Relu", {m.producing("a").result().id});
  m.fn().setType(made.result().id, m.producing("a").result().typeId());
  m.fn().setOperand(m.producing("b").id, 0, made.result().id);
  onnx::ModelProto out = m.exported();
  REQUIRE(out.graph().value_info_size() == 2);
  const onnx::TensorShapeProto &shape = out.graph().value_info(0).type().tensor_type().shape();
  CHECK(shape.dim(0).dim_value() == 2);
  CHECK(shape.dim(0).denotation() == "BATCH");
  CHECK(out.graph().value_info(1).name() == out.graph().node(1).output(0));
  CHECK(out.graph().value_info(1).type().tensor_type().shape().dim(1).dim_value() == 3);
  CHECK(Imported(out).exported().SerializeAsString() == out.SerializeAsString());
}

TEST_CASE("An input with a default that nobody reads any more stays where it is") {
  Edited m(modelOf(kX23 + type("input", "w", "dim { dim_value: 2 } dim { dim_value: 3 }") +
                   type("input", "z", "dim { dim_value: 2 } dim { dim_value: 3 }") +
                   "initializer { name: \"w\" data_type: 1 dims: 2 dims: 3 float_data: [1, 2, 3, 4, 5, 6] }" +
                   "node { op_type: \"Add\" input: \"x\" input: \"w\" output: \"s\" } node { op_type: \"Add\" input: "
                   "\"s\" input: \"z\" output: \"y\" }" +
                   output("y")));
  REQUIRE(m.model);
  m.bypass("s");
  onnx::ModelProto out = m.exported();
  REQUIRE(out.graph().input_size() == 3);
  CHECK(out.graph().input(1).name() == "w");
  CHECK(out.graph().input(2).name() == "z");
  REQUIRE(out.graph().initializer_size() == 1);
  CHECK(out.graph().initializer(0).name() == "w");
}
