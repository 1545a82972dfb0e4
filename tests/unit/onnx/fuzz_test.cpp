// Damaged models: the importer takes them or says why not; what it takes can be written, and read again as the same.
#include "onnx_fixture.h"

#include "rw/ir/verifier.h"

#include <random>

using namespace onnxtest;

namespace {
using Random = std::mt19937;
size_t below(Random &random, size_t n) { return n ? random() % n : 0; }

std::string damaged(std::string bytes, Random &random) {
  size_t at = below(random, bytes.size()), length = below(random, 40);
  switch (below(random, 5)) {
  case 0:
    return bytes.substr(0, at);
  case 1:
    return bytes.erase(at, length);
  case 2:
    return bytes.insert(at, bytes.substr(below(random, bytes.size()), length));
  default:
    for (size_t i = 0, n = 1 + below(random, 6); i < n; ++i)
      bytes[below(random, bytes.size())] = char(random());
    return bytes;
  }
}

/// Edits of the message itself get further than edits of its bytes.
void twist(onnx::GraphProto &g, Random &random) {
  auto anyName = [&]() -> std::string {
    const onnx::NodeProto &n = g.node(int(below(random, size_t(g.node_size()))));
    return n.output_size() ? n.output(0) : std::string();
  };
  onnx::NodeProto &node = *g.mutable_node(int(below(random, size_t(g.node_size()))));
  switch (below(random, 9)) {
  case 0:
    if (node.input_size())
      node.set_input(int(below(random, size_t(node.input_size()))), anyName());
    break;
  case 1:
    node.add_input(anyName());
    break;
  case 2:
    g.mutable_node()->SwapElements(int(below(random, size_t(g.node_size()))), int(below(random, size_t(g.node_size()))));
    break;
  case 3:
    if (node.attribute_size())
      node.mutable_attribute(0)->set_type(onnx::AttributeProto::AttributeType(1 + below(random, 14)));
    break;
  case 4:
    if (node.attribute_size())
      node.mutable_attribute()->RemoveLast();
    break;
  case 5:
    if (g.initializer_size())
      g.mutable_initializer(0)->set_data_type(int(below(random, 25)));
    break;
  case 6:
    node.set_op_type(g.node(int(below(random, size_t(g.node_size())))).op_type());
    break;
  case 7:
    g.add_output()->set_name(anyName());
    break;
  default:
    for (onnx::AttributeProto &a : *node.mutable_attribute())
      if (a.ints_size())
        a.set_ints(0, int64_t(random()) - (int64_t(1) << 31));
    break;
  }
}

size_t check(const std::string &bytes) {
  Imported m(bytes);
  if (!m.model) {
    CHECK(m.diags.errorCount() == 1);
    return 0;
  }
  CHECK(!m.diags.hasErrors());
  rw::VerifyOptions structure;
  structure.types = structure.checks = false;
  rw::verifyProgram(m.model->program, m.diags, structure);
  std::string out, again;
  if (!rw::exportOnnxBytes(*m.model, out, m.diags)) {
    CHECK(m.diags.hasErrors());
    return 0;
  }
  Imported second(out);
  REQUIRE(second.model);
  REQUIRE(rw::exportOnnxBytes(*second.model, again, second.diags));
  CHECK(out == again);
  return 1;
}
} // namespace

TEST_CASE("Damaged bytes and twisted graphs") {
  size_t taken = 0, tried = 0;
  for (const char *name : {"ctl_if_loop", "traps/reshape_zero", "traps/overridable_initializer", "traps/channel_bias", "traps/chain_is_output"}) {
    std::string bytes = readAll(std::string(RW_SOURCE_DIR "/tests/models/") + name + ".onnx");
    onnx::ModelProto model;
    REQUIRE(model.ParseFromString(bytes));
    Random random(20240717);
    for (int i = 0; i < 500; ++i, ++tried)
      taken += check(damaged(bytes, random));
    for (int i = 0; i < 500; ++i, ++tried) {
      onnx::ModelProto twisted = model;
      for (size_t n = 1 + below(random, 4); n; --n)
        twist(*twisted.mutable_graph(), random);
      taken += check(twisted.SerializeAsString());
    }
  }
  MESSAGE(taken << " of " << tried << " damaged models were still models");
  CHECK(taken > tried / 20); // else the test does not get far
  CHECK(taken < tried);
}

TEST_CASE("Random bytes") {
  Random random(7);
  for (int i = 0; i < 3000; ++i) {
    std::string bytes(below(random, 200), '\0');
    for (char &c : bytes)
      c = char(random());
    if (i % 2) // a graph field in front
      bytes = std::string("\x3a") + char(bytes.size() & 0x7f) + bytes;
    check(bytes);
  }
}
