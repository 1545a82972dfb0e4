// Attempt: the tests of a generated pattern at one root.
//
// In:  the ops, values and attributes that a test looks at, and in words what it asks, with its line in the .rw file.
// Out: what the test has found, or none; true if it holds. One that does not hold records why the pattern does not
//      match.
// Elsewhere: what right sides call is rewriter.h and match_helpers.h.
//
// What nearly every pattern asks of each op is inline, saying why it fails is not; the rest is out of line, so that a
// pattern compiles in milliseconds: thousands of patterns ask the same few things.
//
// What a pattern asks first stands in a table (its opening, shared_tests.h), which a matching net has mostly asked by
// the time that the pattern runs: opens() asks the rest, and slots are read where the net left them.
//
//   Attempt match(op, rw);
//   if (!match.opens(info))
//     return false;
//   Op inner = match.op(2); // slot 2 of the table
//   if (!match.hasRank(inner.operand(0), 2, "x.rank == 2", 12))
//     return false;
#pragma once

#include "rw/rewrite/match_helpers.h"
#include "rw/rewrite/order_search.h"

#include <initializer_list>
#include <string_view>

namespace rw {

class Attempt {
public:
  /// The rest is set where it is asked for: few things are begun as often as attempts.
  Attempt(Op root, PatternRewriter &rewriter) : root_(root), rewriter_(&rewriter) {}
  /// Reports nothing and remembers the last test that failed: for a part of a match that may fail.
  explicit Attempt(Op root) : root_(root), rewriter_(nullptr), why_(""), line_(0) {}

  /// Makes the tests of the pattern's opening; without a net all of them, in order, and reports the first that fails.
  /// `order`: 1 takes the operands that it swaps swapped. Nearly always a net has asked all that may fail.
  bool opens(const PatternInfo &info, unsigned order = 0) {
    slots_ = rewriter_->settledSlots();
    if (!slots_) [[unlikely]]
      slots_ = openSlowly(*rewriter_, root_, info, order);
    return slots_;
  }
  /// The orders to try: from firstOrder(), below endOrder(). A net already knows which of them holds.
  unsigned firstOrder() const { return firstOrderOf(*rewriter_); }
  unsigned endOrder() const { return endOrderOf(*rewriter_); }
  // What slots of the opening hold.
  uint32_t raw(unsigned slot) const { return rewriter_->registers()[slots_[slot]]; }
  Op op(unsigned slot) const { return {root_.fn, OpId(raw(slot))}; }
  Value value(unsigned slot) const { return {root_.fn, ValueId(raw(slot))}; }
  AttrId attr(unsigned slot) const { return AttrId(raw(slot)); }
  // What the op in a slot has: operand `i`, which is none if it is left out, and attribute `i` as it is stored.
  // Both in few steps: each function within one that is inlined takes compilers a quarter of a millisecond.
  Value operandOf(unsigned slot, unsigned i) const { return operandAt(root_.fn, raw(slot), i); }
  AttrId attrOf(unsigned slot, unsigned i) const {
    return i == 0 ? root_.fn->firstAttrOf(raw(slot)) : attrAt(root_.fn, raw(slot), i);
  }
  // The op that makes operand `i` of the root, where the opening has found one there: asked for anew. What a slot holds
  // is known when the net has gone through to its end; until then all that is read of it would wait.
  OpId producer(unsigned i) const {
    const Function &fn = *root_.fn;
    return OpId(fn.data(fn.data(SlotId(fn.data(root_.id).firstOperand.raw + i)).value).def);
  }
  Op op(OpId op) const { return {root_.fn, op}; }
  Value operandOf(OpId op, unsigned i) const { return operandAt(root_.fn, op.raw, i); }
  AttrId attrOf(OpId op, unsigned i) const {
    return i == 0 ? root_.fn->firstAttrOf(op.raw) : attrAt(root_.fn, op.raw, i);
  }

  // All return false.
  bool no(const char *why, unsigned line) {
    if (rewriter_)
      return rewriter_->noMatch(root_, why, line);
    why_ = why;
    line_ = line;
    return false;
  }
  /// The same, by attributes alone (PatternRewriter::ruleOut).
  bool noByAttrs(const char *why, unsigned line) {
    rewriter_->ruleOut();
    return rewriter_->noMatch(root_, why, line);
  }
  /// The search has come to its end: says so, if not all has been tried.
  void ends(const OrderSearch &search, unsigned line) {
    if (search.gaveUp())
      no(OrderSearch::kGaveUp, line);
  }
  /// What the pattern has built is removed again.
  bool abandon(const char *why, unsigned line) { return abandonAt(*rewriter_, root_, why, line); }
  /// An operand of an `each` does not fit; what it was asked remembers why.
  [[gnu::cold]] bool noFit(unsigned operand, const Attempt &asked);

  /// Tests that are conditions of their own: whether `condition` holds, by which the pattern does not match.
  bool fails(bool condition, const char *why, unsigned line) { return condition && !no(why, line); }
  bool failsBuilt(bool condition, const char *why, unsigned line) { return condition && !abandon(why, line); }

  // Ops and values.
  /// Operand `i` if it is there, counted from the end by lastOperand: 1 is the last.
  Value operand(Op op, unsigned i, const char *why, unsigned line) { return found(op.operand(i), why, line); }
  Value lastOperand(Op, unsigned i, const char *why, unsigned line);
  /// The op that makes a value as its only result, if it is of the kind. Out of line: a pattern of twenty commutative
  /// ops calls this in twenty nested loops, and inlined it makes compilers slow.
  Op madeBy(Value, const OpSchema &kind, const char *why, unsigned line);
  /// Likewise of operand `operand`.
  Op madeBy(Op user, unsigned operand, const OpSchema &kind, const char *why, unsigned line);
  /// The op that makes a value as result `result`, if it is of one of the kinds.
  Op madeBy(Value, std::initializer_list<const OpSchema *>, unsigned result, const char *why, unsigned line);
  Value result(Op, unsigned i, const char *why, unsigned line);
  bool is(Op, std::initializer_list<const OpSchema *>, const char *why, unsigned line);
  bool operandCount(Op, unsigned least, unsigned most, const char *why, unsigned line);
  bool noOperand(Op, unsigned i, const char *why, unsigned line);
  bool hasOneUse(Value v, const char *why, unsigned line) { return v.hasOneUse() || no(why, line); }
  bool same(Value a, Value b, const char *why, unsigned line) { return a == b || no(why, line); }

  // Regions.
  RegionId region(Op, unsigned index, const char *why, unsigned line);
  bool paramCount(RegionId, unsigned least, unsigned most, const char *why, unsigned line);
  Value param(RegionId, unsigned i, const char *why, unsigned line);
  Value lastParam(RegionId, unsigned i, const char *why, unsigned line);
  /// Those from `first` up to `end` from the end, where there are as many.
  ListOf<Value> params(RegionId, unsigned first, unsigned end) const;
  Op terminator(RegionId region) const { return root_.fn->terminator(region); }

  // Attributes.
  AttrId attr(Op op, unsigned i, const char *why, unsigned line) { return found(op.attr(i), why, line); }
  AttrId attrOrDefault(Op, unsigned i, const char *why, unsigned line);
  bool isDefault(Op, unsigned attr, const char *why, unsigned line);
  bool noAttr(Op, unsigned attr, const char *why, unsigned line);
  bool noExtras(Op op, const char *why, unsigned line) {
    return !op.context().hasExtras() || !hasExtras(op) || no(why, line);
  }
  bool same(AttrId a, AttrId b, const char *why, unsigned line) { return a == b || no(why, line); }
  bool equals(AttrId, int64_t, const char *why, unsigned line);
  bool equals(AttrId, bool, const char *why, unsigned line);
  bool equals(AttrId, DType, const char *why, unsigned line);
  bool equals(AttrId, std::string_view, const char *why, unsigned line);

  // Types and constants.
  bool isConstant(Value, const char *why, unsigned line);
  bool isSplat(Value, int64_t, const char *why, unsigned line);
  bool isSplat(Value, double, const char *why, unsigned line);
  bool isSplat(Value, bool, const char *why, unsigned line);
  AttrId element(Value, const char *why, unsigned line);
  bool hasDType(Value, DType, const char *why, unsigned line);
  bool isFloat(Value, const char *why, unsigned line);
  bool isInteger(Value, const char *why, unsigned line);
  bool isSingleElement(Value, const char *why, unsigned line);
  bool hasRank(Value, int64_t, const char *why, unsigned line);
  /// Provably so: the types are one, and nothing of it is unknown.
  bool sameType(Value a, Value b, const char *why, unsigned line) { return haveSameType(a, b) || no(why, line); }
  bool sameDType(Value, Value, const char *why, unsigned line);

private:
  // Not members of the object: while its address goes nowhere, it needs no memory. Out of line: nearly every pattern
  // asks for them, and each would take compilers a millisecond or more.
  static const uint16_t *openSlowly(PatternRewriter &, Op root, const PatternInfo &, unsigned order);
  static unsigned firstOrderOf(const PatternRewriter &);
  static unsigned endOrderOf(const PatternRewriter &);
  static Value operandAt(Function *, uint32_t op, unsigned i);
  static AttrId attrAt(Function *, uint32_t op, unsigned i);
  static bool haveSameType(Value, Value);
  [[gnu::cold]] static bool hasExtras(Op);
  [[gnu::cold]] static bool abandonAt(PatternRewriter &, Op root, const char *why, unsigned line);
  template <class T> T found(T what, const char *why, unsigned line) {
    if (!what)
      no(why, line);
    return what;
  }
  bool asksAll(const PatternInfo &, unsigned order);
  bool ask(const SharedTest &, unsigned order);

  Op root_;
  PatternRewriter *rewriter_;
  /// Of the opening: slot n is in register slots_[n] of the rewriter. None: it does not hold.
  const uint16_t *slots_ = nullptr;
  // The last test that failed, where none is reported.
  const char *why_;
  unsigned line_;
};

/// Operand `i`, none if it is left out.
inline Value operandOf(Op op, unsigned i) { return op.operand(i); }
inline AttrId attrOf(Op op, unsigned i) { return i == 0 ? op.fn->firstAttrOf(op.id.raw) : op.attr(i); }
inline Value lastOperandOf(Op op, unsigned i) { return op.operand(op.operandCount() - i); }

} // namespace rw
