#include "rw/onnx/meant_functions.h"

#include "rw/onnx/exporter.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace rw::onnxio {

static constexpr std::string_view kFormOf = "form of ";

std::string_view formOf(const onnx::FunctionProto &f) {
  std::string_view text = f.doc_string(), name = f.name();
  if (!text.starts_with(kFormOf))
    return {};
  text.remove_prefix(kFormOf.size());
  if (!name.starts_with(text) || text.empty())
    return {};
  std::string_view number = name.substr(text.size());
  bool numbered = number.size() > 1 && number.front() == '_' &&
                  std::ranges::all_of(number.substr(1), [](unsigned char c) { return std::isdigit(c); });
  return number.empty() || numbered ? text : std::string_view();
}

/// What tells bodies apart: all but the name.
static std::string bodyOf(onnx::FunctionProto f) {
  f.clear_name();
  return f.SerializeAsString();
}

MeantFunctions::MeantFunctions(OnnxModel &model, const OpKinds &kinds, Diagnostics &diags, Names bare,
                               const Names &gone)
    : model_(model), rest_(*model.rest()), kinds_(kinds), diags_(diags), bare_(std::move(bare)) {
  taken_ = bare_;
  for (const onnx::FunctionProto &f : rest_.proto->functions()) {
    if (gone.contains({f.domain(), f.name()}))
      continue;
    taken_.emplace(f.domain(), f.name());
    if (!kinds_.isForm(f)) {
      own_.emplace(f.domain(), f.name());
      continue;
    }
    if (!bare_.contains({f.domain(), f.name()}))
      byBody_.try_emplace(bodyOf(f), Form{f.name()});
  }
}

bool MeantFunctions::keeps(const onnx::FunctionProto &f) const {
  auto form = byBody_.find(bodyOf(f));
  return form != byBody_.end() && form->second.written && form->second.name == f.name();
}

/// All that the body may depend on.
MeantFunctions::Key MeantFunctions::keyOf(Op op) {
  Key key{op.kind().raw, uint32_t(op.attrsId().raw), op.resultCount()};
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    Value v = op.operand(i);
    key.push_back(v ? v.typeId().raw : UINT32_MAX);
    key.push_back(v && v.constant() ? v.constant().raw : UINT32_MAX);
  }
  return key;
}

std::string_view MeantFunctions::nameOf(Op op) const {
  if (op.kind() != kOpaqueKind && op.schema().expand)
    if (auto it = names_.find(keyOf(op)); it != names_.end() && it->second)
      return *it->second;
  std::string_view name = op.fullName();
  return name.substr(name.rfind('.') + 1);
}

bool MeantFunctions::collect(Function &fn) {
  std::string lacks;
  return region(fn, fn.body(), lacks);
}

/// `lacks`: an op that cannot be written, if there is one.
bool MeantFunctions::region(Function &fn, RegionId id, std::string &lacks) {
  for (Op op : fn.ops(id)) {
    if (!form(op, lacks))
      return false;
    for (RegionId inner : op.regions())
      if (!region(fn, inner, lacks))
        return false;
  }
  return true;
}

/// What a model has no version of, it cannot hold.
bool MeantFunctions::isOfOtherVersion(const OpSchema &schema) const {
  int64_t version = model_.opsetVersion();
  return schema.dialect == kDialect && (version < schema.since || version > schema.until);
}

/// What an op that means nothing here needs to mean something: an op of other versions than the model's. Empty if it
/// would mean nothing there, either.
std::string MeantFunctions::lackedBy(Op op) {
  Context &ctx = model_.program.context();
  int64_t version = ctx.dialectVersion(kDialect);
  ctx.setDialectVersion(kDialect, 0); // any
  std::optional<MeaningFunction> meant = meaningOf(*InputsOf(op), op.resultCount(), {}, Constants::AsParams);
  ctx.setDialectVersion(kDialect, version);
  if (meant)
    for (Op inner : meant->function.ops(meant->function.body()))
      if (inner.kind() != kReturnKind && inner.kind() != kOpaqueKind && isOfOtherVersion(inner.schema()))
        return std::string(inner.fullName());
  return {};
}

void MeantFunctions::addUnwritable(Op op, std::string lacks) {
  if (std::ranges::find(unwritable_, op.fullName(), &Unwritable::op) == unwritable_.end())
    unwritable_.push_back({std::string(op.fullName()), std::move(lacks), depth_ == 0 ? op.loc() : at_});
}

bool MeantFunctions::form(Op op, std::string &lacks) {
  std::string domain, type;
  if (op.kind() == kOpaqueKind && kinds_.split(op.fullName(), domain, type))
    opaque_.emplace(domain, type);
  if (op.kind() == kReturnKind || op.kind() == kOpaqueKind)
    return true;
  const OpSchema &schema = op.schema();
  // Ops of `tensor` are made ones of ONNX before there is a model.
  bool writable = kinds_.split(op.fullName(), domain, type) && schema.dialect != "tensor" && !isOfOtherVersion(schema);
  if (!writable && lacks.empty())
    lacks = op.fullName();
  if (!writable || !schema.expand || schema.dialect == kDialect || !op.regions().empty())
    return true;
  auto [known, isNew] = names_.try_emplace(keyOf(op));
  if (!isNew || depth_ >= kMaxMeaningsDeep)
    return true;
  if (own_.contains({domain, type})) // what the model calls so is no form
    return true;
  std::optional<MeaningFunction> meant = meaningOf(*InputsOf(op), op.resultCount(), {}, Constants::AsParams);
  if (!meant) {
    bare_.emplace(domain, type);
    if (std::string newer = lackedBy(op); !newer.empty())
      addUnwritable(op, std::move(newer));
    return true;
  }
  std::string missing;
  if (depth_ == 0)
    at_ = op.loc();
  ++depth_;
  where_.push_back("what " + inBackticks(op.fullName()) +
                   (schema.file.empty() ? "" : " (" + std::string(schema.file) + ")") + " means");
  bool good = region(meant->function, meant->function.body(), missing);
  --depth_;
  if (!missing.empty()) {
    bare_.emplace(domain, type);
    addUnwritable(op, missing);
  }
  good = good && (!missing.empty() || write(op, *meant, known->second));
  where_.pop_back();
  return good;
}

/// What stands in front of messages: "in what `d.f` (a.rw) means, in what `d.g` (a.rw) means: ", the innermost one
/// first.
std::string MeantFunctions::where() const {
  std::string text;
  for (auto part = where_.rbegin(); part != where_.rend(); ++part)
    text += (text.empty() ? "in " : ", in ") + *part;
  return text + ": ";
}

bool MeantFunctions::clashes() const {
  return std::ranges::any_of(functions_, [&](const onnx::FunctionProto &f) {
    return bare_.contains({f.domain(), f.name()});
  });
}

/// The name of operand `i` of an op that has `count`: that of its declaration, with a number if there are several of
/// it.
static std::string nameOfOperand(const OpSchema &schema, unsigned count, unsigned i) {
  for (unsigned g = 0; g < schema.operands.size(); ++g)
    if (OperandGroup group = operandGroup(schema, count, g); i >= group.first && i < group.first + group.count)
      return std::string(schema.operands[g].name) +
             (schema.operands[g].arity == Arity::Variadic ? "_" + std::to_string(i - group.first) : "");
  return "operand_" + std::to_string(i);
}

bool MeantFunctions::write(Op op, MeaningFunction &meant, std::optional<std::string> &name) {
  const OpSchema &schema = op.schema();
  Function &fn = meant.function;
  Context &ctx = fn.context();
  onnx::FunctionProto f;
  std::string domain, type;
  kinds_.split(op.fullName(), domain, type);
  f.set_domain(domain);
  f.set_doc_string(std::string(kFormOf) + type);
  for (const AttrSchema &attr : schema.attrs)
    f.add_attribute(std::string(attr.name));
  std::span<const ValueId> params = fn.params(fn.body());
  for (unsigned i = 0; i < op.operandCount(); ++i)
    f.add_input(nameOfOperand(schema, op.operandCount(), i));
  for (size_t i = 0; i < params.size(); ++i)
    fn.setValueName(params[i], ctx.intern(f.input(int(meant.operands[i]))));
  std::vector<StringId> results;
  for (unsigned i = 0; i < op.resultCount(); ++i) {
    std::string result = i < schema.results.size() && schema.results[i].arity == Arity::Single
                             ? std::string(schema.results[i].name)
                             : std::string();
    if (result.empty())
      result = op.resultCount() == 1 ? "result" : "result_" + std::to_string(i);
    while (std::ranges::count(f.input(), result) || std::ranges::count(f.output(), result))
      result += "_";
    f.add_output(result);
    results.push_back(ctx.intern(result));
  }
  fn.setResultNames(results);
  onnx::OperatorSetIdProto &main = *f.add_opset_import();
  main.set_domain("");
  main.set_version(model_.opsetVersion());
  static const onnx::GraphProto kNoOrigin;
  onnx::FunctionProto body;
  Lending lending; // goes before what it was lent to
  Exporter exporter(rest_, fn, {kNoOrigin, kinds_, where(), this, at_}, lending, diags_);
  if (!exporter.writeBody(*body.mutable_node()))
    return false;
  f.mutable_node()->CopyFrom(body.node());
  exporter.addImports(*f.mutable_opset_import());
  Form &form = byBody_[f.SerializeAsString()];
  if (form.name.empty()) {
    form.name = freeName(domain, type);
    namesNew_ = true;
  }
  if (!std::exchange(form.written, true)) {
    f.set_name(form.name);
    functions_.push_back(std::move(f));
  }
  name = form.name;
  return true;
}

/// The op's own name, or that with a number that nothing of the domain has.
std::string MeantFunctions::freeName(const std::string &domain, const std::string &type) {
  unsigned &number = nextNumber_.try_emplace({domain, type}, 1).first->second;
  for (;; ++number) {
    std::string name = number == 1 ? type : type + "_" + std::to_string(number);
    bool isOp = number > 1 && kinds_.isDeclared(domain, name);
    if (!isOp && taken_.emplace(domain, name).second)
      return name;
  }
}

} // namespace rw::onnxio
