#include "codegen/plan/search.h"

#include <algorithm>

namespace rw::plan {

static double waysOfOne(const Step &s) {
  if (s.kind == StepKind::Commute)
    return 2;
  if (s.kind != StepKind::Alternatives)
    return 1;
  double ways = 0;
  for (const std::vector<Step> &alternative : s.alternatives)
    ways += waysOf(alternative);
  return ways;
}

double waysOf(const std::vector<Step> &steps) {
  double ways = 1;
  for (const Step &s : steps)
    ways *= waysOfOne(s);
  return ways;
}

double waysOf(const std::vector<Step> &steps, const std::vector<bool> &covered) {
  double ways = 1;
  for (size_t i = 0; i < steps.size(); ++i)
    if (!covered[i])
      ways *= waysOfOne(steps[i]);
  return ways;
}

Search::Search(const MatchPlan &plan, const std::vector<bool> &covered) : plan_(plan) {
  on_ = waysOf(plan.steps, covered) > kFewWays;
  if (!on_)
    return;
  slots_.assign(plan.slots.size(), 0);
  for (size_t i = 0; i < plan.steps.size(); ++i)
    if (!covered[i]) // what the opening finds is there before the first choice
      step(plan.steps[i], 0);
}

uint64_t Search::choose(const Step &s) {
  unsigned choice = choices_++;
  choice_[&s] = choice;
  return uint64_t(1) << std::min(choice, 63u);
}

void Search::sets(VarId var, uint64_t choices) {
  if (var)
    vars_[var.raw] |= choices;
}

uint64_t Search::of(VarId var) const {
  auto it = vars_.find(var.raw);
  return it == vars_.end() ? 0 : it->second;
}

uint64_t Search::of(const Expr &e) const {
  uint64_t out = 0;
  if (e.kind == sema::ExprKind::Var)
    out |= of(e.var());
  if (e.kind == sema::ExprKind::Is)
    for (const NestedTest &nested : plan_.tests)
      if (nested.test == e.test())
        out |= inside(nested.steps);
  for (const Expr &a : e.args)
    out |= of(a);
  return out;
}

uint64_t Search::of(const sema::TypeMatch &type) const {
  uint64_t out = 0;
  if (type.dtype)
    out |= of(*type.dtype);
  if (type.equals)
    out |= of(*type.equals);
  if (type.dims)
    for (const sema::DimMatch &dim : *type.dims)
      out |= of(dim.var.var) | (dim.value ? of(*dim.value) : 0);
  for (const sema::TypeMatch &element : type.elements)
    out |= of(element);
  return out;
}

/// All that steps look at, the steps inside them included: what is found on the way depends on what is looked at.
uint64_t Search::inside(std::span<const Step> steps) const {
  uint64_t out = 0;
  for (const Step &s : steps) {
    if (s.in != kNoSlot)
      out |= slots_[s.in];
    out |= of(s.var) | of(s.rest.var);
    if (s.expr)
      out |= of(*s.expr);
    if (s.type)
      out |= of(*s.type);
    for (const ListElement &x : s.elements)
      out |= of(x.var.var) | (x.value ? of(*x.value) : 0);
    for (const Expr &choice : s.choices)
      out |= of(choice);
    for (const Steps &alternative : s.alternatives)
      out |= inside(alternative);
    out |= inside(s.link) | inside(s.body);
  }
  return out;
}

/// Variables that a step, or one inside it, binds.
void Search::binds(const Step &s, uint64_t choices) {
  sets(s.var, choices);
  sets(s.rest.var, choices);
  for (const ListElement &x : s.elements)
    sets(x.var.var, choices);
  if (s.type)
    sema::forEachDim(*s.type, [&](const sema::DimMatch &d) { sets(d.var.var, choices); });
  for (const Step &inner : s.body)
    binds(inner, choices);
  for (const Steps &alternative : s.alternatives)
    for (const Step &inner : alternative)
      binds(inner, choices);
}

/// `context`: the choices by which the step runs at all.
void Search::step(const Step &s, uint64_t context) {
  if (s.kind == StepKind::Alternatives) {
    uint64_t one = context | choose(s);
    blame_[&s] = context;
    for (const Steps &alternative : s.alternatives)
      for (const Step &inner : alternative)
        step(inner, one);
    return;
  }
  uint64_t asked = context | inside({&s, 1});
  if (s.kind == StepKind::Users) // what is bound in several alternatives has a slot in each
    asked |= of(plan_.slots[s.in].var);
  uint64_t found = asked;
  blame_[&s] = asked;
  if (s.kind == StepKind::Commute)
    found |= choose(s);
  if (s.kind != StepKind::Is) // whose names are its own
    binds(s, found);
  if (s.out == kNoSlot)
    return;
  slots_[s.out] |= found;
  if (s.kind == StepKind::Commute || s.kind == StepKind::Chain)
    slots_[s.out + 1] |= found;
}

} // namespace rw::plan
