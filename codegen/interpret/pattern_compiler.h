// PatternCompiler: one plan as code.
//
// In:  a MatchPlan and the pattern it was made from.
// Out: its PatternCode, and its instructions in the Unit.
// Elsewhere: expressions are expression_compiler.h. Steps are pattern_compiler.cpp, `each` is each_compiler.cpp, right
//            sides are right_side_compiler.cpp.
//
// What follows a choice is written once: the machine comes back to the choice when it fails. A variable that only some
// alternatives bind has a flag, which is put back when a choice is tried again.
#pragma once

#include "codegen/interpret/expression_compiler.h"
#include "codegen/plan/head_attrs.h"
#include "codegen/plan/search.h"
#include "codegen/plan/shared_tests.h"

#include <set>

namespace rw::interpret {

class PatternCompiler : public ExpressionCompiler {
public:
  PatternCompiler(UnitBuilder &, const plan::MatchPlan &);
  /// For the sides of a test: builds alone.
  PatternCompiler(UnitBuilder &, const sema::Pattern &, const plan::MatchPlan &);
  /// `tests`: of the plan.
  PatternCode compile(const plan::SharedTests &tests);
  TestCode compileTest(const sema::Test &);
  /// What the plan's steps ask, in words.
  plan::Describer &describer() { return describe_; }

private:
  using Steps = std::vector<plan::Step>;

  std::vector<BoundName> boundNames() const;

  // What the variables of the plan need.
  void scan(const Steps &, std::set<uint32_t> &bound);
  void collectDynamic(std::set<uint32_t> &bound, const std::vector<std::set<uint32_t>> &alternatives);
  bool isDynamic(plan::VarId id) const { return dynamic_[id.raw]; }

  // Choices.
  std::vector<std::pair<Reg, Reg>> saveFlags();
  void restoreFlags(const std::vector<std::pair<Reg, Reg>> &);
  void defer(std::function<void()>);
  void writeDeferred();
  void commute(const plan::Step &);
  void alternatives(const plan::Step &);
  void chain(const plan::Step &);
  void users(const plan::Step &);
  void joinStates(std::vector<std::vector<VarState>> ends);
  bool searches() const { return search_ && search_->on(); }
  std::optional<uint64_t> choicesOf(const plan::Step &s) const {
    return searches() ? std::optional(search_->blame(s)) : std::nullopt;
  }
  void choose(const plan::Step &, Label &retry);
  void blame(uint64_t choices);
  void blameAnew(uint64_t choices);

  // Steps.
  void steps(const Steps &);
  void step(const plan::Step &);
  void reasonOf(const plan::Step &);
  void define(const plan::Step &);
  Reg attrIndex(const plan::Step &);
  bool hasDefault(const plan::Step &) const;
  void attrStep(const plan::Step &);
  void attrEquals(Reg attr, const sema::Expr &);
  void attrOneOf(const plan::Step &);
  void attrList(const plan::Step &);
  void bindStep(const plan::Step &);
  void bindSlot(plan::VarId, plan::Slot);
  /// The variable is what a register holds, read from an attribute if there is one.
  void bindTo(plan::VarId, Reg, Reg attr = kNoReg, bool lazy = false);
  void same(const plan::Step &);
  void sameAs(plan::VarId, Reg here, sema::Type);
  void requireIdentical(Reg a, Reg b, sema::Type);
  bool isOfDeclaredType(plan::Slot attr, const sema::Type &) const;
  void typeTests(const sema::TypeMatch &, Reg type);
  void dims(Reg type, const std::vector<sema::DimMatch> &);
  Reg fits(const Steps &, plan::Slot, Reg value);
  void is(const plan::Step &);
  Reg isExpr(const sema::Expr &) override;

  // each_compiler.cpp
  struct Shared {
    plan::VarId var;
    bool perOperand = false;
    Reg reg = kNoReg, attr = kNoReg, flag = kNoReg; // over all operands so far
  };
  void each(const plan::Step &);
  void collectShared(const Steps &, std::vector<Shared> &);
  Shared *sharedOf(plan::VarId);
  void compareShared(plan::VarId, Reg here, bool isAttr);
  void resetFlags();

  // What attributes alone decide is remembered.
  struct RecalledFrom {
    std::vector<Reg> attrs; // one or two; none: nothing is to be recalled
    bool ofHead = true;     // by these alone the pattern may be ruled out (plan/head_attrs.h)
  };
  RecalledFrom recalledFrom(const sema::Expr &) const;
  void test(const sema::Expr &);
  Reg attrOf(const sema::Expr &, sema::AttrType);

  // right_side_compiler.cpp
  void rewrite();
  void because(SourceRange, std::string why = "");
  uint32_t failure(const sema::Expr &) override;
  bool changesOthers() const;
  bool asksPlaces() const;
  Reg reached(const sema::Expr &, Reg);
  void region(const sema::RegionBuild &);
  void regions(const sema::Build &, int32_t build, Reg model);
  void placeResults();
  Reg target(const sema::Action &);
  void replace(const sema::Action &, std::vector<std::function<void(bool last)>> &commits);
  void update(const sema::Action &, std::vector<std::function<void(bool last)>> &commits);
  void erase(const sema::Action &, std::vector<std::function<void(bool last)>> &commits);
  const sema::Build *newOpOf(const sema::Expr &) const;
  bool isPlain(const sema::Build &) const;
  Reg build(const sema::Expr &) override;
  Reg constantOp(const sema::Expr &) override;
  Reg buildOp(const sema::Build &);
  Reg buildLike(const sema::Build &);
  Reg buildChain(const sema::Build &);
  BuildCode creation(const sema::Build &);
  Reg listOf(const BuildCode &);
  void operandsOf(const std::vector<sema::Expr> &, std::span<const sema::OpIndex> of, BuildCode &);
  void namedSettings(const sema::Build &, const sema::Op &, BuildCode &);
  Reg attrVariable(const sema::BuildAttr &, const sema::Build &);
  std::vector<std::pair<uint32_t, Reg>> settings(const std::vector<sema::BuildAttr> &);
  int32_t add(BuildCode);

  const plan::MatchPlan &plan_;
  const sema::Pattern &pattern_;
  plan::HeadAttrs headAttrs_;
  plan::Describer describe_;
  std::vector<plan::Slot> rootSlots_{0}; // ops that are roots
  std::set<plan::Slot> defines_;         // values whose op is asked for
  std::vector<uint8_t> dynamic_;         // by variable: whether it depends on the way the match went that it is bound
  std::vector<uint32_t> sites_;          // by variable: how many places bind it
  std::vector<plan::Slot> slotOf_;       // by variable: the slot that all of them bind it to, if it is one
  std::vector<Reg> homes_, attrHomes_, flags_; // registers of variables that need their own
  std::vector<std::pair<std::vector<VarState>, std::function<void()>>> deferred_;
  std::vector<Shared> shared_;           // inside `each`
  Reg single_ = kNoReg;                  // inside `each`: whether the operand was taken for a single element
  const plan::Search *search_ = nullptr; // while the plan's own steps are written
  std::optional<uint64_t> blamed_;       // what the last Blame says, if every way to here has met it
  unsigned chainCount_ = 0;
  unsigned eachDepth_ = 0;
  unsigned rebuilds_ = 0; // regions around that are built anew
  bool inTest_ = false;
};

} // namespace rw::interpret
