// Models come out as they went in: those of tests/models, and ONNX's own test data where it is installed.
#include "onnx_fixture.h"

#include "rw/ir/verifier.h"

#include <onnx/checker.h>

#include <algorithm>
#include <filesystem>

using namespace onnxtest;
namespace fs = std::filesystem;

static std::vector<std::string> modelsBelow(const std::string &folder) {
  std::vector<std::string> paths;
  std::error_code ignored;
  for (fs::recursive_directory_iterator it(folder, ignored), end; it != end; it.increment(ignored))
    if (it->path().extension() == ".onnx")
      paths.push_back(it->path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

static bool roundTrips(const std::string &path, std::string &why, bool check) {
  std::string bytes = readAll(path), out;
  Imported m(bytes);
  onnx::ModelProto before, after;
  if (!m.model || !rw::exportOnnxBytes(*m.model, out, m.diags)) {
    why = m.diags.renderText();
    return false;
  }
  REQUIRE(before.ParseFromString(bytes));
  REQUIRE(after.ParseFromString(out));
  if (!equal(before, after, &why))
    return false;
  if (before.SerializeAsString() != out) { // unknown fields and presence too
    why = "the bytes differ";
    return false;
  }
  rw::VerifyOptions structure;
  if (check && !rw::verifyProgram(m.model->program, m.diags, structure)) {
    why = m.diags.renderText();
    return false;
  }
  if (check)
    onnx::checker::check_model(after);
  return true;
}

TEST_CASE("The tree's models come out as they went in") {
  std::vector<std::string> paths = modelsBelow(RW_SOURCE_DIR "/tests/models");
  CHECK(paths.size() >= 15);
  for (const std::string &path : paths) {
    std::string why;
    bool same = roundTrips(path, why, true);
    INFO(path, "\n", why.substr(0, 2000));
    CHECK(same);
  }
}

TEST_CASE("ONNX's own models come out as they went in") {
  std::vector<std::string> paths = modelsBelow("/usr/share/libonnx-testdata/data");
  if (paths.empty()) {
    MESSAGE("skipped: the package libonnx-testdata is not installed");
    return;
  }
  size_t same = 0;
  for (const std::string &path : paths) {
    std::string why;
    bool ok = roundTrips(path, why, false);
    same += ok;
    INFO(path, "\n", why.substr(0, 2000));
    CHECK(ok);
  }
  MESSAGE(same << " of " << paths.size() << " models are equal");
}

/// One of each thing that ONNX's files can hold.
static const char *kEverything = R"(
ir_version: 8 producer_name: "p" producer_version: "1" domain: "d" model_version: 3 doc_string: "all"
opset_import { version: 15 } opset_import { domain: "local" version: 1 } opset_import { domain: "ai.onnx.ml" version: 2 }
metadata_props { key: "licence" value: "none" } metadata_props { key: "empty" value: "" }
functions { name: "Twice" domain: "local" input: "a" output: "b" attribute: "n" doc_string: "f" opset_import { version: 15 }
  node { op_type: "Add" input: "a" input: "a" output: "b" } }
training_info {
  initialization { name: "i" node { op_type: "Constant" output: "zero" attribute { name: "value_float" type: FLOAT f: 0 } } output { name: "zero" } }
  algorithm { name: "t" node { op_type: "Identity" input: "w" output: "w_next" } output { name: "w_next" } }
  initialization_binding { key: "w" value: "zero" } update_binding { key: "w" value: "w_next" } }
graph { name: "g" doc_string: "graph"
  input { name: "x" doc_string: "in" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" denotation: "BATCH" } dim { dim_value: 3 } } } denotation: "IMAGE" } }
  input { name: "s" type { sequence_type { elem_type { tensor_type { elem_type: 7 } } } } }
  input { name: "o" type { optional_type { elem_type { sequence_type { elem_type { tensor_type { elem_type: 1 shape { } } } } } } } }
  input { name: "m" type { map_type { key_type: 8 value_type { tensor_type { elem_type: 1 } } } } }
  input { name: "p" type { sparse_tensor_type { elem_type: 1 shape { dim { dim_value: 9 } } } } }
  input { name: "t" type { tensor_type { elem_type: 8 shape { dim { } } } } }
  initializer { name: "w" dims: 3 data_type: 1 float_data: 1 float_data: 2 float_data: 3 doc_string: "weights" }
  initializer { name: "words" dims: 2 data_type: 8 string_data: "a" string_data: "\000b" }
  initializer { name: "half" dims: 1 data_type: 10 int32_data: 15360 }
  sparse_initializer { values { name: "sparse" dims: 2 data_type: 1 float_data: 5 float_data: 6 } indices { dims: 2 data_type: 7 int64_data: 0 int64_data: 4 } dims: 3 dims: 3 }
  quantization_annotation { tensor_name: "w" quant_parameter_tensor_names { key: "SCALE_TENSOR" value: "half" } }
  value_info { name: "a" type { tensor_type { elem_type: 1 } } doc_string: "between" }
  node { op_type: "MatMul" name: "last" input: "a" input: "sparse" output: "y" doc_string: "written before what it needs" }
  node { op_type: "Twice" domain: "local" name: "call" input: "x" output: "a" attribute { name: "n" type: INT i: 2 doc_string: "twice" } }
  node { op_type: "ZipMap" domain: "ai.onnx.ml" input: "a" output: "z" attribute { name: "classlabels_strings" type: STRINGS strings: "q" strings: "r" strings: "" } }
  node { op_type: "SequenceAt" input: "s" input: "" output: "q" }
  node { op_type: "Unheard" domain: "of" input: "o" input: "m" input: "p" input: "t" input: "words" output: "u" output: ""
    attribute { name: "type" type: TYPE_PROTO tp { optional_type { elem_type { tensor_type { elem_type: 2 } } } } }
    attribute { name: "sparse" type: SPARSE_TENSOR sparse_tensor { values { dims: 1 data_type: 1 float_data: 5 } indices { dims: 1 data_type: 7 int64_data: 3 } dims: 4 } }
    attribute { name: "graphs" type: GRAPHS graphs { name: "one" node { op_type: "Relu" input: "x" output: "r" } output { name: "r" } } graphs { name: "two" } }
    attribute { name: "tensors" type: TENSORS tensors { dims: 1 data_type: 6 int32_data: -3 } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } dim { dim_value: 3 } } } } }
  output { name: "z" type { sequence_type { elem_type { map_type { key_type: 8 value_type { tensor_type { elem_type: 1 } } } } } } }
  output { name: "q" } output { name: "u" type { optional_type { elem_type { tensor_type { elem_type: 1 } } } } }
})";

TEST_CASE("Everything that ONNX's files can hold comes out as it went in, and unknown fields too") {
  onnx::ModelProto sorted, before, after;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(kEverything, &before));
  for (google::protobuf::Message *m :
       {static_cast<google::protobuf::Message *>(&before),
        static_cast<google::protobuf::Message *>(before.mutable_graph()),
        static_cast<google::protobuf::Message *>(before.mutable_graph()->mutable_node(1)),
        static_cast<google::protobuf::Message *>(before.mutable_graph()->mutable_initializer(0))})
    m->GetReflection()->MutableUnknownFields(m)->AddLengthDelimited(900, "from the future");
  sorted = before; // what reads `a` comes behind what makes it
  sorted.mutable_graph()->mutable_node()->SwapElements(0, 1);
  for (const onnx::ModelProto *model : {&sorted, &before}) {
    Imported m(*model);
    INFO(m.diags.renderText());
    REQUIRE(m.model);
    std::string bytes;
    REQUIRE(rw::exportOnnxBytes(*m.model, bytes, m.diags));
    CHECK(bytes == sorted.SerializeAsString());
  }
}
