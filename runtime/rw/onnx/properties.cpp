// What a model says of itself beside its graph, for people and for comparisons.
#include "rw/onnx/proto.h"

namespace rw {

std::vector<OnnxProperty> OnnxModel::properties() const {
  const onnx::ModelProto &model = *rest_->proto;
  std::vector<OnnxProperty> out;
  auto add = [&out](std::string name, const std::string &value) {
    if (!value.empty())
      out.push_back({std::move(name), value});
  };
  add("IR version", std::to_string(model.ir_version()));
  for (const onnx::OperatorSetIdProto &set : model.opset_import())
    add("operator set " + (onnxio::isMainDomain(set.domain()) ? std::string("ai.onnx") : set.domain()), std::to_string(set.version()));
  add("producer", model.producer_name());
  add("producer's version", model.producer_version());
  add("domain", model.domain());
  if (model.has_model_version())
    add("model version", std::to_string(model.model_version()));
  add("documentation", model.doc_string());
  for (const onnx::StringStringEntryProto &entry : model.metadata_props())
    out.push_back({"metadata " + entry.key(), entry.value()});
  add("graph name", model.graph().name());
  add("graph documentation", model.graph().doc_string());
  for (const onnx::FunctionProto &f : model.functions())
    add("function " + f.domain() + "." + f.name(), f.SerializeAsString());
  for (int i = 0; i < model.training_info_size(); ++i)
    add("training info " + std::to_string(i), model.training_info(i).SerializeAsString());
  for (const onnx::TensorAnnotation &a : model.graph().quantization_annotation())
    add("quantization annotation of " + a.tensor_name(), a.SerializeAsString());
  for (const onnx::SparseTensorProto &t : model.graph().sparse_initializer())
    add("sparse initializer " + t.values().name(), t.SerializeAsString());
  return out;
}

} // namespace rw
