#include "codegen/plan/leaves.h"

#include <algorithm>
#include <map>

namespace rw::plan {
namespace {

class Looks {
public:
  Looks(const MatchPlan &plan, const sema::Module &module)
      : plan_(plan), module_(module), pattern_(module.pattern(plan.pattern)) {}
  bool looksAtValues(const Expr &) const;
  bool looksAtValues(sema::FnIndex) const;
  bool leaves(const std::vector<Step> &) const;

private:
  bool defaultLooks(const Step &) const;

  const MatchPlan &plan_;
  const sema::Module &module_;
  const sema::Pattern &pattern_;
  mutable std::map<uint32_t, bool> fns_; // what is known of functions: each is looked at once
};

/// Whether evaluating an expression looks at more of a value than its type and, of a constant, what it holds: at its
/// uses, or at which value it is.
bool Looks::looksAtValues(const Expr &e) const {
  using sema::ExprKind;
  switch (e.kind) {
  case ExprKind::Property:
    if (e.property == sema::Property::Uses || e.property == sema::Property::Operands ||
        e.property == sema::Property::Results)
      return true;
    break;
  case ExprKind::OpOperand:
  case ExprKind::OpAttr:
  case ExprKind::OpRegion:
  case ExprKind::Native:
  case ExprKind::Is:
    return true;
  case ExprKind::Binary:
    if (e.args[0].type.is(sema::TypeKind::Value))
      return true;
    break;
  case ExprKind::Call:
    if (looksAtValues(e.fn()))
      return true;
    break;
  case ExprKind::Builtin:
    if (e.builtin == sema::Builtin::OneUser)
      return true;
    if (e.args.size() == 2 && e.args[1].type.is(sema::TypeKind::Value)) // which of a list's values it is
      return true;
    break;
  case ExprKind::Build: {
    const sema::Build &b = pattern_.body.builds[e.build().raw];
    if (b.kind == sema::BuildKind::Native || b.sideValue)
      return true;
    for (const Expr &o : b.operands)
      if (looksAtValues(o))
        return true;
    if (!b.regions.empty())
      return true;
    for (const sema::BuildAttr &a : b.attrs)
      if (looksAtValues(a.value))
        return true;
    return std::ranges::any_of(b.types, [&](const Expr &t) { return looksAtValues(t); });
  }
  default:
    break;
  }
  return std::ranges::any_of(e.args, [&](const Expr &a) { return looksAtValues(a); });
}

bool Looks::looksAtValues(sema::FnIndex fn) const {
  if (auto it = fns_.find(fn.raw); it != fns_.end())
    return it->second;
  bool looks = looksAtValues(module_.fn(fn).value);
  fns_.emplace(fn.raw, looks);
  return looks;
}

/// Whether a declared attribute's default is computed from operands.
bool Looks::defaultLooks(const Step &s) const {
  if (s.opSet.byTrait())
    return true;
  for (sema::OpIndex op : s.opSet.ops)
    for (const sema::OpAttrDecl &a : module_.op(op).attrs)
      if (a.name == s.name && a.defaultValue && looksAtValues(*a.defaultValue))
        return true;
  return false;
}

bool Looks::leaves(const std::vector<Step> &steps) const {
  return std::ranges::any_of(steps, [&](const Step &s) {
    switch (s.kind) {
    case StepKind::Single:
    case StepKind::Is:
    case StepKind::Each:
    case StepKind::Users:
    case StepKind::Chain:
      return true;
    case StepKind::Same:
    case StepKind::BindOrSame:
      return plan_.slots[s.in].kind != SlotKind::Attr;
    case StepKind::Attr:
    case StepKind::AttrDefault:
      return defaultLooks(s);
    case StepKind::Let:
    case StepKind::Test:
    case StepKind::AttrEquals:
      return looksAtValues(*s.expr);
    case StepKind::Alternatives:
      return std::ranges::any_of(s.alternatives, [&](auto &alternative) { return leaves(alternative); });
    default:
      return false;
    }
  });
}

} // namespace

bool looksAtLeaves(const MatchPlan &plan, const sema::Module &module) {
  Looks looks(plan, module);
  return looks.leaves(plan.steps) ||
         std::ranges::any_of(module.pattern(plan.pattern).actions, [&](const sema::Action &a) {
           return std::ranges::any_of(a.values, [&](const Expr &e) { return looks.looksAtValues(e); }) ||
                  std::ranges::any_of(a.attrs, [&](const sema::BuildAttr &b) { return looks.looksAtValues(b.value); });
         });
}

} // namespace rw::plan
