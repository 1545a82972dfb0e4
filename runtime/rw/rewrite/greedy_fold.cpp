#include "rw/rewrite/greedy_impl.h"

namespace rw {

/// Before an op is replaced by constants: who then reads nothing else.
void GreedyDriver::foldUsersNext(Op op) {
  for (unsigned i = 0; i < op.resultCount(); ++i) {
    ValueId result = op.result(i).id;
    for (SlotId slot = fn_.data(result).firstUse; slot; slot = fn_.data(slot).next) {
      OpId user = fn_.data(slot).owner;
      const KindInfo &kind = worklist_.kind(user);
      if (kind.folds() && readsConstantsAlone(user, result))
        foldNext_.push_back(user);
    }
  }
}

bool GreedyDriver::fold(Op op, const KindInfo &kind) {
  if (fn_.data(op.id).flags & kHasRegions)
    return false;
  rewriter_.begin(op);
  if (kind.foldHook && op.resultCount() == 1) {
    FoldResult folded = op.schema().fold(op);
    if (folded.kind == FoldResult::ReplacedBy && folded.value && folded.value != op.result().id &&
        rewriter_.canReplace(op.result(), fn_.value(folded.value))) {
      if (config_.listener)
        config_.listener->folding(op);
      if (worklist_.isConstant(folded.value))
        foldUsersNext(op);
      rewriter_.replaceOp(op, fn_.value(folded.value));
      applied(kFoldEvent);
      return true;
    }
    if (folded.kind == FoldResult::Materialize && folded.constant && foldTo(op, {&folded.constant, 1}))
      return true;
  }
  if (!kind.evaluated || !op.operandCount())
    return false;
  unsigned first = 0; // of those that are there
  while (first < op.operandCount() && !op.operand(first))
    ++first;
  Op def = first < op.operandCount() ? op.operand(first).definingOp() : Op();
  if (!def || !worklist_.kind(def.id).constant)
    return false;
  constants_.clear();
  return config_.folder->fold(op, config_.maxFoldBytes, constants_) && constants_.size() == op.resultCount() &&
         foldTo(op, constants_);
}

/// Replaces the op by constants, if they are not too large and their types agree with the results'.
bool GreedyDriver::foldTo(Op op, std::span<const AttrId> constants) {
  Context &ctx = fn_.context();
  InlineList<TypeId, 4> types;
  for (unsigned i = 0; i < constants.size(); ++i) {
    const AttrData &attr = ctx.attr(constants[i]);
    TypeId type = attr.dense ? attr.dense->type : op.result(i).typeId();
    if (!rewriter_.mayReplace(op.result(i), type) || (attr.dense && attr.dense->bytes.size() > config_.maxFoldBytes))
      return false;
    types.push_back(type);
  }
  InlineList<ValueId, 4> values;
  for (unsigned i = 0; i < constants.size(); ++i) {
    Value value = config_.cseConstants ? sharedConstant(op, constants[i], types[i])
                                       : rewriter_.materializeConstant(op, constants[i], types[i]);
    if (!value)
      return rewriter_.abandon();
    values.push_back(value.id);
  }
  if (config_.listener)
    config_.listener->folding(op);
  foldUsersNext(op);
  rewriter_.replaceOp(op, values);
  applied(kFoldEvent);
  return true;
}

/// The constant that an earlier fold of the same region made, moved up if it stands behind the op; else a new one.
Value GreedyDriver::sharedConstant(Op op, AttrId constant, TypeId type) {
  const KindId kind = rewriter_.constantKind(op);
  OpId &known = shared_[{op.region().raw, constant.raw, type.raw, kind.raw}];
  // Its id may have been given to another op since, and its attributes may have been edited.
  if (known && known != op.id) {
    Op made = fn_.op(known);
    int index = made.isErased() || made.kind() != kind ? -1 : made.schema().attrIndex("value");
    if (index >= 0 && made.region() == op.region() && made.attr(unsigned(index)) == constant &&
        made.result().typeId() == type) {
      if (op.isBefore(made))
        fn_.moveBefore(known, op.id);
      return made.result();
    }
  }
  Value value = rewriter_.materializeConstant(op, constant, type);
  if (value)
    known = value.definingOp().id;
  return value;
}

} // namespace rw
