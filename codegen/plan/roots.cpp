// Roots, conditions and the order of what they ask; members of PlanBuilder.
#include "codegen/plan/leaves.h"
#include "codegen/plan/plan_builder.h"
#include "codegen/plan/search.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace rw::plan {

/// `x.uses == 0`: more uses never make it hold, as with `single`.
static bool asksForNoUse(const Expr &e) {
  return e.kind == sema::ExprKind::Binary && e.binary == sema::BinaryOp::Eq &&
         e.args[0].kind == sema::ExprKind::Property && e.args[0].property == sema::Property::Uses &&
         e.args[1].kind == sema::ExprKind::Int && e.args[1].i == 0;
}

/// Whether a part of `e` holds no less where `e` does: more uses never make `one_user` hold, but `not one_user` they
/// do.
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
    const std::map<uint32_t, Slot> values = valueOf_;
    value(s.body, pattern_.body.tests[is.test().raw], s.out, plan_.depth);
    valueOf_ = values;
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
  // each once: functions that call others twice are many
  if (e.kind == sema::ExprKind::Call && asked_.insert(e.fn().raw).second)
    usesAskedIn(module_.fn(e.fn()).value);
  for (const Expr &a : e.args)
    usesAskedIn(a);
}

/// Tests on matches inside `e` that are no steps of their own.
void PlanBuilder::nestedTests(const Expr &e, bool sense) {
  if (e.kind == sema::ExprKind::Is) {
    NestedTest nested{e.test(), slot(SlotKind::Value), {}};
    const std::map<uint32_t, Slot> values = valueOf_;
    value(nested.steps, pattern_.body.tests[e.test().raw], nested.value, plan_.depth);
    valueOf_ = values;
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

void PlanBuilder::condition(std::vector<Step> &steps, const sema::Condition &c, unsigned depth) {
  switch (c.kind) {
  case sema::ConditionKind::Test:
    return tests(steps, c.expr);
  case sema::ConditionKind::Let: {
    nestedTests(c.expr, false);
    Step &s = add(steps, StepKind::Let, c.range);
    s.var = c.var;
    s.expr = c.expr;
    bound_.insert(c.var.raw);
    return;
  }
  case sema::ConditionKind::Is: {
    // What it binds is seen by what follows, so its steps stand with the others.
    if (c.expr.kind == sema::ExprKind::Var)
      if (auto known = valueOf_.find(c.expr.id); known != valueOf_.end() && bound_.contains(c.expr.id))
        return value(steps, *c.match, known->second, depth);
    Slot v = slot(SlotKind::Value);
    Step &s = add(steps, StepKind::Let, c.range);
    s.expr = c.expr;
    s.out = v;
    return value(steps, *c.match, v, depth);
  }
  }
}

/// Questions inside `not`, `or`, `each` and chains try each order of operands with each other: what has not been tried
/// to the end is no answer there.
static constexpr double kMaxCombinations = 1000;
static double orders(const std::vector<Step> &steps) {
  double ways = 1;
  for (const Step &s : steps) {
    double here = s.kind == StepKind::Commute ? 2 : 1;
    for (const std::vector<Step> &alternative : s.alternatives)
      here = std::max(here, orders(alternative));
    ways *= here * (s.body.empty() ? 1 : orders(s.body));
  }
  return ways;
}
static double mostNestedOrders(const std::vector<Step> &steps) {
  double most = 1;
  for (const Step &s : steps) {
    most = std::max(most, orders(s.body));
    for (const std::vector<Step> &alternative : s.alternatives)
      most = std::max(most, mostNestedOrders(alternative));
  }
  return most;
}

/// With many choices, what ops the two operands of a commutative op are made by is asked before what is inside the
/// first: an order that cannot hold ends at once. Choices keep their order, so the first match stays the first.
static void operandsFirst(std::vector<Step> &steps) {
  auto isShallow = [](const Step &s) {
    return s.kind == StepKind::Def || s.kind == StepKind::Const || s.kind == StepKind::Splat ||
           s.kind == StepKind::Single;
  };
  for (size_t i = 0; i < steps.size(); ++i) {
    for (std::vector<Step> &alternative : steps[i].alternatives)
      operandsFirst(alternative);
    if (steps[i].kind != StepKind::Commute)
      continue;
    Slot first = steps[i].out;
    auto begin = steps.begin() + ptrdiff_t(i) + 1;
    std::stable_partition(begin, steps.end(),
                          [&](const Step &s) { return isShallow(s) && (s.in == first || s.in == first + 1); });
  }
}

/// Before the first choice the order of tests does not change what matches: what ops there are is asked first, then
/// what costs little, then attributes and types, and the conditions of named matches last.
static void cheapFirst(std::vector<Step> &steps) {
  auto cost = [](const Step &s) {
    switch (s.kind) {
    case StepKind::Root:
    case StepKind::Operand:
    case StepKind::Result:
    case StepKind::Region:
    case StepKind::Param:
    case StepKind::Terminator:
    case StepKind::Def:
      return 0;
    case StepKind::ParamCount:
    case StepKind::Kind:
    case StepKind::Count:
    case StepKind::Absent:
    case StepKind::Single:
    case StepKind::NoExtras:
      return 1;
    case StepKind::Attr:
    case StepKind::AttrDefault:
    case StepKind::AttrAbsent:
    case StepKind::AttrEquals:
    case StepKind::AttrOneOf:
    case StepKind::AttrList:
    case StepKind::OperandList:
    case StepKind::ParamList:
    case StepKind::Bind:
    case StepKind::Same:
    case StepKind::BindOrSame:
    case StepKind::Type:
    case StepKind::Const:
    case StepKind::Element:
    case StepKind::Splat:
      return 2;
    case StepKind::Test:
    case StepKind::Is:
      return 3;
    default:
      return 4; // choices, names of computed values: here the order counts
    }
  };
  auto end = std::ranges::find_if(steps, [&](const Step &s) { return cost(s) == 4; });
  // Steps are large: each is moved once.
  std::vector<Step> sorted;
  sorted.reserve(std::max<size_t>(steps.size(), steps.capacity()));
  for (int of = 0; of < 4; ++of)
    for (auto it = steps.begin(); it != end; ++it)
      if (cost(*it) == of)
        sorted.push_back(std::move(*it));
  std::move(end, steps.end(), std::back_inserter(sorted));
  steps = std::move(sorted);
}

/// The ops that a root may be: those of all its alternatives. Of a set by trait, those listed beside it are in `ops`
/// until all are there.
static void addRootOps(const Match &root, OpSet &all) {
  auto add = [](std::vector<sema::OpIndex> &to, const std::vector<sema::OpIndex> &from) {
    for (sema::OpIndex op : from)
      if (std::ranges::find(to, op) == to.end())
        to.push_back(op);
  };
  if (root.kind == MatchKind::Alternatives) {
    for (const Match &child : root.children)
      addRootOps(child, all);
    return;
  }
  all.any |= root.ops.any;
  if (root.ops.byTrait() && !all.byTrait())
    all.traits = root.ops.traits;
  else if (root.ops.byTrait())
    all.otherTraits.push_back(root.ops.traits);
  all.otherTraits.insert(all.otherTraits.end(), root.ops.otherTraits.begin(), root.ops.otherTraits.end());
  add(all.ops, root.ops.ops);
  add(all.ops, root.ops.otherOps);
}

/// What is asked of a root, op `op` being one of those it may be; `asksKind`: or of some others.
void PlanBuilder::root(std::vector<Step> &steps, const Match &m, Slot op, bool asksKind) {
  unsigned outer = usedAt_;
  if (m.usedAt && !usedAt_)
    usedAt_ = line(m.usedAt);
  if (m.kind == MatchKind::Op) {
    if (asksKind) {
      Step &kind = add(steps, StepKind::Kind, m.range);
      kind.in = op;
      kind.ops = m.ops;
    }
    rootBody(steps, m, op);
  } else {
    if (m.single || m.value || !m.types.empty())
      rootValue(steps, m, op);
    alternatives(steps, m, [&](std::vector<Step> &to, const Match &child) { root(to, child, op, true); });
  }
  usedAt_ = outer;
  after(steps, m, 1);
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
          if (o.kind != sema::OperandMatchKind::Maybe)
            look(element, depth + 1);
  };
  for (const sema::OperandMatch &o : m.operands)
    for (const Match &element : o.elements)
      if (o.kind != sema::OperandMatchKind::Maybe)
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
        .note("a value that an earlier root names must be an operand here, or of an op matched here, at a fixed "
              "distance");
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
  root(plan_.steps, m, op, false);
}

std::optional<MatchPlan> PlanBuilder::build() {
  const Match &first = pattern_.roots[0];
  addRootOps(first, plan_.roots);
  if (plan_.roots.byTrait())
    plan_.roots.otherOps = std::exchange(plan_.roots.ops, {});
  Slot op = slot(SlotKind::Op);
  plan_.steps.reserve(12); // most have fewer
  Step &s = add(plan_.steps, StepKind::Root, first.usedAt ? first.usedAt : first.range);
  s.out = op;
  s.ops = plan_.roots;
  root(plan_.steps, first, op, false);
  cheapFirst(plan_.steps);
  for (size_t i = 1; i < pattern_.roots.size(); ++i)
    furtherRoot(pattern_.roots[i]);
  for (const sema::Condition &c : pattern_.conditions)
    condition(plan_.steps, c, plan_.depth);
  if (failed_)
    return std::nullopt;
  double nested = mostNestedOrders(plan_.steps);
  for (const NestedTest &test : plan_.tests)
    nested = std::max(nested, orders(test.steps));
  if (nested > kMaxCombinations) {
    diags_
        .error("too-complex", pattern_.nameRange,
               "inside `not`, `or`, `each` or a chain, operand orders combine in more than " +
                   std::to_string(int(kMaxCombinations)) + " ways")
        .note("a match in `where` that is a condition of its own, `v is m`, has no such limit; for a question inside "
              "others, ask of fewer "
              "commutative ops");
    return std::nullopt;
  }
  if (waysOf(plan_.steps) > Search::kFewWays)
    operandsFirst(plan_.steps);
  plan_.looksAtLeaves = plan_.looksInRegions || looksAtLeaves(plan_, module_);
  return std::move(plan_);
}
std::optional<MatchPlan> buildPlan(const sema::Module &module, sema::PatternIndex pattern, const SourceManager &sources,
                                   Diagnostics &diags) {
  return PlanBuilder(module, sources, diags, pattern).build();
}

Module buildPlans(const sema::Module &module, const SourceManager &sources, Diagnostics &diags,
                  const std::function<bool(sema::PatternIndex)> &wanted) {
  Module out;
  out.source = &module;
  for (uint32_t i = 0; i < module.patterns.size(); ++i)
    if (wanted ? wanted(sema::PatternIndex(i)) : !module.patterns[i].imported)
      if (std::optional<MatchPlan> plan = buildPlan(module, sema::PatternIndex(i), sources, diags))
        out.plans.push_back(std::move(*plan));
  return out;
}

} // namespace rw::plan
