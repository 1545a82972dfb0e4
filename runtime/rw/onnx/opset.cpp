// convertOpset: ONNX's own converter between versions of its operator set, used where it serves.
//
// The converter knows the ops of a graph, and forgets much else: functions, metadata, tensors in files, what the format
// got later. So it sees a graph without large tensors, and of what it makes only the ops and new small constants are
// taken.
#include "rw/onnx/exporter_impl.h"
#include "rw/onnx/graph_order.h"
#include "rw/onnx/model_check.h"

#include <onnx/defs/schema.h>
#include <onnx/version_converter/convert.h>

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <set>

namespace rw::onnxio {
namespace {
constexpr size_t kReadable = 1024; // bytes of a tensor whose content an op's conversion may look at

/// The graph for the converter: tensors that are large or elsewhere are inputs.
void skeleton(const onnx::ModelProto &model, onnx::ModelProto &out) {
  out.set_ir_version(model.ir_version());
  *out.mutable_opset_import() = model.opset_import();
  onnx::GraphProto &graph = *out.mutable_graph();
  copyFieldsExcept(model.graph(), graph,
                   {onnx::GraphProto::kInitializerFieldNumber, onnx::GraphProto::kSparseInitializerFieldNumber});
  std::set<std::string> inputs;
  for (const onnx::ValueInfoProto &input : graph.input())
    inputs.insert(input.name());
  auto addInput = [&](const std::string &name, int type, const auto &dims) {
    if (!inputs.insert(name).second)
      return;
    onnx::ValueInfoProto &info = *graph.add_input();
    info.set_name(name);
    onnx::TypeProto_Tensor &tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.mutable_shape();
    for (int64_t dim : dims)
      tensor.mutable_shape()->add_dim()->set_dim_value(dim);
  };
  for (const onnx::TensorProto &t : model.graph().initializer())
    if (t.data_location() != onnx::TensorProto::EXTERNAL && t.ByteSizeLong() <= kReadable)
      graph.add_initializer()->CopyFrom(t);
    else
      addInput(t.name(), t.data_type(), t.dims());
  for (const onnx::SparseTensorProto &t : model.graph().sparse_initializer())
    addInput(t.values().name(), t.values().data_type(), t.dims());
}

/// An op inside a body that is another one in the other version: the converter leaves bodies alone.
std::string changedInside(const onnx::GraphProto &graph, int from, int to, bool inside) {
  for (const onnx::NodeProto &node : graph.node()) {
    const onnx::OpSchema *a =
        isMainDomain(node.domain()) ? onnx::OpSchemaRegistry::Schema(node.op_type(), from) : nullptr;
    const onnx::OpSchema *b = a ? onnx::OpSchemaRegistry::Schema(node.op_type(), to) : nullptr;
    if (inside && a && (!b || a->SinceVersion() != b->SinceVersion()))
      return node.op_type();
    std::string found;
    forEachGraph(node, [&](int, const onnx::GraphProto &inner) {
      found = changedInside(inner, from, to, true);
      return found.empty();
    });
    if (!found.empty())
      return found;
  }
  return {};
}

/// Why the model cannot be in that version, or empty and the converted graph.
std::string convert(const onnx::ModelProto &model, int from, int to, onnx::ModelProto &out) {
  const auto [oldest, newest] = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("");
  if (to < oldest || to > newest || from > newest)
    return fmt::format("ONNX's converter, of the version built in, knows operator sets {} to {}", oldest, newest);
  if (std::string op = changedInside(model.graph(), from, to, false); !op.empty())
    return fmt::format(
        "a body of an If, Loop or Scan has {}, which changed in between, and ONNX's converter leaves bodies alone", op);
  onnx::ModelProto bones;
  skeleton(model, bones);
  try {
    out = onnx::version_conversion::ConvertVersion(bones, to);
  } catch (const std::exception &e) {
    std::string said = oneLine(e);
    // Of a check that fails it says file, line, function and condition first.
    constexpr std::string_view kFailed = "` failed: ";
    if (size_t end = said.find(kFailed); end != std::string::npos)
      said.erase(0, end + kFailed.size());
    return "ONNX's converter says: " + said;
  }
  return {};
}
} // namespace
} // namespace rw::onnxio

namespace rw {
using namespace onnxio;

std::optional<OnnxModel> convertOpset(const OnnxModel &model, int version, const OpRegistry &ops, Diagnostics &diags) {
  const int from = int(model.opsetVersion());
  const OnnxModel::Rest &rest = *model.rest();
  onnx::ModelProto &proto = *rest.proto;
  auto fail = [&](const std::string &why) {
    diags.errorInFile("onnx-convert", rest.path,
                      fmt::format("cannot be converted from operator set {} to {}: {}", from, version, why));
    return std::nullopt;
  };
  onnx::ModelProto converted;
  if (std::string why = convert(proto, from, version, converted); !why.empty())
    return fail(why);
  // What the converter made, in the model as it was.
  auto result = std::make_shared<onnx::ModelProto>();
  copyFieldsExcept(proto, *result, {onnx::ModelProto::kGraphFieldNumber});
  for (onnx::OperatorSetIdProto &import : *result->mutable_opset_import())
    if (isMainDomain(import.domain()))
      import.set_version(version);
  onnx::GraphProto &graph = *result->mutable_graph();
  copyFieldsExcept(proto.graph(), graph,
                   {onnx::GraphProto::kNodeFieldNumber, onnx::GraphProto::kInitializerFieldNumber});
  graph.mutable_node()->Swap(converted.mutable_graph()->mutable_node());
  std::set<std::string> known;
  for (const onnx::TensorProto &t : proto.graph().initializer())
    known.insert(t.name());
  const bool wasValid = faultOf(proto, folderOf(rest)).empty();
  const int tensors = proto.graph().initializer_size();
  graph.mutable_initializer()->Swap(proto.mutable_graph()->mutable_initializer()); // large ones are not copied
  for (const onnx::TensorProto &t : converted.graph().initializer())
    if (known.insert(t.name()).second)
      graph.add_initializer()->CopyFrom(t);
  std::string fault = wasValid ? faultOf(*result, folderOf(rest)) : std::string();
  std::optional<OnnxModel> made;
  if (!fault.empty())
    fail("what ONNX's converter makes of it is no valid model: " + fault);
  else if ((made = modelFrom(result, true, rest.path, rest.onDisk, ops, diags, MissingFiles::Warning))) {
    made->externalData = model.externalData;
    made->writesMeanings = model.writesMeanings;
    return made;
  }
  while (graph.initializer_size() > tensors)
    graph.mutable_initializer()->RemoveLast();
  graph.mutable_initializer()->Swap(proto.mutable_graph()->mutable_initializer());
  return std::nullopt;
}

} // namespace rw
