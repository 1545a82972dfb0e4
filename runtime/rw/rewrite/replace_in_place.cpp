// Replacement in place: an op that is replaced by one new op of its shape becomes that op. Nothing is made, linked or
// erased, and its users keep the value they read.
#include "rw/rewrite/rewriter_impl.h"
#include "rw/rewrite/type_proof.h"
#include "rw/support/flatten.h"

namespace rw {

/// Whether the op may turn into another in place: it stays where it is, keeps its slots and its result, and those who
/// hold its id mean whatever took its place.
template <size_t count>
inline bool PatternRewriter::canBecome(Op op, const KnownKind &kind, std::span<const ValueId, count> operands) {
  const OpData &d = fn_.data(op.id);
  if (d.resultCount != 1 || d.operandCount != operands.size())
    return false;
  if (!inPlace_ || before_ != op.id || operands.size() > kFewOperands || d.flags & kHasRegions || !kind.oneResult)
    return false;
  for (ValueId operand : operands) // what is built on the op's result goes on reading it
    if (operand == d.firstResult)
      return false;
  if (created_.empty()) [[likely]]
    return true;
  findOwnUses(d.firstResult);
  return ownUses_.empty();
}

template <size_t count>
inline void PatternRewriter::become(Op op, KindId kind, std::span<const ValueId, count> operands, AttrsId attrs,
                                    TypeId type) {
  const OpData &d = fn_.data(op.id);
  ValueId result = d.firstResult;
  edits_ += 2;
  created_.push_back(op.id);
  bool other = worklist_->kind(op.id).constant;
  if (TypeId old = fn_.data(result).type; type != old) [[unlikely]] {
    other = true;
    if (TypeId both = context().meet(type, old)) // what the old type knows beyond the new one
      type = both;
    fn_.setType(result, type);
  }
  if (d.kind != kind) {
    fn_.setKind(op.id, kind);
    other |= worklist_->kind(op.id).constant;
  }
  fn_.setAttrs(op.id, attrs);
  before_ = d.next; // what is created after this may build on it
  ValueId lost[count == std::dynamic_extent ? kFewOperands : count];
  for (uint32_t i = 0; i < operands.size(); ++i) {
    lost[i] = fn_.data(SlotId(d.firstOperand.raw + i)).value;
    fn_.setOperand(op.id, i, operands[i]);
  }
  worklist_->become(op.id);
  worklist_->usersModified(result, SlotId(), other);
  for (uint32_t i = 0; i < operands.size(); ++i)
    if (lost[i])
      worklist_->useRemoved(lost[i]);
}

[[gnu::noinline]] bool PatternRewriter::replaceOpWithCreated(Op op, const OpSchema &schema,
                                                             std::span<const ValueId> operands, AttrsId attrs,
                                                             bool sameType) {
  Op by = create(schema, operands, attrs);
  if (rejected_ || op.resultCount() != 1 || by.resultCount() != 1)
    return abandon();
  if (!(sameType ? mayReplace(op.result(), by.result()) : rw::canReplace(*this, op.result(), by.result())))
    return abandon(op, "the new op has a type that goes with what it replaces", 0);
  return replaceOp(op, by.result());
}

/// With so many operands, or as many as there are: most ops have one, and what knows that is half as long.
template <size_t count>
inline bool PatternRewriter::replaceInPlace(Op op, const OpSchema &schema, std::span<const ValueId, count> operands,
                                            AttrsId attrs, bool sameType) {
  const KnownKind &kind = known(schema);
  if (!canBecome(op, kind, operands)) [[unlikely]]
    return replaceOpWithCreated(op, schema, operands, attrs, sameType);
  TypeId type = inferType(schema, operands, attrs);
  if (rejected_) [[unlikely]]
    return abandon();
  const bool asks = !sameType && schema.inferTypes;
  if (!(asks ? canReplace(op.result(), type) : mayReplace(op.result(), type))) [[unlikely]] {
    if (asks && mayReplace(op.result(), type)) // what it is made of may prove it
      return replaceOpWithCreated(op, schema, operands, attrs);
    return abandon(op, "the new op has a type that goes with what it replaces", 0);
  }
  become(op, kind.kind, operands, attrs, type);
  return true;
}

RW_FLATTEN bool PatternRewriter::replaceByUnary(Op op, const OpSchema &schema, ValueId operand, AttrsId attrs,
                                                bool sameType) {
  return replaceInPlace(op, schema, std::span<const ValueId, 1>(&operand, 1), attrs, sameType);
}

[[gnu::noinline]] RW_FLATTEN bool PatternRewriter::replaceByOther(Op op, const OpSchema &schema,
                                                                  std::span<const ValueId> operands, AttrsId attrs,
                                                                  bool sameType) {
  return replaceInPlace(op, schema, operands, attrs, sameType);
}

bool PatternRewriter::replaceOpWithNew(Op op, const OpSchema &schema, std::span<const ValueId> operands, AttrsId attrs,
                                       bool sameType) {
  return operands.size() == 1 ? replaceByUnary(op, schema, operands[0], attrs, sameType)
                              : replaceByOther(op, schema, operands, attrs, sameType);
}

bool PatternRewriter::replaceOpWithNew(Op op, const OpSchema &schema, AttrsId attrs, Value operand) {
  return replaceByUnary(op, schema, operand.id, attrs, false);
}
bool PatternRewriter::replaceOpWithNew(Op op, const OpSchema &schema, AttrsId attrs, Value first, Value second) {
  const ValueId operands[] = {first.id, second.id};
  return replaceByOther(op, schema, operands, attrs, false);
}
bool PatternRewriter::replaceOpWithSame(Op op, const OpSchema &schema, AttrsId attrs, Value operand) {
  return replaceByUnary(op, schema, operand.id, attrs, true);
}
bool PatternRewriter::replaceOpWithSame(Op op, const OpSchema &schema, AttrsId attrs, Value first, Value second) {
  const ValueId operands[] = {first.id, second.id};
  return replaceByOther(op, schema, operands, attrs, true);
}

[[gnu::noinline]] bool PatternRewriter::replaceOpWithMany(Op op, const OpSchema &schema,
                                                          std::span<const Value> operands, AttrsId attrs) {
  InlineList<ValueId, 8> ids;
  for (Value v : operands)
    ids.push_back(v.id);
  return replaceOpWithCreated(op, schema, ids, attrs);
}

} // namespace rw
