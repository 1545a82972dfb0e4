#include "rw/onnx/importer.h"

#include "rw/ir/builder.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"
#include "rw/onnx/model_check.h"

#include <google/protobuf/message.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

namespace rw::onnxio {

/// One graph while its ops are created.
struct Importer::Scope {
  RegionId region;
  bool top = false;
  llvm::DenseMap<uint32_t, TypeId> types;             // by name: as recorded
  std::vector<std::pair<StringId, ValueId>> shadowed; // what names meant outside
  llvm::DenseMap<uint32_t, unsigned> inputs;          // by name: number of the parameter
  llvm::DenseSet<uint32_t> annotating;                // names that quantization annotations refer to
};

/// The attributes of an op that are no graphs, by their place in the message.
struct Importer::Attributes {
  struct One {
    StringId name;
    AttrId value; // as its op declares it
    AttrId plain; // as it is for an op of which nothing is known
  };
  std::vector<One> list;
};

bool Importer::error(const char *tag, std::string message) {
  diags_.errorInFile(tag, rest_.path, where_ + message);
  return false;
}

void Importer::bind(StringId name, ValueId value, Scope &scope) {
  if (name.raw >= bound_.size())
    bound_.resize(name.raw + name.raw / 2 + 64);
  scope.shadowed.emplace_back(name, bound_[name.raw]);
  bound_[name.raw] = value;
  fn_.setValueName(value, name);
}

ValueId Importer::lookup(const std::string &name) {
  StringId id = ctx_.intern(name);
  return id.raw < bound_.size() ? bound_[id.raw] : ValueId();
}

bool Importer::run(const onnx::GraphProto &body) {
  std::vector<StringId> names;
  llvm::DenseSet<uint32_t> seen;
  for (const onnx::ValueInfoProto &output : body.output())
    if (StringId name = ctx_.intern(output.name()); seen.insert(name.raw).second)
      names.push_back(name);
  fn_.setResultNames(std::move(names));
  if (!graph(body, fn_.body()))
    return false;
  warnOfTwice();
  flow_.finish();
  return true;
}

static std::string andMore(const std::vector<std::string> &list) {
  return list.size() == 1 ? "" : " (and " + std::to_string(list.size() - 1) + " more like it)";
}

void Importer::warnOfTwice() {
  if (!twice_.empty())
    diags_.warningInFile("onnx-initializer", rest_.path,
                         where_ + "two initializers are named " + inBackticks(twice_.front()) +
                             ": the last one counts, as it does for engines" + andMore(twice_));
}

std::string Importer::untrueText(const TypeFlow::Untrue &untrue) const {
  Op op = fn_.value(untrue.value).definingOp();
  std::string text = where_ + inBackticks(ctx_.text(fn_.valueName(untrue.value))) + " is recorded as " +
                     ctx_.typeToString(untrue.recorded) + ", but ";
  if (!op)
    return text + "what the loop gives it is " + ctx_.typeToString(untrue.inferred);
  std::string type(op.fullName());
  text += "its " + type.substr(type.starts_with("onnx.") ? 5 : 0);
  if (StringId name = fn_.opName(op.id))
    text += " " + inBackticks(ctx_.text(name));
  return text + " makes " + ctx_.typeToString(untrue.inferred);
}

void Importer::rememberTypes() {
  for (auto [info, value] : recorded_)
    rest_.types[info] = fn_.data(value).type;
}

bool Importer::graph(const onnx::GraphProto &g, RegionId region) {
  Scope scope;
  scope.region = region;
  scope.top = region == fn_.body();
  auto record = [&](const auto &list) {
    for (const onnx::ValueInfoProto &v : list)
      if (v.has_type())
        scope.types.try_emplace(ctx_.intern(v.name()).raw, typeOf(ctx_, v.type()));
  };
  record(g.input());
  record(g.output());
  record(g.value_info());
  for (const onnx::TensorAnnotation &a : g.quantization_annotation())
    for (const onnx::StringStringEntryProto &tensor : a.quant_parameter_tensor_names())
      scope.annotating.insert(ctx_.intern(tensor.value()).raw);
  inputs(g, scope);
  if (!initializers(g, scope))
    return false;
  for (int i : order_.of(g))
    if (!node(g.node(i), i, scope))
      return false;
  if (size_t(g.output_size()) > kMaxOperands)
    return error("onnx-op", "a graph has more than " + std::to_string(kMaxOperands) + " outputs");
  std::vector<ValueId> results;
  llvm::DenseSet<uint32_t> seen; // an output listed twice is one result; in a nested graph its place says what it is
  for (const onnx::ValueInfoProto &output : g.output())
    if (!scope.top || seen.insert(ctx_.intern(output.name()).raw).second)
      results.push_back(lookup(output.name()));
  OpBuilder(fn_, region).createReturn(results);
  auto remember = [&](const auto &list) {
    for (const onnx::ValueInfoProto &v : list)
      if (ValueId value = lookup(v.name()))
        recorded_.emplace_back(&v, value);
  };
  remember(g.output());
  remember(g.value_info());
  for (auto it = scope.shadowed.rbegin(); it != scope.shadowed.rend(); ++it)
    bound_[it->first.raw] = it->second;
  return true;
}

void Importer::inputs(const onnx::GraphProto &g, Scope &scope) {
  for (int i = 0; i < g.input_size(); ++i) {
    StringId name = ctx_.intern(g.input(i).name());
    TypeId type = g.input(i).has_type() ? typeOf(ctx_, g.input(i).type()) : ctx_.unknownType();
    Value param = scope.top ? fn_.addParam(type) : fn_.addRegionParam(scope.region, ctx_.unknownType());
    if (!scope.top)
      flow_.record(param.id, type);
    scope.inputs[name.raw] = unsigned(i);
    bind(name, param.id, scope);
  }
  flow_.params(scope.region);
}

// Initializers ------------------------------------------------------------------------------------------------------

bool Importer::initializers(const onnx::GraphProto &g, Scope &scope) {
  llvm::DenseMap<uint32_t, int> last;
  for (int i = 0; i < g.initializer_size(); ++i)
    if (int &at = last.try_emplace(ctx_.intern(g.initializer(i).name()).raw, i).first->second; at != i) {
      at = i;
      twice_.push_back(g.initializer(i).name());
    }
  for (int i = 0; i < g.initializer_size(); ++i)
    if (const onnx::TensorProto &t = g.initializer(i);
        last.at(ctx_.intern(t.name()).raw) == i && !initializer(t, scope))
      return false;
  for (const onnx::SparseTensorProto &t : g.sparse_initializer())
    if (!scope.inputs.count(ctx_.intern(t.values().name()).raw))
      kept(t.values().name(), ctx_.unknownType(), t, scope);
  return true;
}

bool Importer::initializer(const onnx::TensorProto &t, Scope &scope) {
  StringId name = ctx_.intern(t.name());
  TensorResult tensor = tensorOf(ctx_, rest_, t);
  if (tensor.form == TensorForm::Wrong)
    return error("onnx-tensor", "the initializer " + inBackticks(t.name()) + " " + tensor.why);
  if (auto input = scope.inputs.find(name.raw); input != scope.inputs.end()) {
    // Who runs the model may pass another value: no constant. In nested graphs the message alone keeps it.
    if (scope.top && tensor.form == TensorForm::Dense)
      fn_.paramInfo(input->second).defaultValue = tensor.attr;
    return true;
  }
  if (tensor.form == TensorForm::Special || scope.annotating.count(name.raw)) {
    Dims dims;
    for (int64_t d : t.dims())
      dims.push_back(d >= 0 ? Dim(d) : Dim::unknown());
    kept(t.name(), ctx_.tensorType(dtypeOf(t.data_type()), dims), t, scope);
    return true;
  }
  KindId kind = kinds_.registry().lookup(kInitializer);
  int index = kind == kOpaqueKind ? -1 : kinds_.registry().schema(kind).attrIndex("value");
  AttrsId attrs;
  if (index >= 0) {
    attrs = ctx_.withAttr(ctx_.noAttrs(), unsigned(index), tensor.attr);
  } else {
    NamedAttr extra[] = {{ctx_.intern(kOpaqueNameAttr), ctx_.stringAttr(kInitializer)},
                         {ctx_.intern("value"), tensor.attr}};
    attrs = ctx_.attrs({}, extra);
    kind = kOpaqueKind;
  }
  TypeId type = ctx_.attr(tensor.attr).dense->type;
  bind(name, fn_.appendOp(scope.region, kind, {}, attrs, {&type, 1}).result().id, scope);
  return true;
}

void Importer::kept(const std::string &name, TypeId type, const google::protobuf::Message &message, Scope &scope) {
  bool sparse = message.GetDescriptor() == onnx::SparseTensorProto::descriptor();
  NamedAttr extra[] = {{ctx_.intern(kOpaqueNameAttr), ctx_.stringAttr(kKeptInitializer)},
                       {ctx_.intern(kTensorAttr), ctx_.bytesAttr(message.SerializeAsString())},
                       {ctx_.intern("sparse"), ctx_.boolAttr(sparse)}};
  AttrsId attrs = ctx_.attrs({}, extra);
  bind(ctx_.intern(name), fn_.appendOp(scope.region, kOpaqueKind, {}, attrs, {&type, 1}).result().id, scope);
}

// Ops ---------------------------------------------------------------------------------------------------------------

bool Importer::node(const onnx::NodeProto &node, int index, Scope &scope) {
  if (std::string wrong = kinds_.arityError(node); !wrong.empty())
    return error("onnx-arity", describe(node, index) + " " + wrong);
  if (size_t(node.output_size()) > kMaxResults)
    return error("onnx-op", describe(node, index) + " has more than " + std::to_string(kMaxResults) + " outputs");
  if (size_t(node.input_size()) > kMaxOperands)
    return error("onnx-op", describe(node, index) + " has more than " + std::to_string(kMaxOperands) + " inputs");
  OpKind kind = kinds_.find(node);
  if (!kind.schema && !unknown_.contains(kind.fullName))
    if (std::string why = kinds_.misfit(node); !why.empty()) {
      unknown_.insert(kind.fullName); // others of its kind are likewise, mostly
      warnUnknown(node, index, why);
    }
  Attributes list;
  if (!attributes(node, index, kind, list))
    return false;
  // What an attribute is that refers to one of the function around it, only a call tells.
  if (std::ranges::any_of(node.attribute(), [](const onnx::AttributeProto &a) { return !a.ref_attr_name().empty(); }))
    kind = {kOpaqueKind, kind.fullName, nullptr};
  for (const Attributes::One &a : list.list)
    if (int i = kind.schema ? kind.schema->attrIndex(ctx_.text(a.name)) : -1;
        i >= 0 && !attrFits(ctx_, a.value, kind.schema->attrs[size_t(i)].type)) {
      std::string is;
      appendAttr(is, ctx_, a.value);
      warnUnknown(node, index,
                  "its attribute " + inBackticks(ctx_.text(a.name)) + " is " + inBackticks(is) + ", and not a " +
                      std::string(attrTypeName(kind.schema->attrs[size_t(i)].type)));
      kind.kind = kOpaqueKind;
      kind.schema = nullptr;
    }
  InlineList<ValueId, 6> operands;
  for (const std::string &input : node.input())
    operands.push_back(input.empty() ? ValueId() : lookup(input));
  size_t count = size_t(node.output_size());
  if (kind.schema) // outputs left out at the end
    count = std::max<size_t>(count, resultCounts(*kind.schema).least);
  InlineList<TypeId, 4> types(count, ctx_.unknownType());
  Op op = fn_.appendOp(scope.region, kind.kind, operands, attributesOf(node, index, kind, list), types);
  if (!node.name().empty())
    fn_.setOpName(op.id, ctx_.intern(node.name()));
  if (!regions(node, kind, op) || !soundOrOpaque(node, index, list, op))
    return false;
  return results(node, index, op, scope);
}

void Importer::warnUnknown(const onnx::NodeProto &node, int index, const std::string &why) {
  diags_.warningInFile("onnx-op", rest_.path,
                       where_ + describe(node, index) + " stays as it is, and nothing is known of it: " + why);
}

/// What its schema has something against is opaque, unless ONNX is against it too: then no engine would take it.
bool Importer::soundOrOpaque(const onnx::NodeProto &node, int index, const Attributes &list, Op op) {
  struct Reason : CheckSink {
    std::string text;
    void fail(std::string message) override { text = std::move(message); }
  } reason;
  if (op.kind() == kOpaqueKind || !op.schema().check || !op.regions().empty() ||
      op.schema().check(*InputsOf(op), reason))
    return true;
  if (std::string fault = nodeFault(node, kinds_.imports(), op); !fault.empty())
    return error("onnx-op", describe(node, index) + " cannot be: " + (reason.text.empty() ? fault : reason.text));
  warnUnknown(node, index, reason.text);
  std::string name(op.fullName());
  fn_.setKind(op.id, kOpaqueKind);
  fn_.setAttrs(op.id, attributesOf(node, index, {kOpaqueKind, std::move(name), nullptr}, list));
  return true;
}

bool Importer::attributes(const onnx::NodeProto &node, int index, const OpKind &kind, Attributes &out) {
  llvm::SmallDenseSet<uint32_t, 8> seen;
  for (const onnx::AttributeProto &a : node.attribute()) {
    if (a.name().empty())
      return error("onnx-attribute", describe(node, index) + " has an attribute without a name");
    StringId name = ctx_.intern(a.name());
    if (!seen.insert(name.raw).second)
      return error("onnx-attribute", describe(node, index) + " has two attributes " + inBackticks(a.name()));
    if (holdsGraphs(a))
      continue;
    int number = kind.schema ? kind.schema->attrIndex(a.name()) : -1;
    AttrType declared = number < 0 ? AttrType::Any : kind.schema->attrs[size_t(number)].type;
    AttrResult plain = attributeOf(ctx_, rest_, a);
    bool fits = plain.attr && a.doc_string().empty() && attrFits(ctx_, plain.attr, declared);
    AttrResult value = fits ? plain : attributeOf(ctx_, rest_, a, declared);
    if (!value.attr)
      return error("onnx-tensor",
                   "the attribute " + inBackticks(a.name()) + " of " + describe(node, index) + ": " + value.why);
    out.list.push_back({name, value.attr, plain.attr});
  }
  return true;
}

AttrsId Importer::attributesOf(const onnx::NodeProto &node, int index, const OpKind &kind, const Attributes &list) {
  InlineList<AttrId, 8> fixed(kind.schema ? kind.schema->attrs.size() : 0, AttrId());
  InlineList<NamedAttr, 8> extra;
  auto add = [&](std::string_view name, AttrId value) { extra.push_back({ctx_.intern(name), value}); };
  for (const Attributes::One &a : list.list) {
    std::string_view name = ctx_.text(a.name);
    if (int i = kind.schema ? kind.schema->attrIndex(name) : -1; i >= 0)
      fixed[size_t(i)] = a.value;
    else
      add(name.front() == '$' ? "$" + std::string(name) : std::string(name), a.plain);
  }
  if (!kind.schema)
    add(kOpaqueNameAttr, ctx_.stringAttr(kind.fullName));
  if (std::ranges::all_of(node.output(), [](const std::string &name) { return name.empty(); }))
    add(kOriginAttr, ctx_.intAttr(index)); // nothing else tells where it came from
  std::vector<AttrId> regions;
  forEachGraph(node, [&](int a, const onnx::GraphProto &) {
    bool one = kindOf(node.attribute(a)) == onnx::AttributeProto::GRAPH;
    regions.push_back(ctx_.stringAttr(node.attribute(a).name() + (one ? "" : std::string(kListOfGraphs))));
    return true;
  });
  if (!kind.schema && !regions.empty())
    add(kRegionsAttr, ctx_.listAttr(regions));
  return ctx_.attrs(fixed, extra);
}

bool Importer::regions(const onnx::NodeProto &node, const OpKind &kind, Op op) {
  std::vector<const onnx::GraphProto *> graphs;
  if (kind.schema) {
    for (std::string_view name : kind.schema->regions)
      for (const onnx::AttributeProto &a : node.attribute())
        if (a.name() == name)
          graphs.push_back(&a.g());
  } else {
    forEachGraph(node, [&](int, const onnx::GraphProto &g) {
      graphs.push_back(&g);
      return true;
    });
  }
  for (const onnx::GraphProto *g : graphs)
    if (!graph(*g, fn_.addRegion(op.id)))
      return false;
  return true;
}

/// Whether the value is of the elements that the model records. If it is not, no engine takes the model, unless it is
/// inference here that errs.
bool Importer::isAsRecorded(const onnx::NodeProto &node, int index, Value value, TypeId recorded) {
  const TypeData &r = ctx_.type(recorded), &is = value.type();
  if (r.kind != TypeKind::Tensor || is.kind != TypeKind::Tensor || r.dtype == is.dtype || r.dtype == DType::Unknown ||
      is.dtype == DType::Unknown)
    return true;
  std::string name(ctx_.text(fn_.valueName(value.id)));
  Op op = value.definingOp();
  if (op.regions().empty() && nodeFault(node, kinds_.imports(), op, {name, r.dtype}).empty())
    return true;
  return error("onnx-type", inBackticks(name) + " is recorded as " + ctx_.typeToString(recorded) + ", but " +
                                describe(node, index) + " makes " + ctx_.typeToString(flow_.plain(value.typeId())) +
                                ": no engine takes a model that errs in a value's elements");
}

bool Importer::results(const onnx::NodeProto &node, int index, Op op, Scope &scope) {
  InlineList<TypeId, 4> recorded(op.resultCount(), TypeId());
  for (int i = 0; i < node.output_size(); ++i)
    if (auto it = scope.types.find(ctx_.intern(node.output(i)).raw); it != scope.types.end() && !node.output(i).empty())
      flow_.record(op.result(unsigned(i)).id, recorded[size_t(i)] = it->second);
  flow_.results(op);
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty())
      continue;
    bind(ctx_.intern(node.output(i)), op.result(unsigned(i)).id, scope);
    if (recorded[size_t(i)] && !isAsRecorded(node, index, op.result(unsigned(i)), recorded[size_t(i)]))
      return false;
  }
  return true;
}

} // namespace rw::onnxio
