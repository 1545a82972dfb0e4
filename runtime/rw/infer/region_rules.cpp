#include "rw/infer/region_rules.h"

namespace rw {

Carried carriedAt(const RegionRules &rules, Op op, unsigned i) {
  std::optional<RegionLayout> l = rules.layout ? rules.layout(op) : std::nullopt;
  if (!l || !l->changesTypes || i < l->params || i - l->params >= l->carried)
    return {};
  unsigned at = i - l->params;
  Op end = op.fn->terminator(op.regions()[0]);
  return {op.operand(l->operands + at),
          end && l->results + at < end.operandCount() ? end.operand(l->results + at) : Value()};
}

} // namespace rw
