// PatternEmitter: one plan as a C++ class.
//
// In:  a MatchPlan and the pattern it was made from.
// Out: the class, in an anonymous namespace of the source.
// Elsewhere: expressions are expr_emitter.h. Steps are pattern_emitter.cpp, choices choice_emitter.cpp, attributes and
//            variables binding_emitter.cpp, `each` each_emitter.cpp, right sides rewrite_emitter.cpp. What the tests
//            call is rw/rewrite/attempt.h.
//
// What the pattern asks before its first choice stands in a table (shared_tests.h), and the class begins with what that
// leaves:
//
//   if (!match.opens(this->info()))
//     return false;
//   Op relu = match.op(2);
//
// A choice becomes a loop over its alternatives, and all that follows stands once, in the loop; failing goes on with
// the next alternative of the innermost loop. A loop of a choice that only one alternative of another has runs once for
// others.
//
//   for (unsigned way = 0; way < 2; ++way) {
//     Value x;                      // anew for each alternative
//     if (way == 0) {
//       Op relu = match.madeBy(y, ReluOp::schema(), "…", 7);
//       if (!relu)
//         continue;
//       x = operandOf(relu, 0);
//     }
//     if (way == 1) …
//     if (rw.replaceOp(op, x))
//       return true;
//   }
//   return false;
#pragma once

#include "codegen/emit/expr_emitter.h"
#include "codegen/plan/head_attrs.h"
#include "codegen/plan/literals.h"
#include "codegen/plan/search.h"
#include "codegen/plan/shared_tests.h"

#include <functional>
#include <map>
#include <span>

namespace rw::emit {

/// Whether `op` (which is there) is one of `ops`.
std::string kindTest(const sema::OpSet &ops, const References &, const std::string &op);

class PatternEmitter {
public:
  PatternEmitter(const References &, const plan::MatchPlan &, const SourceManager &, Writer &);
  /// For building alone: the plan has no steps, and the pattern need not be one of the module.
  PatternEmitter(const References &, const sema::Pattern &, const plan::MatchPlan &, const SourceManager &, Writer &);
  /// test_emitter.cpp: a function that builds either side of a test.
  void emitTest(const sema::Test &, const std::string &name);
  /// `className` may differ from the pattern's name; `tables` are those of the file's patterns before.
  void emit(const std::string &className, SharedParts &tables);

private:
  using Steps = std::vector<plan::Step>;
  void emitObject(const std::string &className, bool tests);
  std::string shortFile() const;
  bool isSeen() const;
  // shared_tests_emitter.cpp
  bool emitSharedTests(const std::string &className);
  std::string kindSet(const sema::OpSet &, const std::string &name);
  std::string table(std::string_view type, std::string name, const std::string &elements);
  // Steps.
  void steps(std::span<const plan::Step>);
  void open();
  void opened(const plan::Step &);
  void step(const plan::Step &);
  void def(const plan::Step &);
  void operandStep(const plan::Step &);
  bool isFixedOperand(const plan::Step &) const;
  std::string readOf(plan::Slot op, std::string_view what, const std::string &index) const;
  void test(const sema::Expr &);
  bool commonTest(const sema::Expr &);
  /// "match.fn(args, "why", line)" for the step at hand.
  std::string ask(std::string_view fn, const std::string &args) const;
  void mustHold(std::string_view fn, const std::string &args) { e_.failUnless(ask(fn, args)); }
  /// Declares what a test finds and fails if that is none.
  void find(const std::string &type, const std::string &name, std::string_view fn, const std::string &args);
  void failWith(const plan::Step &, std::string why = "");
  std::string nameSlot(plan::Slot, std::string_view hint);

  // choice_emitter.cpp
  void openLoop(const std::string &header, const std::string &closer = "}");
  void openChoice(const plan::Step &, const std::string &index, const std::string &count);
  /// What comes next fails by these choices.
  void blame(uint64_t choices);
  void blameStep(const plan::Step &);
  void leaveBlock(); // of the alternative at hand, before a loop that is to hold all that follows
  void resumeBlock();
  std::string guard() const;
  std::string onlyHere(const std::string &count) const;
  void commute(const plan::Step &);
  void alternatives(const plan::Step &);
  void chain(const plan::Step &);
  void users(const plan::Step &);
  /// A C++ function body within another: choices in it end with it.
  struct Frame {
    std::vector<std::string> closers, guards;
    std::string leave, asks, search;
    bool reports;
    ExprEmitter::State vars;
    std::vector<std::string> slots;
  };
  Frame begin(const std::string &asks, bool reports);
  void end(Frame, const std::string &success);
  void close(const std::string &success);
  std::string quietLambda(const std::string &type, const std::string &param, plan::Slot, const std::string &unless,
                          const Steps &);
  std::string fits(const Steps &, plan::Slot, const std::string &value);
  void is(const plan::Step &);
  std::string isExpr(const sema::Expr &);
  /// The variable that the alternatives of a choice leave a name in.
  struct Home {
    std::string name, type, attr; // `attr`: the AttrId that it is a view of
    bool deref = false;
  };
  struct Binding { // of a variable by steps
    bool always = false, byAttr = true;
    bool computed = false; // by some `let`: nothing else holds the list
    std::set<plan::Slot> slots;
  };
  using Bindings = std::map<uint32_t, Binding>;
  Bindings bindingsOf(const Steps &) const;
  void makeHomes(const Bindings &, std::vector<uint32_t> &made);
  const Home *homeOf(plan::VarId) const;
  void bind(plan::VarId, VarText);

  // binding_emitter.cpp
  void attrStep(const plan::Step &);
  std::string oneOf(const plan::Step &, const std::string &attr);
  void attrList(const plan::Step &);
  void bindStep(const plan::Step &);
  void same(const plan::Step &);
  void bindOrSame(const plan::Step &);
  void bindSlot(plan::VarId, plan::Slot, const std::string &text);
  bool isOfDeclaredType(plan::Slot attr, const sema::Type &) const;
  std::string attrIndex(const plan::Step &) const;
  bool hasDefault(const plan::Step &attr) const;
  void sameElement(const sema::Type &, const std::string &here, const std::string &want);
  // type_emitter.cpp
  void typeStep(const plan::Step &);
  void typeTests(const sema::TypeMatch &, const std::string &type);
  void dims(const std::string &type, const std::vector<sema::DimMatch> &);
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
  void commit(const std::string &name, const std::string &statement);
  // recall_emitter.cpp
  struct RecalledFrom {
    std::vector<std::string> attrs; // one or two; none: nothing is to be recalled
    bool ofHead = true;             // by these alone the pattern may be ruled out (plan/head_attrs.h)
  };
  RecalledFrom recalledFrom(const sema::Expr &) const;
  std::string recall(std::string_view what, const std::vector<std::string> &from, const sema::Expr &,
                     std::string_view type, const std::string &leave, const std::function<void()> &body);
  void declareAttr(const std::string &name, const sema::Expr &, sema::AttrType);
  // rewrite_emitter.cpp
  void rewrite();
  bool changesOthers() const;
  bool asksPlaces() const;
  std::string reached(const sema::Expr &, const std::string &text);
  void region(const sema::RegionBuild &);
  void regions(const sema::Build &, const std::string &model = "");
  void placeResults();
  std::string build(const sema::Expr &);
  std::string constant(const sema::Expr &);
  bool isPlain(const sema::Build &) const;
  std::string schemaOf(const sema::Build &);
  const sema::Build *newOpOf(const sema::Expr &) const;
  std::string creation(const sema::Build &);
  std::string buildOp(const sema::Build &);
  std::string buildLike(const sema::Build &, const std::string &first = "");
  std::string buildIfThere(const sema::Build &);
  std::string buildChain(const sema::Build &);
  std::string buildNative(const sema::Build &);
  std::string attrsText(const sema::Build &);
  std::string operandList(const std::vector<sema::Expr> &, std::span<const sema::Op *const> of = {},
                          const std::string &first = "");
  std::vector<const sema::Op *> opsOf(plan::VarId like) const;
  std::string namedSettings(const sema::Build &, const sema::Op &);
  std::string statedTypes(const sema::Build &);
  void replace(const sema::Action &, std::vector<std::string> &commits);
  void update(const sema::Action &, std::vector<std::string> &commits);
  void erase(const sema::Action &, std::vector<std::string> &commits);
  std::string target(const sema::Action &);
  std::string settings(const std::vector<sema::BuildAttr> &, bool byName = false);
  std::string model(plan::VarId);
  void place(SourceRange);
  void failRewrite(SourceRange, const std::string &why);
  std::string attrVariable(const sema::BuildAttr &, const sema::Build &);

  std::string schemaList(const sema::OpSet &) const;
  std::string opHint(const sema::OpSet &) const;
  std::string slotHint(plan::Slot, std::string_view otherwise) const;
  unsigned line(SourceRange) const;
  Writer &out() { return e_.out(); }

  const References &refs_;
  const plan::MatchPlan &plan_;
  const plan::SharedTests tests_;
  const plan::Search search_;
  const sema::Pattern &pattern_;
  plan::HeadAttrs headAttrs_;
  plan::Describer describe_;
  const SourceManager &sources_;
  NameScope names_;
  Writer &w_;
  Writer members_; // of the class, before matchAndRewrite
  ExprEmitter e_;
  std::vector<std::string> slots_;                           // what each is called
  std::vector<std::pair<std::string, std::string>> origins_; // of operands: op and index
  std::vector<const sema::OpSet *> kinds_;                   // of ops
  // the first step that asks for an attribute, when first needed
  mutable std::map<plan::Slot, const plan::Step *> attrSteps_;
  // values whose op is asked for, which asks whether there is a value
  std::set<plan::Slot> defines_;
  // ops that the opening has found: their slot or what their id is called
  std::map<plan::Slot, std::string> opened_;
  std::map<plan::Slot, uint32_t> ofRoot_; // which operand of the root a value of the opening is
  std::vector<plan::Slot> rootSlots_{0};  // ops that are roots
  // Of the function at hand:
  std::string asks_ = "match"; // the Attempt
  bool reports_ = true;        // failures are reported
  std::string leave_ = "return false;";
  std::string searchName_;           // of the OrderSearch, once there is one
  std::string blamed_;               // what the step at hand fails by
  size_t searchLoop_ = 0;            // how many loops are open in its outermost one
  std::vector<std::string> closers_; // of open loops
  std::vector<std::string> guards_;  // which alternatives the lines are for
  std::map<uint32_t, std::vector<Home>> homes_;
  std::string why_; // of the step at hand, quoted
  unsigned line_ = 0;
  unsigned placed_ = 0;   // the line that the last comment names
  bool created_ = false;  // the right side has built something
  bool inTest_ = false;   // builds a side of a test: nothing to undo or to report
  unsigned rebuilds_ = 0; // regions around that are built anew
  bool sideFail_ = false; // inside the rewriting of a chain's other operands
  // Inside `each`:
  const Shared *sharedOf(plan::VarId) const;
  std::vector<Shared> shared_;
  unsigned eachDepth_ = 0; // how many `each` stand around
  struct Commit {
    std::string guard, name, statement; // what is done to `name`
  };
  std::vector<Commit> commits_;
  SharedParts *tables_ = nullptr;
  std::string singleFlag_;
};

} // namespace rw::emit
