// From a checked left side to steps.

#include "codegen/plan/leaves.h"

#include <algorithm>
#include <set>

namespace rw::plan {
namespace {
using sema::Match;
using sema::MatchKind;

class PlanBuilder {
public:
  PlanBuilder(const sema::Module &module, const SourceManager &sources, Diagnostics &diags, sema::PatternIndex index)
      : module_(module), sources_(sources), diags_(diags), pattern_(module.pattern(index)) {
    plan_.pattern = index;
    plan_.name = pattern_.name;
    plan_.file = pattern_.file;
    plan_.line = line(pattern_.nameRange);
    plan_.benefit = pattern_.benefit;
    plan_.fastmath = pattern_.fastmath;
    plan_.recursive = pattern_.recursive;
  }

  std::optional<MatchPlan> build();

private:
  unsigned line(SourceRange r) const { return r ? sources_.lineColumn(r.begin).line : 0; }
  Slot slot(SlotKind kind) {
    plan_.slots.push_back({kind, {}});
    return Slot(plan_.slots.size() - 1);
  }
  Step &add(std::vector<Step> &steps, StepKind kind, SourceRange range) {
    Step &s = steps.emplace_back();
    s.kind = kind;
    s.line = line(range);
    return s;
  }
  void unsupported(SourceRange range, const char *what) {
    diags_.error("unsupported-feature", range, std::string(what) + " cannot be compiled");
    failed_ = true;
  }

  void value(std::vector<Step> &, const Match &, Slot value, unsigned depth);
  void opBody(std::vector<Step> &, const Match &, Slot op, unsigned depth);
  void operands(std::vector<Step> &, const Match &, Slot op, unsigned depth);
  void operand(std::vector<Step> &, const Match &, const sema::OperandMatch &, unsigned position, unsigned count, Slot op,
               unsigned depth);
  void attribute(std::vector<Step> &, const Match &, const sema::AttrMatch &, Slot op);
  void chain(std::vector<Step> &, const Match &, Slot value, unsigned depth);
  void use(std::vector<Step> &, const sema::VarUse &, Slot slot);
  void nestedTests(const Expr &);
  void condition(const sema::Condition &);
  void tests(std::vector<Step> &, const Expr &);

  const sema::Module &module_;
  const SourceManager &sources_;
  Diagnostics &diags_;
  const sema::Pattern &pattern_;
  MatchPlan plan_;
  bool failed_ = false;
  std::set<uint32_t> bound_; // variables, on the way taken to here
};

void PlanBuilder::use(std::vector<Step> &steps, const sema::VarUse &use, Slot slot) {
  if (!use)
    return;
  // Tests do not run in written order: what comes first binds, whichever it is.
  StepKind kind = use.use == sema::Use::BindOrCompare ? StepKind::BindOrSame
                  : bound_.contains(use.var.raw)      ? StepKind::Same
                                                      : StepKind::Bind;
  bound_.insert(use.var.raw);
  Step &s = add(steps, kind, use.range);
  s.in = slot;
  s.var = use.var;
  if (!plan_.slots[slot].var)
    plan_.slots[slot].var = use.var;
}

void PlanBuilder::value(std::vector<Step> &steps, const Match &m, Slot v, unsigned depth) {
  use(steps, m.value, v);
  if (m.single) {
    add(steps, StepKind::Single, m.range).in = v;
    plan_.looksAtUses = true;
  }
  for (const sema::TypeMatch &type : m.types) {
    Step &s = add(steps, StepKind::Type, type.range ? type.range : m.range);
    s.in = v;
    s.type = type;
  }
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
    s.expr = m.literal;
    return;
  }
  case MatchKind::Alternatives: {
    Step s;
    s.kind = StepKind::Alternatives;
    s.line = line(m.range);
    std::set<uint32_t> before = bound_;
    for (const Match &child : m.children) {
      bound_ = before;
      value(s.alternatives.emplace_back(), child, v, depth);
    }
    steps.push_back(std::move(s));
    return;
  }
  case MatchKind::Chain:
    return chain(steps, m, v, depth);
  case MatchKind::Op: {
    if (m.optional) {
      if (m.operands.size() != 1 || m.operands[0].elements.size() != 1)
        return unsupported(m.range, "an optional op with more than one operand");
      Step s;
      s.kind = StepKind::Alternatives;
      s.line = line(m.range);
      Slot op = slot(SlotKind::Op);
      std::set<uint32_t> before = bound_;
      std::vector<Step> &there = s.alternatives.emplace_back();
      Step &def = add(there, StepKind::Def, m.range);
      def.in = v, def.out = op, def.ops = m.ops;
      opBody(there, m, op, depth + 1);
      bound_ = std::move(before);
      value(s.alternatives.emplace_back(), m.operands[0].elements[0], v, depth);
      steps.push_back(std::move(s));
      return;
    }
    Slot op = slot(SlotKind::Op);
    Step &def = add(steps, StepKind::Def, m.range);
    def.in = v, def.out = op, def.ops = m.ops;
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
    value(s.body, m.children[0], each, depth);
    steps.push_back(std::move(s));
  } else {
    operands(steps, m, op, depth);
  }
  for (const sema::AttrMatch &attr : m.attrs)
    if (needsOperands(attr))
      attribute(steps, m, attr, op);
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
      ++most; // absent or ignored: may have its slot
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
    s.in = op;
    s.out = first;
    value(steps, m.operands[0].elements[0], first, depth);
    value(steps, m.operands[1].elements[0], second, depth);
    return;
  }
  unsigned position = 0, total = 0;
  for (const sema::OperandMatch &o : m.operands)
    total += o.kind == sema::OperandMatchKind::List ? unsigned(o.elements.size()) : 1;
  bool afterRest = false;
  for (const sema::OperandMatch &o : m.operands) {
    if (afterRest && o.kind != sema::OperandMatchKind::Absent)
      return unsupported(m.range, "an operand after a variadic one with any number of operands");
    operand(steps, m, o, position, total, op, depth);
    afterRest |= o.hasRest;
    position += o.kind == sema::OperandMatchKind::List ? unsigned(o.elements.size()) : 1;
  }
}

void PlanBuilder::operand(std::vector<Step> &steps, const Match &m, const sema::OperandMatch &o, unsigned position,
                          unsigned, Slot op, unsigned depth) {
  switch (o.kind) {
  case sema::OperandMatchKind::Ignored:
    return;
  case sema::OperandMatchKind::Absent: {
    Step &s = add(steps, StepKind::Absent, m.range);
    s.in = op;
    s.index = position;
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
    s.index = fromEnd ? unsigned(o.elements.size()) - i : position + i;
    value(steps, o.elements[i], v, depth);
  }
  if (o.hasRest && o.rest) {
    Slot list = slot(SlotKind::ValueList);
    Step &s = add(steps, StepKind::OperandList, o.rest.range);
    s.in = op;
    s.out = list;
    s.index = position + o.restAt;
    s.most = unsigned(o.elements.size()) - o.restAt;
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
    s.expr = a.value;
    return;
  }
  Step &s = add(steps, StepKind::AttrList, a.range);
  s.in = attr;
  s.hasRest = a.hasRest;
  s.restAt = a.restAt;
  s.rest = a.rest;
  for (const sema::AttrMatch::Element &e : a.elements)
    s.elements.push_back({e.var, e.value});
}

void PlanBuilder::chain(std::vector<Step> &steps, const Match &m, Slot v, unsigned depth) {
  Slot links = slot(SlotKind::Chain), end = slot(SlotKind::Value), side = slot(SlotKind::Value);
  Step s;
  s.kind = StepKind::Chain;
  s.line = line(m.range);
  s.in = v;
  s.out = links;
  s.least = m.atLeastOne;
  s.ops = m.ops;
  if (!m.side.empty())
    value(s.body, m.side[0], side, depth + 1);
  steps.push_back(std::move(s));
  plan_.chains.push_back(m.ops);
  plan_.looksAtUses = true;
  use(steps, m.op, links);
  value(steps, m.children[0], end, depth);
}

/// `a and b` is two tests, so that the first may fail before the second is looked at.
void PlanBuilder::tests(std::vector<Step> &steps, const Expr &e) {
  if (e.kind == sema::ExprKind::Binary && e.binary == sema::BinaryOp::And) {
    tests(steps, e.args[0]);
    tests(steps, e.args[1]);
    return;
  }
  bool negated = e.kind == sema::ExprKind::Not && e.args[0].kind == sema::ExprKind::Is;
  const Expr &is = negated ? e.args[0] : e;
  if (is.kind == sema::ExprKind::Is) {
    Step s;
    s.kind = StepKind::Is;
    s.line = line(e.range);
    s.negated = negated;
    s.expr = is.args[0];
    s.out = slot(SlotKind::Value);
    value(s.body, pattern_.body.tests[is.test().raw], s.out, plan_.depth);
    steps.push_back(std::move(s));
    return;
  }
  nestedTests(e);
  Step &s = add(steps, StepKind::Test, e.range);
  s.expr = e;
}

/// Tests on matches inside `e` that are no steps of their own.
void PlanBuilder::nestedTests(const Expr &e) {
  if (e.kind == sema::ExprKind::Is) {
    NestedTest nested{e.test(), slot(SlotKind::Value), {}};
    value(nested.steps, pattern_.body.tests[e.test().raw], nested.value, plan_.depth);
    plan_.tests.push_back(std::move(nested));
  }
  if (e.kind == sema::ExprKind::Property && e.property == sema::Property::Uses)
    plan_.looksAtUses = plan_.countsUses = true;
  for (const Expr &a : e.args)
    nestedTests(a);
}

void PlanBuilder::condition(const sema::Condition &c) {
  switch (c.kind) {
  case sema::ConditionKind::Test:
    return tests(plan_.steps, c.expr);
  case sema::ConditionKind::Let: {
    nestedTests(c.expr);
    Step &s = add(plan_.steps, StepKind::Let, c.range);
    s.var = c.var;
    s.expr = c.expr;
    return;
  }
  case sema::ConditionKind::Is: {
    // What it binds is seen by what follows, so its steps stand with the others.
    Slot v = slot(SlotKind::Value);
    Step &s = add(plan_.steps, StepKind::Let, c.range);
    s.expr = c.expr;
    s.out = v;
    return value(plan_.steps, *c.match, v, plan_.depth);
  }
  }
}

/// Code is emitted for each combination of alternatives.
static constexpr double kMaxCombinations = 1000;
static double combinations(const std::vector<Step> &steps) {
  double ways = 1;
  for (const Step &s : steps) {
    double here = s.alternatives.empty() ? 1 : 0;
    for (const std::vector<Step> &alternative : s.alternatives)
      here += combinations(alternative);
    ways *= here * (s.body.empty() ? 1 : combinations(s.body));
  }
  return ways;
}

/// Before the first choice the order of tests does not change what matches: what ops there are is asked first, then
/// what costs little, then attributes and types.
static void cheapFirst(std::vector<Step> &steps) {
  auto cost = [](const Step &s) {
    switch (s.kind) {
    case StepKind::Root:
    case StepKind::Operand:
    case StepKind::Def: return 0;
    case StepKind::Count:
    case StepKind::Absent:
    case StepKind::Single:
    case StepKind::NoExtras: return 1;
    case StepKind::Attr:
    case StepKind::AttrDefault:
    case StepKind::AttrAbsent:
    case StepKind::AttrEquals:
    case StepKind::AttrList:
    case StepKind::OperandList:
    case StepKind::Bind:
    case StepKind::Same:
    case StepKind::BindOrSame:
    case StepKind::Type:
    case StepKind::Const:
    case StepKind::Element:
    case StepKind::Splat: return 2;
    default: return 3; // choices, conditions: here the order counts
    }
  };
  auto end = std::ranges::find_if(steps, [&](const Step &s) { return cost(s) == 3; });
  std::stable_sort(steps.begin(), end, [&](const Step &a, const Step &b) { return cost(a) < cost(b); });
}

std::optional<MatchPlan> PlanBuilder::build() {
  if (pattern_.roots.size() != 1)
    unsupported(pattern_.roots[1].range, "a pattern with several roots");
  const Match &root = pattern_.roots[0];
  if (root.kind != MatchKind::Op)
    unsupported(root.range, "a root that is no op");
  if (failed_)
    return std::nullopt;
  plan_.roots = root.ops;
  Slot op = slot(SlotKind::Op);
  Step &s = add(plan_.steps, StepKind::Root, root.range);
  s.out = op;
  s.ops = root.ops;
  if (root.single) {
    unsupported(root.range, "`single` at the root");
    return std::nullopt;
  }
  opBody(plan_.steps, root, op, 1);
  cheapFirst(plan_.steps);
  for (const sema::Condition &c : pattern_.conditions)
    condition(c);
  if (failed_)
    return std::nullopt;
  if (combinations(plan_.steps) > kMaxCombinations) {
    diags_.error("too-complex", pattern_.nameRange,
                 "the alternatives of this pattern combine in more than " + std::to_string(int(kMaxCombinations)) + " ways");
    return std::nullopt;
  }
  plan_.looksAtLeaves = looksAtLeaves(plan_, module_);
  return std::move(plan_);
}
} // namespace

Module buildPlans(const sema::Module &module, const SourceManager &sources, Diagnostics &diags) {
  Module out;
  out.source = &module;
  for (uint32_t i = 0; i < module.patterns.size(); ++i)
    if (!module.patterns[i].imported)
      if (std::optional<MatchPlan> plan = PlanBuilder(module, sources, diags, {i}).build())
        out.plans.push_back(std::move(*plan));
  return out;
}

} // namespace rw::plan
