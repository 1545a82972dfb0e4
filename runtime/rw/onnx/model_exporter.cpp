#include "rw/onnx/model_exporter.h"

#include "rw/onnx/exporter_impl.h"
#include "rw/onnx/graph_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace rw::onnxio {

/// Of which domains and names the ops are, those of nested graphs included.
static void collectCalls(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes,
                         std::set<std::pair<std::string, std::string>> &out) {
  for (const onnx::NodeProto &node : nodes) {
    out.emplace(node.domain(), node.op_type());
    forEachGraph(node, [&](int, const onnx::GraphProto &inner) {
      collectCalls(inner.node(), out);
      return true;
    });
  }
}

/// Adds what functions of the model call that stay, and what these call in turn.
template <class Stays>
static void addCallsOf(const onnx::ModelProto &proto, Stays stays, MeantFunctions::Names &called) {
  for (size_t before = SIZE_MAX; before != called.size();) {
    before = called.size();
    for (const onnx::FunctionProto &f : proto.functions())
      if (stays(f))
        collectCalls(f.node(), called);
  }
}

/// Forms of the model that was read which nobody calls any more: neither an op with a meaning, nor what stays as it was
/// read.
MeantFunctions::Names ModelExporter::goneFrom(const OpKinds &kinds, const MeantFunctions &meant) const {
  const onnx::ModelProto &proto = *rest_.proto;
  MeantFunctions::Names called, gone;
  auto isProgram = [&](const onnx::FunctionProto &f) {
    return model_.program.function(kinds.fullName(f.domain(), f.name())) != nullptr;
  };
  auto stays = [&](const onnx::FunctionProto &f) {
    if (!kinds.isForm(f))
      return !isProgram(f);
    return meant.keeps(f) || called.contains({f.domain(), f.name()}) ||
           meant.opaque().contains({f.domain(), std::string(formOf(f))});
  };
  addCallsOf(proto, stays, called);
  for (const onnx::FunctionProto &f : proto.functions())
    if (kinds.isForm(f) && !stays(f))
      gone.emplace(f.domain(), f.name());
  return gone;
}

onnx::ModelProto *ModelExporter::run() {
  const onnx::ModelProto &proto = *rest_.proto;
  copyFieldsExcept(proto, out_, {onnx::ModelProto::kGraphFieldNumber, onnx::ModelProto::kFunctionsFieldNumber});
  OpKinds kinds(model_.program.context().ops(), proto);
  std::optional<MeantFunctions> functions(std::in_place, model_, kinds, diags_);
  const MeantFunctions *meant = model_.writesMeanings ? &*functions : nullptr;
  if (meant && !collect(kinds, *functions))
    return nullptr;
  if (meant && functions->clashes()) { // an op that means nothing would be taken for a call of what another one means
    functions.emplace(model_, kinds, diags_, MeantFunctions::Names(functions->bare()));
    if (!collect(kinds, *functions))
      return nullptr;
  }
  if (meant && functions->namesNew())
    if (MeantFunctions::Names gone = goneFrom(kinds, *functions); !gone.empty()) {
      functions.emplace(model_, kinds, diags_, MeantFunctions::Names(functions->bare()), gone);
      if (!collect(kinds, *functions))
        return nullptr;
    }
  if (meant)
    for (const MeantFunctions::Unwritable &op : functions->unwritable())
      sayUnwritable(op);
  Exporter main(rest_, model_.main(), {proto.graph(), kinds, "", meant}, lending_, diags_);
  if (!main.writeGraph(*out_.mutable_graph()))
    return nullptr;
  main.addImports(*out_.mutable_opset_import());
  for (const onnx::FunctionProto &f : proto.functions())
    if (!kinds.isForm(f) && !function(f, kinds, meant, *out_.add_functions()))
      return nullptr;
  add(*functions);
  // Forms that are called as they were read: by ops that did not fit the declaration. Ops that are left bare are called
  // by their own names.
  if (std::ranges::any_of(proto.functions(), [&](const onnx::FunctionProto &f) { return kinds.isForm(f); })) {
    MeantFunctions::Names called, there;
    collectCalls(out_.graph().node(), called);
    for (const onnx::FunctionProto &f : out_.functions()) {
      collectCalls(f.node(), called);
      there.emplace(f.domain(), f.name());
    }
    auto stays = [&](const onnx::FunctionProto &f) {
      return kinds.isForm(f) && (meant || f.name() != formOf(f)) && called.contains({f.domain(), f.name()}) &&
             !there.contains({f.domain(), f.name()});
    };
    addCallsOf(proto, stays, called);
    for (const onnx::FunctionProto &f : proto.functions())
      if (stays(f) && there.emplace(f.domain(), f.name()).second)
        out_.add_functions()->CopyFrom(f);
  }
  return &out_;
}

void ModelExporter::sayUnwritable(const MeantFunctions::Unwritable &op) {
  std::string message = fmt::format("`{}` is written without what it means: operator set {} has no `{}`", op.op,
                                    model_.opsetVersion(), op.lacks);
  SourceRange at = text::wordAt(diags_.sources(), op.at);
  (at ? diags_.warning("onnx-meaning", at, std::move(message))
      : diags_.warningInFile("onnx-meaning", rest_.path, std::move(message)))
      .note("an engine that does not know the op cannot run the model: a newer operator set, or another clause `means` "
            "for older ones, gives it a function; `--bare-ops` says that it does");
}

/// Those of the graph, then those of the bodies of functions. Their ops are of the version that the model is written
/// in.
bool ModelExporter::collect(const OpKinds &kinds, MeantFunctions &functions) {
  Context &ctx = model_.program.context();
  int64_t version = ctx.dialectVersion(kDialect);
  ctx.setDialectVersion(kDialect, model_.opsetVersion());
  bool good = functions.collect(model_.main());
  for (const onnx::FunctionProto &f : rest_.proto->functions())
    if (Function *fn = kinds.isForm(f) ? nullptr : model_.program.function(kinds.fullName(f.domain(), f.name())))
      good = good && functions.collect(*fn);
  ctx.setDialectVersion(kDialect, version);
  return good;
}

/// Functions are of version 8 of the format, and the model imports what they import.
void ModelExporter::add(const MeantFunctions &meant) {
  constexpr int kFirstWithFunctions = 8;
  if (!meant.functions().empty() && out_.ir_version() < kFirstWithFunctions)
    out_.set_ir_version(kFirstWithFunctions);
  for (const onnx::FunctionProto &f : meant.functions()) {
    out_.add_functions()->CopyFrom(f);
    for (const onnx::OperatorSetIdProto &import : f.opset_import())
      if (importedVersion(out_.opset_import(), import.domain()) == 0)
        out_.add_opset_import()->CopyFrom(import);
  }
}

/// Drops the types recorded in a function's body (a field newer than the library): they may not be those of its values
/// now.
static void dropRecordedTypes(onnx::FunctionProto &f) {
  constexpr int kValueInfo = 12;
  f.GetReflection()->MutableUnknownFields(&f)->DeleteByNumber(kValueInfo);
  if (const google::protobuf::FieldDescriptor *field = f.GetDescriptor()->FindFieldByNumber(kValueInfo))
    f.GetReflection()->ClearField(&f, field);
}

bool ModelExporter::function(const onnx::FunctionProto &origin, const OpKinds &kinds, const MeantFunctions *meant,
                             onnx::FunctionProto &out) {
  std::string name = kinds.fullName(origin.domain(), origin.name());
  auto body = rest_.bodies.find(name);
  Function *fn = model_.program.function(name);
  if (body == rest_.bodies.end() || !fn) {
    out.CopyFrom(origin);
    return true;
  }
  copyFieldsExcept(origin, out, {onnx::FunctionProto::kNodeFieldNumber});
  OpKinds own(kinds, origin.opset_import());
  Exporter exporter(rest_, *fn, {body->second->graph(), own, inFunction(origin.name()), meant}, lending_, diags_);
  if (!exporter.writeBody(*out.mutable_node()))
    return false;
  exporter.addImports(*out.mutable_opset_import());
  if (exporter.edited())
    dropRecordedTypes(out);
  return true;
}

} // namespace rw::onnxio
