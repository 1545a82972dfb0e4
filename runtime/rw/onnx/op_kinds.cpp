#include "rw/onnx/op_kinds.h"

#include "rw/ir/verifier.h"
#include "rw/onnx/meant_functions.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <climits>

namespace rw::onnxio {

const OpsetImports &importsOf(const onnx::ModelProto &model) {
  static const OpsetImports kFirst = [] {
    OpsetImports imports;
    imports.Add()->set_version(1);
    return imports;
  }();
  return model.opset_import_size() ? model.opset_import() : kFirst;
}

int64_t importedVersion(const OpsetImports &imports, std::string_view domain) {
  int64_t version = 0;
  for (const onnx::OperatorSetIdProto &opset : imports)
    if (opset.domain() == domain || (isMainDomain(domain) && isMainDomain(opset.domain())))
      version = opset.version();
  return version;
}

static int versionOf(const OpsetImports &imports, std::string_view domain) {
  return int(std::clamp<int64_t>(importedVersion(imports, domain), 0, INT32_MAX - 1));
}

OpKinds::OpKinds(const OpRegistry &registry, const onnx::ModelProto &model) : OpKinds(registry, importsOf(model)) {
  auto names = std::make_shared<Names>();
  for (std::string_view name : registry.names())
    names->dialects.emplace(name.substr(0, name.find('.')));
  std::set<std::pair<std::string, std::string>> seen;
  auto isForm = [&](const onnx::FunctionProto &f) {
    auto domain = domains_.find(f.domain());
    std::string_view op = formOf(f);
    if (op.empty() || domain == domains_.end() || seen.contains({f.domain(), f.name()}))
      return false;
    KindId kind = registry.lookup(domain->second.dialect + "." + std::string(op), domain->second.version);
    return kind != kOpaqueKind && registry.schema(kind).expand;
  };
  for (const onnx::FunctionProto &f : model.functions()) {
    if (isForm(f))
      names->forms.emplace(std::pair(f.domain(), f.name()), std::string(formOf(f)));
    seen.emplace(f.domain(), f.name());
  }
  for (const onnx::FunctionProto &f : model.functions())
    if (!names->forms.contains({f.domain(), f.name()}))
      names->functions.emplace(isMainDomain(f.domain()) ? "" : f.domain(), f.name());
  names_ = std::move(names);
}

OpKinds::OpKinds(const OpKinds &ofModel, const OpsetImports &imports) : OpKinds(ofModel.registry_, imports) {
  names_ = ofModel.names_;
}

OpKinds::OpKinds(const OpRegistry &registry, const OpsetImports &imports) : registry_(registry), imports_(imports) {
  for (uint32_t i = 0; i < registry.size(); ++i)
    if (const OpSchema &schema = registry.schema(KindId{uint16_t(i)});
        !schema.domain.empty() && !isMainDomain(schema.domain))
      domains_.try_emplace(std::string(schema.domain),
                           Domain{std::string(schema.dialect), versionOf(imports, schema.domain)});
  version_ = versionOf(imports, "");
}

std::string OpKinds::fullName(std::string_view domain, std::string_view type) const {
  if (names_ && !names_->forms.empty())
    if (auto form = names_->forms.find({std::string(domain), std::string(type)}); form != names_->forms.end())
      type = form->second;
  return nameOf(domain, type);
}

bool OpKinds::isDeclared(std::string_view domain, std::string_view type) const {
  return registry_.lookup(nameOf(domain, type)) != kOpaqueKind;
}

std::string OpKinds::nameOf(std::string_view domain, std::string_view type) const {
  std::string name;
  if (isMainDomain(domain))
    domain = kDialect;
  else if (auto known = domains_.find(domain); known != domains_.end())
    domain = known->second.dialect;
  else if (domain == kDialect || isDialect(domain) || domain.front() == '@')
    name = "@"; // a look-alike
  return name.append(domain).append(".").append(type);
}

bool OpKinds::isCalled(const onnx::NodeProto &node, std::string_view name) const {
  return isMainDomain(node.domain()) ? typeOf(node.op_type()).fullName == name
                                     : fullName(node.domain(), node.op_type()) == name;
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
  for (const auto &[known, d] : domains_)
    if (d.dialect == where) {
      domain = known;
      return true;
    }
  if (where.front() == '@')
    where.remove_prefix(1);
  else if (isDialect(where))
    return false;
  domain = where;
  return true;
}

const OpKinds::Type &OpKinds::typeOf(const std::string &name) const {
  auto [it, added] = types_.try_emplace(name);
  Type &type = it->second;
  if (!added)
    return type;
  type.fullName = fullName("", name);
  if (names_->functions.count({"", name}))
    return type;
  // What import makes of initializers is no op type of ONNX.
  if (type.fullName != kInitializer && type.fullName != kKeptInitializer)
    type.kind = registry_.lookup(type.fullName, version_);
  static const int newest = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;
  if (version_ > newest) { // the library is older than the operator set: which results there must be, it or we know
    if (const onnx::OpSchema *schema = onnx::OpSchemaRegistry::Schema(name, newest, ""))
      type.minOutputs = schema->min_output();
    else if (type.kind != kOpaqueKind)
      for (const ResultSchema &result : registry_.schema(type.kind).results)
        type.minOutputs += result.arity == Arity::Single;
  }
  if (version_ < 1 || version_ > newest)
    return type;
  if (const onnx::OpSchema *schema = onnx::OpSchemaRegistry::Schema(name, version_, "")) {
    type.known = true;
    type.minInputs = schema->min_input();
    type.maxInputs = schema->max_input();
    type.minOutputs = schema->min_output();
    type.maxOutputs = schema->max_output();
  }
  return type;
}

OpKind OpKinds::find(const onnx::NodeProto &node) const {
  if (!isMainDomain(node.domain()))
    return findInDomain(node);
  const Type &type = typeOf(node.op_type());
  if (type.kind == kOpaqueKind || !fits(registry_.schema(type.kind), node))
    return {kOpaqueKind, type.fullName, nullptr};
  return {type.kind, type.fullName, &registry_.schema(type.kind)};
}

OpKind OpKinds::findInDomain(const onnx::NodeProto &node) const {
  OpKind out{kOpaqueKind, fullName(node.domain(), node.op_type()), nullptr};
  auto domain = domains_.find(node.domain());
  if (domain == domains_.end() || names_->functions.count({node.domain(), node.op_type()}))
    return out;
  KindId kind = registry_.lookup(out.fullName, domain->second.version);
  if (kind != kOpaqueKind && fits(registry_.schema(kind), node)) {
    out.kind = kind;
    out.schema = &registry_.schema(kind);
  }
  return out;
}

std::string OpKinds::misfit(const onnx::NodeProto &node) const {
  auto domain = domains_.find(node.domain());
  if (isMainDomain(node.domain()) || domain == domains_.end() ||
      names_->functions.count({node.domain(), node.op_type()}))
    return {};
  std::string name = fullName(node.domain(), node.op_type());
  if (registry_.lookup(name) == kOpaqueKind)
    return {};
  KindId kind = registry_.lookup(name, domain->second.version);
  if (kind == kOpaqueKind)
    return "the model imports version " + std::to_string(domain->second.version) + " of its domain, of which " + name +
           " is not declared";
  const OpSchema &schema = registry_.schema(kind);
  return fits(schema, node) ? "" : "its operands, results or regions are not those that " + name + " is declared with";
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
    if (!holdsGraphs(a))
      continue;
    if (kindOf(a) == onnx::AttributeProto::GRAPHS || std::ranges::count(schema.regions, a.name()) != 1)
      return false;
    ++graphs;
  }
  return graphs == schema.regions.size();
}

int OpKinds::minOutputs(std::string_view domain, const std::string &type) const {
  return isMainDomain(domain) ? typeOf(type).minOutputs : 0;
}

std::string OpKinds::arityError(const onnx::NodeProto &node) const {
  if (!isMainDomain(node.domain()))
    return {};
  const Type &type = typeOf(node.op_type());
  if (!type.known)
    return {};
  auto check = [](int count, int least, int most, const char *what) -> std::string {
    if (count >= least && count <= most)
      return {};
    std::string range = least == most     ? "exactly " + std::to_string(least)
                        : most == INT_MAX ? "at least " + std::to_string(least)
                                          : std::to_string(least) + " to " + std::to_string(most);
    return "has " + std::to_string(count) + " " + what + (count == 1 ? "" : "s") + ", but takes " + range;
  };
  std::string wrong = check(node.input_size(), type.minInputs, type.maxInputs, "input");
  return wrong.empty() ? check(node.output_size(), type.minOutputs, type.maxOutputs, "output") : wrong;
}

} // namespace rw::onnxio
