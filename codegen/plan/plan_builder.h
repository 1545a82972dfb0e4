// PlanBuilder: from a checked left side to steps, pattern by pattern.
//
// In:  a pattern of a checked module.
// Out: its MatchPlan, or nothing after a report.
// Elsewhere: values, ops, operands and attributes are build_plan.cpp; roots and conditions roots.cpp. Only those two
//            include this.
#pragma once

#include "codegen/plan/plan.h"

#include <functional>
#include <map>
#include <set>

namespace rw::plan {

using sema::Match;
using sema::MatchKind;

class PlanBuilder {
public:
  PlanBuilder(const sema::Module &module, const SourceManager &sources, Diagnostics &diags, sema::PatternIndex index)
      : module_(module), sources_(sources), diags_(diags), pattern_(module.pattern(index)) {
    plan_.pattern = index;
    plan_.name = pattern_.name;
    plan_.file = pattern_.file;
    plan_.line = line(pattern_.nameRange);
    plan_.benefit = pattern_.benefit;
    plan_.fastmath = pattern_.fastmath;
    plan_.recursive = pattern_.recursive;
  }

  std::optional<MatchPlan> build();

private:
  /// In the pattern's file: what a named match of another file asks is asked where it is used.
  unsigned line(SourceRange r) const {
    return usedAt_ && r && sources_.fileOf(r.begin) != pattern_.file ? usedAt_ : sources_.line(r.begin);
  }
  Slot slot(SlotKind kind) {
    plan_.slots.push_back({kind, {}});
    choices_.push_back(choice_);
    return Slot(plan_.slots.size() - 1);
  }
  Step &add(std::vector<Step> &steps, StepKind kind, SourceRange range) {
    Step &s = steps.emplace_back();
    s.kind = kind;
    s.line = line(range);
    return s;
  }
  void value(std::vector<Step> &, const Match &, Slot value, unsigned depth);
  void valueItself(std::vector<Step> &, const Match &, Slot value, unsigned depth);
  /// What a match asks once all else of it fits.
  void after(std::vector<Step> &, const Match &, unsigned depth);
  void alternatives(std::vector<Step> &, const Match &,
                    const std::function<void(std::vector<Step> &, const Match &)> &one);
  void aboutValue(std::vector<Step> &, const Match &, Slot value);
  void root(std::vector<Step> &, const Match &, Slot op, bool asksKind);
  void rootValue(std::vector<Step> &, const Match &, Slot op);
  void rootBody(std::vector<Step> &, const Match &, Slot op);
  void furtherRoot(const Match &);
  unsigned distance(const Match &, VarId &through) const;
  void opBody(std::vector<Step> &, const Match &, Slot op, unsigned depth);
  void operands(std::vector<Step> &, const Match &, Slot op, unsigned depth);
  void operand(std::vector<Step> &, const Match &, const sema::OperandMatch &, unsigned position, unsigned after,
               Slot op, unsigned depth);
  bool isVariadic(const OpSet &, size_t operand) const;
  void lastOperand(std::vector<Step> &, const sema::OperandMatch &, unsigned fromEnd, Slot op, unsigned depth);
  void attribute(std::vector<Step> &, const Match &, const sema::AttrMatch &, Slot op);
  void chain(std::vector<Step> &, const Match &, Slot value, unsigned depth);
  void regions(std::vector<Step> &, const Match &, Slot op, unsigned depth);
  void inside(std::vector<Step> &, const sema::RegionMatch &, Slot region, unsigned depth);
  bool goes(const Match &) const;
  bool keeps(const Match &, uint32_t index, VarId region) const;
  void noEffects(std::vector<Step> &, Slot region, SourceRange);
  void use(std::vector<Step> &, const sema::VarUse &, Slot slot);
  /// `sense`: what holds of `e` only lets the pattern match, it never keeps it from that.
  void nestedTests(const Expr &, bool sense = true);
  void usesAskedIn(const Expr &);
  void condition(std::vector<Step> &, const sema::Condition &, unsigned depth);
  void tests(std::vector<Step> &, const Expr &);

  const sema::Module &module_;
  const SourceManager &sources_;
  Diagnostics &diags_;
  const sema::Pattern &pattern_;
  MatchPlan plan_;
  bool failed_ = false;
  std::set<uint32_t> asked_;         // functions whose questions about uses are known
  std::set<uint32_t> bound_;         // variables, on the way taken to here
  std::map<uint32_t, Slot> valueOf_; // of variables that are values: the slot that each way to here has bound them to
  unsigned usedAt_ = 0;              // inside a named match: the line where it is used
  unsigned choice_ = 0;              // in how many choices the steps at hand stand
  std::vector<unsigned> choices_;    // by slot
};

} // namespace rw::plan
