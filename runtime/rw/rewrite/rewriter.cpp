#include "rw/rewrite/rewriter.h"

#include "rw/rewrite/rewriter_impl.h"
#include "rw/support/flatten.h"

#include <algorithm>

namespace rw {

namespace {
/// The ids of a few values, side by side.
class ValueIds {
public:
  explicit ValueIds(std::initializer_list<Value> values) : count_(values.size()) {
    ValueId *to = count_ <= std::size(few_) ? few_ : more();
    for (Value v : values)
      *to++ = v.id;
  }
  operator std::span<const ValueId>() const { return {many_.empty() ? few_ : many_.data(), count_}; }

private:
  [[gnu::noinline]] ValueId *more() {
    many_.resize(count_);
    return many_.data();
  }
  ValueId few_[4];
  std::vector<ValueId> many_;
  size_t count_;
};

/// "tensor.add %y"
std::string describe(Op op) {
  std::string text(op.fullName());
  if (op.resultCount() && !op.isErased())
    if (StringId name = op.fn->valueName(op.result().id))
      (text += " %") += op.context().text(name);
  return text;
}
} // namespace

// Creation --------------------------------------------------------------------------------------------------------

void PatternRewriter::explain(Op at, const char *condition, unsigned line) {
  if (listener_)
    listener_->noMatch(at, typeReason_.empty() ? condition : typeReason_.c_str(), line);
  typeReason_.clear();
}

/// What is recorded of the old value may say less than its op's `type` clause. If that does not prove it either, says
/// which types they are, if somebody asks why.
bool PatternRewriter::provesType(Value old, TypeId type) {
  if (Op op = old.definingOp();
      op && !rejected_ && context().type(type).known && op.kind() != kOpaqueKind && op.schema().inferTypes) {
    InlineList<TypeId, 4> types(op.resultCount(), TypeId());
    inferResultTypes(*InputsOf(op), types);
    if (context().meet(types[old.resultIndex()], old.typeId()) == type && types[old.resultIndex()] == type)
      return true;
  }
  if (explain_ && !rejected_) {
    std::string is = context().typeToString(type), was = context().typeToString(old.typeId());
    bool differ = !context().compatible(old.typeId(), type);
    typeReason_ =
        "the new value, " + is + ", has " + (differ ? "the" : "provably the") + " type of what it replaces, " + was;
  }
  return false;
}

bool PatternRewriter::canReplaceByProof(Value old, Value with) {
  if (old.typeId() == with.typeId() && old.type().known)
    return !rejected_;
  return (takesType(with) || provesType(old, with.typeId())) && mayReplace(old, with);
}

bool PatternRewriter::takesType(Value with) {
  Op op = with.definingOp();
  return op && op.kind() != kOpaqueKind && !op.schema().inferTypes && createdHere(op.id);
}

[[gnu::noinline]] void PatternRewriter::learn(KnownKind &known, const OpSchema &schema) {
  bool oneResult = schema.results.size() == 1 && schema.results[0].arity != Arity::Variadic;
  known = {&schema, context().ops().kindOf(schema), oneResult};
}

Op PatternRewriter::finish(Op op) {
  ++edits_;
  created_.push_back(op.id);
  // else when the pattern is done: it may yet abandon what it made
  if (worklist_ && !worklist_->looksAround()) [[likely]]
    worklist_->created(op.id);
  if (listener_) [[unlikely]]
    listener_->created(op);
  return op;
}

/// Whether the program's version of the dialect has the op, where the program says which that is.
static bool isOfVersion(const OpSchema &schema, const Context &ctx) {
  int64_t version = ctx.dialectVersions().empty() ? 0 : ctx.dialectVersion(schema.dialect);
  return version <= 0 || (schema.since <= version && version <= schema.until);
}

/// What an op would need to be built, in words: a requirement of its declaration, or another version of its dialect.
static std::string whyRejected(const OpInputs &inputs, const Context &ctx) {
  struct First final : CheckSink {
    void fail(std::string message) override {
      if (text.empty())
        text = std::move(message);
    }
    std::string text;
  } first;
  const OpSchema &schema = inputs.schema();
  std::string name = std::string(schema.dialect) + "." + std::string(schema.name);
  if (!schema.check || schema.check(inputs, first))
    return "the program's version of `" + std::string(schema.dialect) + "`, " +
           std::to_string(ctx.dialectVersion(schema.dialect)) + ", has the " + name + " that is built";
  return "the " + name + " that is built is valid" + (first.text.empty() ? "" : ": ") + first.text;
}

/// Result types, from the run's table if the same was inferred before. What the op requires is checked on the way.
void PatternRewriter::inferOnce(const OpInputs &inputs, InlineList<TypeId, 4> &types) {
  Signature signature = worklist_ ? Signature::of(inputs, types.size()) : Signature();
  if (const SignatureTable::Entry *entry = signature ? worklist_->inferred().find(signature) : nullptr) {
    for (size_t i = 0; i < types.size(); ++i)
      types[i] = entry->types[i];
    return;
  }
  inferResultTypes(inputs, types);
  if (!requirementsHold(inputs) || !isOfVersion(inputs.schema(), context())) [[unlikely]] {
    rejected_ = true;
    if (explain_)
      explain(fn_.op(root_), whyRejected(inputs, context()).c_str(), 0);
  } else if (signature) {
    worklist_->inferred().add(signature, types);
  }
}

[[gnu::noinline]] TypeId PatternRewriter::inferOnce(const OpSchema &schema, std::span<const ValueId> operands,
                                                    AttrsId attrs) {
  InlineList<TypeId, 4> types(1, TypeId());
  inferOnce(OpInputs(fn_, schema, operands, attrs), types);
  return types[0];
}

/// What is stated and what is inferred, together: `concat(xs...) -> f32` says the element type, the shape follows from
/// the operands.
void PatternRewriter::joinStated(const OpInputs &inputs, std::span<const TypeId> stated, InlineList<TypeId, 4> &types) {
  inferOnce(inputs, types);
  for (size_t i = 0; i < stated.size(); ++i) {
    TypeId both = context().meet(stated[i], types[i]);
    if (!both && !rejected_ && explain_) {
      std::string why = "the type stated on the right side, " + context().typeToString(stated[i]) +
                        ", goes with the one inferred, " + context().typeToString(types[i]);
      explain(fn_.op(root_), why.c_str(), 0);
    }
    rejected_ |= !both;
    types[i] = both ? both : stated[i];
  }
}

RW_FLATTEN Op PatternRewriter::createTyped(KindId kind, std::span<const ValueId> operands, AttrsId attrs,
                                           std::span<const TypeId> types) {
  Loc loc = root_ ? fn_.loc(root_) : Loc();
  if (operands.size() > kMaxOperands) [[unlikely]] { // a list on a right side: the pattern does not match
    rejected_ = true;
    noMatch(fn_.op(root_), "what is built has no more operands than an op may have", 0);
    operands = operands.first(kMaxOperands);
  }
  return finish(before_ ? fn_.insertOp(before_, kind, operands, attrs, types, loc)
                        : fn_.appendOp(region_, kind, operands, attrs, types, loc));
}

AttrId PatternRewriter::recall(AttrId a, AttrId b, AttrId (*compute)(Context &, AttrId, AttrId)) {
  const uint32_t *known = recalled(placeOf(compute), a, b);
  return known ? AttrId(*known) : workOut(a, b, compute);
}
bool PatternRewriter::recall(AttrId a, AttrId b, bool (*compute)(Context &, AttrId, AttrId)) {
  const uint32_t *known = recalled(placeOf(compute), a, b);
  return known ? bool(*known) : workOut(a, b, compute);
}
AttrId PatternRewriter::workOut(AttrId a, AttrId b, AttrId (*compute)(Context &, AttrId, AttrId)) {
  AttrId answer = compute(context(), a, b);
  remember(placeOf(compute), a, b, answer.raw);
  return answer;
}
bool PatternRewriter::workOut(AttrId a, AttrId b, bool (*compute)(Context &, AttrId, AttrId)) {
  bool answer = compute(context(), a, b);
  remember(placeOf(compute), a, b, answer);
  return answer;
}

RW_FLATTEN Op PatternRewriter::create(const OpSchema &schema, std::span<const ValueId> operands, AttrsId attrs,
                                      unsigned resultCount) {
  if (schema.results.size() == 1 && schema.results[0].arity == Arity::Single) {
    TypeId type = inferType(schema, operands, attrs);
    return createTyped(known(schema).kind, operands, attrs, {&type, 1});
  }
  size_t count = 0;
  for (const ResultSchema &result : schema.results)
    count += result.arity == Arity::Variadic ? resultCount : 1;
  InlineList<TypeId, 4> types(count, TypeId());
  inferOnce(OpInputs(fn_, schema, operands, attrs), types);
  return createTyped(known(schema).kind, operands, attrs, types);
}

Op PatternRewriter::createStated(const OpSchema &schema, std::span<const ValueId> operands, AttrsId attrs,
                                 std::span<const TypeId> types) {
  InlineList<TypeId, 4> joined(types.size(), TypeId());
  joinStated(OpInputs(fn_, schema, operands, attrs), types, joined);
  return createTyped(known(schema).kind, operands, attrs, joined);
}

Op PatternRewriter::create(const OpSchema &schema, std::initializer_list<Value> operands,
                           std::initializer_list<AttrId> attrs) {
  return create(schema, ValueIds(operands), attrsOf(attrs));
}

RW_FLATTEN Value PatternRewriter::createValueOf(const OpSchema &schema, std::span<const ValueId> operands,
                                                AttrsId attrs) {
  TypeId type = inferType(schema, operands, attrs);
  return createTyped(known(schema).kind, operands, attrs, {&type, 1}).result();
}

Value PatternRewriter::createValue(const OpSchema &schema, AttrsId attrs, Value operand) {
  return createValueOf(schema, {&operand.id, 1}, attrs);
}
Value PatternRewriter::createValue(const OpSchema &schema, AttrsId attrs, Value first, Value second) {
  const ValueId operands[] = {first.id, second.id};
  return createValueOf(schema, operands, attrs);
}

AttrsId PatternRewriter::attrs(AttrId only) { return context().attrs(only); }

/// Whether types that an op infers from `was` are those that it infers from `is`: nothing of the type is unknown, and
/// what the value holds, which a type may follow from as well (axes, sizes), is the same or of no matter.
static bool infersAlike(Value was, Value is) {
  if (was == is)
    return true;
  const TypeData &type = was.type();
  bool mayBeSizes = type.kind != TypeKind::Tensor || (isInteger(type.dtype) && type.dims.size() <= 1);
  return was.typeId() == is.typeId() && type.known && !mayBeSizes && was.constant() == is.constant();
}

Op PatternRewriter::cloneWithOperands(Op model, std::span<const ValueId> operands) {
  const OpSchema &schema = model.schema();
  InlineList<TypeId, 4> types(model.resultCount(), TypeId());
  bool sameTypes = operands.size() == model.operandCount();
  for (unsigned i = 0; sameTypes && i < operands.size(); ++i) {
    Value was = model.operand(i), is = fn_.value(operands[i]);
    sameTypes = bool(was) == bool(is) && (!was || infersAlike(was, is));
  }
  if (sameTypes) // the same op on the same types: its results are what they were, whether inferred or stated
    for (unsigned i = 0; i < model.resultCount(); ++i)
      types[i] = model.result(i).typeId();
  else
    inferOnce(OpInputs(fn_, schema, operands, model.attrsId(), model.regions()), types);
  if (holds_) [[unlikely]]
    readyCaptures(model);
  Op copy = createTyped(model.kind(), operands, model.attrsId(), types);
  if (!model.regions().empty())
    cloneRegions(model, copy);
  carryOn(model, copy);
  return copy;
}

Op PatternRewriter::cloneWith(Op model, std::span<const ValueId> operands, AttrsId attrs,
                              std::span<const TypeId> stated) {
  InlineList<TypeId, 4> types(model.resultCount(), TypeId());
  OpInputs inputs(fn_, model.schema(), operands, attrs, model.regions());
  if (stated.empty())
    inferOnce(inputs, types);
  else
    joinStated(inputs, stated, types);
  if (holds_) [[unlikely]]
    readyCaptures(model);
  Op copy = createTyped(model.kind(), operands, attrs, types);
  if (!model.regions().empty())
    cloneRegions(model, copy);
  carryOn(model, copy);
  return copy;
}

/// The root goes, and so does what it alone uses: there the copy is the op from here on.
void PatternRewriter::carryOn(Op model, Op copy) {
  StringId name = fn_.opName(model.id);
  if (!name && !listener_)
    return;
  if (model.id != before_ && !(model.resultCount() == 1 && model.result().hasOneUse()))
    return;
  if (name) {
    fn_.setOpName(copy.id, name);
    fn_.setOpName(model.id, StringId());
  }
  carriedOn_.push_back({model.id, copy.id, name});
  if (listener_) [[unlikely]]
    listener_->continued(model, copy);
}

KindId PatternRewriter::constantKind(std::string_view dialect, DialectConstant &known) {
  if (dialect != known.dialect) // looking it up is slow, and folds come in runs
    known = {dialect, context().ops().constantOp(dialect)};
  return known.kind;
}

KindId PatternRewriter::constantKind(Op like) {
  KindId kind = constantKind(like.schema().dialect, constants_[0]);
  for (unsigned i = 0; kind == kOpaqueKind && i < like.operandCount(); ++i)
    if (Op def = like.operand(i) ? like.operand(i).definingOp() : Op(); def && def.hasTrait(Trait::Constant))
      kind = constantKind(def.schema().dialect, constants_[1]);
  return kind;
}

Value PatternRewriter::createConstant(KindId kind, AttrId value, TypeId type) {
  int index = kind == kOpaqueKind ? -1 : context().ops().schema(kind).attrIndex("value");
  if (index < 0)
    return {};
  AttrsId attrs = context().withAttr(context().noAttrs(), unsigned(index), value);
  return createTyped(kind, {}, attrs, {&type, 1}).result();
}

// Replacement -----------------------------------------------------------------------------------------------------

bool PatternRewriter::createdHere(OpId op) const {
  return std::find(created_.rbegin(), created_.rend(), op) != created_.rend();
}

/// Collects the operand slots of ops created by the running pattern that read `value`.
void PatternRewriter::findOwnUses(ValueId value) {
  ownUses_.clear();
  for (OpId op : created_) {
    const OpData &d = fn_.data(op);
    for (uint32_t i = 0; i < d.operandCount; ++i)
      if (SlotId slot(d.firstOperand.raw + i); fn_.data(slot).value == value)
        ownUses_.push_back(slot);
  }
}

void PatternRewriter::replaceValue(ValueId from, ValueId to) {
  if (from == to)
    return;
  // What the pattern builds on top of the value goes on reading it: replacing there too would close a cycle.
  if (created_.empty()) [[likely]]
    ownUses_.clear();
  else
    findOwnUses(from);
  if (listener_) [[unlikely]]
    listener_->replacing(fn_.value(from), fn_.value(to));
  ++edits_;
  bool refined = false;
  TypeId have = fn_.data(to).type, old = fn_.data(from).type;
  if (!fn_.value(to).isParam()) {
    if (have != old) // what the old type knows beyond the new one is known of the value that stands in for it
      if (TypeId both = context().meet(have, old); both && both != have) {
        fn_.setType(to, both);
        refined = true;
      }
    if (StringId name = fn_.valueName(from); name && !fn_.valueName(to)) {
      fn_.setValueName(to, name);
      fn_.setValueName(from, StringId());
    }
  }
  // The users of `from` come first among the users of `to` afterwards; those of `to` before are not affected,
  // unless its type changed.
  SlotId rest = refined ? SlotId() : fn_.data(to).firstUse;
  fn_.replaceAllUses(from, to);
  for (SlotId slot : ownUses_) {
    Op owner = fn_.op(fn_.data(slot).owner);
    fn_.setOperand(owner.id, slot.raw - fn_.data(owner.id).firstOperand.raw, from);
  }
  if (worklist_) {
    if (refined)
      worklist_->retyped(to);
    worklist_->usersModified(to, rest, have != old || worklist_->isConstant(from) || worklist_->isConstant(to));
    worklist_->useAdded(to);
  }
}

[[gnu::noinline]] void PatternRewriter::takeNames(Op op, Op by) {
  if (StringId name = fn_.opName(op.id); name && !fn_.opName(by.id)) {
    fn_.setOpName(by.id, name);
    fn_.setOpName(op.id, StringId());
  }
  fn_.setLoc(by.id, op.loc());
}

bool PatternRewriter::widensInterface(Value old, TypeId type) {
  if (context().meet(old.typeId(), type) == type)
    return false;
  for (Use use : old.uses())
    if (use.owner.kind() == kReturnKind)
      return true;
  return false;
}

bool PatternRewriter::replaceOp(Op op, std::span<const ValueId> values) {
  assert(values.size() == op.resultCount());
  for (unsigned i = 0; i < values.size(); ++i)
    if (fn_.data(values[i]).def == op.id.raw && (values[i] != op.result(i).id || op.result(i).hasUses()))
      return noMatch(op, "an op cannot be replaced by its own results");
  for (unsigned i = 0; i < values.size(); ++i) {
    if (values[i] == op.result(i).id)
      continue; // unused: it goes with the op
    if (i == 0)
      if (Op by = fn_.value(values[0]).definingOp(); by && createdHere(by.id))
        takeNames(op, by);
    replaceValue(op.result(i).id, values[i]);
  }
  if (!op.hasUses()) // else ops of this pattern build on it
    eraseUnused(op);
  return true;
}

RW_FLATTEN bool PatternRewriter::replaceOp(Op op, Value value) {
  assert(op.resultCount() == 1);
  uint32_t def = fn_.data(value.id).def;
  if (def == op.id.raw)
    return noMatch(op, "an op cannot be replaced by its own results");
  if (!created_.empty() && !(def & ValueData::kParam) && createdHere(OpId(def)))
    takeNames(op, fn_.op(OpId(def)));
  replaceValue(fn_.data(op.id).firstResult, value.id);
  if (ownUses_.empty()) [[likely]] // else ops of this pattern build on it
    eraseUnused(op);
  return true;
}

bool PatternRewriter::replaceOp(Op op, Op by) {
  if (op.resultCount() == 1 && by.resultCount() == 1)
    return replaceOp(op, by.result());
  InlineList<ValueId, 6> values;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    values.push_back(by.result(i).id);
  return replaceOp(op, values);
}

bool PatternRewriter::replaceAllUses(Value from, Value to) {
  replaceValue(from.id, to.id);
  if (worklist_)
    worklist_->useRemoved(from.id);
  return true;
}

// In-place edits --------------------------------------------------------------------------------------------------

bool PatternRewriter::setOperand(Op op, unsigned index, Value value) {
  Value old = op.operand(index);
  if (old.id == value.id)
    return false;
  ++edits_;
  fn_.setOperand(op.id, index, value.id);
  if (worklist_) {
    bool same = old && value && old.typeId() == value.typeId() && !worklist_->isConstant(old.id) &&
                !worklist_->isConstant(value.id);
    same ? worklist_->operandModified(op.id) : worklist_->modified(op.id);
    if (value)
      worklist_->useAdded(value.id);
    if (old)
      worklist_->useRemoved(old.id);
  }
  if (listener_) [[unlikely]] {
    listener_->modified(op);
    if (old)
      listener_->useRemoved(old);
  }
  return true;
}

bool PatternRewriter::setAttr(Op op, unsigned index, AttrId attr) {
  return setAttrs(op, context().withAttr(op.attrsId(), index, attr));
}

bool PatternRewriter::setAttrs(Op op, AttrsId attrs) {
  if (attrs == op.attrsId())
    return false;
  ++edits_;
  fn_.setAttrs(op.id, attrs);
  if (worklist_)
    worklist_->modified(op.id);
  if (listener_) [[unlikely]]
    listener_->modified(op);
  return true;
}

// Erasing ---------------------------------------------------------------------------------------------------------

bool PatternRewriter::erase(Op op) {
  if (op.isErased() || op.hasUses() || op.kind() == kReturnKind) {
    refuseErasure(op);
    return false;
  }
  eraseUnused(op);
  return true;
}

void PatternRewriter::refuseErasure(Op op) {
  if (!refusal_.empty())
    return;
  refusal_ = "cannot erase " + describe(op) + ": ";
  if (op.isErased())
    refusal_ += "it is erased already";
  else if (op.kind() == kReturnKind)
    refusal_ += "every region ends in one";
  else
    refusal_ += "it is used by " + usersOf(op);
}

/// With a listener, nested regions, or many operands.
[[gnu::noinline]] void PatternRewriter::eraseSlowly(Op op) {
  const OpData &d = fn_.data(op.id);
  if (listener_)
    listener_->erasing(op);
  if (d.flags & kHasRegions)
    return eraseHolder(op);
  InlineList<ValueId, 6> operands;
  for (uint32_t i = 0; i < d.operandCount; ++i)
    if (ValueId v = fn_.data(SlotId(d.firstOperand.raw + i)).value)
      operands.push_back(v);
  fn_.erase(op.id);
  for (ValueId v : operands) {
    if (worklist_)
      worklist_->useRemoved(v);
    if (listener_)
      listener_->useRemoved(fn_.value(v));
  }
}

/// Everything is as it was before the op was made, so that nothing is to be looked at again: waking what it read would
/// wake the root as well, which would make it again, and so for ever.
void PatternRewriter::eraseAbandoned(Op op) {
  if (listener_)
    listener_->erasing(op);
  InlineList<ValueId, 6> operands;
  for (unsigned i = 0; listener_ && i < op.operandCount(); ++i)
    if (Value v = op.operand(i))
      operands.push_back(v.id);
  if (before_ == op.id)
    if (before_ = fn_.data(op.id).next; !before_)
      region_ = op.region();
  fn_.erase(op.id);
  for (ValueId v : operands)
    listener_->useRemoved(fn_.value(v));
}

[[gnu::noinline]] bool PatternRewriter::abandon() {
  for (size_t i = carriedOn_.size(); i-- > 0;) {
    auto [from, as, name] = carriedOn_[i];
    fn_.setOpName(as, StringId());
    fn_.setOpName(from, name);
    if (listener_)
      listener_->continued(fn_.op(as), fn_.op(from));
  }
  carriedOn_.clear();
  for (size_t i = created_.size(); i-- > 0;) {
    Op op = fn_.op(created_[i]);
    if (op.isErased() || op.hasUses())
      continue;
    eraseAbandoned(op);
    --edits_;
  }
  if (holds_) [[unlikely]]
    dropHolders();
  created_.clear();
  rejected_ = false;
  return false;
}

std::string PatternRewriter::usersOf(Op op) const {
  std::string text;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    for (Use use : op.result(i).uses()) {
      text += text.empty() ? "" : ", ";
      if (use.owner.kind() == kReturnKind && use.owner.region() == fn_.body())
        text += "result " + std::to_string(use.index) + " of @" + fn_.name();
      else
        text += describe(use.owner);
    }
  return text;
}

} // namespace rw
