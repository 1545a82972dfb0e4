// MatchPlan: one pattern as a list of steps, in the order in which they may run.
//
// In:  made from a checked module by buildPlans below.
// Out: plain data that knows neither syntax nor C++, which the emitter (codegen/emit) reads; what patterns can share of
//      it is shared_tests.h. Expressions in it are sema's, over the variables of the pattern.
// Elsewhere: what expressions mean, and when they fail, is frontend/sema/expr.h.
//
// Steps look at slots: ops, values and attributes, numbered in the order in which they come up; slot 0 is the root.
// A step that does not hold is no match, unless a choice is open: then the innermost choice goes to its next
// alternative and everything after the choice runs again. So the first assignment in written order that satisfies all
// steps is the one that counts, whichever way the plan is compiled.
//
//   transpose(transpose(x, perm = p), perm = q) where is_identity(compose(p, q)) => x
//
//   root       op0 in {tensor.transpose}
//   attr       a1 = op0.perm;  var q = a1
//   operand    v2 = op0.operand 0
//   def        op3 = def(v2) in {tensor.transpose}
//   …
//   test       is_identity(compose(p, q))
#pragma once

#include "frontend/sema/module.h"
#include "rw/support/diagnostics.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rw::plan {

using sema::Expr;
using sema::OpSet;
using sema::VarId;

/// An op, value or attribute that the plan looks at.
using Slot = uint32_t;
inline constexpr Slot kNoSlot = UINT32_MAX;
enum class SlotKind : uint8_t { Op, Value, Attr, ValueList, Chain, Region };
struct SlotInfo {
  SlotKind kind = SlotKind::Value;
  VarId var;          // the variable bound to it first, if any
  bool alias = false; // `var` is what one alternative of a choice further in calls it; nothing else does
};

enum class StepKind : uint8_t {
  Def,         // op `out` = the op that defines value `in` (result `index`), in `ops`
  Root,        // op `out` is the root, in `ops`; always first
  Kind,        // op `in` is in `ops`
  Result,      // value `out` = result `index` of op `in`
  Count,       // op `in` has `least` to `most` operands
  Operand,     // value `out` = operand `index` of op `in` (counted from the end if `fromEnd`)
  OperandList, // list `out` = operands `index` up to `index` from the end `most`
  Absent,      // operand `index` of op `in` is left out
  Attr,        // attribute `out` = declared attribute `index` of op `in`, or its default; it must be there
  AttrDefault, // declared attribute `index` of op `in` is left out or equals its default
  AttrAbsent,  // declared attribute `index` of op `in` is left out
  NoExtras,    // op `in` carries no undeclared attributes
  Region,      // region `out` = region `index` of op `in`
  ParamCount,  // region `in` has `least` to `most` parameters; `negated`: and no ops with effects
  Param,       // value `out` = parameter `index` of region `in` (counted from the end if `fromEnd`)
  ParamList,   // list `out` = parameters `index` up to `index` from the end `most` of region `in`
  Terminator,  // op `out` = what ends region `in`: its operands are what the region results in
  AttrEquals,  // attribute `in` equals `expr`
  AttrOneOf,   // attribute `in` equals one of `choices`
  AttrList,    // attribute `in` is a list: `elements` one by one
  Bind,        // variable `var` = slot `in`
  Same,        // slot `in` is what variable `var` holds
  BindOrSame,  // Bind if `var` is unbound yet (in alternatives, under each), else Same
  Single,      // value `in` has exactly one use
  Type,        // value `in` fits `type`
  Const,       // value `in` is a constant
  Element,     // attribute `out` = the element that all elements of the constant value `in` are
  Splat,       // value `in` is a constant all of whose elements are `expr`
  Let,         // variable `var` = `expr`
  Test,        // `expr` holds
  Is,          // value `in` (of expression `expr`) fits `body`; with `negated`, does not
  // Choices: what follows runs for each of them in turn.
  Commute,      // operands 0 and 1 of op `in` as written, then swapped: values `out` and `out` + 1
  Alternatives, // one of `alternatives`
  // chain `out` = 0 (least: 1), 1, 2, … ops of `ops` that fit `link` upwards from value `in`; value `out` + 1 is its
  // end
  Chain,
  Users, // op `out` = an op of `ops`, in the root's region, that the value or op `in` reaches through `least`
         // uses, one after another in program order
  // Blocks.
  Each, // every operand of op `in`, as value `out`, fits `body`: in order, each by the first alternative that
        // goes with what is bound by then. Operands taken for single elements have no greater rank than the
        // others
};

struct ListElement {
  sema::VarUse var;
  std::optional<Expr> value;
};

/// What few steps have: it lies beside the step, which stays small, and is shared by the step's copies.
template <class T> class Part {
public:
  Part &operator=(T value) {
    held_ = std::make_shared<const T>(std::move(value));
    return *this;
  }
  explicit operator bool() const { return bool(held_); }
  const T &operator*() const { return *held_; }
  const T *operator->() const { return held_.get(); }

private:
  std::shared_ptr<const T> held_;
};

struct Step {
  StepKind kind = StepKind::Test;
  unsigned line = 0;
  Slot in = kNoSlot, out = kNoSlot;
  uint32_t index = 0;
  uint32_t least = 0, most = 0; // Count; most is UINT32_MAX for any number
  bool fromEnd = false, negated = false;
  bool standIn = false;       // Attr, AttrDefault, AttrAbsent: of some of the ops an operand stands for the attribute
  bool ifCommutative = false; // Commute: swapped only if the op has the trait
  bool hasRest = false; // AttrList: any number of elements before elements[restAt], bound to or compared with `rest`
  uint32_t restAt = 0;
  sema::VarUse rest;
  VarId var;
  OpSet ops;
  std::string name;         // of the attribute
  OpSet opSet;              // which ops it belongs to; of a region likewise
  std::vector<int> indexes; // attributes and regions: the index for each op of the set, if they differ; else empty
  Part<Expr> expr;
  std::vector<Expr> choices; // AttrOneOf
  Part<sema::TypeMatch> type;
  std::vector<ListElement> elements;
  sema::Type element;                          // AttrList: the type of the elements
  std::vector<std::vector<Step>> alternatives; // Alternatives
  std::vector<Step> link;                      // Chain: the tests of each op, as op `out` + 3
  std::vector<Step> body;                      // Is, Each; Chain: the test of each side operand, as value `out` + 2
};

/// A test that stands inside a larger condition: whether value `value` fits `steps`.
struct NestedTest {
  sema::TestId test;
  Slot value = kNoSlot;
  std::vector<Step> steps;
};

struct MatchPlan {
  sema::PatternIndex pattern;
  std::string name;
  FileId file;
  unsigned line = 0;
  unsigned benefit = 1;
  FastMath fastmath;
  bool recursive = false;
  OpSet roots;
  std::vector<SlotInfo> slots;
  std::vector<Step> steps;
  std::vector<NestedTest> tests;
  // The right side stays as checked: Pattern::actions over Pattern::body.
  unsigned depth = 1; // levels of ops looked at, chains counted as none
  bool looksAtUses = false, countsUses = false, looksAtUsers = false;
  bool looksInRegions = false; // of ops: what changes in there may make it match
  /// Whether a match depends on more of the values it ends at than their types and, if they are constants, what they
  /// hold: on being the same value, on uses (leaves.h).
  bool looksAtLeaves = false;
  std::vector<OpSet> chains; // ops that chains may cross
};

struct Module {
  const sema::Module *source = nullptr;
  std::vector<MatchPlan> plans; // of the root file's patterns, in order
};

/// Plans of every pattern of the root file, or of those that are `wanted`. What cannot be planned is reported: roots
/// that nothing connects, questions in which too many orders combine.
Module buildPlans(const sema::Module &, const SourceManager &, Diagnostics &,
                  const std::function<bool(sema::PatternIndex)> &wanted = nullptr);

/// One of them; nothing after a report.
std::optional<MatchPlan> buildPlan(const sema::Module &, sema::PatternIndex, const SourceManager &, Diagnostics &);

/// As text (`rwc --dump=plan`).
std::string dump(const Module &);

/// What the steps of a plan ask, in words: "`x` is made by t.relu". Refers to the plan and its module.
class Describer {
public:
  Describer(const MatchPlan &, const sema::Module &);
  ~Describer();
  std::string operator()(const Step &);

private:
  class Impl;
  const MatchPlan &plan_;
  const sema::Module &module_;
  std::string describe(const Step &);
  std::unique_ptr<Impl> impl_;    // made when something is asked: it goes through the whole plan
  std::vector<std::string> said_; // of the plan's own steps, each of which becomes a test and code
};

} // namespace rw::plan
