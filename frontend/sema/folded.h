// What expressions of literals come to: `1 == 2`, `not true`, `n * 2 > 6` behind `let n = 3`.
// Inside frontend/sema only.
//
// In:  conditions, whose `let`s give literals names.
// Out: true, false, or nothing where it depends on the program. Nothing is said.
#pragma once

#include "frontend/sema/match.h"

#include <map>
#include <optional>
#include <vector>

namespace rw::sema {

class Folded {
public:
  Folded() = default;
  explicit Folded(const std::vector<Condition> &conditions) {
    for (const Condition &condition : conditions)
      if (condition.kind == ConditionKind::Let)
        lets_.emplace(condition.var.raw, &condition.expr);
  }
  std::optional<bool> truth(const Expr &) const;

private:
  std::optional<Expr> literal(const Expr &) const;
  std::optional<Expr> binary(const Expr &) const;

  std::map<uint32_t, const Expr *> lets_; // by variable
};

} // namespace rw::sema
