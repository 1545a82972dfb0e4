// Conditions that depend on nothing but attributes of the root and of the op that makes its operand 0.
//
// In:  a plan. Out: the variables that stand for such attributes: a condition on these alone is one.
// Elsewhere: the driver remembers where one failed, and leaves the pattern out at ops of the same attributes
//            (rw/rewrite/ruled_out.h).
//
//   transpose(transpose(x, perm = p), perm = q) where is_identity(compose(p, q)) => x     is
//   transpose(x, perm = p) where is_identity(p), x.rank == 3 => x                         its first one is
#pragma once

#include "codegen/plan/plan.h"

namespace rw::plan {

class HeadAttrs {
public:
  /// `body`: of the pattern that is planned.
  HeadAttrs(const MatchPlan &, const sema::Body &body, const sema::Module &);
  /// Whether the variable stands for such an attribute wherever the pattern asks for it.
  bool contains(VarId var) const { return vars_[var.raw]; }

private:
  bool isStored(const Step &, const sema::Module &) const;
  std::vector<bool> vars_;
};

} // namespace rw::plan
