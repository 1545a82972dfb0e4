// Broken and hostile models: one diagnostic each, with the op named.
#include "onnx_fixture.h"

#include <cstdio>
#include <filesystem>
#include <unistd.h>

using namespace onnxtest;

namespace {
struct Case {
  const char *what, *graph, *tag, *message;
};

const char *kInput = R"(input { name: "x" type { tensor_type { elem_type: 1 } } } )";

const Case kCases[] = {
    {"cycle", R"(node { op_type: "Relu" name: "free" input: "x" output: "f" }
                 node { op_type: "Relu" name: "a" input: "c" output: "a" } node { op_type: "Relu" name: "b" input: "a" output: "b" }
                 node { op_type: "Relu" input: "b" output: "c" } output { name: "c" })",
     "onnx-cycle",
     "the ops of the graph form a cycle: `b` (Relu) -> #3 (Relu, output `c`) -> `a` (Relu) -> `b` (Relu)"},
    {"self", R"(node { op_type: "Relu" name: "a" input: "a" output: "a" } output { name: "a" })", "onnx-cycle",
     "the ops of the graph form a cycle: `a` (Relu) -> `a` (Relu)"},
    {"captured by itself",
     R"(node { op_type: "If" name: "a" input: "x" output: "y" attribute { name: "then_branch" type: GRAPH g { output { name: "y" } } } } output { name: "y" })",
     "onnx-cycle", "the ops of the graph form a cycle: `a` (If) -> `a` (If)"},
    {"undefined operand", R"(node { op_type: "Relu" name: "a" input: "nope" output: "y" } output { name: "y" })",
     "onnx-undefined-value", "`a` (Relu) reads `nope`, which nothing defines"},
    {"undefined output", R"(output { name: "y" })", "onnx-undefined-value", "the output `y` is defined by nothing"},
    {"undefined in a branch",
     R"(node { op_type: "If" name: "a" input: "x" output: "y" attribute { name: "then_branch" type: GRAPH g {
          node { op_type: "Relu" input: "nope" output: "z" } output { name: "z" } } } } output { name: "y" })",
     "onnx-undefined-value", "#0 (Relu, output `z`) reads `nope`, which nothing defines"},
    {"undefined output of a branch",
     R"(node { op_type: "If" name: "a" input: "x" output: "y" attribute { name: "then_branch" type: GRAPH g { output { name: "z" } } } } output { name: "y" })",
     "onnx-undefined-value", "`a` (If) reads `z`, which nothing defines"},
    {"defined twice",
     R"(node { op_type: "Relu" name: "a" input: "x" output: "y" } node { op_type: "Relu" name: "b" input: "x" output: "y" })",
     "onnx-duplicate-name", "`b` (Relu) defines `y`, which is defined already"},
    {"defines an input", R"(node { op_type: "Relu" name: "a" input: "x" output: "x" })", "onnx-duplicate-name",
     "`a` (Relu) defines `x`, which is defined already"},
    {"input twice", R"(input { name: "x" })", "onnx-duplicate-name", "two inputs of a graph are named `x`"},
    {"initializer twice, once sparse",
     R"(initializer { name: "w" data_type: 1 float_data: 1 } sparse_initializer { values { name: "w" data_type: 1 dims: 0 } indices { data_type: 7 dims: 0 } })",
     "onnx-duplicate-name", "two initializers of a graph are named `w`, one of them sparse"},
    {"arity", R"(node { op_type: "Relu" name: "a" input: "x" input: "x" output: "y" } output { name: "y" })",
     "onnx-arity", "`a` (Relu) has 2 inputs, but takes exactly 1"},
    {"arity of results",
     R"(node { op_type: "Relu" name: "a" input: "x" output: "y" output: "z" } output { name: "y" })", "onnx-arity",
     "`a` (Relu) has 2 outputs, but takes exactly 1"},
    {"arity of an op that is not registered",
     R"(node { op_type: "Where" input: "x" output: "y" } output { name: "y" })", "onnx-arity",
     "#0 (Where, output `y`) has 1 input, but takes exactly 3"},
    {"no op type", R"(node { name: "a" input: "x" output: "y" })", "onnx-op", "`a` () does not say what op it is"},
    {"attribute twice",
     R"(node { op_type: "Foo" name: "a" attribute { name: "i" i: 1 } attribute { name: "i" i: 2 } })", "onnx-attribute",
     "`a` (Foo) has two attributes `i`"},
    {"nameless attribute", R"(node { op_type: "Foo" name: "a" attribute { i: 1 } })", "onnx-attribute",
     "`a` (Foo) has an attribute without a name"},
    {"too little data", R"(initializer { name: "w" dims: 1000000000000 dims: 3 data_type: 1 raw_data: "abcd" })",
     "onnx-tensor", "the initializer `w` is f32[1000000000000, 3], which takes 12000000000000 bytes, but holds 4"},
    {"too much data", R"(initializer { name: "w" dims: 0 data_type: 1 raw_data: "abcd" })", "onnx-tensor",
     "the initializer `w` is f32[0], which takes 0 bytes, but holds 4"},
    {"no data", R"(initializer { name: "w" dims: 2 data_type: 7 })", "onnx-tensor",
     "the initializer `w` is i64[2], which takes 16 bytes, but holds 0"},
    {"product beyond 64 bits",
     R"(initializer { name: "w" dims: 9223372036854775807 dims: 4 data_type: 1 raw_data: "abcd" })", "onnx-tensor",
     "the initializer `w` has dimensions whose product is beyond 64 bits"},
    {"negative", R"(initializer { name: "w" dims: -1 data_type: 1 raw_data: "abcd" })", "onnx-tensor",
     "the initializer `w` has a dimension of -1"},
    {"strings", R"(initializer { name: "w" dims: 2 data_type: 8 string_data: "a" })", "onnx-tensor",
     "the initializer `w` has 2 elements, but holds 1 strings"},
    {"the wrong field", R"(initializer { name: "w" dims: 1 data_type: 1 string_data: "a" })", "onnx-tensor",
     "the initializer `w` holds strings, but is f32[1]"},
    {"tensor in an attribute",
     R"(node { op_type: "Constant" name: "k" output: "y" attribute { name: "value" type: TENSOR t { dims: 1 data_type: 1 } } })",
     "onnx-tensor", "the attribute `value` of `k` (Constant): the tensor is f32[1], which takes 4 bytes, but holds 0"},
    {"data outside the folder",
     R"(initializer { name: "w" dims: 4 data_type: 1 data_location: EXTERNAL external_data { key: "location" value: "a/../../w.bin" } })",
     "onnx-tensor",
     "the initializer `w` keeps its data in `a/../../w.bin`, outside the folder of the model; move the file there"},
    {"data at an absolute place",
     R"(initializer { name: "w" dims: 4 data_type: 1 data_location: EXTERNAL external_data { key: "location" value: "/etc/passwd" } })",
     "onnx-tensor",
     "the initializer `w` keeps its data in `/etc/passwd`, outside the folder of the model; move the file there"},
    {"nameless input", R"(input { })", "onnx-parse", "an input of the graph `g` has no name"},
    {"nameless output", R"(output { })", "onnx-parse", "an output of the graph `g` has no name"},
    {"nameless initializer", R"(initializer { data_type: 1 float_data: 1 })", "onnx-parse",
     "an initializer of the graph `g` has no name"},
    {"a name that steers terminals", R"(node { op_type: "Relu" name: "\033[31m" input: "nope\n" output: "y" })",
     "onnx-undefined-value", "`<U+001B>[31m` (Relu) reads `nope<U+000A>`, which nothing defines"},
};

onnx::ModelProto nestedModel(unsigned depth) {
  onnx::ModelProto m = modelOf(kInput);
  onnx::GraphProto *g = m.mutable_graph();
  for (unsigned i = 0; i < depth; ++i) {
    onnx::NodeProto *node = g->add_node();
    node->set_op_type("Foo");
    onnx::AttributeProto *a = node->add_attribute();
    a->set_name("g");
    a->set_type(onnx::AttributeProto::GRAPH);
    g = a->mutable_g();
  }
  return m;
}
} // namespace

TEST_CASE("What is wrong with a graph is said once, with the op's name") {
  for (const Case &c : kCases) {
    INFO(c.what);
    Imported m(modelOf(kInput + std::string(c.graph)));
    CHECK(!m.model);
    CHECK(m.diags.errorCount() == 1);
    CHECK(m.tag() == c.tag);
    CHECK(m.message() == c.message);
    CHECK(m.diags.all()[0].file == "m.onnx");
  }
}

TEST_CASE("Deep nesting is an error, some nesting is not") {
  CHECK(Imported(nestedModel(60)).model);
  for (unsigned depth : {65u, 75u}) {
    Imported m(nestedModel(depth));
    CHECK(!m.model);
    CHECK(m.tag() == "onnx-nesting");
  }
  Imported far(nestedModel(5000).SerializePartialAsString());
  CHECK(!far.model);
  CHECK(far.tag() == "onnx-parse");
}

TEST_CASE("Types nested without end") {
  onnx::ModelProto m = modelOf("");
  onnx::TypeProto *t = m.mutable_graph()->add_input()->mutable_type();
  m.mutable_graph()->mutable_input(0)->set_name("x");
  for (int i = 0; i < 100; ++i)
    t = t->mutable_sequence_type()->mutable_elem_type();
  Imported in(m);
  REQUIRE(in.model);
  std::string out;
  REQUIRE(rw::exportOnnxBytes(*in.model, out, in.diags));
  CHECK(out == m.SerializeAsString());
}

TEST_CASE("What is no model") {
  std::string good = readAll(RW_SOURCE_DIR "/tests/models/ctl_if_loop.onnx");
  for (const std::string &bytes :
       {std::string(), std::string("hello, world"), good.substr(0, good.size() - 1), good.substr(0, good.size() / 2),
        std::string(300, '\xff'), std::string("\x08\x08", 2)}) {
    Imported m(bytes);
    CHECK(!m.model);
    CHECK(m.diags.errorCount() == 1);
    CHECK(m.tag() == "onnx-parse");
  }
  onnx::ModelProto opset = modelOf(kInput);
  opset.mutable_opset_import(0)->set_version(-1);
  CHECK(Imported(opset).tag() == "onnx-opset");
  opset.mutable_opset_import(0)->set_version(INT64_MAX);
  CHECK(Imported(opset).model);
  onnx::OperatorSetIdProto &other = *opset.add_opset_import();
  other.set_domain("unused");
  other.set_version(-3);
  CHECK(Imported(opset).model);
}

TEST_CASE("What is no file") {
  rw::SourceManager sources;
  rw::Diagnostics diags(sources);
  CHECK(!rw::importOnnx("/nonexistent.onnx", registry(), diags));
  CHECK(diags.all().back().message == "cannot be read: No such file or directory");
  CHECK(!rw::importOnnx("/usr", registry(), diags));
  CHECK(diags.all().back().tag == "onnx-file");
  std::string path = (std::filesystem::temp_directory_path() / ("rw_onnx_big_" + std::to_string(getpid()))).string();
  FILE *file = std::fopen(path.c_str(), "wb");
  REQUIRE(file);
  std::fclose(file);
  if (::truncate(path.c_str(), 3L << 30) == 0) { // holds no blocks
    CHECK(!rw::importOnnx(path, registry(), diags));
    CHECK(diags.all().back().tag == "onnx-too-large");
  }
  std::remove(path.c_str());
}
