#include "rw/onnx/model_check.h"

#include <onnx/checker.h>
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <exception>
#include <filesystem>

namespace rw::onnxio {

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

std::string newFault(const OnnxModel::Rest &before, const onnx::ModelProto &after) {
  if (isTooNew(after))
    return {};
  std::string fault = faultOf(after, folderOf(before));
  if (fault.empty())
    return fault;
  bool known = before.fault ? !before.fault->empty() : !faultOf(*before.proto, folderOf(before)).empty();
  return known ? std::string() : fault;
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
