#include "codegen/plan/head_attrs.h"

#include "codegen/plan/expression_facts.h"

#include <algorithm>
#include <set>

namespace rw::plan {

HeadAttrs::HeadAttrs(const MatchPlan &plan, const sema::Body &body, const sema::Module &module)
    : vars_(body.vars.size()) {
  std::set<Slot> operands, ops{0}, attrs; // 0 is the root
  for (const Step &s : plan.steps) {      // not of alternatives: what only some of them bind is none of the head
    switch (s.kind) {
    case StepKind::Operand:
      if (s.in == 0 && s.index == 0 && !s.fromEnd)
        operands.insert(s.out);
      break;
    case StepKind::Def:
      if (operands.contains(s.in))
        ops.insert(s.out);
      break;
    case StepKind::Attr:
      if (ops.contains(s.in) && isStored(s, module))
        attrs.insert(s.out);
      break;
    case StepKind::Bind: // not Same: until that holds the variable is an attribute from elsewhere
      if (attrs.contains(s.in))
        vars_[s.var.raw] = true;
      break;
    default:
      break;
    }
  }
}

/// Whether an op's attributes say what it is: that of others may come from an operand or from a type.
bool HeadAttrs::isStored(const Step &s, const sema::Module &module) const {
  if (s.standIn || s.opSet.byTrait() || s.opSet.ops.empty())
    return false;
  return std::ranges::all_of(s.opSet.ops, [&](sema::OpIndex op) {
    return std::ranges::all_of(module.op(op).attrs, [&](const sema::OpAttrDecl &attr) {
      return attr.name != s.name || !attr.defaultValue || isLiteral(*attr.defaultValue);
    });
  });
}

} // namespace rw::plan
