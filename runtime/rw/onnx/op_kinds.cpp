#include "rw/onnx/op_kinds.h"

#include "rw/ir/verifier.h"

#include <onnx/defs/schema.h>

#include <algorithm>

namespace rw::onnxio {

int64_t importedVersion(const onnx::ModelProto &model, std::string_view domain) {
  if (model.opset_import_size() == 0)
    return isMainDomain(domain) ? 1 : 0; // models older than the field
  for (const onnx::OperatorSetIdProto &opset : model.opset_import())
    if (opset.domain() == domain || (isMainDomain(domain) && isMainDomain(opset.domain())))
      return opset.version();
  return 0;
}

OpKinds::OpKinds(const OpRegistry &registry, const onnx::ModelProto &model) : registry_(registry) {
  for (std::string_view name : registry.names())
    dialects_.emplace(name.substr(0, name.find('.')));
  for (const onnx::FunctionProto &f : model.functions())
    functions_.emplace(isMainDomain(f.domain()) ? "" : f.domain(), f.name());
  version_ = int(std::clamp<int64_t>(importedVersion(model, ""), 0, INT32_MAX - 1));
}

std::string OpKinds::fullName(std::string_view domain, std::string_view type) const {
  std::string name;
  if (isMainDomain(domain))
    domain = kDialect;
  else if (domain == kDialect || isDialect(domain) || domain.front() == '@')
    name = "@"; // a look-alike
  return name.append(domain).append(".").append(type);
}

bool OpKinds::split(std::string_view name, std::string &domain, std::string &type) const {
  size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size())
    return false;
  std::string_view where = name.substr(0, dot);
  type = name.substr(dot + 1);
  if (where == kDialect) {
    domain.clear();
    return true;
  }
  if (where.front() == '@')
    where.remove_prefix(1);
  else if (isDialect(where))
    return false;
  domain = where;
  return true;
}

OpKind OpKinds::find(const onnx::NodeProto &node) const {
  OpKind found;
  found.fullName = fullName(node.domain(), node.op_type());
  if (!isMainDomain(node.domain()) || functions_.count({"", node.op_type()}))
    return found;
  found.kind = registry_.lookup(found.fullName, version_);
  // What import makes of initializers is no op type of ONNX.
  if (found.kind != kOpaqueKind && found.fullName != kInitializer && fits(registry_.schema(found.kind), node))
    found.schema = &registry_.schema(found.kind);
  else
    found.kind = kOpaqueKind;
  return found;
}

bool OpKinds::fits(const OpSchema &schema, const onnx::NodeProto &node) {
  unsigned operands = unsigned(node.input_size());
  if (!operandCounts(schema).contains(operands) || unsigned(node.output_size()) > resultCounts(schema).most)
    return false;
  for (size_t i = 0; i < schema.operands.size() && i < operands && schema.operands[i].arity != Arity::Variadic; ++i)
    if (schema.operands[i].arity == Arity::Single && node.input(int(i)).empty())
      return false;
  size_t graphs = 0;
  for (const onnx::AttributeProto &a : node.attribute()) {
    onnx::AttributeProto::AttributeType kind = kindOf(a);
    if (kind != onnx::AttributeProto::GRAPH && kind != onnx::AttributeProto::GRAPHS)
      continue;
    if (kind == onnx::AttributeProto::GRAPHS || std::ranges::count(schema.regions, a.name()) != 1)
      return false;
    ++graphs;
  }
  return graphs == schema.regions.size();
}

/// Null if ONNX's library does not know the op in that version.
static const onnx::OpSchema *schemaOf(const std::string &type, int version) {
  static const int newest = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;
  return version < 1 || version > newest ? nullptr : onnx::OpSchemaRegistry::Schema(type, version, "");
}

int OpKinds::minOutputs(std::string_view domain, const std::string &type) const {
  const onnx::OpSchema *schema = isMainDomain(domain) ? schemaOf(type, version_) : nullptr;
  return schema ? schema->min_output() : 0;
}

std::string OpKinds::arityError(const onnx::NodeProto &node) const {
  if (!isMainDomain(node.domain()) || functions_.count({"", node.op_type()}))
    return {};
  const onnx::OpSchema *schema = schemaOf(node.op_type(), version_);
  if (!schema)
    return {};
  auto check = [](int count, int least, int most, const char *what) -> std::string {
    if (count >= least && count <= most)
      return {};
    std::string range = least == most ? "exactly " + std::to_string(least)
                        : most == INT_MAX ? "at least " + std::to_string(least)
                                          : std::to_string(least) + " to " + std::to_string(most);
    return "has " + std::to_string(count) + " " + what + "s, but takes " + range;
  };
  std::string wrong = check(node.input_size(), schema->min_input(), schema->max_input(), "input");
  return wrong.empty() ? check(node.output_size(), schema->min_output(), schema->max_output(), "output") : wrong;
}

} // namespace rw::onnxio
