#include "rw/onnx/model_check.h"

#include <onnx/checker.h>
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>

namespace rw::onnxio {

/// A domain that no model has. While a model is checked, ops that ONNX's own domain lacks are in it: of the ops of
/// other domains the checker asks nothing.
static constexpr char kElsewhere[] = "rw.not_in_onnx";

std::string folderOf(const OnnxModel::Rest &rest) {
  std::string folder = std::filesystem::path(rest.path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// The reason in one line.
std::string oneLine(const std::exception &e) {
  std::string text = e.what();
  for (size_t at; (at = text.find('\n')) != std::string::npos;)
    text.replace(at, 1, text.find_first_not_of("\n ", at) == std::string::npos ? "" : " ");
  return text.empty() ? "it gives no reason" : text;
}

/// The checker's own entry refuses models of newer versions of the file format, and looks for files in the current
/// folder.
std::string faultOf(const onnx::ModelProto &model, const std::string &folder) {
  onnx::checker::CheckerContext context;
  context.set_ir_version(int(model.ir_version()));
  context.set_model_dir(folder);
  std::unordered_map<std::string, int> versions;
  for (const onnx::OperatorSetIdProto &opset : model.opset_import())
    versions[isMainDomain(opset.domain()) ? std::string() : opset.domain()] = int(opset.version());
  if (model.ir_version() < 3 && versions.empty())
    versions[std::string()] = 1;
  versions[kElsewhere] = 1;
  context.set_opset_imports(versions);
  try {
    onnx::checker::LexicalScopeContext scope;
    onnx::checker::check_graph(model.graph(), context, scope);
    if (model.functions_size())
      onnx::checker::check_model_local_functions(model, context, scope);
  } catch (const std::exception &e) {
    return oneLine(e);
  }
  return {};
}

/// Whether the checker does not know the model's operator set: it takes ops that are new or have changed for wrong.
static bool isTooNew(const onnx::ModelProto &model) {
  static const int newest = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;
  return std::ranges::any_of(model.opset_import(), [](const onnx::OperatorSetIdProto &opset) {
    return isMainDomain(opset.domain()) && opset.version() > newest;
  });
}

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// The nodes whose op is said to be of ONNX's own domain, which does not have it; those of nested graphs too.
static void collectUnknown(Nodes &nodes, int version, std::vector<onnx::NodeProto *> &out) {
  for (onnx::NodeProto &node : nodes) {
    if (isMainDomain(node.domain()) && !onnx::OpSchemaRegistry::Schema(node.op_type(), version, ""))
      out.push_back(&node);
    for (onnx::AttributeProto &attr : *node.mutable_attribute()) {
      if (attr.has_g())
        collectUnknown(*attr.mutable_g()->mutable_node(), version, out);
      for (onnx::GraphProto &graph : *attr.mutable_graphs())
        collectUnknown(*graph.mutable_node(), version, out);
    }
  }
}

template <class Imports> static int mainVersion(const Imports &imports) {
  int version = 1;
  for (const onnx::OperatorSetIdProto &opset : imports)
    if (isMainDomain(opset.domain()))
      version = int(opset.version());
  return version;
}

/// What the checker has against a model but for ops that ONNX's own domain lacks; `names` gets those.
static std::string faultElsewhere(onnx::ModelProto &model, const std::string &folder, std::set<std::string> &names) {
  std::vector<onnx::NodeProto *> unknown;
  collectUnknown(*model.mutable_graph()->mutable_node(), mainVersion(model.opset_import()), unknown);
  for (onnx::FunctionProto &fn : *model.mutable_functions())
    collectUnknown(*fn.mutable_node(), mainVersion(fn.opset_import()), unknown);
  std::vector<std::optional<std::string>> domains; // none: the field is not there
  for (onnx::NodeProto *node : unknown) {
    domains.push_back(node->has_domain() ? std::optional(node->domain()) : std::nullopt);
    node->set_domain(kElsewhere);
  }
  std::string fault = faultOf(model, folder);
  for (size_t i = 0; i < unknown.size(); ++i) {
    if (domains[i])
      unknown[i]->set_domain(*domains[i]);
    else
      unknown[i]->clear_domain();
    names.insert(unknown[i]->op_type());
  }
  return fault;
}

std::string newFault(const OnnxModel::Rest &before, onnx::ModelProto &after, std::set<std::string> &notInOnnx) {
  if (isTooNew(after) || faultOf(after, folderOf(before)).empty())
    return {};
  bool known = before.fault ? !before.fault->empty() : !faultOf(*before.proto, folderOf(before)).empty();
  return known ? std::string() : faultElsewhere(after, folderOf(before), notInOnnx);
}

std::string nodeFault(const onnx::NodeProto &node, const OpsetImports &imports, Op op,
                      const RecordedElements &recorded) {
  constexpr int64_t kReadable = 1024; // elements of what an inference may read: axes, shapes
  onnx::ModelProto model;
  *model.mutable_opset_import() = imports;
  onnx::GraphProto &graph = *model.mutable_graph();
  *graph.add_node() = node;
  if (!recorded.name.empty()) {
    onnx::ValueInfoProto *output = graph.add_value_info();
    output->set_name(recorded.name);
    output->mutable_type()->mutable_tensor_type()->set_elem_type(dataTypeOf(recorded.dtype));
  }
  Context &ctx = op.context();
  std::set<std::string_view> seen;
  for (unsigned i = 0; i < op.operandCount() && int(i) < node.input_size(); ++i) {
    Value v = op.operand(i);
    if (!v || !seen.insert(node.input(int(i))).second)
      continue;
    if (onnx::TypeProto type; writeType(ctx, v.typeId(), type)) {
      onnx::ValueInfoProto *input = graph.add_input();
      input->set_name(node.input(int(i)));
      input->mutable_type()->Swap(&type);
    }
    if (AttrId value = v.constant(); value && ctx.attr(value).kind == AttrKind::Dense &&
                                     ctx.elementCount(ctx.attr(value).dense->type).value_or(0) <= kReadable) {
      onnx::TensorProto *tensor = graph.add_initializer();
      tensor->set_name(node.input(int(i)));
      writeTensor(ctx, *ctx.attr(value).dense, *tensor);
    }
  }
  try {
    onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                       onnx::ShapeInferenceOptions{true, 1, false});
  } catch (const std::exception &e) {
    return oneLine(e);
  }
  return {};
}

} // namespace rw::onnxio
