// Damaged models: the importer takes them or says why not; what it takes can be written, and read again as the same.
#include "onnx_fixture.h"

#include "rw/ir/verifier.h"

#include <onnx/checker.h>

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
    g.mutable_node()->SwapElements(int(below(random, size_t(g.node_size()))),
                                   int(below(random, size_t(g.node_size()))));
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
  for (const char *name : {"ctl_if_loop", "traps/reshape_zero", "traps/overridable_initializer", "traps/channel_bias",
                           "traps/chain_is_output"}) {
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

/// One edit as a pass might do it: values replaced by earlier ones, ops moved under others' names, results swapped.
static void edit(rw::Function &fn, Random &random) {
  std::vector<rw::Op> ops;
  for (uint32_t i = 0; i < fn.opCapacity(); ++i)
    if (rw::Op op = fn.op(rw::OpId(i)); !op.isErased() && op.kind() != rw::kReturnKind)
      ops.push_back(op);
  if (ops.empty())
    return;
  rw::Op op = ops[below(random, ops.size())];
  if (op.resultCount() == 0)
    return;
  rw::ValueId value = op.result().id;
  switch (below(random, 4)) {
  case 0: // gone, an operand in its place
    if (op.operandCount() && op.operand(0) && op.resultCount() == 1) {
      fn.replaceAllUses(value, op.operand(0).id);
      fn.erase(op.id);
    }
    break;
  case 1: // a result of the graph is this value
    if (rw::Op end = fn.terminator(op.region()); end && end.operandCount())
      fn.setOperand(end.id, unsigned(below(random, end.operandCount())), value);
    break;
  case 2: // another op of the same kind, without a name or with a name that is not its own
    if (rw::Op other = ops[below(random, ops.size())];
        op.resultCount() == 1 && op.regions().empty() && other.resultCount()) {
      std::vector<rw::ValueId> operands;
      for (unsigned i = 0; i < op.operandCount(); ++i)
        operands.push_back(op.operand(i).id);
      rw::TypeId type = op.result().typeId();
      rw::Op copy = fn.insertOp(op.id, op.kind(), operands, op.attrsId(), {&type, 1});
      if (below(random, 2))
        fn.setValueName(copy.result().id, fn.valueName(other.result().id));
      fn.replaceAllUses(value, copy.result().id);
    }
    break;
  default: // dead ops go
    if (!op.hasUses() && op.kind() != rw::kOpaqueKind)
      fn.erase(op.id);
  }
}

TEST_CASE("Edited programs become models that ONNX's checker accepts, with the same interface") {
  size_t changed = 0;
  for (const char *name :
       {"ctl_if_loop", "traps/overridable_initializer", "traps/chain_is_output", "traps/channel_bias", "bilstm"}) {
    std::string bytes = readAll(std::string(RW_SOURCE_DIR "/tests/models/") + name + ".onnx");
    onnx::ModelProto before;
    REQUIRE(before.ParseFromString(bytes));
    Random random(99);
    for (int round = 0; round < 100; ++round) {
      Imported m(bytes);
      REQUIRE(m.model);
      for (size_t n = 1 + below(random, 12); n; --n)
        edit(m.model->main(), random);
      rw::VerifyOptions structure;
      structure.types = structure.checks = false;
      REQUIRE(rw::verifyProgram(m.model->program, m.diags, structure));
      onnx::ModelProto after = m.exported();
      INFO(std::string(name), " round ", round);
      CHECK_NOTHROW(onnx::checker::check_model(after));
      REQUIRE(after.graph().output_size() == before.graph().output_size());
      for (int i = 0; i < after.graph().output_size(); ++i) {
        const onnx::ValueInfoProto &is = after.graph().output(i), &was = before.graph().output(i);
        CHECK(is.name() == was.name()); // the edit may give it other elements
        if (is.type().tensor_type().elem_type() == was.type().tensor_type().elem_type())
          CHECK(is.SerializeAsString() == was.SerializeAsString());
      }
      CHECK(after.graph().input_size() == before.graph().input_size());
      Imported again(after);
      INFO(again.diags.renderText());
      REQUIRE(again.model);
      CHECK(again.exported().SerializeAsString() == after.SerializeAsString());
      changed += after.SerializeAsString() != bytes;
    }
  }
  CHECK(changed > 200);
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
