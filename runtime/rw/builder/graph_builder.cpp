#include "rw/builder/graph_builder.h"

#include "rw/ir/verifier.h"
#include "rw/support/diagnostics.h"
#include "rw/support/failure.h"
#include "rw/support/nearest_name.h"

#include <fmt/format.h>

namespace rw {

GraphBuilder::GraphBuilder(Function &fn, std::string dialect) : fn_(fn), dialect_(std::move(dialect)) {}
GraphBuilder::GraphBuilder(Op before, std::string dialect)
    : fn_(*before.fn), before_(before.id), dialect_(std::move(dialect)) {}
GraphBuilder::GraphBuilder(Function &fn, CreateOp create, std::string dialect)
    : fn_(fn), create_(std::move(create)), dialect_(std::move(dialect)) {}

// Values that are there -----------------------------------------------------------------------------------------------

GraphValue GraphBuilder::fail(std::string message) {
  GraphValue value;
  value.builder_ = this;
  value.error_ = std::make_shared<const std::string>(std::move(message));
  return value;
}

GraphResults GraphBuilder::failed(std::string message) {
  GraphResults results;
  results.builder_ = this;
  results.error_ = std::make_shared<const std::string>(std::move(message));
  return results;
}

bool GraphBuilder::isLive(Value v) const {
  if (v.fn != &fn_ || !v.id || v.id.raw >= fn_.valueCapacity())
    return false;
  Op def = v.definingOp();
  return !def || !def.isErased();
}

GraphValue GraphBuilder::param(std::string_view name, const TensorSpec &spec, ParamInfo info) {
  if (info.role == ParamRole::Arg && info.stableId)
    return fail(fmt::format("param: `{}` is no model parameter but is given an id", name));
  Value v = fn_.addParam(context().tensorType(spec.dtype, spec.shape), info);
  if (!name.empty())
    fn_.setValueName(v.id, context().intern(name));
  return {this, v};
}

GraphValue GraphBuilder::import(Value v) {
  if (!isLive(v))
    return fail("import: the value is none of this function");
  return {this, v};
}

GraphValue GraphBuilder::importSpec(std::string_view name, Value v, const TensorSpec &spec) {
  if (!isLive(v))
    return fail(fmt::format("import: `{}` is no value of this function", name));
  Context &ctx = context();
  TypeId stated = ctx.tensorType(spec.dtype, spec.shape), known = v.typeId();
  TypeId both = ctx.meet(known, stated);
  if (!both)
    return fail(
        fmt::format("import: `{}` is stated as {} but is {}", name, ctx.typeToString(stated), ctx.typeToString(known)));
  if (both != known && v.isParam())
    return fail(fmt::format("import: `{}` is stated as {}, which the parameter's type {} does not say", name,
                            ctx.typeToString(stated), ctx.typeToString(known)));
  fn_.setType(v.id, both);
  if (!name.empty() && !fn_.valueName(v.id))
    fn_.setValueName(v.id, ctx.intern(name));
  return {this, v};
}

GraphValue GraphBuilder::constant(AttrId dense) {
  Context &ctx = context();
  if (!dense || ctx.attr(dense).kind != AttrKind::Dense)
    return fail("constant: the attribute is no dense tensor");
  KindId kind = ctx.ops().constantOp(dialect_);
  if (kind == kOpaqueKind)
    return fail(fmt::format("constant: the dialect `{}` has no constant op", dialect_));
  return emit(ctx.ops().fullName(kind), {}, {{"value", dense}}).intoValue();
}

// Ops -----------------------------------------------------------------------------------------------------------------

std::string GraphBuilder::findOp(std::string_view op, KindId &kind) const {
  const OpRegistry &ops = fn_.context().ops();
  std::string name = op.find('.') == op.npos ? dialect_ + "." + std::string(op) : std::string(op);
  kind = ops.lookup(name);
  if (kind != kOpaqueKind)
    return "";
  std::string message = fmt::format("no op named `{}`", name);
  message += didYouMean(nearestName(name, ops.names()));
  return message;
}

std::string GraphBuilder::checkOperands(const OpSchema &s, std::span<const GraphValue> operands,
                                        InlineList<ValueId, 6> &ids) const {
  CountRange count = operandCounts(s);
  if (!count.contains(unsigned(operands.size()))) {
    std::string range = count.most == UINT32_MAX    ? fmt::format("at least {}", count.least)
                        : count.least == count.most ? fmt::format("{}", count.least)
                                                    : fmt::format("{} to {}", count.least, count.most);
    return fmt::format("takes {} operands, not {}", range, operands.size());
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] && !isLive(operands[i].value()))
      return fmt::format("operand {} is a value of another function, or of an op that was erased", i + 1);
    ids.push_back(operands[i].id());
  }
  for (unsigned g = 0; g < s.operands.size(); ++g) {
    OperandGroup group = operandGroup(s, unsigned(ids.size()), g);
    for (unsigned i = 0; i < group.count && s.operands[g].arity != Arity::Optional; ++i)
      if (!ids[group.first + i])
        return fmt::format("operand `{}` cannot be left out", s.operands[g].name);
  }
  return "";
}

std::string GraphBuilder::buildAttrs(const OpSchema &s, std::span<const GraphAttr> given, AttrsId &list) {
  Context &ctx = context();
  InlineList<AttrId, 8> fixed(s.attrs.size(), AttrId());
  for (const GraphAttr &attr : given) {
    int index = s.attrIndex(attr.name);
    if (index < 0) {
      std::vector<std::string_view> names;
      for (const AttrSchema &a : s.attrs)
        names.push_back(a.name);
      std::string message = fmt::format("has no attribute `{}`", attr.name);
      message += didYouMean(nearestName(attr.name, names));
      return message;
    }
    if (fixed[size_t(index)])
      return fmt::format("attribute `{}` is given twice", attr.name);
    if (!attr.value)
      return fmt::format("attribute `{}` has no value", attr.name);
    if (!attrFits(ctx, attr.value, s.attrs[size_t(index)].type))
      return fmt::format("attribute `{}` must be a {}", attr.name, attrTypeName(s.attrs[size_t(index)].type));
    fixed[size_t(index)] = attr.value;
  }
  for (size_t i = 0; i < s.attrs.size(); ++i)
    if (!fixed[i] && s.attrs[i].required)
      return fmt::format("needs the attribute `{}`", s.attrs[i].name);
  list = ctx.attrs(fixed);
  return "";
}

std::string GraphBuilder::checkRequirements(const OpInputs &inputs) const {
  struct Sink : CheckSink {
    std::string text;
    void fail(std::string message) override { text += (text.empty() ? "" : "; ") + message; }
  } sink;
  if (!inputs.schema().check || inputs.schema().check(inputs, sink))
    return "";
  return sink.text.empty() ? "the op's own check fails" : sink.text;
}

GraphResults GraphBuilder::emit(std::string_view op, std::vector<GraphValue> operands, std::vector<GraphAttr> attrs,
                                unsigned variadicResults) {
  for (const GraphValue &v : operands)
    if (!v && (v.error_ || !v.builder_)) // an error as operand: that error, and nothing emitted
      return failed(std::string(v.error()));
  KindId kind;
  if (std::string why = findOp(op, kind); !why.empty())
    return failed(std::move(why));
  const OpSchema &s = context().ops().schema(kind);
  auto wrong = [&](const std::string &why) { return failed(fmt::format("{}: {}", s.name, why)); };
  if (!s.regions.empty())
    return wrong("the op holds regions; write it as a text snippet");
  InlineList<ValueId, 6> ids;
  AttrsId list;
  if (std::string why = checkOperands(s, operands, ids); !why.empty())
    return wrong(why);
  if (std::string why = buildAttrs(s, attrs, list); !why.empty())
    return wrong(why);
  OpInputs inputs(fn_, s, ids, list);
  if (std::string why = checkRequirements(inputs); !why.empty())
    return wrong(why);
  size_t count = 0;
  for (const ResultSchema &r : s.results)
    count += r.arity == Arity::Variadic ? variadicResults : 1;
  InlineList<TypeId, 4> types(count, TypeId());
  inferResultTypes(inputs, types);
  Op made = create(kind, ids, list, types);
  GraphResults results;
  results.builder_ = this;
  for (unsigned i = 0; i < made.resultCount(); ++i)
    results.values_.push_back(made.result(i));
  return results;
}

Op GraphBuilder::create(KindId kind, std::span<const ValueId> operands, AttrsId attrs, std::span<const TypeId> types) {
  Op made = create_   ? create_(kind, operands, attrs, types)
            : before_ ? fn_.insertOp(before_, kind, operands, attrs, types)
                      : fn_.appendOp(fn_.body(), kind, operands, attrs, types);
  emitted_.push_back(made.id);
  return made;
}

void GraphBuilder::discard(size_t mark) {
  if (create_) // whoever gave `create` undoes its work: a pattern returns rw.abandon()
    return;
  while (emitted_.size() > mark) {
    Op op = fn_.op(emitted_.back());
    emitted_.pop_back();
    if (!op.isErased() && !op.hasUses())
      fn_.erase(op.id);
  }
}

Result<void> GraphBuilder::finish(std::vector<GraphValue> results) {
  if (create_ || before_)
    return failure("finish: this builder adds to a function and does not end it");
  if (fn_.terminator(fn_.body()))
    return failure("finish: the function has ended already");
  InlineList<ValueId, 6> ids;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i])
      return failure("result {}: {}", i + 1, results[i].error());
    if (!isLive(results[i].value()))
      return failure("result {}: a value of another function, or of an op that was erased", i + 1);
    ids.push_back(results[i].id());
  }
  fn_.appendOp(fn_.body(), kReturnKind, ids, context().noAttrs(), {});
  return {};
}

// Results -------------------------------------------------------------------------------------------------------------

std::string_view GraphResults::error() const {
  return error_ ? std::string_view(*error_) : builder_ ? "" : "there are no results";
}

GraphValue GraphResults::intoValue() const {
  if (!*this) {
    GraphValue v;
    v.builder_ = builder_, v.error_ = error_;
    return v;
  }
  if (values_.size() != 1)
    return builder_->fail(fmt::format("there are {} results, not one: take them by tupleElement", values_.size()));
  return {builder_, values_[0]};
}

GraphValue GraphResults::tupleElement(size_t index) const {
  if (!*this)
    return intoValue();
  if (values_.size() == 1 && values_[0].type().kind == TypeKind::Tuple) {
    size_t size = values_[0].type().elements.size();
    if (index >= size)
      return builder_->fail(fmt::format("there is no element {} in a tuple of {}", index, size));
    AttrId position = builder_->context().intAttr(int64_t(index));
    return builder_->emit("get", {GraphValue(builder_, values_[0])}, {{"index", position}}).intoValue();
  }
  if (index >= values_.size())
    return builder_->fail(fmt::format("there is no result {}: there are {}", index, values_.size()));
  return {builder_, values_[index]};
}

} // namespace rw
