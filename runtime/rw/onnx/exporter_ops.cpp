#include "rw/onnx/exporter_impl.h"
#include "rw/onnx/graph_order.h"
#include "rw/onnx/meant_functions.h"

#include <algorithm>
#include <fmt/format.h>

namespace rw::onnxio {
namespace {
bool isReserved(std::string_view attr) {
  return attr == kOpaqueNameAttr || attr == kOriginAttr || attr == kRegionsAttr;
}
/// What the op declares of an attribute of the model; any if nothing.
AttrType declaredOf(Op op, std::string_view nameInModel) {
  int index = op.schema().attrIndex(nameInModel);
  return index < 0 ? AttrType::Any : op.schema().attrs[size_t(index)].type;
}
/// The name in the model of an undeclared attribute.
std::string_view nameInModel(std::string_view attr) { return attr.starts_with("$$") ? attr.substr(1) : attr; }
} // namespace

std::string Exporter::describe(Op op) const {
  std::string name(ctx_.text(fn_.opName(op.id)));
  if (name.empty() && op.resultCount())
    name = ctx_.text(fn_.valueName(op.result().id));
  return (name.empty() ? "an op" : inBackticks(name)) + " (" + std::string(op.fullName()) + ")";
}

bool Exporter::ops(Graph &g, unsigned depth) {
  for (Op op : fn_.ops(g.region)) {
    if (op.kind() == kReturnKind)
      continue;
    std::string_view name = op.fullName();
    bool stored = name == kInitializer || name == kKeptInitializer;
    if (name == kInitializer && onlyCopied(op, g.region))
      continue; // written below, once for each result
    if (stored && (g.functionBody || mustBeOp(op, g))) {
      if (!constantOp(op, g))
        return false;
      continue;
    }
    if (!stored && !this->op(op, g, depth))
      return false;
    for (unsigned i = 0; stored && i < op.resultCount(); ++i)
      if (StringId value = names_.define(op.result(i).id)) {
        g.values.emplace(value.raw, op.result(i).id);
        written_.insert(value.raw);
      }
  }
  for (const NamePlan::Copy &copy : names_.copies()) {
    onnx::NodeProto *node = g.nodes.Add();
    if (AttrId constant = constantResult(copy.from)) {
      node->set_op_type("Constant");
      if (!attribute(fn_.value(copy.from).definingOp(), nullptr, "value", constant, *node))
        return false;
    } else {
      node->set_op_type("Identity");
      node->add_input(std::string(ctx_.text(names_.nameOf(copy.from))));
    }
    node->add_output(std::string(ctx_.text(copy.to)));
    written_.insert(copy.to.raw);
    newDomains_.try_emplace("", 1);
  }
  return true;
}

/// In the first three IR versions every initializer is an input of its graph, too: there a new constant is an op.
bool Exporter::mustBeOp(Op op, const Graph &g) const {
  if (op.fullName() != kInitializer || rest_.proto->ir_version() >= 4 || !g.origin)
    return false;
  StringId name = fn_.valueName(op.result().id);
  return !name || !g.initializers.contains(ctx_.text(name));
}

/// What is stored data at the top level, as an op.
bool Exporter::constantOp(Op op, Graph &g) {
  StringId name = names_.define(op.result().id);
  AttrId value = op.fullName() == kInitializer ? op.result().constant() : AttrId();
  if (!name)
    return true; // nobody reads it
  if (!value)
    return refuse(op, " is no constant that a function can hold");
  onnx::NodeProto *node = g.nodes.Add();
  node->set_op_type("Constant");
  node->add_output(std::string(ctx_.text(name)));
  newDomains_.try_emplace("", 1);
  g.values.emplace(name.raw, op.result().id);
  written_.insert(name.raw);
  return attribute(op, nullptr, "value", value, *node);
}

/// A graph cannot return an initializer or a value of the graph around it under another name, but a small constant can
/// be written once more: its elements, if that is what the value is.
AttrId Exporter::constantResult(ValueId v) const {
  constexpr int64_t kSmall = 2048;
  AttrId constant = fn_.value(v).constant();
  bool dense = constant && ctx_.attr(constant).kind == AttrKind::Dense && ctx_.attr(constant).dense;
  return dense && ctx_.elementCount(ctx_.attr(constant).dense->type).value_or(kSmall) < kSmall ? constant : AttrId();
}

/// The op's message in the model, if the op still is of that type.
const onnx::NodeProto *Exporter::originOf(Op op, const Graph &g) const {
  int index = -1;
  if (AttrId origin = op.extraAttr(kOriginAttr); origin && ctx_.attr(origin).kind == AttrKind::Int)
    index = int(ctx_.attr(origin).i);
  for (unsigned i = 0; index < 0 && i < op.resultCount(); ++i)
    if (StringId name = fn_.valueName(op.result(i).id))
      if (auto it = g.producers.find(ctx_.text(name)); it != g.producers.end())
        index = it->second;
  if (!g.origin || index < 0 || index >= g.origin->node_size())
    return nullptr;
  const onnx::NodeProto &node = g.origin->node(index);
  return kinds_.isCalled(node, op.fullName()) ? &node : nullptr;
}

bool Exporter::op(Op op, Graph &g, unsigned depth) {
  const onnx::NodeProto *origin = originOf(op, g);
  if (origin && unchanged(op, *origin)) {
    lending_.lend(g.nodes, *origin);
  } else {
    edited_ |= op.regions().empty(); // what is in regions tells for itself
    onnx::NodeProto &out = *g.nodes.Add();
    if (!typeOfOp(op, origin, out) || !attributes(op, origin, out, depth))
      return false;
    operandsAndResults(op, origin, out);
  }
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (StringId name = names_.nameOf(op.result(i).id)) {
      g.values.emplace(name.raw, op.result(i).id);
      written_.insert(name.raw);
    }
  return true;
}

/// The op type that a node of the op has in the model, if a function may stand for it; else empty.
std::string_view Exporter::typeInModel(Op op) const {
  if (op.kind() == kOpaqueKind || !op.schema().expand || op.schema().dialect == kDialect)
    return {};
  std::string_view name = op.fullName();
  return source_.meant ? source_.meant->nameOf(op) : name.substr(name.rfind('.') + 1);
}

/// Whether the op's message says what the op still is. An op with regions may hold changes inside.
bool Exporter::unchanged(Op op, const onnx::NodeProto &origin) {
  const AttrsData &list = ctx_.attrs(op.attrsId());
  if (std::string_view type = typeInModel(op); !type.empty() && type != origin.op_type())
    return false;
  if (!op.regions().empty() || ctx_.text(fn_.opName(op.id)) != origin.name() ||
      op.operandCount() != unsigned(origin.input_size()) || op.resultCount() < unsigned(origin.output_size()))
    return false;
  size_t attributes = 0;
  for (AttrId a : list.fixed)
    attributes += bool(a);
  for (const NamedAttr &a : list.extra)
    attributes += !isReserved(ctx_.text(a.name));
  if (attributes != size_t(origin.attribute_size()))
    return false;
  for (const onnx::AttributeProto &a : origin.attribute()) {
    int index = op.schema().attrIndex(a.name());
    AttrId value =
        index >= 0 ? op.attr(unsigned(index)) : op.extraAttr(a.name().starts_with('$') ? "$" + a.name() : a.name());
    if (!value || attributeOf(ctx_, rest_, a, declaredOf(op, a.name())).attr != value)
      return false;
  }
  for (unsigned i = 0; i < op.operandCount(); ++i)
    if ((op.operand(i) ? ctx_.text(names_.nameOf(op.operand(i).id)) : std::string_view()) != origin.input(int(i)))
      return false;
  for (unsigned i = 0; i < op.resultCount(); ++i) {
    std::string_view name = ctx_.text(names_.define(op.result(i).id));
    if (name != (int(i) < origin.output_size() ? std::string_view(origin.output(int(i))) : std::string_view()))
      return false;
  }
  return true;
}

bool Exporter::typeOfOp(Op op, const onnx::NodeProto *origin, onnx::NodeProto &out) {
  using onnx::NodeProto;
  if (origin) {
    copyFieldsExcept(*origin, out,
                     {NodeProto::kInputFieldNumber, NodeProto::kOutputFieldNumber, NodeProto::kAttributeFieldNumber});
  } else {
    std::string domain, type;
    if (!kinds_.split(op.fullName(), domain, type))
      return refuse(op,
                    " is no op of ONNX" + (op.schema().dialect.empty() || op.schema().dialect == "tensor"
                                               ? ""
                                               : fmt::format(", and its dialect has no name there: `dialect {0} "
                                                             "\"com.example.{0}\";` where it is declared gives it one; "
                                                             "`dialect onnx;` is for what an engine adds to ONNX's own",
                                                             op.schema().dialect)));
    out.set_op_type(type);
    if (!domain.empty())
      out.set_domain(domain);
    int &version = newDomains_.try_emplace(domain, 1).first->second;
    version = std::max(version, op.schema().since);
  }
  if (std::string_view type = typeInModel(op); !type.empty())
    out.set_op_type(std::string(type));
  std::string_view name = ctx_.text(fn_.opName(op.id));
  if (out.name() != name)
    out.set_name(std::string(name));
  return true;
}

void Exporter::operandsAndResults(Op op, const onnx::NodeProto *origin, onnx::NodeProto &out) {
  for (unsigned i = 0; i < op.operandCount(); ++i)
    out.add_input(op.operand(i) ? std::string(ctx_.text(names_.nameOf(op.operand(i).id))) : std::string());
  // Results that nobody names or reads may be left out; ONNX wants some of them written all the same, and all where
  // their number says something, as that of the parts of a Split does.
  int needed = kinds_.minOutputs(out.domain(), out.op_type());
  if (op.kind() != kOpaqueKind && !op.schema().results.empty() && op.schema().results.back().arity == Arity::Variadic)
    needed = int(op.resultCount());
  std::vector<StringId> names;
  for (unsigned i = 0; i < op.resultCount(); ++i) {
    StringId name = names_.define(op.result(i).id);
    bool leftOut = origin ? int(i) >= origin->output_size() || origin->output(int(i)).empty()
                          : int(i) >= needed && op.resultCount() > 1;
    names.push_back(name || leftOut ? name : names_.fresh());
  }
  size_t least = origin ? size_t(origin->output_size()) : 0;
  while (names.size() > least && !names.back())
    names.pop_back();
  for (StringId name : names)
    out.add_output(std::string(ctx_.text(name)));
}

// Attributes --------------------------------------------------------------------------------------------------------

/// Per region the name of the attribute it is the value of.
std::vector<std::string> Exporter::regionNames(Op op) {
  std::vector<std::string> names;
  if (AttrId list = op.extraAttr(kRegionsAttr); list && ctx_.attr(list).kind == AttrKind::List) {
    for (AttrId name : ctx_.attr(list).elements)
      names.emplace_back(ctx_.attr(name).text);
  } else {
    for (std::string_view name : op.schema().regions)
      names.emplace_back(name);
  }
  return names;
}

bool Exporter::attributes(Op op, const onnx::NodeProto *origin, onnx::NodeProto &out, unsigned depth) {
  std::vector<std::pair<std::string_view, AttrId>> pending;
  const AttrsData &list = ctx_.attrs(op.attrsId());
  const OpSchema &schema = op.schema();
  for (size_t i = 0; i < list.fixed.size() && i < schema.attrs.size(); ++i)
    if (list.fixed[i])
      pending.emplace_back(schema.attrs[i].name, list.fixed[i]);
  for (const NamedAttr &extra : list.extra)
    if (!isReserved(ctx_.text(extra.name)))
      pending.emplace_back(nameInModel(ctx_.text(extra.name)), extra.value);
  std::vector<std::string> regions = regionNames(op);
  if (regions.size() != op.regions().size())
    return refuse(op, " has regions whose names are not known");
  std::set<std::string, std::less<>> done; // of the attributes with graphs
  for (int i = 0; origin && i < origin->attribute_size(); ++i) {
    const onnx::AttributeProto &a = origin->attribute(i);
    if (holdsGraphs(a)) {
      onnx::AttributeProto::AttributeType kind = kindOf(a);
      std::string name = a.name() + (kind == onnx::AttributeProto::GRAPH ? "" : std::string(kListOfGraphs));
      if (kind == onnx::AttributeProto::GRAPHS && a.graphs().empty())
        *out.add_attribute() = a;
      else if (!std::ranges::count(regions, name))
        continue;
      else if (!nested(op, name, &a, out, depth))
        return false;
      done.insert(name);
      continue;
    }
    auto it = std::ranges::find(pending, std::string_view(a.name()), [](const auto &p) { return p.first; });
    if (it == pending.end())
      continue;
    if (!attribute(op, &a, it->first, it->second, out))
      return false;
    pending.erase(it);
  }
  for (auto [name, value] : pending)
    if (!attribute(op, nullptr, name, value, out))
      return false;
  for (const std::string &name : regions)
    if (done.insert(name).second && !nested(op, name, nullptr, out, depth))
      return false;
  return true;
}

bool Exporter::attribute(Op op, const onnx::AttributeProto *origin, std::string_view name, AttrId value,
                         onnx::NodeProto &out) {
  AttrType declared = declaredOf(op, name);
  if (origin && attributeOf(ctx_, rest_, *origin, declared).attr == value) {
    lending_.lend(*out.mutable_attribute(), *origin);
    return true;
  }
  if (writeAttribute(ctx_, value, name, declared, !isMainDomain(out.domain()), *out.add_attribute()))
    return true;
  return refuse(op, " has an attribute " + inBackticks(name) + " of a kind that ONNX does not have");
}

/// The attribute whose value is the op's region of that name, or all of its regions of that name.
bool Exporter::nested(Op op, const std::string &name, const onnx::AttributeProto *origin, onnx::NodeProto &out,
                      unsigned depth) {
  using onnx::AttributeProto;
  bool list = name.ends_with(kListOfGraphs);
  AttributeProto &a = *out.add_attribute();
  if (origin)
    copyFieldsExcept(*origin, a, {AttributeProto::kGFieldNumber, AttributeProto::kGraphsFieldNumber});
  else {
    a.set_name(list ? name.substr(0, name.size() - kListOfGraphs.size()) : name);
    a.set_type(list ? AttributeProto::GRAPHS : AttributeProto::GRAPH);
  }
  std::vector<std::string> names = regionNames(op);
  int count = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != name)
      continue;
    const onnx::GraphProto *from = nullptr;
    if (origin && !list)
      from = &origin->g();
    else if (origin && count < origin->graphs_size())
      from = &origin->graphs(count);
    ++count;
    Graph g(from, list ? *a.add_graphs() : *a.mutable_g());
    if (!graph(op.regions()[i], g, depth + 1))
      return false;
  }
  return true;
}

} // namespace rw::onnxio
