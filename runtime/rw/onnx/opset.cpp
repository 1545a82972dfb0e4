// convertOpset: a model's ops as another version of ONNX's operator set has them.
//
// Most ops are the same in both versions, but for element types that a later one takes as well: they stay. Each of the
// others goes alone, with the types and small constants of its operands around it, through ONNX's own converter. That
// way bodies, functions, ops of other domains, metadata and tensors in files never pass through the converter, which
// forgets or refuses them.
#include "rw/onnx/exporter_impl.h"
#include "rw/onnx/graph_order.h"
#include "rw/onnx/model_check.h"

#include <onnx/defs/data_type_utils.h>
#include <onnx/defs/schema.h>
#include <onnx/version_converter/convert.h>

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace rw::onnxio {
namespace {
constexpr size_t kReadable = 1024; // bytes of a tensor whose content an op's conversion may look at

// What some later version computes otherwise, though its attributes and operands do not show it.
constexpr std::string_view kMeansSomethingElse[] = {"GroupNormalization", "PRelu", "RoiAlign", "Split"};
// The first version in which operands broadcast as they do today. Ops with bodies never did.
constexpr int kFirstComparable = 7;
constexpr std::string_view kWithBodies[] = {"If", "Loop"};

using ValueTypes = std::unordered_map<std::string, onnx::TypeProto>;
using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
using Constants = std::unordered_map<std::string, const onnx::TensorProto *>;

/// Whether the formal operands, or results, of two versions are the same as far as a node has them.
bool sameParameters(const std::vector<onnx::OpSchema::FormalParameter> &from,
                    const std::vector<onnx::OpSchema::FormalParameter> &to, int used) {
  auto plain = [](std::string_view name) { return name.starts_with("input_") ? name.substr(6) : name; };
  auto isVariadic = [](const auto &parameter) { return parameter.GetOption() == onnx::OpSchema::Variadic; };
  for (size_t i = 0; i < std::max(from.size(), to.size()); ++i) {
    if (int(i) >= used) {
      if (i < to.size() && to[i].GetOption() == onnx::OpSchema::Single)
        return false;
    } else if (i >= from.size() || i >= to.size()) {
      return false;
    } else if (plain(from[i].GetName()) != plain(to[i].GetName()) || isVariadic(from[i]) != isVariadic(to[i])) {
      return false;
    }
  }
  return true;
}

bool sameDefault(const onnx::OpSchema::Attribute &a, const onnx::OpSchema::Attribute &b) {
  return a.type == b.type && a.default_value.SerializeAsString() == b.default_value.SerializeAsString();
}

/// Whether an attribute of a node says what holds without it.
bool saysDefault(const onnx::AttributeProto &attribute, const onnx::OpSchema::Attribute &declared) {
  onnx::AttributeProto plain = attribute, without = declared.default_value;
  plain.clear_doc_string();
  without.set_name(attribute.name());
  return plain.SerializeAsString() == without.SerializeAsString();
}

/// Whether a node of one version is one of the other as it stands, but for attributes that say their defaults.
bool isSame(const onnx::NodeProto &node, const onnx::OpSchema &from, const onnx::OpSchema &to,
            const ValueTypes &types) {
  if (from.SinceVersion() == to.SinceVersion())
    return true;
  const bool isUpgrade = from.SinceVersion() < to.SinceVersion();
  auto isOneOf = [&](std::span<const std::string_view> names) {
    return std::ranges::find(names, node.op_type()) != names.end();
  };
  if (to.Deprecated() || isOneOf(kMeansSomethingElse) ||
      (std::min(from.SinceVersion(), to.SinceVersion()) < kFirstComparable && !isOneOf(kWithBodies)) ||
      !sameParameters(from.inputs(), to.inputs(), node.input_size()) ||
      !sameParameters(from.outputs(), to.outputs(), node.output_size()))
    return false;
  auto given = [&](const std::string &name) {
    auto at = std::ranges::find(node.attribute(), name, &onnx::AttributeProto::name);
    return at == node.attribute().end() ? nullptr : &*at;
  };
  for (const auto &[name, attribute] : from.attributes()) {
    auto other = to.attributes().find(name);
    if (other == to.attributes().end()
            ? given(name) && !saysDefault(*given(name), attribute)
            : !sameDefault(attribute, other->second) || (other->second.required && !given(name)))
      return false;
  }
  for (const auto &[name, attribute] : to.attributes())
    if (!from.attributes().contains(name) && (attribute.required || !isUpgrade))
      return false; // an older version that says more has another meaning without it
  // An older version may not take the elements.
  auto takes = [&](const std::vector<onnx::OpSchema::FormalParameter> &formal, int i, const std::string &name) {
    if (name.empty() || formal.empty())
      return true;
    const auto &parameter = formal[std::min(size_t(i), formal.size() - 1)];
    auto type = types.find(name);
    return type != types.end() && parameter.GetTypes().contains(onnx::Utils::DataTypeUtils::ToType(type->second));
  };
  for (int i = 0; !isUpgrade && i < node.input_size(); ++i)
    if (!takes(to.inputs(), i, node.input(i)))
      return false;
  for (int i = 0; !isUpgrade && i < node.output_size(); ++i)
    if (!takes(to.outputs(), i, node.output(i)))
      return false;
  return true;
}

class OpsetConversion {
public:
  OpsetConversion(int from, int to, ValueTypes types, std::unordered_set<std::string> names)
      : from_(from), to_(to), types_(std::move(types)), names_(std::move(names)) {}

  /// The nodes of a graph in the other version. Why that cannot be, or empty.
  std::string run(const onnx::GraphProto &graph, Nodes &out, Constants constants = {}) {
    for (const onnx::TensorProto &t : graph.initializer())
      if (t.data_location() != onnx::TensorProto::EXTERNAL && t.ByteSizeLong() <= kReadable)
        constants[t.name()] = &t;
      else
        constants.erase(t.name());
    return run(graph.node(), out, std::move(constants));
  }

  std::string run(const Nodes &nodes, Nodes &out, Constants constants = {}) {
    for (const onnx::NodeProto &node : nodes)
      if (isMainDomain(node.domain()) && node.op_type() == "Constant" && node.output_size() == 1)
        for (const onnx::AttributeProto &a : node.attribute())
          if (a.name() == "value" && a.t().ByteSizeLong() <= kReadable)
            constants[node.output(0)] = &a.t();
    for (const onnx::NodeProto &node : nodes)
      if (std::string why = convert(node, out, constants); !why.empty())
        return why;
    return {};
  }

private:
  std::string convert(const onnx::NodeProto &node, Nodes &out, const Constants &constants) {
    if (isMainDomain(node.domain())) {
      const onnx::OpSchema *from = onnx::OpSchemaRegistry::Schema(node.op_type(), from_),
                           *to = onnx::OpSchemaRegistry::Schema(node.op_type(), to_);
      if (!from)
        return fmt::format("`{}` is no op of operator set {}", node.op_type(), from_);
      if (!to || !isSame(node, *from, *to, types_))
        return convertAlone(node, out, constants);
    }
    onnx::NodeProto &made = *out.Add();
    made.CopyFrom(node);
    if (isMainDomain(node.domain()))
      dropDefaults(made);
    for (onnx::AttributeProto &attribute : *made.mutable_attribute()) {
      if (attribute.has_g())
        if (std::string why = body(*attribute.mutable_g(), constants); !why.empty())
          return why;
      for (onnx::GraphProto &graph : *attribute.mutable_graphs())
        if (std::string why = body(graph, constants); !why.empty())
          return why;
    }
    return {};
  }

  std::string body(onnx::GraphProto &graph, const Constants &constants) {
    Nodes converted;
    std::string why = run(graph, converted, constants);
    graph.mutable_node()->Swap(&converted);
    return why;
  }

  /// Attributes that the other version does not have say what holds without them.
  void dropDefaults(onnx::NodeProto &node) const {
    const onnx::OpSchema *to = onnx::OpSchemaRegistry::Schema(node.op_type(), to_);
    for (int i = node.attribute_size(); i-- > 0;)
      if (!to->attributes().contains(node.attribute(i).name()) && isDeclared(node, i))
        node.mutable_attribute()->DeleteSubrange(i, 1);
  }
  bool isDeclared(const onnx::NodeProto &node, int i) const {
    return onnx::OpSchemaRegistry::Schema(node.op_type(), from_)->attributes().contains(node.attribute(i).name());
  }

  /// A model of the node alone, through ONNX's converter.
  std::string convertAlone(const onnx::NodeProto &node, Nodes &out, const Constants &constants) {
    auto fail = [&](const std::string &why) {
      return fmt::format("`{}`{}: {}", node.op_type(), node.name().empty() ? "" : " (" + node.name() + ")", why);
    };
    if (std::ranges::any_of(node.attribute(), [](const auto &a) { return a.has_g() || a.graphs_size(); }))
      return fail("ONNX's converter leaves bodies alone");
    onnx::ModelProto alone, converted;
    alone.set_ir_version(onnx::IR_VERSION);
    onnx::OperatorSetIdProto &import = *alone.add_opset_import();
    import.set_domain("");
    import.set_version(from_);
    onnx::GraphProto &graph = *alone.mutable_graph();
    graph.set_name("op");
    graph.add_node()->CopyFrom(node);
    std::set<std::string> seen;
    for (const std::string &name : node.input()) {
      if (name.empty() || !seen.insert(name).second)
        continue;
      addValue(name, *graph.add_input());
      if (auto constant = constants.find(name); constant != constants.end()) {
        onnx::TensorProto &t = *graph.add_initializer();
        t.CopyFrom(*constant->second);
        t.set_name(name);
      }
    }
    for (const std::string &name : node.output())
      if (!name.empty())
        addValue(name, *graph.add_output());
    try {
      converted = onnx::version_conversion::ConvertVersion(alone, to_);
    } catch (const std::exception &e) {
      std::string said = oneLine(e);
      // Of a check that fails it says file, line, function and condition first.
      constexpr std::string_view kFailed = "` failed: ";
      if (size_t end = said.find(kFailed); end != std::string::npos)
        said.erase(0, end + kFailed.size());
      return fail("ONNX's converter says: " + said);
    }
    seen.insert(node.output().begin(), node.output().end());
    take(converted.graph(), seen, out);
    return {};
  }

  void addValue(const std::string &name, onnx::ValueInfoProto &out) const {
    out.set_name(name);
    if (auto type = types_.find(name); type != types_.end())
      out.mutable_type()->CopyFrom(type->second);
    else
      out.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::UNDEFINED);
  }

  /// What became of the node: values in between, and constants that are new, get names that nothing else has.
  void take(const onnx::GraphProto &graph, const std::set<std::string> &known, Nodes &out) {
    std::unordered_map<std::string, std::string> renamed;
    auto nameOf = [&](const std::string &name) {
      if (name.empty() || known.contains(name))
        return name;
      auto [at, isNew] = renamed.try_emplace(name);
      while (isNew && !names_.insert(at->second = fmt::format("opset_{}", next_++)).second)
        ;
      return at->second;
    };
    for (const onnx::TensorProto &t : graph.initializer())
      if (!known.contains(t.name())) {
        onnx::NodeProto &made = *out.Add();
        made.set_op_type("Constant");
        made.add_output(nameOf(t.name()));
        onnx::AttributeProto &value = *made.add_attribute();
        value.set_name("value");
        value.set_type(onnx::AttributeProto::TENSOR);
        value.mutable_t()->CopyFrom(t);
      }
    for (const onnx::NodeProto &node : graph.node()) {
      onnx::NodeProto &made = *out.Add();
      made.CopyFrom(node);
      for (std::string &name : *made.mutable_input())
        name = nameOf(name);
      for (std::string &name : *made.mutable_output())
        name = nameOf(name);
    }
  }

  int from_, to_;
  ValueTypes types_;
  std::unordered_set<std::string> names_; // of all values of the model
  size_t next_ = 0;
};

/// ValueTypes of values by name, where all of that name have the same.
ValueTypes typesOf(const OnnxModel &model) {
  ValueTypes types;
  std::unordered_map<std::string, TypeId> seen;
  std::unordered_set<std::string> several;
  Program program = model.program.clone(); // to walk over
  for (Function &fn : program.functions())
    for (uint32_t i = 0; i < fn.valueCapacity(); ++i) {
      const StringId name = fn.valueName(ValueId(i));
      const TypeId type = fn.data(ValueId(i)).type;
      if (!name || !type)
        continue;
      std::string text(fn.context().text(name));
      auto [at, isNew] = seen.try_emplace(text, type);
      if (!isNew && at->second != type)
        several.insert(text);
      if (onnx::TypeProto t; isNew && writeType(fn.context(), type, t))
        types.emplace(std::move(text), std::move(t));
    }
  for (const std::string &name : several)
    types.erase(name);
  return types;
}

void collectNames(const onnx::GraphProto &graph, std::unordered_set<std::string> &names) {
  for (const auto *list : {&graph.input(), &graph.output(), &graph.value_info()})
    for (const onnx::ValueInfoProto &v : *list)
      names.insert(v.name());
  for (const onnx::TensorProto &t : graph.initializer())
    names.insert(t.name());
  for (const onnx::NodeProto &node : graph.node()) {
    names.insert(node.output().begin(), node.output().end());
    forEachGraph(node, [&](int, const onnx::GraphProto &inner) {
      collectNames(inner, names);
      return true;
    });
  }
}

/// Why the model cannot be in that version, or empty and the nodes of its graph, and its functions.
std::string convert(const OnnxModel &model, const onnx::ModelProto &proto, int from, int to, onnx::ModelProto &out) {
  const auto [oldest, newest] = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("");
  if (from == 0)
    return "the model imports no operator set of ONNX";
  if (to < oldest || to > newest || from > newest)
    return fmt::format("ONNX's converter, of the version built in, knows operator sets {} to {}", oldest, newest);
  std::unordered_set<std::string> names;
  collectNames(proto.graph(), names);
  for (const onnx::FunctionProto &function : proto.functions())
    for (const onnx::NodeProto &node : function.node())
      names.insert(node.output().begin(), node.output().end());
  OpsetConversion conversion(from, to, typesOf(model), std::move(names));
  for (const onnx::FunctionProto &function : proto.functions()) {
    onnx::FunctionProto &made = *out.add_functions();
    made.CopyFrom(function);
    auto import = std::ranges::find_if(*made.mutable_opset_import(),
                                       [](const onnx::OperatorSetIdProto &o) { return isMainDomain(o.domain()); });
    if (import == made.mutable_opset_import()->end() || import->version() != from)
      continue;
    import->set_version(to);
    made.clear_node();
    if (std::string why = conversion.run(function.node(), *made.mutable_node()); !why.empty())
      return fmt::format("in the function `{}`: {}", function.name(), why);
  }
  return conversion.run(proto.graph(), *out.mutable_graph()->mutable_node());
}
} // namespace
} // namespace rw::onnxio

namespace rw {
using namespace onnxio;

std::optional<OnnxModel> convertOpset(const OnnxModel &model, int version, const OpRegistry &ops, Diagnostics &diags) {
  const int from = int(model.opsetVersion());
  const OnnxModel::Rest &rest = *model.rest();
  onnx::ModelProto &proto = *rest.proto;
  auto fail = [&](const std::string &why) {
    diags.errorInFile("onnx-convert", rest.path,
                      fmt::format("cannot be converted from operator set {} to {}: {}", from, version, why));
    return std::nullopt;
  };
  onnx::ModelProto converted;
  if (std::string why = convert(model, proto, from, version, converted); !why.empty())
    return fail(why);
  // What was made, in the model as it was.
  auto result = std::make_shared<onnx::ModelProto>();
  copyFieldsExcept(proto, *result, {onnx::ModelProto::kGraphFieldNumber, onnx::ModelProto::kFunctionsFieldNumber});
  for (onnx::OperatorSetIdProto &import : *result->mutable_opset_import())
    if (isMainDomain(import.domain()))
      import.set_version(version);
  result->mutable_functions()->Swap(converted.mutable_functions());
  onnx::GraphProto &graph = *result->mutable_graph();
  copyFieldsExcept(proto.graph(), graph,
                   {onnx::GraphProto::kNodeFieldNumber, onnx::GraphProto::kInitializerFieldNumber});
  graph.mutable_node()->Swap(converted.mutable_graph()->mutable_node());
  const bool wasValid = faultOf(proto, folderOf(rest)).empty();
  graph.mutable_initializer()->Swap(proto.mutable_graph()->mutable_initializer()); // large ones are not copied
  std::string fault = wasValid ? faultOf(*result, folderOf(rest)) : std::string();
  std::optional<OnnxModel> made;
  if (!fault.empty())
    fail("what becomes of it is no valid model: " + fault);
  else if ((made = modelFrom(result, true, rest.path, rest.onDisk, ops, diags, MissingFiles::Warning))) {
    made->externalData = model.externalData;
    made->writesMeanings = model.writesMeanings;
    return made;
  }
  graph.mutable_initializer()->Swap(proto.mutable_graph()->mutable_initializer());
  return std::nullopt;
}

} // namespace rw
