// PatternEmitter: one plan as a C++ class.
//
// In:  a MatchPlan and the pattern it was made from.
// Out: the class, in an anonymous namespace of the source.
// Elsewhere: expressions are expr_emitter.h. Steps are pattern_emitter.cpp, binding_emitter.cpp and each_emitter.cpp, right sides
//            rewrite_emitter.cpp.
//
// A choice becomes a loop over its alternatives, everything after it a lambda that is called for each: it returns
// true when the pattern has fired, and false for the next alternative.
#pragma once

#include "codegen/emit/expr_emitter.h"
#include "codegen/plan/lead.h"
#include "codegen/plan/shared_tests.h"

#include <functional>
#include <map>

namespace rw::emit {

/// The condition `name == literal` of a step that equalsLiteral.
std::string literalTest(const plan::Step &, const std::string &attr);
/// Whether `op` (which is there) is one of `ops`.
std::string kindTest(const sema::OpSet &ops, const References &, const std::string &op);

class PatternEmitter {
public:
  PatternEmitter(const References &, const plan::MatchPlan &, const SourceManager &, Writer &);
  /// For building alone: the plan has no steps, and the pattern need not be one of the module.
  PatternEmitter(const References &, const sema::Pattern &, const plan::MatchPlan &, const SourceManager &, Writer &);
  /// test_emitter.cpp: a function that builds either side of a test.
  void emitTest(const sema::Test &, const std::string &name);
  /// `className` may differ from the pattern's name.
  void emit(const std::string &className);
  /// rule_emitter.cpp: the pattern as a CompiledRule `k<name>Rule`, in place of a class.
  void emitRule(const std::string &name);

private:
  using Steps = std::vector<plan::Step>;
  using Done = std::function<void()>;
  std::vector<std::string> nameSlots(const plan::Lead &, NameScope &) const;
  std::string shortFile() const;
  std::string noMatch(std::string_view why, unsigned line) const;
  void emitInfo(const std::string &className);
  // shared_tests_emitter.cpp
  bool emitSharedTests(const std::string &className);
  // rule_emitter.cpp
  /// A right side as data, while it is known to be expressible as such.
  struct RewriteTable {
    std::vector<std::string> builds, given; // elements of the array; names of attributes computed before
    std::map<std::string, plan::Slot> slots; // by name
    std::string name, value;
    unsigned line = 0;
    bool fits = true;
  };
  std::string leadRow(const plan::Step &, std::map<uint32_t, plan::Slot> &vars, const std::string &kinds);
  struct Rest {
    std::string text;
    std::vector<std::string> rows; // tests of the rest that the lead's table can take over
  };
  Rest restText(const plan::Lead &, RewriteTable *);
  std::string row(std::string_view fields, const std::string &why) const;
  bool hoistAttr(plan::Slot, std::string_view view);
  bool hoistSplat(const plan::Step &);
  bool hoistTest(const plan::Step &);
  std::optional<plan::Slot> leadValue(const sema::Expr &, sema::Property) const;
  std::string tableReturn() const;
  std::string tableValue(const std::string &text);
  std::string buildRow(const sema::Build &);
  std::string kindSet(const sema::OpSet &, const std::string &name);
  // Steps.
  void steps(const Steps &, size_t from, const Done &);
  void step(const plan::Step &);
  void commute(const plan::Step &, const Done &);
  void alternatives(const plan::Step &, const Done &);
  void chain(const plan::Step &, const Done &);
  void users(const plan::Step &, const Done &);
  void attempt(const Done &);
  void define(const plan::Step &);
  void operandStep(const plan::Step &);
  void attrStep(const plan::Step &);
  std::string quietLambda(const std::function<void()> &inside);
  std::string oneOf(const plan::Step &, const std::string &attr);
  void attrList(const plan::Step &);
  void bindStep(const plan::Step &);
  void same(const plan::Step &);
  void bindSlot(plan::VarId, plan::Slot);
  void typeStep(const plan::Step &);
  void typeTests(const sema::TypeMatch &, const std::string &type);
  void dims(const std::string &type, const std::vector<sema::DimMatch> &);
  void splat(const plan::Step &);
  std::string fits(const Steps &, plan::Slot, const std::string &value);
  void is(const plan::Step &);
  std::string isExpr(const sema::Expr &);
  // each_emitter.cpp
  struct Shared {
    enum Kind { PerOperand, Attr, Value, Plain } kind;
    plan::VarId var;
    std::string name; // declared before the loop
  };
  void each(const plan::Step &);
  void collectShared(const Steps &);
  sema::Type perOperandType(plan::VarId) const;
  void declareShared(const std::vector<Shared> &outer);
  void afterEach();
  void bindShared(const plan::Step &);
  // recall_emitter.cpp
  std::string recalledFrom(const sema::Expr &) const;
  std::string recall(const std::string &from, const sema::Expr &, std::string_view type, std::string_view fail,
                     const std::function<void()> &body);
  bool isOfDeclaredType(plan::Slot attr, const sema::Type &) const;
  void defer(const std::string &name, const std::string &declaration);
  std::string settle(std::string text) const;
  void test(const sema::Expr &);
  void declareAttr(const std::string &name, const sema::Expr &, sema::AttrType);
  // rewrite_emitter.cpp
  void rewrite();
  bool changesOthers() const;
  void placeResults();
  std::string build(const sema::Expr &);
  std::string constant(const sema::Expr &);
  bool isPlain(const sema::Build &) const;
  std::string schemaOf(const sema::Build &);
  std::string unbuilt(const sema::Expr &);
  const sema::Build *newOpOf(const sema::Expr &) const;
  std::string creation(const sema::Build &);
  std::string buildOp(const sema::Build &);
  std::string buildLike(const sema::Build &);
  std::string buildChain(const sema::Build &);
  std::string buildNative(const sema::Build &);
  std::string attrsText(const sema::Build &);
  std::string operandList(const std::vector<sema::Expr> &, const sema::Op *of = nullptr);
  void replace(const sema::Action &, std::vector<std::string> &commits);
  void update(const sema::Action &, std::vector<std::string> &commits);
  void erase(const sema::Action &, std::vector<std::string> &commits);
  std::string target(const sema::Action &);
  std::string settings(const std::vector<sema::BuildAttr> &);
  void failRewrite(SourceRange, const std::string &why);
  static std::string schemaHint(std::string_view opName);

  std::string kindList(const sema::OpSet &) const;
  std::string opHint(const sema::OpSet &) const;
  std::string slotHint(plan::Slot, std::string_view otherwise) const;
  std::string attrIndex(const plan::Step &) const;
  bool hasDefault(const plan::Step &attr) const;
  std::string attrVariable(const sema::BuildAttr &, const sema::Build &, const std::string &text);
  void failWith(const plan::Step &, std::string why = "");
  unsigned line(SourceRange) const;
  Writer &out() { return e_.out(); }

  const References &refs_;
  const plan::MatchPlan &plan_;
  const sema::Pattern &pattern_;
  const SourceManager &sources_;
  NameScope names_;
  Writer &w_;
  ExprEmitter e_;
  std::vector<std::string> slots_; // what each is called
  /// Inside tests that look further what ends them, without a report; inside `each` the beginning of a call that keeps the reason.
  std::string quietFail_;
  std::set<plan::Slot> defines_;   // values whose op is asked for
  std::vector<plan::Slot> rootSlots_{0}; // ops that are roots
  bool created_ = false;           // the right side has built something
  RewriteTable *table_ = nullptr;  // of a rule whose right side may be data
  bool isRule_ = false;
  std::vector<bool> hoist_; // of a rule: slots of the lead, while no choice is open
  const plan::Step *at_ = nullptr;
  std::vector<std::string> rows_;
  std::vector<std::pair<std::string, std::string>> lateAttrs_; // name, declaration: emitted if the rest uses them
  /// Typed views of attributes whose place is settled last: lines that declare one for all that follows, and lines that declare
  /// it inside one recalled expression. Until then the text holds a mark in place of each (recall_emitter.cpp).
  struct Deferred {
    std::string name, lines;
  };
  std::vector<Deferred> forAll_, forOne_;
  std::map<std::string, std::string> declarations_; // by name
  bool deferring_ = false;
  bool inTest_ = false;            // builds a side of a test: nothing to undo, nobody to tell
  bool sideFail_ = false;          // inside the rewriting of a chain's other operands
  // Inside `each`:
  const Shared *sharedOf(plan::VarId) const;
  std::vector<Shared> shared_;
  unsigned eachDepth_ = 0; // how many `each` stand around
  std::vector<std::string> commits_;
  std::string singleFlag_;
};

} // namespace rw::emit
