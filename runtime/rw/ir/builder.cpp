#include "rw/ir/builder.h"

namespace rw {

OperandGroup operandGroup(const OpSchema &schema, unsigned operandCount, unsigned group) {
  unsigned declared = unsigned(schema.operands.size());
  unsigned variadic = declared, groups = 0, before = 0;
  for (unsigned i = 0; i < declared; ++i)
    if (schema.operands[i].arity == Arity::Variadic) {
      variadic = i;
      ++groups;
      before += i < group;
    }
  if (groups > 1) { // all of one size, and nothing is left out
    unsigned singles = declared - groups;
    unsigned size = operandCount > singles ? (operandCount - singles) / groups : 0;
    unsigned first = group - before + before * size;
    bool isGroup = schema.operands[group].arity == Arity::Variadic;
    return {first, isGroup ? size : first < operandCount ? 1u : 0u};
  }
  if (group < variadic) // before any variadic group each declared operand has its slot, unless left out at the end
    return {group, group < operandCount ? 1u : 0u};
  unsigned after = variadic == declared ? 0 : declared - variadic - 1;
  unsigned taken = operandCount > variadic + after ? operandCount - variadic - after : 0;
  if (group == variadic)
    return {variadic, taken};
  unsigned index = variadic + taken + (group - variadic - 1);
  return {index, index < operandCount ? 1u : 0u};
}

std::span<const ValueId> OpInputs::group(unsigned group) const {
  OperandGroup g = operandGroup(schema_, unsigned(operands_.size()), group);
  return g.count ? operands_.subspan(g.first, g.count) : std::span<const ValueId>();
}

AttrId OpInputs::attr(unsigned index) const { return context().attr(attrs_, index); }

AttrId OpInputs::attrOrDefault(unsigned index) const {
  if (AttrId stored = attr(index))
    return stored;
  bool defaulted = index < schema_.attrs.size() && schema_.attrs[index].hasDefault && schema_.defaultAttr;
  return defaulted ? schema_.defaultAttr(*this, index) : AttrId();
}

static InlineList<ValueId, 6> operandsOf(Op op) {
  InlineList<ValueId, 6> operands;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    operands.push_back(op.operand(i).id);
  return operands;
}

InputsOf::InputsOf(Op op)
    : operands_(operandsOf(op)), inputs_(*op.fn, op.schema(), operands_, op.attrsId(), op.regions()) {}

bool inferResultTypes(const OpInputs &in, InlineList<TypeId, 4> &types) {
  bool known = in.schema().inferTypes && in.schema().inferTypes(in, {types.data(), types.size()});
  for (TypeId &t : types)
    if (!t) [[unlikely]] {
      t = in.context().unknownType();
      known = false;
    }
  return known;
}

namespace {
struct Deaf final : CheckSink {
  void fail(std::string) override {}
};
} // namespace

bool requirementsHold(const OpInputs &in) {
  Deaf sink;
  return !in.schema().check || in.schema().check(in, sink);
}

Op OpBuilder::createTyped(KindId kind, std::span<const ValueId> operands, AttrsId attrs,
                          std::span<const TypeId> types) {
  return before_ ? fn_.insertOp(before_, kind, operands, attrs, types, loc_)
                 : fn_.appendOp(region_, kind, operands, attrs, types, loc_);
}

/// Results an op of this schema has when `variadicCount` of them are of a variadic group.
static size_t resultCount(const OpSchema &schema, unsigned variadicCount) {
  size_t count = 0;
  for (const ResultSchema &r : schema.results)
    count += r.arity == Arity::Variadic ? variadicCount : 1;
  return count;
}

Op OpBuilder::create(const OpSchema &schema, std::span<const ValueId> operands, AttrsId attrs,
                     unsigned variadicResults) {
  InlineList<TypeId, 4> types(resultCount(schema, variadicResults), TypeId());
  inferResultTypes(OpInputs(fn_, schema, operands, attrs), types);
  return createTyped(fn_.context().ops().kindOf(schema), operands, attrs, types);
}

Op OpBuilder::create(const OpSchema &schema, std::initializer_list<Value> operands,
                     std::initializer_list<AttrId> attrs) {
  InlineList<ValueId, 6> ids;
  for (Value v : operands)
    ids.push_back(v.id);
  return create(schema, ids, fn_.context().attrs({attrs.begin(), attrs.size()}));
}

Op OpBuilder::createReturn(std::span<const ValueId> results) {
  return fn_.appendOp(region_, kReturnKind, results, fn_.context().noAttrs(), {}, loc_);
}

Value OpBuilder::createConstant(std::string_view dialect, AttrId value, TypeId type) {
  Context &ctx = fn_.context();
  KindId kind = ctx.ops().constantOp(dialect);
  int index = kind == kOpaqueKind ? -1 : ctx.ops().schema(kind).attrIndex("value");
  if (index < 0)
    return {};
  return createTyped(kind, {}, ctx.withAttr(ctx.noAttrs(), unsigned(index), value), {&type, 1}).result();
}

} // namespace rw
