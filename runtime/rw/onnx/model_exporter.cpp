#include "rw/onnx/model_exporter.h"

#include "rw/onnx/exporter_impl.h"

namespace rw::onnxio {

const onnx::ModelProto *ModelExporter::run() {
  const onnx::ModelProto &proto = *rest_.proto;
  copyFieldsExcept(proto, out_, {onnx::ModelProto::kGraphFieldNumber, onnx::ModelProto::kFunctionsFieldNumber});
  OpKinds kinds(model_.program.context().ops(), proto);
  Exporter main(rest_, model_.main(), {proto.graph(), kinds, ""}, lending_, diags_);
  if (!main.writeGraph(*out_.mutable_graph()))
    return nullptr;
  main.addImports(*out_.mutable_opset_import());
  for (const onnx::FunctionProto &f : proto.functions())
    if (!function(f, kinds, *out_.add_functions()))
      return nullptr;
  return &out_;
}

/// Drops the types recorded in a function's body (a field newer than the library): they may not be those of its values now.
static void dropRecordedTypes(onnx::FunctionProto &f) {
  constexpr int kValueInfo = 12;
  f.GetReflection()->MutableUnknownFields(&f)->DeleteByNumber(kValueInfo);
  if (const google::protobuf::FieldDescriptor *field = f.GetDescriptor()->FindFieldByNumber(kValueInfo))
    f.GetReflection()->ClearField(&f, field);
}

bool ModelExporter::function(const onnx::FunctionProto &origin, const OpKinds &kinds, onnx::FunctionProto &out) {
  std::string name = kinds.fullName(origin.domain(), origin.name());
  auto body = rest_.bodies.find(name);
  Function *fn = model_.program.function(name);
  if (body == rest_.bodies.end() || !fn) {
    out.CopyFrom(origin);
    return true;
  }
  copyFieldsExcept(origin, out, {onnx::FunctionProto::kNodeFieldNumber});
  OpKinds own(kinds, origin.opset_import());
  Exporter exporter(rest_, *fn, {body->second->graph(), own, inFunction(origin.name())}, lending_, diags_);
  if (!exporter.writeBody(*out.mutable_node()))
    return false;
  exporter.addImports(*out.mutable_opset_import());
  if (exporter.edited())
    dropRecordedTypes(out);
  return true;
}

} // namespace rw::onnxio
