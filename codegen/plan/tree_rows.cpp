// Leads as tests on paths: the rows from which decision_tree.cpp builds trees.
#include "codegen/plan/tree_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::plan {

std::string pathText(const std::vector<Path> &paths, PathId id) {
  const Path &p = paths[id];
  switch (p.kind) {
  case Path::Root: return "root";
  case Path::Operand: return fmt::format("{}.{}{}", pathText(paths, p.parent), p.fromEnd ? "-" : "", p.index);
  case Path::Def: return fmt::format("def({})", pathText(paths, p.parent));
  case Path::Attr: return fmt::format("{}:{}", pathText(paths, p.parent), p.name);
  }
  return "";
}

PathId TreeRows::intern(Path path) {
  auto [it, isNew] = pathIds_.try_emplace(
      std::tuple(path.kind, path.parent, path.index, path.fromEnd, path.orDefault, path.name), PathId(tree_.paths.size()));
  if (isNew)
    tree_.paths.push_back(std::move(path));
  return it->second;
}

/// The ops whose kind must be known before the path can be walked.
std::vector<PathId> TreeRows::needs(PathId path) const {
  std::vector<PathId> out;
  for (; path != kNoPath; path = tree_.paths[path].parent)
    if (tree_.paths[path].kind == Path::Def)
      out.push_back(path);
  return out;
}

void TreeRows::test(Ask ask, PathId path, std::string text, Answer answer, const Step &step, PathId other) {
  answer.step = &step;
  // Two ops may have an attribute of one name at different places: the text alone does not tell those questions apart.
  unsigned place = ask == Ask::AttrDefault || ask == Ask::AttrAbsent ? step.index : 0;
  auto [it, isNew] = questionIds_.try_emplace(std::tuple(text, path, other, place), uint32_t(tree_.questions.size()));
  if (isNew) {
    Question q{ask, path, other, std::move(text), {}};
    bool asksKind = ask == Ask::Kind || ask == Ask::OneOf;
    q.needs = needs(asksKind ? tree_.paths[path].parent : path);
    if (other != kNoPath)
      for (PathId need : needs(other))
        q.needs.push_back(need);
    tree_.questions.push_back(std::move(q));
  }
  leaf_->tests.push_back({it->second, std::move(answer)});
}

static std::string literalText(const Step &s, const MatchPlan &plan, const sema::Module &module) {
  return sema::toString(*s.expr, module, module.pattern(plan.pattern).body);
}

/// Declarations of one op for several versions are several kinds: the text tells them apart.
static std::string kinds(const OpSet &set, const sema::Module &module) {
  if (set.byTrait())
    return "any " + sema::traitsToString(set.traits);
  std::string text;
  for (sema::OpIndex i : set.ops) {
    const sema::Op &op = module.op(i);
    text += (text.empty() ? "" : " | ") + op.fullName() + (op.since > 0 ? fmt::format("@{}", op.since) : "");
  }
  return text;
}

bool TreeRows::hasOneResult(const OpSet &set) const {
  return !set.byTrait() && std::ranges::all_of(set.ops, [&](sema::OpIndex i) {
    const auto &results = module_.op(i).results;
    return results.size() == 1 && results[0].arity == sema::Arity::Single;
  });
}

/// Whether operand `index` of every op of the set is there if the op verifies.
static bool operandAlwaysThere(const OpSet *set, const Step &s, const sema::Module &module) {
  if (!set || set->byTrait() || s.fromEnd)
    return false;
  return std::ranges::all_of(set->ops, [&](sema::OpIndex i) {
    const auto &operands = module.op(i).operands;
    return s.index < operands.size() &&
           std::all_of(operands.begin(), operands.begin() + s.index + 1, [](auto &o) { return o.arity == sema::Arity::Single; });
  });
}

void TreeRows::def(const Step &s, PathId value) {
  PathId op = path(s.out) = intern({Path::Def, value});
  std::string text = pathText(tree_.paths, op), ops = kinds(s.ops, module_);
  if (s.ops.ops.size() == 1 && !s.ops.byTrait())
    test(Ask::Kind, op, "kind of " + text, {.text = ops, .op = s.ops.ops[0]}, s);
  else
    test(Ask::OneOf, op, fmt::format("{} is {}", text, ops), {.text = "yes"}, s);
  if (!hasOneResult(s.ops))
    test(Ask::IsResult, op, fmt::format("{} is result {}", pathText(tree_.paths, value), s.index), {.text = "yes"}, s);
}

void TreeRows::count(const Step &s, PathId op) {
  std::string number = s.least == s.most           ? fmt::format("{}", s.least)
                       : s.most == UINT32_MAX      ? fmt::format("{} or more", s.least)
                                                   : fmt::format("{} to {}", s.least, s.most);
  if (s.least > 0 || s.most != UINT32_MAX)
    test(Ask::Operands, op, fmt::format("operands of {}: {}", pathText(tree_.paths, op), number), {.text = "yes"}, s);
}

void TreeRows::step(const Step &s, const std::vector<bool> &defined) {
  PathId in = s.in == kNoSlot ? kNoPath : path(s.in);
  auto text = [&](PathId p) { return pathText(tree_.paths, p); };
  auto attr = [&](const Step &step) { return fmt::format("{}:{}", text(in), step.name); };
  switch (s.kind) {
  case StepKind::Root: path(s.out) = 0; return;
  case StepKind::Operand: {
    PathId v = path(s.out) = intern({.kind = Path::Operand, .parent = in, .index = s.index, .fromEnd = s.fromEnd});
    if (!defined[s.out] && !operandAlwaysThere(opsOf_[s.in], s, module_))
      test(Ask::OperandThere, v, fmt::format("{} is there", text(v)), {.text = "yes"}, s);
    return;
  }
  case StepKind::Commute:
    path(s.out) = intern({.kind = Path::Operand, .parent = in, .index = leaf_->swapped ? 1u : 0u});
    path(s.out + 1) = intern({.kind = Path::Operand, .parent = in, .index = leaf_->swapped ? 0u : 1u});
    return;
  case StepKind::Def: return def(s, in);
  case StepKind::Count: return count(s, in);
  case StepKind::Absent: {
    PathId v = intern({.kind = Path::Operand, .parent = in, .index = s.index});
    return test(Ask::OperandAbsent, v, fmt::format("{} is left out", text(v)), {.text = "yes"}, s);
  }
  case StepKind::Attr: {
    bool orDefault = std::ranges::any_of(s.opSet.ops, [&](sema::OpIndex op) {
      const auto &attrs = module_.op(op).attrs;
      return s.index < attrs.size() && attrs[s.index].defaultValue.has_value();
    });
    PathId a = path(s.out) = intern({.kind = Path::Attr, .parent = in, .index = s.index,
                                     .orDefault = s.opSet.byTrait() || orDefault, .name = s.name});
    if (!alwaysThere(s, module_))
      test(Ask::AttrThere, a, fmt::format("{} is there", text(a)), {.text = "yes"}, s);
    return;
  }
  case StepKind::AttrDefault: return test(Ask::AttrDefault, in, attr(s) + " is its default", {.text = "yes"}, s);
  case StepKind::AttrAbsent: return test(Ask::AttrAbsent, in, attr(s) + " is left out", {.text = "yes"}, s);
  case StepKind::NoExtras: return test(Ask::NoExtras, in, fmt::format("undeclared attributes of {}", text(in)), {.text = "none"}, s);
  case StepKind::Single: return test(Ask::OneUse, in, fmt::format("uses of {}", text(in)), {.text = "one"}, s);
  case StepKind::Const: return test(Ask::Constant, in, fmt::format("{} is constant", text(in)), {.text = "yes"}, s);
  case StepKind::AttrEquals: {
    std::string value = literalText(s, plan(), module_);
    if (std::optional<int64_t> i = literalInt(s))
      return test(Ask::Number, in, fmt::format("number {}", text(in)), {.text = value, .integer = *i}, s);
    if (s.expr->kind == sema::ExprKind::String)
      return test(Ask::String, in, fmt::format("string {}", text(in)), {.text = value}, s);
    return test(Ask::Equals, in, fmt::format("{} = {}", text(in), value), {.text = "yes"}, s);
  }
  case StepKind::Splat:
    if (std::optional<double> n = splatNumber(s))
      return test(Ask::SplatNumber, in, fmt::format("number {} repeats", text(in)), {.text = fmt::format("{}", *n), .number = *n}, s);
    return test(Ask::Constant, in, fmt::format("{} is constant", text(in)), {.text = "yes"}, s);
  case StepKind::Same: return test(Ask::Same, vars_.at(s.var.raw), fmt::format("{} and {}", text(vars_.at(s.var.raw)), text(in)), {.text = "same"}, s, in);
  case StepKind::Bind: vars_[s.var.raw] = in; return;
  case StepKind::Type: {
    sema::DTypeClass c = s.type->dtypeClass;
    if (c == sema::DTypeClass::Exactly)
      return test(Ask::DType, in, fmt::format("dtype of {}", text(in)), {.text = s.type->dtype->text}, s);
    std::string name = c == sema::DTypeClass::Float ? "float" : "integer";
    return test(Ask::DTypeClass, in, fmt::format("dtype of {} is {}", text(in), name), {.text = "yes"}, s);
  }
  default: return;
  }
}

void TreeRows::add(uint32_t planIndex, uint32_t member, const Lead &lead, bool swapped) {
  const MatchPlan &plan = plans_.plans[planIndex];
  leaf_ = &tree_.leaves.emplace_back();
  leaf_->plan = planIndex;
  leaf_->member = member;
  leaf_->swapped = swapped;
  leaf_->slots.assign(plan.slots.size(), kNoPath);
  vars_.clear();
  opsOf_.assign(plan.slots.size(), nullptr);
  std::vector<bool> defined(plan.slots.size(), false); // values whose op is asked for
  for (uint32_t i : lead.indexes) {
    const Step &s = plan.steps[i];
    if (s.kind == StepKind::Def)
      defined[s.in] = true;
    if (s.kind == StepKind::Def || s.kind == StepKind::Root)
      opsOf_[s.out] = &s.ops;
  }
  for (uint32_t i : lead.indexes)
    step(plan.steps[i], defined);
  // Kinds first, then what costs little.
  std::ranges::stable_sort(leaf_->tests, {}, [&](const TreeTest &t) { return cost(tree_.questions[t.question].ask); });
  auto same = [](const TreeTest &a, const TreeTest &b) { return a.question == b.question && a.answer == b.answer; };
  auto &tests = leaf_->tests;
  for (size_t i = 0; i < tests.size(); ++i)
    tests.erase(std::remove_if(tests.begin() + ptrdiff_t(i) + 1, tests.end(), [&](auto &t) { return same(t, tests[i]); }), tests.end());
  for (const Step &s : lead.rest)
    if (s.kind != StepKind::Bind || plan.slots[s.in].kind == SlotKind::Attr)
      leaf_->rest.push_back(describe(s, plan, module_));
}

unsigned TreeRows::cost(Ask ask) {
  switch (ask) {
  case Ask::Kind:
  case Ask::OneOf: return 0;
  case Ask::Constant:
  case Ask::OneUse:
  case Ask::IsResult:
  case Ask::Operands:
  case Ask::OperandThere:
  case Ask::OperandAbsent:
  case Ask::Same: return 1;
  case Ask::DType:
  case Ask::DTypeClass: return 2;
  case Ask::NoExtras:
  case Ask::AttrAbsent:
  case Ask::AttrThere: return 3;
  case Ask::Number:
  case Ask::String:
  case Ask::Equals:
  case Ask::AttrDefault: return 4;
  case Ask::SplatNumber: return 5;
  }
  return 5;
}

} // namespace rw::plan
