// Which choices of a plan each of its steps depends on, so that a match with many choices goes back to one that can
// help.
//
// In:  a plan, and which of its steps the opening asks (shared_tests.h): these come before the search.
// Out: for each other step outside of `is`, `each` and chains the choices that its failure depends on; for each choice
//      its bit. Nothing, if there are few choices: trying all of them costs less than asking which.
// Elsewhere: what is done with it is rw/rewrite/order_search.h.
//
//   add(mul(a, b), mul(c, d)) where a.rank == 1
//
//   commute add     choice 0
//   commute mul     choice 1, depends on 0
//   commute mul     choice 2, depends on 0
//   a.rank == 1     depends on 0 and 1: when it fails, the other product is not tried swapped
#pragma once

#include "codegen/plan/plan.h"

#include <map>
#include <span>

namespace rw::plan {

class Search {
public:
  /// `covered`: by step of the plan, whether the opening asks it. Good as long as the plan is.
  Search(const MatchPlan &, const std::vector<bool> &covered);

  /// Beyond so many ways a plan is searched.
  static constexpr double kFewWays = 16;
  static constexpr unsigned kNoChoice = UINT32_MAX;
  static constexpr uint64_t kAll = UINT64_MAX;

  bool on() const { return on_; }
  /// The choices on which it depends whether a step fails.
  uint64_t blame(const Step &s) const {
    auto it = blame_.find(&s);
    return it == blame_.end() ? kAll : it->second;
  }
  /// Its number, of operand orders and alternatives.
  unsigned choice(const Step &s) const {
    auto it = choice_.find(&s);
    return it == choice_.end() ? kNoChoice : it->second;
  }

private:
  using Steps = std::vector<Step>;
  void step(const Step &, uint64_t context);
  uint64_t of(const Expr &) const;
  uint64_t of(const sema::TypeMatch &) const;
  uint64_t of(VarId) const;
  uint64_t inside(std::span<const Step>) const;
  void sets(VarId, uint64_t);
  void binds(const Step &, uint64_t);
  uint64_t choose(const Step &);

  const MatchPlan &plan_;
  bool on_ = false;
  unsigned choices_ = 0;
  std::vector<uint64_t> slots_;       // choices on which depends what is in a slot
  std::map<uint32_t, uint64_t> vars_; // likewise of variables, and whether they are bound
  std::map<const Step *, uint64_t> blame_;
  std::map<const Step *, unsigned> choice_;
};

/// In how many ways the choices of steps combine, those of nested questions apart.
double waysOf(const std::vector<Step> &);
/// Of the steps of a plan that its opening does not ask.
double waysOf(const std::vector<Step> &, const std::vector<bool> &covered);

} // namespace rw::plan
