#include "rw/rewrite/match_helpers.h"

#include "rw/rewrite/effects.h"

namespace rw {

bool anyExtraAttr(Context &ctx, std::span<const NamedAttr> extras) {
  for (const NamedAttr &extra : extras)
    if (!ctx.text(extra.name).starts_with('$'))
      return true;
  return false;
}

bool attrIsDefault(Op op, unsigned index) {
  AttrId stored = op.attr(index);
  if (!stored)
    return true;
  const OpSchema &schema = op.schema();
  if (index >= schema.attrs.size() || !schema.attrs[index].hasDefault || !schema.defaultAttr)
    return false;
  return schema.defaultAttr(*InputsOf(op), index) == stored;
}

int64_t usesOf(Value v) {
  int64_t n = 0;
  if (v)
    for (Use use : v.uses())
      n += bool(use.slot);
  return n;
}

AttrsId withAttrs(Context &ctx, AttrsId attrs, std::initializer_list<AttrSetting> settings) {
  for (AttrSetting s : settings)
    attrs = ctx.withAttr(attrs, s.index, s.value);
  return attrs;
}

bool canUpdate(Op op, AttrsId attrs) {
  InlineList<ValueId, 6> operands;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    operands.push_back(op.operand(i).id);
  InlineList<TypeId, 4> types(op.resultCount(), TypeId());
  OpInputs inputs(*op.fn, op.schema(), operands, attrs, op.regions());
  inferResultTypes(inputs, types);
  if (!requirementsHold(inputs))
    return false;
  for (unsigned i = 0; i < types.size(); ++i)
    if (!op.context().compatible(op.result(i).typeId(), types[i]))
      return false;
  return true;
}

// Chains ----------------------------------------------------------------------------------------------------------

static bool rankAtMost(Context &ctx, TypeId type, std::optional<int64_t> limit) {
  std::optional<int64_t> rank = rankOf(ctx, type);
  return rank && (*rank == 0 || (limit && *rank <= *limit));
}

/// The operand that goes on where all others must hold single elements of no greater rank.
std::optional<unsigned> Chain::onward(Op op) {
  Context &ctx = op.context();
  unsigned count = op.operandCount();
  std::optional<unsigned> on;
  for (unsigned i = 0; i < count; ++i) {
    Value v = op.operand(i);
    if (!v || isTypeOnly(op, i) || (count > 1 && isSingleElement(ctx, v.typeId())))
      continue;
    if (on)
      return std::nullopt;
    on = i;
  }
  if (!on) { // single elements all: the one of greatest rank goes on
    int64_t greatest = -1;
    for (unsigned i = 0; i < count; ++i)
      if (Value v = op.operand(i); v && !isTypeOnly(op, i) && rankOf(ctx, v.typeId()).value_or(-1) > greatest) {
        greatest = *rankOf(ctx, v.typeId());
        on = i;
      }
  }
  if (!on)
    return on;
  std::optional<int64_t> rank = rankOf(ctx, op.operand(*on).typeId());
  for (unsigned i = 0; i < count; ++i)
    if (Value v = op.operand(i); v && i != *on && !isTypeOnly(op, i) && !rankAtMost(ctx, v.typeId(), rank))
      return std::nullopt;
  return on;
}

/// The first operand from `first` on that may go on: every other one fits the side test or is a single element of no
/// greater rank.
std::optional<unsigned> Chain::onwardBeside(Op op, unsigned first) const {
  Context &ctx = op.context();
  std::optional<unsigned> only; // neither: no other one may go on
  int64_t greatest = 0;         // rank of the single elements that do not fit
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    Value v = op.operand(i);
    if (!v || isTypeOnly(op, i) || side_(v))
      continue;
    std::optional<int64_t> rank = rankOf(ctx, v.typeId());
    if (isSingleElement(ctx, v.typeId()) && rank) {
      greatest = std::max(greatest, *rank);
    } else if (only) {
      return std::nullopt;
    } else {
      only = i;
    }
  }
  for (unsigned i = only ? std::max(first, *only) : first; i < op.operandCount(); ++i)
    if (Value v = op.operand(i); v && !isTypeOnly(op, i) && (greatest == 0 || rankOf(ctx, v.typeId()).value_or(-1) >= greatest))
      return !only || i == *only ? std::optional(i) : std::nullopt;
  return std::nullopt;
}

bool Chain::extend() {
  if (Op op = end_.definingOp(); isLink(op))
    if (std::optional<unsigned> on = side_ ? onwardBeside(op, 0) : onward(op)) {
      links_.push_back({op.id, *on});
      end_ = op.operand(*on);
      return true;
    }
  // Other ways on, at the links passed. Links have one user, so that all ways are a tree and each op is come to once.
  while (side_ && !links_.empty()) {
    Link last = links_.back();
    links_.pop_back();
    Op op = end_.fn->op(last.op);
    if (std::optional<unsigned> on = onwardBeside(op, last.operand + 1)) {
      links_.push_back({last.op, *on});
      end_ = op.operand(*on);
      return true;
    }
  }
  return false;
}

/// Whether the op, which makes the end, may be a link.
bool Chain::isLink(Op op) const {
  if (!op || op.resultCount() != 1 || !isLink_(op) || !isEffectFree(op.schema()) || !op.regions().empty() || !end_.hasOneUse())
    return false;
  // The links are built again where the chain ends: in another region they might run more often than they do.
  return (*end_.uses().begin()).owner.region() == op.region();
}

Value replay(PatternRewriter &rw, const Chain &chain, Value input, const std::function<Value(Value)> &side) {
  Value current = input;
  std::span<const Chain::Link> links = chain.links();
  for (size_t i = links.size(); i-- > 0;) {
    Op link = rw.function().op(links[i].op);
    InlineList<ValueId, 6> operands;
    for (unsigned k = 0; k < link.operandCount(); ++k) {
      Value v = link.operand(k);
      if (k != links[i].operand && v && side && chain.isBeside(v) && !(v = side(v)))
        return {};
      operands.push_back(k == links[i].operand ? current.id : v.id);
    }
    current = rw.cloneWithOperands(link, operands).result();
  }
  return current;
}

bool singleElementsKeepRank(Op op, const InlineList<bool> &single) {
  Context &ctx = op.context();
  std::optional<int64_t> greatest;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    if (Value v = op.operand(i); v && !single[i])
      if (std::optional<int64_t> rank = rankOf(ctx, v.typeId()))
        greatest = std::max(greatest.value_or(0), *rank);
  for (unsigned i = 0; i < op.operandCount(); ++i)
    if (Value v = op.operand(i); v && single[i] && !isTypeOnly(op, i) && !rankAtMost(ctx, v.typeId(), greatest))
      return false;
  return true;
}

// Building --------------------------------------------------------------------------------------------------------

bool takesOperands(Op model, size_t count) {
  size_t least = 0, most = 0;
  bool open = model.kind() == kOpaqueKind;
  for (const OperandSchema &operand : model.schema().operands) {
    open |= operand.arity == Arity::Variadic;
    least += operand.arity == Arity::Single;
    ++most;
  }
  return open || (count >= least && count <= most);
}

Op againWith(PatternRewriter &rw, Op model, std::span<const Value> operands, AttrsId attrs, std::span<const TypeId> types) {
  InlineList<ValueId, 6> ids;
  for (Value v : operands)
    ids.push_back(v.id);
  return rw.cloneWith(model, ids, attrs, types);
}

bool stateType(PatternRewriter &rw, Value built, TypeId type) {
  if (!rw.context().compatible(built.typeId(), type))
    return false;
  Op op = built.definingOp();
  if (op && std::ranges::find(rw.created(), op.id) != rw.created().end())
    rw.function().setType(built.id, type);
  return true;
}

bool OperandReason::noMatch(PatternRewriter &rw, Op root, unsigned operand) const {
  return rw.explains() && rw.noMatch(root, ("operand " + std::to_string(operand) + " fits: " + why).c_str(), line);
}

Op buildOpen(PatternRewriter &rw, const OpSchema &schema, const InlineList<Value> &operands, AttrsId attrs) {
  InlineList<ValueId, 6> ids;
  for (Value v : operands)
    ids.push_back(v.id);
  OpInputs inputs(rw.function(), schema, ids, attrs);
  // How many types there are is known to the op's `type` clause alone, which takes room for exactly so many.
  for (size_t count = schema.results.size() - 1; schema.inferTypes && count <= kMaxOpenResults; ++count) {
    InlineList<TypeId, 4> types(count, TypeId());
    if (schema.inferTypes(inputs, {types.data(), types.size()}))
      return rw.createTyped(rw.context().ops().kindOf(schema), ids, attrs, types);
  }
  return {};
}

Value materialize(PatternRewriter &rw, Op root, std::string_view dialect, AttrId tensor) {
  TypeId type = typeOfTensor(rw.context(), tensor);
  if (dialect.empty() && root)
    dialect = root.schema().dialect;
  return type && !dialect.empty() ? rw.materializeConstant(dialect, tensor, type) : Value();
}

Op build(PatternRewriter &rw, const OpSchema &schema, InlineList<Value> operands, AttrsId attrs,
         std::span<const TypeId> types) {
  while (!operands.empty() && !operands.back())
    operands.pop_back();
  InlineList<ValueId, 6> ids;
  for (Value v : operands)
    ids.push_back(v.id);
  if (types.empty())
    return rw.create(schema, ids, attrs);
  return rw.createStated(schema, ids, attrs, types);
}

bool canReplaceAll(PatternRewriter &rw, Op op, std::span<const Value> values) {
  if (values.size() != op.resultCount())
    return false;
  for (unsigned i = 0; i < values.size(); ++i)
    if (values[i] == op.result(i) ? values[i].hasUses()
                                  : !values[i] || values[i].definingOp() == op || !rw.canReplace(op.result(i), values[i]))
      return false;
  return true;
}

bool replaceAll(PatternRewriter &rw, Op op, std::span<const Value> values) {
  InlineList<ValueId, 6> ids;
  for (Value v : values)
    ids.push_back(v.id);
  return rw.replaceOp(op, ids);
}

} // namespace rw
