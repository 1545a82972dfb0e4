// What of PatternRewriter is small, runs for every rewrite, and is inlined into the driver's loop as well as into the
// rewriter. Private to the .cpp files of this folder.
#pragma once

#include "rw/rewrite/rewriter.h"
#include "rw/rewrite/worklist.h"

namespace rw {

/// The type of the only result of an op without regions.
inline TypeId PatternRewriter::inferType(const OpSchema &schema, std::span<const ValueId> operands, AttrsId attrs) {
  auto infer = [&]() __attribute__((noinline)) {
    InlineList<TypeId, 4> types(1, TypeId());
    inferOnce(OpInputs(fn_, schema, operands, attrs), types);
    return types[0];
  };
  if (!worklist_ || operands.size() != 1 || !operands[0] || worklist_->isConstant(operands[0]))
    return infer();
  TypeId operand = fn_.data(operands[0]).type;
  Worklist::UnaryType &known = worklist_->unaryType(schema, attrs, operand);
  if (known.schema != &schema || known.attrs != attrs || known.operand != operand) [[unlikely]] {
    TypeId result = infer();
    if (rejected_)
      return result;
    known = {&schema, attrs, operand, result};
  }
  return known.result;
}

inline void PatternRewriter::eraseUnused(Op op) {
  ++edits_;
  const OpData &d = fn_.data(op.id);
  if (before_ == op.id) // whatever is created after this still has a place
    if (before_ = d.next; !before_)
      region_ = d.region;
  const uint32_t count = d.operandCount;
  if (count > kFewOperands || !isPlain_ || d.flags & kHasRegions) [[unlikely]]
    return eraseSlowly(op);
  if (count == 1 && d.resultCount == 1) { // by far the most common: nothing to collect
    ValueId operand = fn_.data(d.firstOperand).value;
    fn_.eraseUnary(op.id);
    if (operand)
      worklist_->useRemoved(operand);
    return;
  }
  ValueId operands[kFewOperands];
  for (uint32_t i = 0; i < count; ++i)
    operands[i] = fn_.data(SlotId(d.firstOperand.raw + i)).value;
  fn_.erase(op.id);
  for (uint32_t i = 0; i < count; ++i)
    if (operands[i])
      worklist_->useRemoved(operands[i]);
}

inline void PatternRewriter::eraseDead(OpId op) { eraseUnused(fn_.op(op)); }

} // namespace rw
