// What of PatternRewriter is small, runs for every rewrite, and is inlined into the driver's loop as well as into the
// rewriter. Private to the .cpp files of this folder.
#pragma once

#include "rw/rewrite/rewriter.h"
#include "rw/rewrite/worklist.h"

namespace rw {

/// The type of the only result of an op without regions.
template <size_t count>
inline TypeId PatternRewriter::inferType(const OpSchema &schema, std::span<const ValueId, count> operands,
                                         AttrsId attrs) {
  if (!worklist_ || operands.size() != 1 || !operands[0] || worklist_->isConstant(operands[0]))
    return inferOnce(schema, operands, attrs);
  TypeId operand = fn_.data(operands[0]).type;
  Worklist::UnaryType &known = worklist_->unaryType(schema, attrs, operand);
  if (known.schema != &schema || known.attrs != attrs || known.operand != operand) [[unlikely]] {
    TypeId result = inferOnce(schema, operands, attrs);
    if (rejected_)
      return result;
    known = {&schema, attrs, operand, result};
  }
  return known.result;
}

/// Whatever is created after an op goes still has a place.
inline void PatternRewriter::leave(OpId op) {
  if (before_ != op) [[likely]]
    return;
  const OpData &d = fn_.data(op);
  if (before_ = d.next; !before_)
    region_ = d.region;
}

inline void PatternRewriter::eraseUnused(Op op) {
  ++edits_;
  const OpData &d = fn_.data(op.id);
  leave(op.id);
  const uint32_t count = d.operandCount;
  if (count > kFewOperands || !isPlain_ || d.flags & kHasRegions) [[unlikely]]
    return eraseSlowly(op);
  if (count == 1 && d.resultCount == 1) // by far the most common: nothing to collect
    return eraseUnary(op.id);
  ValueId operands[kFewOperands];
  for (uint32_t i = 0; i < count; ++i)
    operands[i] = fn_.data(SlotId(d.firstOperand.raw + i)).value;
  fn_.erase(op.id);
  for (uint32_t i = 0; i < count; ++i)
    if (operands[i])
      worklist_->useRemoved(operands[i]);
}

inline void PatternRewriter::eraseUnary(OpId op) {
  ValueId operand = fn_.data(fn_.data(op).firstOperand).value;
  fn_.eraseUnary(op);
  if (operand)
    worklist_->useRemoved(operand);
}

inline void PatternRewriter::eraseDead(OpId op) { eraseUnused(fn_.op(op)); }

inline void PatternRewriter::eraseDeadUnary(OpId op) {
  ++edits_;
  leave(op);
  eraseUnary(op);
}

} // namespace rw
