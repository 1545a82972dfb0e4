// What expressions of literals come to: `1 == 2`, `not true`, `n * 2 > 6` behind `let n = 3`, `[1, 2] == [n, m, 3]`.
// Inside frontend/check only.
//
// In:  conditions and expressions, whose `let`s give literals names, and what else is known.
// Out: true, false, or nothing where it depends on the program; why an expression always fails. Nothing is said.
#pragma once

#include "frontend/sema/match.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
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
  /// Names of a `let` inside the expression mean what they say there.
  void learn(const Expr &);
  std::optional<bool> truth(const Expr &) const;
  struct Failure {
    std::string why, cure;
  };
  /// Why the expression always fails, whatever the program, if its parts do not.
  std::optional<Failure> failure(const Expr &) const;
  /// What an int is at least and at most.
  struct Bounds {
    int64_t least = INT64_MIN, most = INT64_MAX;
  };
  Bounds bounds(const Expr &) const;

  /// What is known of the program: the literal that an expression is, or nothing.
  std::function<std::optional<Expr>(const Expr &)> known;
  /// What a name stands for beside those of `let`, or null.
  std::function<const Expr *(VarId)> named;

private:
  /// The elements of a list of known length, those that are literals; the others are nothing.
  using Elements = std::vector<std::optional<Expr>>;

  std::optional<Expr> literal(const Expr &) const;
  std::optional<Elements> elements(const Expr &list) const;
  std::optional<Elements> eachOf(const Expr &comprehension) const;
  static std::optional<int64_t> product(const Elements &sizes);
  std::optional<bool> sameLists(const Expr &a, const Expr &b) const;
  std::optional<bool> ofElements(const Expr &call) const;
  std::optional<Failure> ofConstant(const Expr &call) const;
  std::optional<Failure> held(const Expr &element, std::string_view dtype) const;
  std::optional<int64_t> number(const Expr &) const;
  std::optional<int64_t> length(const Expr &list) const;
  std::optional<Expr> binary(const Expr &) const;
  std::optional<Failure> ofNumbers(const Expr &) const;
  std::optional<Failure> ofList(const Expr &) const;
  std::optional<Failure> ofBuiltin(const Expr &) const;
  const Expr &meant(const Expr &) const;

  std::map<uint32_t, const Expr *> lets_; // by variable
  /// What they come to, once each: `let b = a + a, let c = b + b` and so on would take twice as long each time.
  mutable std::map<uint32_t, std::optional<Expr>> values_;
  static constexpr size_t kMostSteps = 4096; // of comprehensions within each other, which would not end
  mutable size_t steps_ = 0;
  mutable std::map<uint32_t, std::optional<Expr>> loops_; // variables of the comprehensions that are gone through
};

} // namespace rw::sema
