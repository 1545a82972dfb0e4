// Models and graphs: interface, initializers, recorded types. Ops are in exporter_ops.cpp.
#include "rw/onnx/exporter_impl.h"
#include "rw/onnx/graph_order.h"

#include <algorithm>

namespace rw::onnxio {

void copyFieldsExcept(const google::protobuf::Message &from, google::protobuf::Message &to,
                      std::initializer_list<int> except) {
  const google::protobuf::Reflection *look = from.GetReflection(), *set = to.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor *> fields;
  look->ListFields(from, &fields);
  using Field = google::protobuf::FieldDescriptor;
  for (const Field *f : fields) {
    if (std::ranges::count(except, f->number()))
      continue;
    auto copy = [&](auto get, auto setOne, auto getAt, auto add) {
      if (!f->is_repeated())
        return (set->*setOne)(&to, f, (look->*get)(from, f));
      for (int i = 0; i < look->FieldSize(from, f); ++i)
        (set->*add)(&to, f, (look->*getAt)(from, f, i));
    };
    using R = google::protobuf::Reflection;
    switch (f->cpp_type()) { // of the types that onnx.proto has
    case Field::CPPTYPE_MESSAGE:
      if (!f->is_repeated())
        set->MutableMessage(&to, f)->CopyFrom(look->GetMessage(from, f));
      for (int i = 0; f->is_repeated() && i < look->FieldSize(from, f); ++i)
        set->AddMessage(&to, f)->CopyFrom(look->GetRepeatedMessage(from, f, i));
      break;
    case Field::CPPTYPE_STRING:
      copy(&R::GetString, &R::SetString, &R::GetRepeatedString, &R::AddString);
      break;
    case Field::CPPTYPE_INT64:
      copy(&R::GetInt64, &R::SetInt64, &R::GetRepeatedInt64, &R::AddInt64);
      break;
    case Field::CPPTYPE_INT32:
      copy(&R::GetInt32, &R::SetInt32, &R::GetRepeatedInt32, &R::AddInt32);
      break;
    case Field::CPPTYPE_UINT64:
      copy(&R::GetUInt64, &R::SetUInt64, &R::GetRepeatedUInt64, &R::AddUInt64);
      break;
    case Field::CPPTYPE_FLOAT:
      copy(&R::GetFloat, &R::SetFloat, &R::GetRepeatedFloat, &R::AddFloat);
      break;
    case Field::CPPTYPE_DOUBLE:
      copy(&R::GetDouble, &R::SetDouble, &R::GetRepeatedDouble, &R::AddDouble);
      break;
    case Field::CPPTYPE_ENUM:
      copy(&R::GetEnumValue, &R::SetEnumValue, &R::GetRepeatedEnumValue, &R::AddEnumValue);
      break;
    default:
      break;
    }
  }
  if (!look->GetUnknownFields(from).empty())
    set->MutableUnknownFields(&to)->MergeFrom(look->GetUnknownFields(from));
}

Exporter::Exporter(OnnxModel::Rest &rest, Function &fn, Source source, Lending &lending, Diagnostics &diags)
    : rest_(rest), fn_(fn), ctx_(fn.context()), lending_(lending), diags_(diags), source_(std::move(source)),
      kinds_(source_.kinds), names_(fn_, source_.graph) {}

/// Of an op that a text has it says where it stands there; of what is in a meaning, where the op stands that means it.
bool Exporter::refuse(Op op, const std::string &fault) {
  SourceRange at = text::wordAt(diags_.sources(), source_.at ? source_.at : op.loc());
  if (!at)
    return error("onnx-export", describe(op) + fault);
  diags_.error("onnx-export", at, source_.where + describe(op) + fault);
  return false;
}

bool Exporter::error(const char *tag, std::string message) {
  diags_.errorInFile(tag, rest_.path, source_.where + message);
  return false;
}

bool Exporter::writeGraph(onnx::GraphProto &out) {
  Graph g(&source_.graph, out);
  g.top = true;
  if (!graph(fn_.body(), g, 0))
    return false;
  if (edited_)
    replaceKnownLabels();
  return true;
}

bool Exporter::writeBody(google::protobuf::RepeatedPtrField<onnx::NodeProto> &out) {
  onnx::GraphProto rest; // interface and recorded types, which functions do not have
  Graph g(&source_.graph, rest, &out);
  g.top = g.functionBody = true;
  return graph(fn_.body(), g, 0);
}

/// Whether an op of the graph or of those in it is of the domain.
static bool usesDomain(const onnx::GraphProto &g, std::string_view domain) {
  return std::ranges::any_of(g.node(), [&](const onnx::NodeProto &node) {
    return node.domain() == domain || (domain.empty() && isMainDomain(node.domain())) ||
           !forEachGraph(node, [&](int, const onnx::GraphProto &inner) { return !usesDomain(inner, domain); });
  });
}

void Exporter::addImports(google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &out) const {
  for (const auto &[domain, version] : newDomains_) {
    auto same = [&domain = domain](const onnx::OperatorSetIdProto &o) {
      return o.domain() == domain || (domain.empty() && isMainDomain(o.domain()));
    };
    // Where the model uses a domain without importing it, its ops would mean something else if it did.
    if (std::ranges::none_of(out, same) && !usesDomain(source_.graph, domain)) {
      onnx::OperatorSetIdProto *opset = out.Add();
      opset->set_domain(domain);
      opset->set_version(version);
    }
  }
}

bool Exporter::graph(RegionId region, Graph &g, unsigned depth) {
  if (depth > kMaxDepth)
    return error("onnx-nesting", "graphs are nested more than " + std::to_string(kMaxDepth) + " deep");
  g.region = region;
  using onnx::GraphProto;
  if (g.origin)
    copyFieldsExcept(*g.origin, g.out,
                     {GraphProto::kNodeFieldNumber, GraphProto::kInitializerFieldNumber,
                      GraphProto::kSparseInitializerFieldNumber, GraphProto::kInputFieldNumber,
                      GraphProto::kOutputFieldNumber, GraphProto::kValueInfoFieldNumber});
  else
    g.out.set_name("graph");
  std::vector<StringId> outputs = g.top ? fn_.resultNames() : std::vector<StringId>();
  if (!g.top && g.origin)
    for (const onnx::ValueInfoProto &output : g.origin->output())
      outputs.push_back(ctx_.intern(output.name()));
  names_.enter(region, std::move(outputs),
               [&](StringId name) { return !g.origin || g.producers.count(ctx_.text(name)) != 0; });
  inputs(g);
  bool ok = ops(g, depth) && (g.functionBody || initializers(g)) && writeOutputs(g);
  if (ok) {
    edited_ |= g.origin && g.nodes.size() != g.origin->node_size();
    valueInfo(g);
    newValueInfo(g);
  }
  names_.leave();
  return ok;
}

void Exporter::inputs(Graph &g) {
  std::unordered_map<std::string_view, const onnx::ValueInfoProto *> known;
  if (g.origin)
    for (const onnx::ValueInfoProto &input : g.origin->input())
      known.emplace(input.name(), &input);
  std::span<const ValueId> params = fn_.params(g.region);
  for (size_t i = 0; i < params.size(); ++i) {
    StringId name = names_.define(params[i], g.top);
    if (!name)
      name = names_.fresh();
    g.values.emplace(name.raw, params[i]);
    written_.insert(name.raw);
    auto it = known.find(ctx_.text(fn_.valueName(params[i])));
    const onnx::ValueInfoProto *origin = it == known.end() ? nullptr : it->second;
    const TypeId type = fn_.data(params[i]).type;
    const bool isChanged = g.top && origin && origin->has_type() && typeOf(ctx_, origin->type()) != type;
    hasOtherInputs_ |= isChanged;
    writeInfo(origin, name, type, isChanged, *g.out.add_input());
  }
}

/// What a model calls a size of which nothing is known.
static void keepLabels(const onnx::TypeProto &from, onnx::TypeProto &to) {
  const onnx::TensorShapeProto &labels = from.tensor_type().shape();
  if (!from.has_tensor_type() || !to.tensor_type().has_shape() ||
      labels.dim_size() != to.tensor_type().shape().dim_size())
    return;
  for (int i = 0; i < labels.dim_size(); ++i)
    if (onnx::TensorShapeProto_Dimension &dim = *to.mutable_tensor_type()->mutable_shape()->mutable_dim(i);
        labels.dim(i).has_dim_param() && dim.value_case() == onnx::TensorShapeProto_Dimension::VALUE_NOT_SET)
      dim.set_dim_param(labels.dim(i).dim_param());
}

/// The message as it was, or, where there is none or the value has another type (`isChanged`), one made from the type.
void Exporter::writeInfo(const onnx::ValueInfoProto *origin, StringId name, TypeId type, bool isChanged,
                         onnx::ValueInfoProto &out) {
  if (origin)
    out.CopyFrom(*origin);
  if (onnx::TypeProto t; (!origin || isChanged) && writeType(ctx_, type, t)) {
    keepLabels(out.type(), t);
    out.mutable_type()->Swap(&t);
  }
  if (out.name() != ctx_.text(name))
    out.set_name(std::string(ctx_.text(name)));
}

/// What the model says of output `i` of a graph: by its name, in nested graphs by its place.
const onnx::ValueInfoProto *Exporter::outputInfo(const Graph &g, unsigned i, StringId name) const {
  if (!g.origin)
    return nullptr;
  if (!g.top)
    return int(i) < g.origin->output_size() ? &g.origin->output(int(i)) : nullptr;
  for (const onnx::ValueInfoProto &output : g.origin->output())
    if (output.name() == ctx_.text(name))
      return &output;
  return nullptr;
}

/// Whether a value is of other elements than its message says, or, where inputs are other ones, of another shape.
bool Exporter::isChangedOutput(const Graph &g, const onnx::ValueInfoProto *origin, TypeId type) const {
  if (!origin || !origin->has_type())
    return false;
  const TypeData was = ctx_.type(typeOf(ctx_, origin->type())), is = ctx_.type(type);
  if (was.kind == TypeKind::Tensor && is.kind == TypeKind::Tensor && is.dtype != DType::Unknown &&
      was.dtype != is.dtype)
    return true;
  auto imported = rest_.types.find(origin);
  return g.top && hasOtherInputs_ && imported != rest_.types.end() && imported->second != type;
}

bool Exporter::writeOutputs(Graph &g) {
  const std::vector<StringId> &names = names_.outputs();
  Op end = fn_.terminator(g.region);
  if (!end)
    return error("onnx-export", "a region has no terminator");
  for (unsigned i = 0; i < names.size(); ++i) {
    Value value = end.operand(i);
    if (!value)
      return error("onnx-export", "output " + std::to_string(i) + " of a graph is no value");
    // The outputs of nested graphs are known by their place: their names may follow the value's.
    StringId name = names[i];
    bool copied = std::ranges::any_of(names_.copies(), [&](const NamePlan::Copy &c) { return c.to == name; });
    if (!g.top && !copied)
      name = names_.nameOf(value.id);
    const onnx::ValueInfoProto *origin = outputInfo(g, i, names[i]);
    writeInfo(origin, name, value.typeId(), isChangedOutput(g, origin, value.typeId()), *g.out.add_output());
  }
  if (g.top && g.origin && !g.functionBody)
    repeatOutputs(*g.origin, g.out);
  return true;
}

/// Outputs that the model lists twice are one result each: they are listed as they were, if the results are the same.
void Exporter::repeatOutputs(const onnx::GraphProto &origin, onnx::GraphProto &out) {
  std::unordered_map<std::string_view, const onnx::ValueInfoProto *> written;
  for (const onnx::ValueInfoProto &output : out.output())
    written.emplace(output.name(), &output);
  std::unordered_set<std::string_view> known;
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> all;
  for (const onnx::ValueInfoProto &output : origin.output()) {
    auto at = written.find(output.name());
    if (at == written.end())
      return;
    known.insert(output.name());
    all.Add()->CopyFrom(*at->second);
  }
  if (known.size() == written.size() && all.size() > out.output_size())
    out.mutable_output()->Swap(&all);
}

/// Recorded types of values that are still there (or never were).
void Exporter::valueInfo(Graph &g) {
  if (!g.origin)
    return;
  for (const onnx::ValueInfoProto &v : g.origin->value_info()) {
    auto imported = rest_.types.find(&v);
    StringId name = ctx_.intern(v.name());
    if (imported != rest_.types.end() && !written_.count(name.raw))
      continue;
    onnx::ValueInfoProto *out = g.out.add_value_info();
    out->CopyFrom(v);
    auto value = g.values.find(name.raw);
    if (imported == rest_.types.end() || value == g.values.end())
      continue;
    if (fn_.data(value->second).type == imported->second) {
      recorded_.emplace_back(out, imported->second);
      continue;
    }
    if (onnx::TypeProto t; writeType(ctx_, fn_.data(value->second).type, t)) {
      keepLabels(v.type(), t);
      out->mutable_type()->Swap(&t);
    }
  }
}

/// Types of values that the model did not have: by the name of no op, input or initializer.
void Exporter::newValueInfo(Graph &g) {
  std::unordered_set<std::string_view> known;
  if (g.origin) {
    for (const onnx::ValueInfoProto &v : g.origin->value_info())
      known.insert(v.name());
    for (const onnx::TensorProto &t : g.origin->initializer())
      known.insert(t.name());
  }
  for (const onnx::TensorProto &t : g.out.initializer())
    known.insert(t.name());
  for (const onnx::ValueInfoProto &v : g.out.output())
    known.insert(v.name());
  for (Op op : fn_.ops(g.region))
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      StringId name = names_.nameOf(op.result(i).id);
      std::string_view text = name ? ctx_.text(name) : std::string_view();
      if (text.empty() || g.producers.count(text) || known.count(text))
        continue;
      onnx::TypeProto type;
      const TypeData &data = op.result(i).type();
      if (data.kind != TypeKind::Tensor || !data.ranked || !writeType(ctx_, op.result(i).typeId(), type))
        continue; // nothing is known that would help anyone
      onnx::ValueInfoProto *out = g.out.add_value_info();
      out->set_name(std::string(text));
      out->mutable_type()->Swap(&type);
    }
}

/// In a model that is edited a label stands only where no size is known. In one that is not, records stay as they were.
void Exporter::replaceKnownLabels() {
  for (auto [info, type] : recorded_) {
    const TypeData &known = ctx_.type(type);
    if (!info->type().has_tensor_type() || !known.ranked ||
        info->type().tensor_type().shape().dim_size() != int(known.dims.size()))
      continue;
    for (size_t i = 0; i < known.dims.size(); ++i)
      if (info->type().tensor_type().shape().dim(int(i)).has_dim_param() && known.dims[i].isKnown())
        info->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(int(i))->set_dim_value(
            known.dims[i].size());
  }
}

// Initializers ------------------------------------------------------------------------------------------------------

bool Exporter::isAsRead(const onnx::TensorProto *origin, AttrId attr) const {
  auto known = rest_.tensors.find(origin);
  return origin && (!attr || (known != rest_.tensors.end() && known->second == attr));
}

bool Exporter::tensor(const onnx::TensorProto *origin, StringId name, AttrId attr, onnx::GraphProto &out) {
  if (isAsRead(origin, attr)) {
    lending_.lend(*out.mutable_initializer(), *origin);
    return true;
  }
  onnx::TensorProto *t = out.add_initializer();
  t->set_name(std::string(ctx_.text(name)));
  return writeTensor(ctx_, *ctx_.attr(attr).dense, *t, &lending_) ||
         error("onnx-too-large", "the constant `" + t->name() + "` has more elements than a model can hold");
}

static AttrId initializerValue(Op op) {
  if (op.fullName() != kInitializer)
    return AttrId();
  int index = op.schema().attrIndex("value");
  return index >= 0 ? op.attr(unsigned(index)) : op.extraAttr("value");
}

/// Whether the constant serves as results of the region alone, and is written once more for each of them.
bool Exporter::onlyCopied(Op op, RegionId region) const {
  ValueId v = op.result().id;
  if (!constantResult(v) || !op.result().hasUses())
    return false;
  int uses = 0;
  for (Use use : op.result().uses()) {
    if (use.owner.kind() != kReturnKind || use.owner.region() != region)
      return false;
    ++uses;
  }
  auto isCopy = [&](const NamePlan::Copy &copy) { return copy.from == v; };
  return std::ranges::count_if(names_.copies(), isCopy) == uses;
}

/// Those of the model in their order, then the new ones in program order.
bool Exporter::initializers(Graph &g) {
  struct Pending {
    AttrId attr; // none: as it was
    Op kept;
  };
  std::unordered_map<uint32_t, Pending> pending; // by name
  std::vector<StringId> order;
  auto add = [&](ValueId v, Pending p) {
    StringId name = names_.nameOf(v);
    if (name && pending.emplace(name.raw, p).second)
      order.push_back(name);
  };
  std::span<const ValueId> params = fn_.params(g.region);
  for (size_t i = 0; i < params.size(); ++i)
    add(params[i], {g.top ? fn_.paramInfo(unsigned(i)).defaultValue : AttrId(), {}});
  for (Op op : fn_.ops(g.region))
    if (std::string_view name = op.fullName();
        (name == kInitializer && !onlyCopied(op, g.region) && !mustBeOp(op, g)) || name == kKeptInitializer)
      add(op.result().id, {initializerValue(op), name == kKeptInitializer ? op : Op()});
  if (g.origin) {
    std::unordered_map<std::string_view, const onnx::TensorProto *> last;
    for (const onnx::TensorProto &t : g.origin->initializer())
      last[t.name()] = &t;
    for (const onnx::TensorProto &t : g.origin->initializer())
      if (auto it = pending.find(ctx_.intern(t.name()).raw); it != pending.end()) {
        // nobody reads the others of its name: they go when it changes
        const onnx::TensorProto *read = last.at(t.name());
        if (read != &t) {
          if (isAsRead(read, it->second.attr))
            lending_.lend(*g.out.mutable_initializer(), t);
          continue;
        }
        if (!tensor(&t, ctx_.intern(t.name()), it->second.attr, g.out))
          return false;
        pending.erase(it);
      }
    for (const onnx::SparseTensorProto &t : g.origin->sparse_initializer())
      if (pending.erase(ctx_.intern(t.values().name()).raw))
        g.out.add_sparse_initializer()->CopyFrom(t);
  }
  for (StringId name : order)
    if (auto it = pending.find(name.raw); it != pending.end()) {
      if (it->second.kept && !kept(it->second.kept, g))
        return false;
      if (it->second.attr && !tensor(nullptr, name, it->second.attr, g.out))
        return false;
    }
  return true;
}

bool Exporter::kept(Op op, Graph &g) {
  AttrId bytes = op.extraAttr(kTensorAttr), sparse = op.extraAttr("sparse");
  std::string name(ctx_.text(names_.nameOf(op.result().id)));
  if (!bytes || !sparse || ctx_.attr(bytes).kind != AttrKind::Bytes)
    return refuse(op, " does not hold the tensor it stands for");
  std::string_view text = ctx_.attr(bytes).text;
  bool ok;
  if (ctx_.attr(sparse).i) {
    onnx::SparseTensorProto *t = g.out.add_sparse_initializer();
    ok = t->ParseFromArray(text.data(), int(text.size()));
    t->mutable_values()->set_name(name);
  } else {
    onnx::TensorProto *t = g.out.add_initializer();
    ok = t->ParseFromArray(text.data(), int(text.size()));
    t->set_name(name);
  }
  return ok || refuse(op, " does not hold the tensor it stands for");
}

} // namespace rw::onnxio
