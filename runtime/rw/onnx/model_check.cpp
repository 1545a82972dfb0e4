#include "rw/onnx/model_check.h"

#include <onnx/checker.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <exception>

namespace rw::onnxio {
namespace {

/// The checker's own entry refuses models of newer versions of the file format, and looks for files in the current folder.
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
    std::string text = e.what();
    for (size_t at; (at = text.find('\n')) != std::string::npos;)
      text.replace(at, 1, text.find_first_not_of("\n ", at) == std::string::npos ? "" : " ");
    return text.empty() ? "it gives no reason" : text;
  }
  return {};
}

/// Whether the checker does not know the model's operator set: it takes ops that are new or have changed for wrong.
bool isTooNew(const onnx::ModelProto &model) {
  static const int newest = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;
  return std::ranges::any_of(model.opset_import(), [](const onnx::OperatorSetIdProto &opset) {
    return isMainDomain(opset.domain()) && opset.version() > newest;
  });
}

} // namespace

std::string newFault(const onnx::ModelProto &before, const onnx::ModelProto &after, const std::string &folder) {
  if (isTooNew(after))
    return {};
  std::string fault = faultOf(after, folder);
  return fault.empty() || !faultOf(before, folder).empty() ? std::string() : fault;
}

} // namespace rw::onnxio
