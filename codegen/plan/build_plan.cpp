// From a checked left side to steps.

#include "codegen/plan/plan_builder.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace rw::plan {

void PlanBuilder::use(std::vector<Step> &steps, const sema::VarUse &use, Slot slot) {
  if (!use)
    return;
  // Tests do not run in written order: what comes first binds, whichever it is.
  StepKind kind = use.use == sema::Use::BindOrCompare ? StepKind::BindOrSame
                  : bound_.contains(use.var.raw)      ? StepKind::Same
                                                      : StepKind::Bind;
  bound_.insert(use.var.raw);
  if (kind == StepKind::Bind && plan_.slots[slot].kind == SlotKind::Value)
    valueOf_[use.var.raw] = slot;
  Step &s = add(steps, kind, use.range);
  s.in = slot;
  s.var = use.var;
  SlotInfo &info = plan_.slots[slot];
  bool alias = choice_ > choices_[slot];
  if (!info.var || (info.alias && !alias)) {
    info.var = use.var;
    info.alias = alias;
  }
}

/// What a match says of a value itself: its name, its uses, its type.
void PlanBuilder::aboutValue(std::vector<Step> &steps, const Match &m, Slot v) {
  use(steps, m.value, v);
  if (m.single) {
    add(steps, StepKind::Single, m.usedAt ? m.usedAt : m.range).in = v;
    plan_.looksAtUses = true;
  }
  for (const sema::TypeMatch &type : m.types) {
    Step &s = add(steps, StepKind::Type, type.range ? type.range : m.range);
    s.in = v;
    s.type = type;
  }
}

void PlanBuilder::value(std::vector<Step> &steps, const Match &m, Slot v, unsigned depth) {
  unsigned outer = usedAt_;
  if (m.usedAt && !usedAt_)
    usedAt_ = line(m.usedAt);
  valueItself(steps, m, v, depth);
  usedAt_ = outer;
  after(steps, m, depth);
}

void PlanBuilder::after(std::vector<Step> &steps, const Match &m, unsigned depth) {
  unsigned outer = usedAt_;
  if (m.usedAt && !usedAt_)
    usedAt_ = line(m.usedAt);
  for (const sema::Condition &c : m.after)
    condition(steps, c, depth);
  usedAt_ = outer;
}

/// What all of them bind is bound behind them, and to which slot is not known.
void PlanBuilder::alternatives(std::vector<Step> &steps, const Match &m,
                               const std::function<void(std::vector<Step> &, const Match &)> &one) {
  Step s;
  s.kind = StepKind::Alternatives;
  s.line = line(m.range);
  std::set<uint32_t> before = bound_;
  const std::map<uint32_t, Slot> values = valueOf_;
  ++choice_;
  for (const Match &child : m.children) {
    bound_ = before;
    valueOf_ = values;
    one(s.alternatives.emplace_back(), child);
  }
  valueOf_ = values;
  --choice_;
  steps.push_back(std::move(s));
}

void PlanBuilder::valueItself(std::vector<Step> &steps, const Match &m, Slot v, unsigned depth) {
  aboutValue(steps, m, v);
  switch (m.kind) {
  case MatchKind::Any:
    return;
  case MatchKind::Const:
    add(steps, StepKind::Const, m.range).in = v;
    return;
  case MatchKind::Splat: {
    if (!m.literal) {
      Slot element = slot(SlotKind::Attr);
      Step &s = add(steps, StepKind::Element, m.range);
      s.in = v;
      s.out = element;
      return use(steps, m.splatVar, element);
    }
    Step &s = add(steps, StepKind::Splat, m.range);
    s.in = v;
    s.expr = *m.literal;
    return;
  }
  case MatchKind::Alternatives:
    return alternatives(steps, m, [&](std::vector<Step> &to, const Match &child) { value(to, child, v, depth); });
  case MatchKind::Chain:
    return chain(steps, m, v, depth);
  case MatchKind::Op: {
    if (m.optional) {
      Step s;
      s.kind = StepKind::Alternatives;
      s.line = line(m.range);
      ++choice_;
      Slot op = slot(SlotKind::Op);
      std::set<uint32_t> before = bound_;
      const std::map<uint32_t, Slot> values = valueOf_;
      std::vector<Step> &there = s.alternatives.emplace_back();
      Step &def = add(there, StepKind::Def, m.range);
      def.in = v, def.out = op, def.ops = m.ops;
      opBody(there, m, op, depth + 1);
      bound_ = std::move(before);
      valueOf_ = values;
      value(s.alternatives.emplace_back(), m.operands[0].elements[0], v, depth);
      valueOf_ = values;
      --choice_;
      steps.push_back(std::move(s));
      return;
    }
    Slot op = slot(SlotKind::Op);
    Step &def = add(steps, StepKind::Def, m.range);
    def.in = v, def.out = op, def.ops = m.ops, def.index = m.result;
    opBody(steps, m, op, depth + 1);
    return;
  }
  }
}

/// Whether an attribute is compared with an expression, in which what the operands bind may stand.
static bool needsOperands(const sema::AttrMatch &a) {
  return (a.value && a.value->kind != sema::ExprKind::Int && a.value->kind != sema::ExprKind::String &&
          a.value->kind != sema::ExprKind::Bool && a.value->kind != sema::ExprKind::DType) ||
         std::ranges::any_of(a.elements, [](auto &e) { return e.value.has_value(); });
}

void PlanBuilder::opBody(std::vector<Step> &steps, const Match &m, Slot op, unsigned depth) {
  plan_.depth = std::max(plan_.depth, depth);
  use(steps, m.op, op);
  for (const sema::AttrMatch &attr : m.attrs)
    if (!needsOperands(attr))
      attribute(steps, m, attr, op);
  if (!m.ignoreAttrs)
    add(steps, StepKind::NoExtras, m.range).in = op;
  if (m.each) {
    Slot each = slot(SlotKind::Value);
    Step s;
    s.kind = StepKind::Each;
    s.line = line(m.range);
    s.in = op;
    s.out = each;
    const std::map<uint32_t, Slot> values = valueOf_;
    value(s.body, m.children[0], each, depth);
    valueOf_ = values;
    steps.push_back(std::move(s));
  } else {
    operands(steps, m, op, depth);
  }
  for (const sema::AttrMatch &attr : m.attrs)
    if (needsOperands(attr))
      attribute(steps, m, attr, op);
  regions(steps, m, op, depth);
}

void PlanBuilder::regions(std::vector<Step> &steps, const Match &m, Slot op, unsigned depth) {
  for (const sema::RegionMatch &r : m.regions) {
    Slot region = slot(SlotKind::Region);
    Step &s = add(steps, StepKind::Region, r.range);
    s.in = op;
    s.out = region;
    s.opSet = m.ops;
    if (std::ranges::all_of(r.index, [&](int i) { return i == r.index[0]; }))
      s.index = unsigned(r.index[0]);
    else
      s.indexes = r.index;
    use(steps, r.var, region);
    if (r.looksInside)
      inside(steps, r, region, depth);
    if (goes(m) && !keeps(m, uint32_t(r.index[0]), r.var.var))
      noEffects(steps, region, r.range);
  }
  if (m.ops.ops.size() != 1 || !goes(m))
    return;
  for (uint32_t i = 0; i < module_.op(m.ops.ops[0]).regions.size(); ++i) {
    auto isIt = [&](const sema::RegionMatch &r) { return r.index[0] == int(i); };
    if (std::ranges::any_of(m.regions, isIt) || keeps(m, i, {}))
      continue;
    Step &s = add(steps, StepKind::Region, m.range);
    s.in = op;
    s.out = slot(SlotKind::Region);
    s.opSet = m.ops;
    s.index = i;
    noEffects(steps, s.out, m.range);
  }
}

/// Whether the pattern takes away the op that `m` matches.
bool PlanBuilder::goes(const Match &m) const {
  bool isRoot = false;
  sema::forEachRootOp(pattern_.roots[0], [&](const Match &root) { isRoot |= &root == &m; });
  return std::ranges::any_of(pattern_.actions, [&](const sema::Action &action) {
    bool takes = action.kind == sema::ActionKind::Replace || action.kind == sema::ActionKind::Erase;
    return takes && (action.op ? m.op && m.op.var == action.op : isRoot);
  });
}

/// Whether something that the pattern builds takes a region of that op over, or is built anew of it: its effects stay.
bool PlanBuilder::keeps(const Match &m, uint32_t index, VarId region) const {
  std::function<bool(const Expr &)> isIt = [&](const Expr &e) {
    bool named = e.kind == sema::ExprKind::Var && region && e.var() == region;
    bool ofOp = e.kind == sema::ExprKind::OpRegion && e.args[0].kind == sema::ExprKind::Var && m.op &&
                e.args[0].var() == m.op.var;
    return named || ofOp || std::ranges::any_of(e.args, isIt);
  };
  return std::ranges::any_of(pattern_.body.builds, [&](const sema::Build &b) {
    auto is = [&](const sema::RegionBuild &r) { return r.index == index; };
    bool again = b.kind == sema::BuildKind::Like && m.op && b.like == m.op.var && std::ranges::none_of(b.regions, is);
    return again || std::ranges::any_of(b.regions, [&](const sema::RegionBuild &r) {
             return (region && r.source == region) || (r.copied && isIt(*r.copied));
           });
  });
}

/// A region that goes with its op may hold nothing that would be missed.
void PlanBuilder::noEffects(std::vector<Step> &steps, Slot region, SourceRange range) {
  Step &s = add(steps, StepKind::ParamCount, range);
  s.in = region;
  s.most = UINT32_MAX;
  s.negated = true;
}

/// The parameters, and what the region results in: these are operands of the op that ends it.
void PlanBuilder::inside(std::vector<Step> &steps, const sema::RegionMatch &r, Slot region, unsigned depth) {
  plan_.looksInRegions = true;
  auto values = [&](const sema::OperandMatch &list, Slot of, StepKind count, StepKind one, StepKind rest,
                    unsigned level) {
    const auto size = uint32_t(list.elements.size());
    Step &c = add(steps, count, r.range);
    c.in = of;
    c.least = size;
    c.most = list.hasRest ? UINT32_MAX : size;
    for (uint32_t i = 0; i < size; ++i) {
      Slot v = slot(SlotKind::Value);
      Step &s = add(steps, one, list.elements[i].range);
      s.in = of;
      s.out = v;
      s.fromEnd = list.hasRest && i >= list.restAt;
      s.index = s.fromEnd ? size - i : i;
      value(steps, list.elements[i], v, level);
    }
    if (!list.rest)
      return;
    Slot all = slot(SlotKind::ValueList);
    Step &s = add(steps, rest, list.rest.range);
    s.in = of;
    s.out = all;
    s.index = list.restAt;
    s.most = size - list.restAt;
    use(steps, list.rest, all);
  };
  values(r.params, region, StepKind::ParamCount, StepKind::Param, StepKind::ParamList, depth);
  Slot end = slot(SlotKind::Op);
  Step &s = add(steps, StepKind::Terminator, r.range);
  s.in = region;
  s.out = end;
  plan_.depth = std::max(plan_.depth, depth + 1); // it counts as a level
  values(r.results, end, StepKind::Count, StepKind::Operand, StepKind::OperandList, depth + 1);
}

void PlanBuilder::operands(std::vector<Step> &steps, const Match &m, Slot op, unsigned depth) {
  // How many operands the op may have, optional ones at the end left out or not.
  uint32_t least = 0, most = 0;
  bool open = m.ignoreOperands;
  for (const sema::OperandMatch &o : m.operands) {
    if (o.kind == sema::OperandMatchKind::One)
      least = ++most;
    else if (o.kind == sema::OperandMatchKind::List) {
      most += uint32_t(o.elements.size()), least = most;
      open |= o.hasRest;
    } else {
      most += !isVariadic(m.ops, size_t(&o - m.operands.data())); // absent or ignored: may have its slot
      open |= o.kind == sema::OperandMatchKind::Ignored;
    }
  }
  // Of an op that always has the same number of operands, the verifier has made sure.
  bool fixed = !m.ops.byTrait() && std::ranges::all_of(m.ops.ops, [&](sema::OpIndex i) {
    return std::ranges::all_of(module_.op(i).operands, [](auto &o) { return o.arity == sema::Arity::Single; });
  });
  if (!fixed) {
    Step &count = add(steps, StepKind::Count, m.range);
    count.in = op;
    count.least = least;
    count.most = open ? UINT32_MAX : most;
  }

  bool bothOne = m.operands.size() == 2 && m.operands[0].kind == sema::OperandMatchKind::One &&
                 m.operands[1].kind == sema::OperandMatchKind::One;
  if (m.commutative && bothOne) {
    Slot first = slot(SlotKind::Value), second = slot(SlotKind::Value);
    Step &s = add(steps, StepKind::Commute, m.range);
    s.ifCommutative = m.ifCommutative;
    s.in = op;
    s.out = first;
    value(steps, m.operands[0].elements[0], first, depth);
    value(steps, m.operands[1].elements[0], second, depth);
    return;
  }
  // Operands after any number of them are counted from the end.
  unsigned position = 0;
  bool counted = true;
  for (size_t i = 0; i < m.operands.size(); ++i) {
    const sema::OperandMatch &o = m.operands[i];
    if (counted)
      operand(steps, m, o, position, unsigned(m.operands.size() - 1 - i), op, depth);
    else
      lastOperand(steps, o, unsigned(m.operands.size() - i), op, depth);
    counted &= !o.hasRest && !(o.kind == sema::OperandMatchKind::Ignored && isVariadic(m.ops, i));
    position += o.kind == sema::OperandMatchKind::List ? unsigned(o.elements.size()) : 1;
  }
}

bool PlanBuilder::isVariadic(const OpSet &ops, size_t operand) const {
  return !ops.byTrait() && operand < module_.op(ops.ops[0]).operands.size() &&
         module_.op(ops.ops[0]).operands[operand].arity == sema::Arity::Variadic;
}

/// An operand behind a variadic one, `fromEnd` from the end.
void PlanBuilder::lastOperand(std::vector<Step> &steps, const sema::OperandMatch &o, unsigned fromEnd, Slot op,
                              unsigned depth) {
  if (o.kind != sema::OperandMatchKind::One)
    return;
  Slot v = slot(SlotKind::Value);
  Step &s = add(steps, StepKind::Operand, o.elements[0].range);
  s.in = op;
  s.out = v;
  s.fromEnd = true;
  s.index = fromEnd;
  value(steps, o.elements[0], v, depth);
}

void PlanBuilder::operand(std::vector<Step> &steps, const Match &m, const sema::OperandMatch &o, unsigned position,
                          unsigned after, Slot op, unsigned depth) {
  switch (o.kind) {
  case sema::OperandMatchKind::Ignored:
    return;
  case sema::OperandMatchKind::Absent: {
    Step &s = add(steps, StepKind::Absent, m.range);
    s.in = op;
    s.index = position;
    return;
  }
  case sema::OperandMatchKind::Maybe: {
    const Match &inner = o.elements[0];
    if (inner.kind == MatchKind::Any && !inner.value && inner.types.empty() && !inner.single) // `_?`
      return;
    Step s;
    s.kind = StepKind::Alternatives;
    s.line = line(inner.range);
    ++choice_;
    const std::map<uint32_t, Slot> values = valueOf_;
    std::vector<Step> &there = s.alternatives.emplace_back();
    Slot v = slot(SlotKind::Value);
    Step &get = add(there, StepKind::Operand, inner.range);
    get.in = op, get.out = v, get.index = position;
    value(there, inner, v, depth);
    // What is bound where it is there stays so: a name of it is compared later, and is nothing where it is left out.
    valueOf_ = values;
    Step &absent = add(s.alternatives.emplace_back(), StepKind::Absent, inner.range);
    absent.in = op, absent.index = position;
    --choice_;
    steps.push_back(std::move(s));
    return;
  }
  case sema::OperandMatchKind::One:
  case sema::OperandMatchKind::List:
    break;
  }
  for (unsigned i = 0; i < o.elements.size(); ++i) {
    bool fromEnd = o.hasRest && i >= o.restAt;
    Slot v = slot(SlotKind::Value);
    Step &s = add(steps, StepKind::Operand, o.elements[i].range);
    s.in = op;
    s.out = v;
    s.fromEnd = fromEnd;
    s.index = fromEnd ? after + unsigned(o.elements.size()) - i : position + i;
    value(steps, o.elements[i], v, depth);
  }
  if (o.hasRest && o.rest) {
    Slot list = slot(SlotKind::ValueList);
    Step &s = add(steps, StepKind::OperandList, o.rest.range);
    s.in = op;
    s.out = list;
    s.index = position + o.restAt;
    s.most = after + unsigned(o.elements.size()) - o.restAt;
    use(steps, o.rest, list);
  }
}

void PlanBuilder::attribute(std::vector<Step> &steps, const Match &m, const sema::AttrMatch &a, Slot op) {
  if (a.kind == sema::AttrMatchKind::Ignored)
    return;
  auto place = [&](Step &s) {
    s.in = op;
    s.opSet = m.ops;
    s.name = a.name;
    for (size_t i = 0; i < a.index.size() && i < m.ops.ops.size(); ++i)
      s.standIn |= module_.op(m.ops.ops[i]).isStandIn(a.index[i]);
    bool same = std::ranges::all_of(a.index, [&](int i) { return i == a.index[0]; });
    if (same && a.index[0] >= 0)
      s.index = unsigned(a.index[0]);
    else
      s.indexes = a.index;
  };
  if (a.kind == sema::AttrMatchKind::Default)
    return place(add(steps, StepKind::AttrDefault, a.range ? a.range : m.range));
  if (a.kind == sema::AttrMatchKind::Absent)
    return place(add(steps, StepKind::AttrAbsent, a.range ? a.range : m.range));
  Slot attr = slot(SlotKind::Attr);
  Step &get = add(steps, StepKind::Attr, a.range);
  place(get);
  get.out = attr;
  if (a.kind == sema::AttrMatchKind::Var)
    return use(steps, a.var, attr);
  if (a.kind == sema::AttrMatchKind::Equal) {
    Step &s = add(steps, StepKind::AttrEquals, a.range);
    s.in = attr;
    s.expr = *a.value;
    return;
  }
  if (a.kind == sema::AttrMatchKind::OneOf) {
    Step &s = add(steps, StepKind::AttrOneOf, a.range);
    s.in = attr;
    s.choices = a.choices;
    return;
  }
  Step &s = add(steps, StepKind::AttrList, a.range);
  s.in = attr;
  s.hasRest = a.hasRest;
  s.restAt = a.restAt;
  s.rest = a.rest;
  s.element = a.element;
  for (const sema::AttrMatch::Element &e : a.elements)
    s.elements.push_back({e.var, e.value});
}

void PlanBuilder::chain(std::vector<Step> &steps, const Match &m, Slot v, unsigned depth) {
  Slot links = slot(SlotKind::Chain), end = slot(SlotKind::Value), side = slot(SlotKind::Value);
  Slot link = m.attrs.empty() ? kNoSlot : slot(SlotKind::Op);
  Step s;
  s.kind = StepKind::Chain;
  s.line = line(m.range);
  s.in = v;
  s.out = links;
  s.least = m.atLeastOne;
  s.ops = m.ops;
  for (const sema::AttrMatch &attr : m.attrs)
    attribute(s.link, m, attr, link);
  const std::map<uint32_t, Slot> values = valueOf_;
  if (!m.side.empty())
    value(s.body, m.side[0], side, depth + 1);
  valueOf_ = values;
  steps.push_back(std::move(s));
  plan_.chains.push_back(m.ops);
  plan_.looksAtUses = true;
  use(steps, m.op, links);
  value(steps, m.children[0], end, depth);
}

} // namespace rw::plan
