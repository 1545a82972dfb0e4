// Function: the storage of one function's ops, values, operand slots and regions, and the handles to look at them.
//
// In:  edits through the members below. Patterns and passes edit through PatternRewriter (rewrite/rewriter.h), which
//      calls these and keeps the driver informed.
// Out: O(1) access to operands, results, attributes, users, neighbours and relative order.
// Elsewhere: interned data is context.h; functions belong to a Program (program.h); creation with inferred types is
//            builder.h; checks are verifier.h.
//
// Storage: flat arrays indexed by 32-bit ids. One op with one operand and one result takes 64 bytes: 36 for the op, 12
// for the value, 16 for the operand slot. Uses of a value form a doubly linked list through the operand slots, ops of
// a region a doubly linked list through the ops. What most ops lack (names, locations, regions) is kept beside them and
// costs nothing where it is missing. Ids are stable until compact(); erased ids are not used again.
//
//   Op add = fn.appendOp(fn.body(), kind, std::array{x.id, y.id}, attrs, std::array{type});
//   for (Op op : fn.ops(fn.body())) use(op);
//   for (Use use : add.result().uses()) report(use.owner);
#pragma once

#include "rw/ir/context.h"
#include "rw/ir/schema.h"
#include "rw/support/flat_array.h"
#include "rw/support/source.h"

#include <cassert>
#include <span>
#include <string_view>
#include <vector>

namespace rw {

class Function;
class Program;
struct Value;

/// Limits of one op. What reads programs from outside checks them; the functions below assert them.
inline constexpr size_t kMaxOperands = (1u << 18) - 1, kMaxResults = (1u << 14) - 1;

struct OpData {
  KindId kind;
  uint16_t flags = 0;
  uint32_t operandCount : 18 = 0;
  uint32_t resultCount : 14 = 0;
  SlotId firstOperand;
  ValueId firstResult; // results are numbered consecutively; none if there is no result
  AttrsId attrs;
  OpId prev, next;    // neighbours in the region
  uint32_t order = 0; // grows along the region
  RegionId region;
};
static_assert(sizeof(OpData) == 36);

struct ValueData {
  TypeId type;
  SlotId firstUse;
  uint32_t def = UINT32_MAX; // an OpId's raw, or kParam | RegionId's raw
  static constexpr uint32_t kParam = 0x80000000u;
};
static_assert(sizeof(ValueData) == 12);

struct SlotData {
  ValueId value; // none: an optional operand left out
  OpId owner;
  SlotId next, prev; // other uses of the same value
};
static_assert(sizeof(SlotData) == 16);

struct RegionData {
  OpId firstOp, lastOp;
  OpId parent; // none for the function's body
  std::vector<ValueId> params;
};

/// Why a parameter is there: an argument of each call, or a parameter of the model (a weight) with a stable id.
enum class ParamRole : uint8_t { Arg, Param };
struct ParamInfo {
  ParamRole role = ParamRole::Arg;
  uint64_t stableId = 0; // of a Param
  AttrId defaultValue;   // an overridable default (ONNX: an initializer that is also an input)
};

/// Flags of OpData.
inline constexpr uint16_t kErased = 1, kHasRegions = 2, kInWorklist = 4;

/// The undeclared attribute (a string) that holds the full name of an opaque op.
inline constexpr std::string_view kOpaqueNameAttr = "$op";

/// An op: a handle of two words, copied freely. A default-made one is "none".
struct Op {
  Function *fn = nullptr;
  OpId id;

  explicit operator bool() const { return bool(id); }
  friend bool operator==(const Op &a, const Op &b) { return a.id == b.id; }

  KindId kind() const;
  const OpSchema &schema() const;
  /// "tensor.add"; of an opaque op the name it was read with.
  std::string_view fullName() const;
  bool is(const OpSchema &s) const { return &schema() == &s; }
  bool hasTrait(Trait t) const { return schema().hasTrait(t); }

  unsigned operandCount() const;
  Value operand(unsigned i) const;
  unsigned resultCount() const;
  Value result(unsigned i = 0) const; ///< below resultCount(); result() of an op without results is none
  AttrsId attrsId() const;
  /// Declared attribute `index` as stored; none if left out (its default is OpSchema::defaultAttr).
  AttrId attr(unsigned index) const;
  /// Declared attribute `index`, or its default; none if neither is there.
  AttrId attrOrDefault(unsigned index) const {
    AttrId stored = attr(index);
    return stored ? stored : attrDefault(index);
  }
  AttrId attrDefault(unsigned index) const; ///< what stands for declared attribute `index` if it is left out
  AttrId extraAttr(std::string_view name) const;
  /// Declared attribute `name` as stored, or its default, or an undeclared one; none if there is none of them. What it
  /// holds is attrOf (attr_values.h).
  AttrId attrNamed(std::string_view name) const;

  RegionId region() const; ///< the region it stands in
  Op parent() const;       ///< the op whose region it stands in; none at the top
  Op next() const;
  Op prev() const;
  std::span<const RegionId> regions() const; ///< the regions it holds
  /// Both in one region: whether this one comes first. O(1).
  bool isBefore(Op other) const;
  bool isErased() const;
  bool hasUses() const; ///< of any result
  Loc loc() const;
  Context &context() const;
};

/// A result of an op or a parameter of a region; a handle of two words. A default-made one is "none", which is also
/// what an optional operand that was left out reads as.
struct Value {
  Function *fn = nullptr;
  ValueId id;

  explicit operator bool() const { return bool(id); }
  friend bool operator==(const Value &a, const Value &b) { return a.id == b.id; }

  TypeId typeId() const;
  const TypeData &type() const;
  Op definingOp() const; ///< none for a parameter
  unsigned resultIndex() const;
  bool isParam() const;
  RegionId paramRegion() const;
  bool hasUses() const;
  bool hasOneUse() const; ///< results of functions and regions and captures count as uses
  struct UseRange uses() const;
  /// The constant this value is, through the trait `constant` of its op; none if it is not.
  AttrId constant() const;
  Context &context() const;
};

struct Use {
  SlotId slot;
  Op owner;
  unsigned index; // operand number in owner
};

struct UseIterator {
  Function *fn;
  SlotId slot;
  Use operator*() const;
  UseIterator &operator++();
  bool operator!=(const UseIterator &o) const { return slot != o.slot; }
};
/// Uses in no particular but deterministic order. Do not edit uses of the value while walking.
struct UseRange {
  Function *fn;
  SlotId first;
  UseIterator begin() const { return {fn, first}; }
  UseIterator end() const { return {fn, SlotId()}; }
};

struct OpIterator {
  Function *fn;
  OpId id;
  Op operator*() const { return {fn, id}; }
  OpIterator &operator++();
  bool operator!=(const OpIterator &o) const { return id != o.id; }
};
struct OpRange {
  Function *fn;
  OpId first;
  OpIterator begin() const { return {fn, first}; }
  OpIterator end() const { return {fn, OpId()}; }
};

/// What somebody knows of the integers that values hold: the shapes that a program computes (infer/contents.h).
class KnownContents {
public:
  virtual ~KnownContents() = default;
  /// In row-major order, each a number, an expression or unknown; nothing if not even their number is known. As sizes:
  /// what is or may be below 0 is unknown.
  virtual std::optional<Dims> contentsOf(Value, bool asSizes) = 0;
};

class Function {
public:
  Function(Context &, std::string name);
  Function(Function &&) = default;
  Function &operator=(Function &&) = default;
  Function(const Function &) = default; ///< a copy with the same ids (handles into the original do not follow)

  Context &context() { return *ctx_; }
  const Context &context() const { return *ctx_; }
  const std::string &name() const { return name_; }
  void setName(std::string name) { name_ = std::move(name); }

  // Looking.
  RegionId body() const { return RegionId(0); }
  const OpData &data(OpId id) const { return ops_[id.raw]; }
  /// Op::attr(0) of the op with this number, in as few steps as can be: patterns ask nothing more often.
  AttrId firstAttrOf(uint32_t op) const { return ctx_->firstAttrs()[ops_.data()[op].attrs.raw]; }
  const ValueData &data(ValueId id) const { return values_[id.raw]; }
  const SlotData &data(SlotId id) const { return slots_[id.raw]; }
  const RegionData &data(RegionId id) const { return regions_[id.raw]; }
  Op op(OpId id) { return {this, id}; }
  Value value(ValueId id) { return {this, id}; }
  OpRange ops(RegionId region) { return {this, regions_[region.raw].firstOp}; }
  /// The terminator of a region, whose operands are its results; none while it is being built.
  Op terminator(RegionId);
  std::span<const ValueId> params(RegionId r) const { return regions_[r.raw].params; }
  std::span<const RegionId> regionsOf(OpId) const;
  size_t opCapacity() const { return ops_.size(); }       ///< one more than the largest OpId
  size_t valueCapacity() const { return values_.size(); } ///< one more than the largest ValueId
  size_t regionCapacity() const { return regions_.size(); }
  size_t slotCapacity() const { return slots_.size(); }
  size_t liveOps() const { return liveOps_; } ///< in all regions, terminators counted
  size_t memoryUsed() const;

  // Names: of values ("%x" in text, tensor names in ONNX) and of ops (ONNX node names). Most have none. Two things
  // follow from the name of a value. An output that an ONNX op may leave out is left out of a model if its value has
  // neither users nor a name: a name makes the op compute it (Dropout's mask, MaxPool's Indices). And a new name must
  // differ from resultNames() as well, which are not names of values: unless it is that result, an ONNX model has to
  // call the value something else.
  StringId valueName(ValueId v) const { return v.raw < valueNames_.size() ? valueNames_[v.raw] : StringId(); }
  void setValueName(ValueId, StringId);
  StringId opName(OpId op) const { return op.raw < opNames_.size() ? opNames_[op.raw] : StringId(); }
  void setOpName(OpId, StringId);

  /// Where the op stands in a source; none if it was not read from one.
  Loc loc(OpId op) const { return op.raw < locs_.size() ? locs_[op.raw] : Loc(); }

  /// Names of the function's results where the outside knows them by name (ONNX graph outputs); empty, or one each.
  const std::vector<StringId> &resultNames() const { return resultNames_; }
  void setResultNames(std::vector<StringId> names) { resultNames_ = std::move(names); }

  /// What is known of the integers that values hold, while somebody infers types; null at all other times.
  KnownContents *knownContents() const { return knownContents_; }
  void setKnownContents(KnownContents *known) { knownContents_ = known; }

  // Parameters of the function.
  Value addParam(TypeId, ParamInfo = {});
  const ParamInfo &paramInfo(unsigned index) const { return paramInfos_[index]; }
  ParamInfo &paramInfo(unsigned index) { return paramInfos_[index]; }
  void removeParam(unsigned index); ///< which must be unused

  // Building. Results get the given types; operands may be "none" for optional ones left out.
  Op appendOp(RegionId, KindId, std::span<const ValueId> operands, AttrsId, std::span<const TypeId> resultTypes,
              Loc = {});
  Op insertOp(OpId before, KindId, std::span<const ValueId> operands, AttrsId, std::span<const TypeId> resultTypes,
              Loc = {});
  RegionId addRegion(OpId parent);
  Value addRegionParam(RegionId, TypeId);
  /// All regions of `from`, with what they hold, become those of `to`, which has none.
  void moveRegions(OpId from, OpId to);
  void reserve(size_t ops, size_t values, size_t slots);

  // Editing.
  void setOperand(OpId, unsigned index, ValueId);
  void setOperands(OpId, std::span<const ValueId>); ///< any number
  void setAttrs(OpId op, AttrsId attrs) { ops_[op.raw].attrs = attrs; }
  void setKind(OpId op, KindId kind) { ops_[op.raw].kind = kind; }
  void setType(ValueId v, TypeId t) { values_[v.raw].type = t; }
  void setLoc(OpId, Loc);
  uint16_t &flags(OpId op) { return ops_[op.raw].flags; }
  /// Moves every use of `from` to `to`. O(uses of `from`).
  void replaceAllUses(ValueId from, ValueId to);
  void moveBefore(OpId, OpId before);
  /// Unlinks an op with its operands and nested regions. Its results must be unused (asserted).
  void erase(OpId);
  void eraseUnary(OpId); ///< erase() of an op with one operand, one result and no regions

  /// Whether ids of erased ops (without regions) may be given to new ops, so that a function that is rewritten over
  /// and over stays as small as it is. Ids erased since are free only after the next reclaim().
  void setReuse(bool on);
  bool reusesIds() const { return reuse_; }
  void reclaim() { reclaimed_ = erased_; }

  /// Renumbers ops, values and slots densely in program order; all ids change.
  void compact();

private:
  friend struct Op;
  friend struct Value;
  friend class ContextTransfer;
  OpId newOp(KindId, std::span<const ValueId>, AttrsId, std::span<const TypeId>, Loc);
  void linkBefore(OpId op, RegionId region, OpId before); // before none: at the end
  void unlink(OpId op);
  void dropOp(OpId op); // operands and flags; not the links of its region
  void dropRegions(OpId op);
  void keepErased(OpId);
  void sortReclaimed();
  OpId reuseOp(KindId, std::span<const ValueId>, AttrsId, std::span<const TypeId>, Loc);
  void makeRoom(OpId op);
  void addUse(SlotId slot, ValueId value);
  void removeUse(SlotId slot);
  void unlinkUse(const SlotData &);

  Context *ctx_;
  KnownContents *knownContents_ = nullptr;
  std::string name_;
  FlatArray<OpData> ops_;
  FlatArray<ValueData> values_;
  FlatArray<SlotData> slots_;
  std::vector<RegionData> regions_;
  std::vector<ParamInfo> paramInfos_;
  std::vector<StringId> resultNames_;
  std::vector<StringId> valueNames_, opNames_;                    // shorter than values_, ops_: the rest have none
  std::vector<Loc> locs_;                                         // likewise
  std::vector<std::pair<OpId, std::vector<RegionId>>> opRegions_; // sorted by op: ops that hold regions are few
  size_t liveOps_ = 0;
  static constexpr unsigned kReusedOperands = 4, kReusedResults = 2; // shapes of op that are kept for reuse: fewer each
  bool reuse_ = false;
  OpId erased_;                                 // the last op erased; linked to those before it through `next`
  OpId reclaimed_;                              // the first of these that is free; so are all behind it
  OpId lastKept_;                               // the last of these that is not, if any
  OpId free_[kReusedOperands * kReusedResults]; // by number of operands and results, linked through `next`
};

// The handles' accessors are inline: the inner loops of matching consist of them.

inline KindId Op::kind() const { return fn->data(id).kind; }
inline Context &Op::context() const { return fn->context(); }
inline const OpSchema &Op::schema() const { return context().ops().schema(kind()); }
inline unsigned Op::operandCount() const { return fn->data(id).operandCount; }
inline unsigned Op::resultCount() const { return fn->data(id).resultCount; }
inline AttrsId Op::attrsId() const { return fn->data(id).attrs; }
inline RegionId Op::region() const { return fn->data(id).region; }
inline Op Op::parent() const { return {fn, fn->data(region()).parent}; }
inline Op Op::next() const { return {fn, fn->data(id).next}; }
inline Op Op::prev() const { return {fn, fn->data(id).prev}; }
inline bool Op::isBefore(Op other) const { return fn->data(id).order < fn->data(other.id).order; }
inline bool Op::isErased() const { return fn->data(id).flags & kErased; }
inline Loc Op::loc() const { return fn->loc(id); }
inline Value Op::operand(unsigned i) const {
  const OpData &d = fn->data(id);
  return i < d.operandCount ? Value{fn, fn->data(SlotId(d.firstOperand.raw + i)).value} : Value{};
}
inline Value Op::result(unsigned i) const { return {fn, ValueId(fn->data(id).firstResult.raw + i)}; }
inline bool Op::hasUses() const {
  const OpData &d = fn->data(id);
  if (d.resultCount == 1) [[likely]]
    return bool(fn->data(d.firstResult).firstUse);
  for (unsigned i = 0; i < d.resultCount; ++i)
    if (fn->data(ValueId(d.firstResult.raw + i)).firstUse)
      return true;
  return false;
}
inline AttrId Op::attr(unsigned index) const { return context().attr(attrsId(), index); }

inline Context &Value::context() const { return fn->context(); }
inline TypeId Value::typeId() const { return fn->data(id).type; }
inline const TypeData &Value::type() const { return context().type(typeId()); }
inline bool Value::isParam() const { return fn->data(id).def & ValueData::kParam; }
inline RegionId Value::paramRegion() const { return RegionId(fn->data(id).def & ~ValueData::kParam); }
inline Op Value::definingOp() const {
  if (!id)
    return {};
  uint32_t def = fn->data(id).def;
  return def & ValueData::kParam ? Op{} : Op{fn, OpId(def)};
}
inline bool Value::hasUses() const { return bool(fn->data(id).firstUse); }
inline bool Value::hasOneUse() const {
  SlotId first = fn->data(id).firstUse;
  return first && !fn->data(first).next;
}
inline UseRange Value::uses() const { return {fn, fn->data(id).firstUse}; }
inline Use UseIterator::operator*() const {
  const SlotData &s = fn->data(slot);
  return {slot, Op{fn, s.owner}, slot.raw - fn->data(s.owner).firstOperand.raw};
}
inline UseIterator &UseIterator::operator++() {
  slot = fn->data(slot).next;
  return *this;
}
inline OpIterator &OpIterator::operator++() {
  id = fn->data(id).next;
  return *this;
}

// The links of use lists and regions: small, and most of what creating and erasing an op costs.

inline void Function::addUse(SlotId id, ValueId value) {
  SlotData &s = slots_[id.raw];
  s.value = value;
  if (!value)
    return;
  ValueData &v = values_[value.raw];
  s.prev = SlotId();
  s.next = v.firstUse;
  if (s.next)
    slots_[s.next.raw].prev = id;
  v.firstUse = id;
}

/// Takes a slot that reads a value out of the list of the value's uses; what the slot itself says stays.
inline void Function::unlinkUse(const SlotData &s) {
  if (!s.prev) [[likely]]
    values_[s.value.raw].firstUse = s.next;
  else
    slots_[s.prev.raw].next = s.next;
  if (s.next)
    slots_[s.next.raw].prev = s.prev;
}

inline void Function::removeUse(SlotId id) {
  SlotData &s = slots_[id.raw];
  if (!s.value)
    return;
  unlinkUse(s);
  s.value = ValueId(); // the links of a slot without a value mean nothing
}

inline void Function::setOperand(OpId op, unsigned index, ValueId value) {
  SlotId slot(ops_[op.raw].firstOperand.raw + index);
  if (!value) [[unlikely]]
    return removeUse(slot);
  if (const SlotData &s = slots_[slot.raw]; s.value) [[likely]]
    unlinkUse(s);
  addUse(slot, value);
}

inline void Function::replaceAllUses(ValueId from, ValueId to) {
  SlotId first = values_[from.raw].firstUse;
  if (!first || from == to)
    return;
  SlotId last = first;
  slots_[first.raw].value = to;
  while (SlotId next = slots_[last.raw].next) {
    slots_[next.raw].value = to;
    last = next;
  }
  SlotId rest = values_[to.raw].firstUse;
  slots_[last.raw].next = rest;
  if (rest)
    slots_[rest.raw].prev = last;
  values_[to.raw].firstUse = first;
  values_[from.raw].firstUse = SlotId();
}

/// Its id may be given to a new op after the next reclaim().
inline void Function::keepErased(OpId id) {
  if (erased_ == reclaimed_)
    lastKept_ = id;
  ops_[id.raw].next = erased_;
  erased_ = id;
}

/// Takes the op out of everything but the links of its region.
inline void Function::dropOp(OpId id) {
  OpData &d = ops_[id.raw];
  SlotId slot = d.firstOperand;
  for (uint32_t left = d.operandCount; left; --left, ++slot.raw)
    removeUse(slot);
  uint16_t flags = d.flags;
  d.flags = uint16_t((flags & ~kHasRegions) | kErased);
  d.prev = d.next = OpId();
  if (reuse_ && !(flags & kHasRegions) && d.operandCount < kReusedOperands && d.resultCount < kReusedResults)
    keepErased(id);
  --liveOps_;
}

inline void Function::erase(OpId id) {
  assert(!op(id).hasUses());
  if (ops_[id.raw].flags & kHasRegions) [[unlikely]]
    dropRegions(id);
  unlink(id);
  dropOp(id);
}

/// An op with one operand and one result, no regions: most of what rewrites erase.
inline void Function::eraseUnary(OpId id) {
  OpData &d = ops_[id.raw];
  assert(d.operandCount == 1 && d.resultCount == 1 && !(d.flags & kHasRegions) && !op(id).hasUses());
  unlink(id);
  removeUse(d.firstOperand);
  d.flags |= kErased;
  if (reuse_) [[likely]]
    keepErased(id);
  --liveOps_;
}

inline void Function::unlink(OpId id) {
  OpData &d = ops_[id.raw];
  if (d.prev) [[likely]]
    ops_[d.prev.raw].next = d.next;
  else
    regions_[d.region.raw].firstOp = d.next;
  if (d.next) [[likely]]
    ops_[d.next.raw].prev = d.prev;
  else
    regions_[d.region.raw].lastOp = d.prev;
  d.prev = d.next = OpId();
}

} // namespace rw
