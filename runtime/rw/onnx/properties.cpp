// What a model says of itself beside its graph, for people and for comparisons.
#include "rw/onnx/proto.h"

namespace rw {

/// Fields that this version of the format does not know, as bytes.
template <class Message> static std::string unknownFields(const Message &m) {
  std::string bytes;
  m.unknown_fields().SerializeToString(&bytes);
  return bytes;
}

/// "f32[2, N]"; of what is no tensor, the bytes.
static std::string typeText(const onnx::TypeProto &type) {
  if (!type.has_tensor_type())
    return type.SerializeAsString();
  std::string text(dtypeName(onnxio::dtypeOf(type.tensor_type().elem_type())));
  if (!type.tensor_type().has_shape())
    return text + "[*]";
  const char *between = "[";
  for (const onnx::TensorShapeProto_Dimension &d : type.tensor_type().shape().dim()) {
    text += between + (d.has_dim_value() ? std::to_string(d.dim_value()) : d.dim_param().empty() ? "?" : d.dim_param());
    between = ", ";
  }
  return text + (*between == '[' ? "[]" : "]");
}

std::vector<OnnxProperty> OnnxModel::properties() const {
  const onnx::ModelProto &model = *rest_->proto;
  std::vector<OnnxProperty> out;
  auto add = [&out](std::string name, const std::string &value) {
    if (!value.empty())
      out.push_back({std::move(name), value});
  };
  add("IR version", std::to_string(model.ir_version()));
  for (const onnx::OperatorSetIdProto &set : model.opset_import())
    add("operator set " + (onnxio::isMainDomain(set.domain()) ? std::string("ai.onnx") : set.domain()),
        std::to_string(set.version()));
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
  for (const onnx::ValueInfoProto &v : model.graph().value_info())
    add("recorded type of " + v.name(), typeText(v.type()));
  add("unknown fields", unknownFields(model));
  add("unknown fields of the graph", unknownFields(model.graph()));
  return out;
}

} // namespace rw
