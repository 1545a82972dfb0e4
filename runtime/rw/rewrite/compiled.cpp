#include "rw/rewrite/compiled.h"

#include "rw/rewrite/match_helpers.h"

namespace rw {

bool Matched::noMatch(const char *why, unsigned line) const {
  why_ = nullptr;
  return rewriter.noMatch(root, why, line);
}

static bool isOf(Op op, const KindSet &kinds) {
  for (const OpSchema *schema : kinds.ops)
    if (op.is(*schema))
      return true;
  for (Traits traits : kinds.traits)
    if ((op.schema().traits & traits) == traits)
      return true;
  return false;
}

static std::vector<KindId> kindsOf(const OpRegistry &ops, const KindSet &kinds) {
  std::vector<KindId> out;
  for (const OpSchema *schema : kinds.ops)
    out.push_back(ops.kindOf(*schema));
  for (Traits traits : kinds.traits)
    for (KindId kind : kindsWithTraits(ops, traits))
      if (std::find(out.begin(), out.end(), kind) == out.end())
        out.push_back(kind);
  return out;
}

static bool readsAs(Context &ctx, AttrId attr, AttrView view) {
  switch (view) {
  case AttrView::Int: return attrAs<int64_t>(ctx, attr).has_value();
  case AttrView::Float: return attrAs<double>(ctx, attr).has_value();
  case AttrView::Bool: return attrAs<bool>(ctx, attr).has_value();
  case AttrView::String: return attrAs<std::string_view>(ctx, attr).has_value();
  case AttrView::DType: return attrAs<DType>(ctx, attr).has_value();
  case AttrView::Dim: return attrAs<Dim>(ctx, attr).has_value();
  case AttrView::Type: return attrAs<TypeId>(ctx, attr).has_value();
  case AttrView::Ints: return attrAs<std::span<const int64_t>>(ctx, attr).has_value();
  case AttrView::Floats: return attrAs<std::span<const double>>(ctx, attr).has_value();
  case AttrView::Dims: return attrAs<std::span<const Dim>>(ctx, attr).has_value();
  case AttrView::Bools: return attrAs<InlineList<bool>>(ctx, attr).has_value();
  case AttrView::Strings: return attrAs<InlineList<std::string_view>>(ctx, attr).has_value();
  }
  return false;
}

// The lead --------------------------------------------------------------------------------------------------------

/// One step that is not a choice: whether it holds, and what it finds.
static bool holds(const LeadStep &s, Matched &m) {
  Context &ctx = m.context();
  auto dtype = [&] { return dtypeOf(ctx, typeOf(m.value(s.in))).value_or(DType::Unknown); };
  switch (s.kind) {
  case LeadStep::Operand:
  case LeadStep::OperandAtEnd: {
    Op op = m.op(s.in);
    Value v = op.operand(s.kind == LeadStep::Operand ? s.index : op.operandCount() - s.index);
    m.set(s.out, v.id.raw);
    return !s.required || v;
  }
  case LeadStep::Def: {
    Value v = m.value(s.in);
    Op op = definitionOf(v);
    m.set(s.out, op.id.raw);
    return op && (s.op ? op.is(*s.op) : isOf(op, *s.kinds)) && isResult(v, op, s.index);
  }
  case LeadStep::Attr:
  case LeadStep::AttrOrDefault: {
    AttrId attr = s.kind == LeadStep::Attr ? m.op(s.in).attr(s.index) : m.op(s.in).attrOrDefault(s.index);
    m.set(s.out, attr.raw);
    return bool(attr);
  }
  case LeadStep::AttrDefault: return attrIsDefault(m.op(s.in), s.index);
  case LeadStep::AttrAbsent: return !m.op(s.in).attr(s.index);
  case LeadStep::AttrInt: return attrAs<int64_t>(ctx, m.attr(s.in)) == s.number;
  case LeadStep::AttrBool: return attrAs<bool>(ctx, m.attr(s.in)) == (s.number != 0);
  case LeadStep::AttrDType: return attrAs<DType>(ctx, m.attr(s.in)) == DType(s.number);
  case LeadStep::AttrString: return attrAs<std::string_view>(ctx, m.attr(s.in)) == std::string_view(s.text, size_t(s.number));
  case LeadStep::AttrIs: return readsAs(ctx, m.attr(s.in), AttrView(s.number));
  case LeadStep::SplatInt: return isSplat(ctx, constantOf(m.value(s.in)), s.number);
  case LeadStep::SplatBool: return isSplat(ctx, constantOf(m.value(s.in)), s.number != 0);
  case LeadStep::SplatFloat: return isSplat(ctx, constantOf(m.value(s.in)), s.real);
  case LeadStep::Count: return m.op(s.in).operandCount() >= s.number && m.op(s.in).operandCount() <= s.most;
  case LeadStep::Absent: return !m.op(s.in).operand(s.index);
  case LeadStep::NoExtras: return !hasExtraAttrs(m.op(s.in));
  case LeadStep::OneUse: return m.value(s.in).hasOneUse();
  case LeadStep::Constant: return bool(constantOf(m.value(s.in)));
  case LeadStep::DTypeIs: return dtype() == DType(s.number);
  case LeadStep::FloatType: return isFloat(dtype());
  case LeadStep::IntegerType: return isInteger(dtype());
  case LeadStep::RankIs: return rankOf(ctx, typeOf(m.value(s.in))) == s.number;
  case LeadStep::SameType: {
    TypeId a = typeOf(m.value(s.in)), b = typeOf(m.value(s.out));
    return a && b && equal(ctx, a, b).value_or(false);
  }
  case LeadStep::SameDType: {
    std::optional<DType> a = dtypeOf(ctx, typeOf(m.value(s.in)));
    return a && a == dtypeOf(ctx, typeOf(m.value(s.out)));
  }
  case LeadStep::Same: return m.value(s.in) == m.value(s.out);
  case LeadStep::Commute: break; // by lead()
  }
  return true;
}

/// Runs the steps, then `then`; each order of commutative operands in turn.
template <class Then> static bool lead(std::span<const LeadStep> steps, Matched &m, const Then &then) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const LeadStep &s = steps[i];
    if (s.kind == LeadStep::Commute) {
      Op op = m.op(s.in);
      for (unsigned order = 0; order < 2; ++order) {
        m.set(s.out, op.operand(order).id.raw);
        m.set(s.out + 1u, op.operand(1 - order).id.raw);
        if (lead(steps.subspan(i + 1), m, then))
          return true;
      }
      return false;
    }
    if (!holds(s, m))
      return m.rewriter.noMatch(m.root, s.why, s.line);
  }
  return then();
}

static bool finish(const CompiledRule &rule, const Matched &m) {
  return rule.rest ? rule.rest(m) || m.tellFailure() : rewrite(m, rule.rewrite);
}

// The right side --------------------------------------------------------------------------------------------------

bool rewrite(const Matched &m, const RuleRewrite &r, std::initializer_list<AttrId> computed) {
  PatternRewriter &rw = m.rewriter;
  InlineList<ValueId> built;
  auto value = [&](int16_t ref) { return ref >= 0 ? m.value(unsigned(ref)).id : built[size_t(-1 - ref)]; };
  for (const BuildStep &b : r.builds) {
    ValueId operands[std::size(b.operands)];
    for (unsigned i = 0; i < b.operandCount; ++i)
      operands[i] = value(b.operands[i]);
    InlineList<AttrId> attrs;
    for (unsigned i = 0; i < b.attrCount; ++i)
      attrs.push_back(b.attrs[i] >= 0         ? m.attr(unsigned(b.attrs[i]))
                      : b.attrs[i] == kNoAttr ? AttrId()
                                              : computed.begin()[-2 - b.attrs[i]]);
    built.push_back(rw.create(*b.op, {operands, b.operandCount}, rw.context().attrs(attrs)).result().id);
  }
  Value by{m.root.fn, value(r.value)};
  if (by && rw.canReplace(m.root.result(), by))
    return rw.replaceOp(m.root, by);
  return r.builds.empty() ? m.noMatch("the types go together", r.line) : rw.abandon();
}

// Patterns --------------------------------------------------------------------------------------------------------

namespace {
class RulePattern final : public Pattern {
public:
  RulePattern(const OpRegistry &ops, const CompiledRule &rule) : Pattern(rule.info), rule_(rule) {
    if (rule.root)
      roots_ = {ops.kindOf(*rule.root)};
    else
      roots_ = kindsOf(ops, rule.roots);
    for (const KindSet &links : rule.chains)
      for (KindId kind : kindsOf(ops, links))
        chainKinds_.push_back(kind);
  }
  bool matchAndRewrite(Op root, PatternRewriter &rw) const override {
    Matched m(root, rw, rule_.slots);
    return lead(rule_.lead, m, [&] { return finish(rule_, m); });
  }

private:
  const CompiledRule &rule_;
};
} // namespace

std::unique_ptr<Pattern> PatternMaker::operator()(const OpRegistry &ops) const {
  if (rule_)
    return std::make_unique<RulePattern>(ops, *rule_);
  if (functionOf_)
    return functionOf_(ops, data_);
  return function_(ops);
}

} // namespace rw
