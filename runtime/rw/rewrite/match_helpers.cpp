#include "rw/rewrite/match_helpers.h"

#include "rw/ir/stand_ins.h"

#include "rw/rewrite/effects.h"
#include "rw/rewrite/type_proof.h"
#include "rw/rewrite/worklist.h"

namespace rw {

bool anyExtraAttr(Context &ctx, std::span<const NamedAttr> extras) {
  for (const NamedAttr &extra : extras)
    if (!ctx.text(extra.name).starts_with('$'))
      return true;
  return false;
}

bool attrIsDefault(Op op, unsigned index) {
  const OpSchema &schema = op.schema();
  if (index >= schema.attrs.size() && index - schema.attrs.size() < schema.standIns.size()) {
    const StandInSchema &s = schema.standIns[index - schema.attrs.size()];
    AttrId is = standInAttr(op, index - unsigned(schema.attrs.size()));
    return attrIsAbsent(op, index) || (is && is == standInDefault(op.context(), s));
  }
  AttrId stored = op.attr(index);
  if (!stored)
    return true;
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

bool hasOneUser(Value v) { return v && v.hasUses() && onlyUser(*v.fn, v.id); }

AttrsId withAttrs(Context &ctx, AttrsId attrs, std::initializer_list<AttrSetting> settings) {
  for (AttrSetting s : settings)
    attrs = ctx.withAttr(attrs, s.index, s.value);
  return attrs;
}

bool canUpdate(Op op, AttrsId attrs, bool sameType) {
  InlineList<ValueId, 6> operands;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    operands.push_back(op.operand(i).id);
  InlineList<TypeId, 4> types(op.resultCount(), TypeId());
  OpInputs inputs(*op.fn, op.schema(), operands, attrs, op.regions());
  inferResultTypes(inputs, types);
  if (!requirementsHold(inputs))
    return false;
  const Context &ctx = op.context();
  bool isProved = true;
  for (unsigned i = 0; i < types.size(); ++i) {
    TypeId was = op.result(i).typeId();
    if (!ctx.compatible(was, types[i]))
      return false;
    isProved = isProved && was == types[i] && ctx.type(was).known;
  }
  return isProved || sameType || !op.schema().inferTypes || keepsTypes(op, attrs);
}

// Chains ----------------------------------------------------------------------------------------------------------

static bool rankAtMost(Context &ctx, TypeId type, std::optional<int64_t> limit) {
  std::optional<int64_t> rank = rankOf(ctx, type);
  return rank && (*rank == 0 || (limit && *rank <= *limit));
}

/// The op as a link, no operand chosen yet: all but the one that goes on fit the side test or are single elements of no
/// greater rank. None if two do not.
std::optional<Chain::Link> Chain::survey(Op op) const {
  Context &ctx = op.context();
  Link link{op.id, UINT32_MAX};
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    Value v = op.operand(i);
    if (!v || isTypeOnly(op, i) || isBeside(v))
      continue;
    std::optional<int64_t> rank = rankOf(ctx, v.typeId());
    if (isSingleElement(ctx, v.typeId()) && rank)
      link.greatestRank = std::max(link.greatestRank, *rank);
    else if (link.only)
      return std::nullopt;
    else
      link.only = i;
  }
  return link;
}

/// The link with its next operand that may go on; none if there is no other.
std::optional<Chain::Link> Chain::next(Link link) const {
  Op op = end_.fn->op(link.op);
  unsigned end = link.only ? *link.only + 1 : op.operandCount();
  for (unsigned i = std::max(link.operand + 1, link.only.value_or(0)); i < end; ++i)
    if (Value v = op.operand(i);
        v && !isTypeOnly(op, i) &&
        (link.greatestRank == 0 || rankOf(op.context(), v.typeId()).value_or(-1) >= link.greatestRank)) {
      link.operand = i;
      return link;
    }
  return std::nullopt;
}

bool Chain::extend() {
  std::optional<Link> on;
  size_t kept = links_.size();
  if (Op op = end_.definingOp(); isLink(op))
    if (std::optional<Link> link = survey(op))
      on = next(*link);
  // Else another way on, at a link passed. Links have one user, so that all ways are a tree and each op is come to
  // once.
  while (!on && kept > 0)
    on = next(links_[--kept]);
  if (!on)
    return false;
  while (links_.size() > kept)
    links_.pop_back();
  links_.push_back(*on);
  end_ = end_.fn->op(on->op).operand(on->operand);
  return true;
}

Chain Chain::kept() const {
  Chain out;
  out.end_ = end_;
  out.links_ = links_;
  std::vector<ValueId> beside;
  for (const Link &link : links_)
    for (unsigned i = 0; side_ && i < end_.fn->op(link.op).operandCount(); ++i)
      if (Value v = end_.fn->op(link.op).operand(i); v && i != link.operand && side_(v))
        beside.push_back(v.id);
  if (!beside.empty())
    out.side_ = [beside = std::move(beside)](Value v) { return std::ranges::find(beside, v.id) != beside.end(); };
  return out;
}

/// Whether the op, which makes the end, may be a link.
bool Chain::isLink(Op op) const {
  if (!op || op.resultCount() != 1 || !isLink_(op) || !isEffectFree(op.schema()) || !op.regions().empty() ||
      !end_.hasOneUse())
    return false;
  // The links are built again where the chain ends: in another region they might run more often than they do.
  return (*end_.uses().begin()).owner.region() == op.region();
}

Value replay(PatternRewriter &rw, const Chain &chain, Value input, const std::function<Value(Value)> &side) {
  Value current = input;
  const bool rebuilds = rw.isRebuilding();
  std::span<const Chain::Link> links = chain.links();
  for (size_t i = links.size(); i-- > 0;) {
    Op link = rw.function().op(links[i].op);
    InlineList<ValueId, 6> operands;
    for (unsigned k = 0; k < link.operandCount(); ++k) {
      Value v = link.operand(k);
      if (k != links[i].operand && v && side && chain.isBeside(v) && !(v = side(v)))
        return {};
      if (rebuilds && k != links[i].operand && !rw.takeInside(v)) [[unlikely]]
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

bool takesOperands(Op model, std::span<const Value> operands) {
  return model.kind() == kOpaqueKind || takesOperands(model.schema(), operands);
}

bool takesOperands(const OpSchema &schema, std::span<const Value> operands) {
  size_t least = 0, most = 0, count = operands.size(), groups = 0;
  bool open = false;
  for (const OperandSchema &operand : schema.operands) {
    open |= operand.arity == Arity::Variadic;
    groups += operand.arity == Arity::Variadic;
    if (!open && operand.arity == Arity::Single && most < count && !operands[most])
      return false;
    least += operand.arity == Arity::Single;
    ++most;
  }
  if (groups > 1 && (count < least || (count - least) % groups != 0))
    return false;
  return open || (count >= least && count <= most);
}

Op againWith(PatternRewriter &rw, Op model, std::span<const Value> operands, AttrsId attrs,
             std::span<const TypeId> types) {
  InlineList<ValueId, 6> ids;
  while (!operands.empty() && !operands.back())
    operands = operands.first(operands.size() - 1);
  for (Value v : operands)
    ids.push_back(v.id);
  return rw.cloneWith(model, ids, attrs, types);
}

bool stateType(PatternRewriter &rw, Value built, TypeId type) {
  TypeId both = rw.context().meet(type, built.typeId());
  if (!both)
    return false;
  Op op = built.definingOp();
  if (op && std::ranges::find(rw.created(), op.id) != rw.created().end())
    rw.function().setType(built.id, both);
  return true;
}

bool OperandReason::noMatch(PatternRewriter &rw, Op root, unsigned operand) const {
  return rw.explains() && rw.noMatch(root, ("operand " + std::to_string(operand) + " fits: " + why).c_str(), line);
}

const OpSchema &ofVersion(const Context &ctx, std::span<const OpSchema *const> versions) {
  const OpSchema *newest = *versions.begin();
  int64_t version = ctx.dialectVersions().empty() ? 0 : ctx.dialectVersion(newest->dialect);
  for (const OpSchema *schema : versions) {
    if (schema->since <= version && version <= schema->until)
      return *schema;
    if (schema->since > newest->since)
      newest = schema;
  }
  return *newest;
}

static bool hasAnyNumber(const OpSchema &schema) {
  return std::ranges::any_of(schema.results, [](const ResultSchema &r) { return r.arity == Arity::Variadic; });
}

Op buildOpen(PatternRewriter &rw, const OpSchema &schema, const InlineList<Value> &operands, AttrsId attrs) {
  if (!hasAnyNumber(schema)) // open is which version it is
    return build(rw, schema, operands, attrs);
  InlineList<ValueId, 6> ids;
  for (Value v : operands)
    ids.push_back(v.id);
  OpInputs inputs(rw.function(), schema, ids, attrs);
  // How many types there are is known to the op's `type` clause alone, which takes room for exactly so many.
  for (size_t count = schema.results.size() - 1; schema.inferTypes && count <= kMaxOpenResults; ++count) {
    InlineList<TypeId, 4> types(count, TypeId());
    if (schema.inferTypes(inputs, {types.data(), types.size()}))
      return rw.createStated(schema, ids, attrs, {types.data(), types.size()}); // what it requires is checked there
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

static InlineList<ValueId, 6> withoutEnd(std::span<const Value> operands) {
  while (!operands.empty() && !operands.back())
    operands = operands.first(operands.size() - 1);
  InlineList<ValueId, 6> ids;
  for (Value v : operands)
    ids.push_back(v.id);
  return ids;
}

Op takeRegions(PatternRewriter &rw, const OpSchema &schema, InlineList<Value> operands, AttrsId attrs, bool open,
               std::span<const TypeId> types) {
  return rw.takeRegions(schema, withoutEnd(operands), attrs, types, open);
}

Op takeRegionsAs(PatternRewriter &rw, Op model, std::span<const Value> operands, AttrsId attrs,
                 std::span<const TypeId> types) {
  return rw.takeRegionsAs(model, withoutEnd(operands), attrs, types);
}

/// Whether the results from `first` on go with the op: it declares how many there are, and nothing uses these.
static bool areUnused(Op op, size_t first) {
  bool unused = first > 0 && !hasAnyNumber(op.schema());
  for (size_t i = first; i < op.resultCount(); ++i)
    unused &= !op.result(unsigned(i)).hasUses();
  return unused;
}

bool canReplaceAll(PatternRewriter &rw, Op op, std::span<const Value> values, bool sameType) {
  if (values.size() > op.resultCount() || (values.size() < op.resultCount() && !areUnused(op, values.size())))
    return false;
  for (unsigned i = 0; i < values.size(); ++i)
    if (!values[i] || values[i] == op.result(i)
            ? op.result(i).hasUses() // it goes with the op
            : values[i].definingOp() == op ||
                  !(sameType ? rw.mayReplace(op.result(i), values[i]) : canReplace(rw, op.result(i), values[i])))
      return false;
  return true;
}

bool replaceAll(PatternRewriter &rw, Op op, std::span<const Value> values) {
  InlineList<ValueId, 6> ids;
  for (unsigned i = 0; i < values.size(); ++i)
    ids.push_back(values[i] ? values[i].id : op.result(i).id);
  for (unsigned i = unsigned(values.size()); i < op.resultCount(); ++i)
    ids.push_back(op.result(i).id);
  return rw.replaceOp(op, ids);
}

} // namespace rw
