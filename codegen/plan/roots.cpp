// Roots, conditions and the order of what they ask; members of PlanBuilder.
#include "codegen/plan/leaves.h"
#include "codegen/plan/plan_builder.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace rw::plan {

/// `x.uses == 0`: more uses never make it hold, as with `single`.
static bool asksForNoUse(const Expr &e) {
  return e.kind == sema::ExprKind::Binary && e.binary == sema::BinaryOp::Eq && e.args[0].kind == sema::ExprKind::Property &&
         e.args[0].property == sema::Property::Uses && e.args[1].kind == sema::ExprKind::Int && e.args[1].i == 0;
}

/// Whether a part of `e` holds no less where `e` does: more uses never make `one_user` hold, but `not one_user` they do.
static bool keepsSense(const Expr &e) {
  return (e.kind == sema::ExprKind::Binary && (e.binary == sema::BinaryOp::And || e.binary == sema::BinaryOp::Or)) ||
         (e.kind == sema::ExprKind::Builtin && (e.builtin == sema::Builtin::All || e.builtin == sema::Builtin::Any)) ||
         e.kind == sema::ExprKind::Comprehension;
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
  if (asksForNoUse(e)) {
    plan_.looksAtUses = true;
    nestedTests(e.args[0].args[0]);
  } else {
    nestedTests(e);
  }
  Step &s = add(steps, StepKind::Test, e.range);
  s.expr = e;
}

/// What the value of a called function asks of uses.
void PlanBuilder::usesAskedIn(const Expr &e) {
  if ((e.kind == sema::ExprKind::Property && e.property == sema::Property::Uses) ||
      (e.kind == sema::ExprKind::Builtin && e.builtin == sema::Builtin::OneUser))
    plan_.looksAtUses = plan_.countsUses = true;
  if (e.kind == sema::ExprKind::Call && asked_.insert(e.fn().raw).second) // each once: functions that call others twice are many
    usesAskedIn(module_.fn(e.fn()).value);
  for (const Expr &a : e.args)
    usesAskedIn(a);
}

/// Tests on matches inside `e` that are no steps of their own.
void PlanBuilder::nestedTests(const Expr &e, bool sense) {
  if (e.kind == sema::ExprKind::Is) {
    NestedTest nested{e.test(), slot(SlotKind::Value), {}};
    value(nested.steps, pattern_.body.tests[e.test().raw], nested.value, plan_.depth);
    plan_.tests.push_back(std::move(nested));
  }
  if (e.kind == sema::ExprKind::Property && e.property == sema::Property::Uses)
    plan_.looksAtUses = plan_.countsUses = true;
  if (e.kind == sema::ExprKind::Builtin && e.builtin == sema::Builtin::OneUser) {
    plan_.looksAtUses = true;
    plan_.countsUses |= !sense;
  }
  if (e.kind == sema::ExprKind::Call && asked_.insert(e.fn().raw).second)
    usesAskedIn(module_.fn(e.fn()).value);
  for (const Expr &a : e.args)
    nestedTests(a, sense && keepsSense(e) && !(e.hasFilter && &a == &e.args.back()));
}

void PlanBuilder::condition(const sema::Condition &c) {
  switch (c.kind) {
  case sema::ConditionKind::Test:
    return tests(plan_.steps, c.expr);
  case sema::ConditionKind::Let: {
    nestedTests(c.expr, false);
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

/// Each order of operands may have to be tried with each other.
static constexpr double kMaxCombinations = 1000;
static double combinations(const std::vector<Step> &steps) {
  double ways = 1;
  for (const Step &s : steps) {
    double here = s.kind == StepKind::Commute ? 2 : 1;
    for (const std::vector<Step> &alternative : s.alternatives)
      here = std::max(here, combinations(alternative));
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
    case StepKind::Result:
    case StepKind::Def: return 0;
    case StepKind::Kind:
    case StepKind::Count:
    case StepKind::Absent:
    case StepKind::Single:
    case StepKind::NoExtras: return 1;
    case StepKind::Attr:
    case StepKind::AttrDefault:
    case StepKind::AttrAbsent:
    case StepKind::AttrEquals:
    case StepKind::AttrOneOf:
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
  // Steps are large: each is moved once.
  std::vector<Step> sorted;
  sorted.reserve(std::max<size_t>(steps.size(), steps.capacity()));
  for (int of = 0; of < 3; ++of)
    for (auto it = steps.begin(); it != end; ++it)
      if (cost(*it) == of)
        sorted.push_back(std::move(*it));
  std::move(end, steps.end(), std::back_inserter(sorted));
  steps = std::move(sorted);
}

/// The ops that a root may be: those of all its alternatives.
static OpSet rootOps(const Match &root) {
  if (root.kind == MatchKind::Op)
    return root.ops;
  OpSet all;
  auto add = [](std::vector<sema::OpIndex> &to, const std::vector<sema::OpIndex> &from) {
    for (sema::OpIndex op : from)
      if (std::ranges::find(to, op) == to.end())
        to.push_back(op);
  };
  for (const Match &child : root.children) {
    if (child.ops.byTrait() && !all.byTrait())
      all.traits = child.ops.traits;
    else if (child.ops.byTrait())
      all.otherTraits.push_back(child.ops.traits);
    all.otherTraits.insert(all.otherTraits.end(), child.ops.otherTraits.begin(), child.ops.otherTraits.end());
    add(all.ops, child.ops.ops);
    add(all.ops, child.ops.otherOps);
  }
  if (all.byTrait())
    all.otherOps = std::exchange(all.ops, {});
  return all;
}

/// What is asked of a root, op `op` being one of those it may be.
void PlanBuilder::root(const Match &m, Slot op) {
  if (m.kind == MatchKind::Op)
    return rootBody(plan_.steps, m, op);
  if (m.single || m.value || !m.types.empty())
    rootValue(plan_.steps, m, op);
  Step s;
  s.kind = StepKind::Alternatives;
  s.line = line(m.range);
  std::set<uint32_t> before = bound_;
  ++choice_;
  for (const Match &child : m.children) {
    bound_ = before;
    std::vector<Step> &steps = s.alternatives.emplace_back();
    Step &kind = add(steps, StepKind::Kind, child.range);
    kind.in = op;
    kind.ops = child.ops;
    rootBody(steps, child, op);
  }
  --choice_;
  plan_.steps.push_back(std::move(s));
}

void PlanBuilder::rootBody(std::vector<Step> &steps, const Match &m, Slot op) {
  if (m.single || m.value || !m.types.empty())
    rootValue(steps, m, op);
  opBody(steps, m, op, 1);
}

void PlanBuilder::rootValue(std::vector<Step> &steps, const Match &m, Slot op) {
  Slot result = slot(SlotKind::Value);
  Step &s = add(steps, StepKind::Result, m.range);
  s.in = op;
  s.out = result;
  aboutValue(steps, m, result);
}

/// How many uses lie between a value that is bound already and the op of a match, and which; 0: there is none.
unsigned PlanBuilder::distance(const Match &m, VarId &through) const {
  unsigned best = 0;
  auto better = [&](unsigned here, VarId var) {
    if (here && (!best || here < best)) {
      best = here;
      through = var;
    }
  };
  std::function<void(const Match &, unsigned)> look = [&](const Match &value, unsigned depth) {
    for (const sema::VarUse *use : {&value.value, &value.op})
      if (*use && bound_.contains(use->var.raw) && !pattern_.body.var(use->var).type.isList())
        better(depth, use->var);
    if (value.kind == MatchKind::Op && !value.optional && !value.each)
      for (const sema::OperandMatch &o : value.operands)
        for (const Match &element : o.elements)
          look(element, depth + 1);
  };
  for (const sema::OperandMatch &o : m.operands)
    for (const Match &element : o.elements)
      look(element, 1);
  return best;
}

/// A root after the first: found among the users of a value that is known by then.
void PlanBuilder::furtherRoot(const Match &m) {
  VarId through;
  unsigned uses = m.kind == MatchKind::Op ? distance(m, through) : 0;
  Slot from = kNoSlot;
  for (Slot s = 0; s < plan_.slots.size() && uses; ++s)
    if (plan_.slots[s].var == through)
      from = std::min(from, s);
  if (m.kind == MatchKind::Alternatives) {
    diags_.error("unconnected-root", m.range, "only the first root may be alternatives")
        .note("an op of one of several kinds is written `b: (exp | neg)(x)`; else write a pattern for each");
    failed_ = true;
    return;
  }
  if (from == kNoSlot) {
    diags_.error("unconnected-root", m.range, "this root cannot be found from the roots before it")
        .note("a value that an earlier root names must be an operand here, or of an op matched here, at a fixed distance");
    failed_ = true;
    return;
  }
  Slot op = slot(SlotKind::Op);
  Step &s = add(plan_.steps, StepKind::Users, m.range);
  s.in = from;
  s.out = op;
  s.least = uses;
  s.ops = m.ops;
  plan_.looksAtUsers = true;
  rootBody(plan_.steps, m, op);
}

std::optional<MatchPlan> PlanBuilder::build() {
  const Match &first = pattern_.roots[0];
  plan_.roots = rootOps(first);
  Slot op = slot(SlotKind::Op);
  plan_.steps.reserve(12); // most have fewer
  Step &s = add(plan_.steps, StepKind::Root, first.range);
  s.out = op;
  s.ops = plan_.roots;
  root(first, op);
  cheapFirst(plan_.steps);
  for (size_t i = 1; i < pattern_.roots.size(); ++i)
    furtherRoot(pattern_.roots[i]);
  for (const sema::Condition &c : pattern_.conditions)
    condition(c);
  if (failed_)
    return std::nullopt;
  if (combinations(plan_.steps) > kMaxCombinations) {
    diags_.error("too-complex", pattern_.nameRange,
                 "the operand orders of this pattern combine in more than " + std::to_string(int(kMaxCombinations)) + " ways");
    return std::nullopt;
  }
  plan_.looksAtLeaves = looksAtLeaves(plan_, module_);
  return std::move(plan_);
}
Module buildPlans(const sema::Module &module, const SourceManager &sources, Diagnostics &diags,
                  const std::function<bool(sema::PatternIndex)> &wanted) {
  Module out;
  out.source = &module;
  for (uint32_t i = 0; i < module.patterns.size(); ++i)
    if (wanted ? wanted({i}) : !module.patterns[i].imported)
      if (std::optional<MatchPlan> plan = PlanBuilder(module, sources, diags, {i}).build())
        out.plans.push_back(std::move(*plan));
  return out;
}

} // namespace rw::plan
