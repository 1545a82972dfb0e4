#include "rw/ir/function.h"

#include "rw/ir/stand_ins.h"
#include "rw/support/flatten.h"

#include "rw/ir/builder.h"

#include <algorithm>

namespace rw {

constexpr uint32_t kOrderGap = 64; // room for insertions between neighbours before orders are spread anew

// Handles ---------------------------------------------------------------------------------------------------------

std::string_view Op::fullName() const {
  if (kind() == kOpaqueKind) {
    AttrId name = extraAttr(kOpaqueNameAttr);
    return name ? context().attr(name).text : "?";
  }
  return context().ops().fullName(kind());
}

AttrId Op::attrDefault(unsigned index) const {
  const OpSchema &s = schema();
  if (index >= s.attrs.size())
    return standInAttr(*this, index - unsigned(s.attrs.size()));
  if (!s.attrs[index].hasDefault || !s.defaultAttr)
    return AttrId();
  return s.defaultAttr(*InputsOf(*this), index);
}

AttrId Op::extraAttr(std::string_view name) const { return context().extra(attrsId(), name); }
AttrId Op::attrNamed(std::string_view name) const {
  if (int i = schema().attrIndex(name); i >= 0)
    return attrOrDefault(unsigned(i));
  return extraAttr(name);
}
std::span<const RegionId> Op::regions() const { return fn->regionsOf(id); }

unsigned Value::resultIndex() const {
  if (Op op = definingOp())
    return id.raw - fn->data(op.id).firstResult.raw;
  std::span<const ValueId> params = fn->params(paramRegion());
  return unsigned(std::find(params.begin(), params.end(), id) - params.begin());
}

/// A constant that states its elements in an attribute of their own, as a number or a list of numbers: the tensor that
/// they are.
static AttrId tensorOfNumbers(Op op) {
  Context &ctx = op.context();
  TypeId type = op.resultCount() == 1 ? op.result().typeId() : TypeId();
  std::optional<int64_t> count = type ? ctx.elementCount(type) : std::nullopt;
  for (unsigned i = 0; count && i < op.schema().attrs.size(); ++i) {
    AttrId stated = op.attr(i);
    if (!stated)
      continue;
    const AttrData &a = ctx.attr(stated);
    bool reals = a.kind == AttrKind::Float || a.kind == AttrKind::Floats;
    bool one = a.kind == AttrKind::Int || a.kind == AttrKind::Float;
    size_t size = one ? 1 : reals ? a.floats.size() : a.ints.size();
    if ((!one && a.kind != AttrKind::Ints && !reals) || ctx.type(type).dtype != (reals ? DType::F32 : DType::I64) ||
        int64_t(size) != *count)
      return AttrId();
    std::vector<float> floats;
    std::vector<int64_t> ints;
    for (size_t at = 0; at < size; ++at)
      if (reals)
        floats.push_back(float(one ? a.f : a.floats[at]));
      else
        ints.push_back(one ? a.i : a.ints[at]);
    return ctx.denseAttr(type, reals ? std::as_bytes(std::span(floats)) : std::as_bytes(std::span(ints)));
  }
  return AttrId();
}

AttrId Value::constant() const {
  Op op = definingOp();
  int index = op ? fn->context().ops().constantAttr(op.kind()) : -1;
  if (index < 0)
    return AttrId();
  AttrId stated = op.attr(unsigned(index));
  return stated ? stated : tensorOfNumbers(op);
}

// Function: regions and parameters --------------------------------------------------------------------------------

Function::Function(Context &ctx, std::string name) : ctx_(&ctx), name_(std::move(name)) { regions_.emplace_back(); }

Op Function::terminator(RegionId region) {
  OpId last = regions_[region.raw].lastOp;
  return last && ops_[last.raw].kind == kReturnKind ? Op{this, last} : Op{};
}

std::span<const RegionId> Function::regionsOf(OpId op) const {
  if (!(ops_[op.raw].flags & kHasRegions))
    return {};
  auto it =
      std::lower_bound(opRegions_.begin(), opRegions_.end(), op, [](auto &entry, OpId id) { return entry.first < id; });
  return it->second;
}

RegionId Function::addRegion(OpId parent) {
  RegionId id(uint32_t(regions_.size()));
  regions_.emplace_back().parent = parent;
  auto it = std::lower_bound(opRegions_.begin(), opRegions_.end(), parent,
                             [](auto &entry, OpId op) { return entry.first < op; });
  if (it == opRegions_.end() || it->first != parent)
    it = opRegions_.insert(it, {parent, {}});
  it->second.push_back(id);
  ops_[parent.raw].flags |= kHasRegions;
  return id;
}

void Function::moveRegions(OpId from, OpId to) {
  auto at = [&](OpId op) {
    return std::lower_bound(opRegions_.begin(), opRegions_.end(), op,
                            [](auto &entry, OpId id) { return entry.first < id; });
  };
  if (!(ops_[from.raw].flags & kHasRegions))
    return;
  auto held = at(from);
  std::vector<RegionId> regions = std::move(held->second);
  opRegions_.erase(held);
  for (RegionId region : regions)
    regions_[region.raw].parent = to;
  auto place = at(to);
  if (place != opRegions_.end() && place->first == to) // of an erased op whose id is used again
    place->second = std::move(regions);
  else
    opRegions_.insert(place, {to, std::move(regions)});
  ops_[from.raw].flags &= uint16_t(~kHasRegions);
  ops_[to.raw].flags |= kHasRegions;
}

Value Function::addRegionParam(RegionId region, TypeId type) {
  ValueId id(uint32_t(values_.size()));
  values_.push_back({type, SlotId(), ValueData::kParam | region.raw});
  regions_[region.raw].params.push_back(id);
  return {this, id};
}

Value Function::addParam(TypeId type, ParamInfo info) {
  paramInfos_.push_back(info);
  return addRegionParam(body(), type);
}

void Function::removeParam(unsigned index) {
  std::vector<ValueId> &params = regions_[0].params;
  assert(!values_[params[index].raw].firstUse);
  params.erase(params.begin() + index);
  paramInfos_.erase(paramInfos_.begin() + index);
}

// Names -----------------------------------------------------------------------------------------------------------

/// Of a table beside ops or values, as short as it can be.
template <class Entry, class Id>
static void setEntry(std::vector<Entry> &entries, Id id, Entry entry, size_t capacity) {
  if (id.raw >= entries.size()) {
    if (entry == Entry())
      return;
    entries.reserve(capacity);
    entries.resize(id.raw + 1);
  }
  entries[id.raw] = entry;
}
void Function::setValueName(ValueId v, StringId name) { setEntry(valueNames_, v, name, values_.capacity()); }
void Function::setOpName(OpId op, StringId name) { setEntry(opNames_, op, name, ops_.capacity()); }
void Function::setLoc(OpId op, Loc loc) { setEntry(locs_, op, loc, ops_.capacity()); }

// Building --------------------------------------------------------------------------------------------------------

void Function::reserve(size_t ops, size_t values, size_t slots) {
  ops_.reserve(ops);
  values_.reserve(values);
  slots_.reserve(slots);
}

void Function::setReuse(bool on) {
  reuse_ = on;
  erased_ = reclaimed_ = OpId();
  std::fill(std::begin(free_), std::end(free_), OpId());
}

void Function::sortReclaimed() {
  (erased_ == reclaimed_ ? erased_ : ops_[lastKept_.raw].next) = OpId();
  for (OpId next; reclaimed_; reclaimed_ = next) {
    OpData &d = ops_[reclaimed_.raw];
    next = d.next;
    OpId &head = free_[d.operandCount * kReusedResults + d.resultCount];
    d.next = head;
    head = reclaimed_;
  }
}

/// An erased op of the same shape, made new in its place; none if there is none.
OpId Function::reuseOp(KindId kind, std::span<const ValueId> operands, AttrsId attrs, std::span<const TypeId> types,
                       Loc loc) {
  if (operands.size() >= kReusedOperands || types.size() >= kReusedResults)
    return OpId();
  if (reclaimed_)
    sortReclaimed();
  OpId &head = free_[operands.size() * kReusedResults + types.size()];
  OpId id = head;
  if (!id)
    return OpId();
  OpData &d = ops_[id.raw];
  head = d.next;
  d.kind = kind;
  d.flags = 0;
  d.attrs = attrs;
  d.prev = d.next = OpId();
  for (uint32_t i = 0; i < d.operandCount; ++i)
    addUse(SlotId(d.firstOperand.raw + i), operands[i]);
  for (unsigned i = 0; i < d.resultCount; ++i) {
    ValueId v(d.firstResult.raw + i);
    values_[v.raw].type = types[i];
    if (v.raw < valueNames_.size())
      valueNames_[v.raw] = StringId();
  }
  if (id.raw < opNames_.size())
    opNames_[id.raw] = StringId();
  if (loc || id.raw < locs_.size())
    setLoc(id, loc);
  ++liveOps_;
  return id;
}

OpId Function::newOp(KindId kind, std::span<const ValueId> operands, AttrsId attrs, std::span<const TypeId> types,
                     Loc loc) {
  if (reuse_)
    if (OpId id = reuseOp(kind, operands, attrs, types, loc))
      return id;
  OpId id(uint32_t(ops_.size()));
  OpData &d = ops_.emplace_back();
  d.kind = kind;
  d.attrs = attrs;
  assert(operands.size() <= kMaxOperands && types.size() <= kMaxResults);
  d.operandCount = uint32_t(operands.size());
  d.resultCount = uint32_t(types.size());
  d.firstOperand = SlotId(uint32_t(slots_.size()));
  for (ValueId v : operands) {
    SlotId slot(uint32_t(slots_.size()));
    slots_.push_back({ValueId(), id, SlotId(), SlotId()});
    addUse(slot, v);
  }
  if (!types.empty())
    d.firstResult = ValueId(uint32_t(values_.size()));
  for (TypeId t : types)
    values_.push_back({t, SlotId(), id.raw});
  if (loc)
    setLoc(id, loc);
  ++liveOps_;
  return id;
}

Op Function::appendOp(RegionId region, KindId kind, std::span<const ValueId> operands, AttrsId attrs,
                      std::span<const TypeId> types, Loc loc) {
  OpId id = newOp(kind, operands, attrs, types, loc);
  linkBefore(id, region, OpId());
  return {this, id};
}

RW_FLATTEN Op Function::insertOp(OpId before, KindId kind, std::span<const ValueId> operands, AttrsId attrs,
                                 std::span<const TypeId> types, Loc loc) {
  OpId id = newOp(kind, operands, attrs, types, loc);
  linkBefore(id, ops_[before.raw].region, before);
  return {this, id};
}

void Function::linkBefore(OpId id, RegionId region, OpId before) {
  RegionData &r = regions_[region.raw];
  OpData &d = ops_[id.raw];
  d.region = region;
  d.next = before;
  d.prev = before ? ops_[before.raw].prev : r.lastOp;
  (d.prev ? ops_[d.prev.raw].next : r.firstOp) = id;
  (before ? ops_[before.raw].prev : r.lastOp) = id;
  uint32_t low = d.prev ? ops_[d.prev.raw].order : 0;
  if (!before) {
    d.order = low <= UINT32_MAX - kOrderGap ? low + kOrderGap : low;
  } else {
    uint32_t high = ops_[before.raw].order;
    d.order = low + (high - low) / 2;
  }
  if (d.order == low) [[unlikely]]
    makeRoom(id);
}

/// `id` has the order of the op ahead of it: spreads the ops around it over the smallest aligned range of orders that
/// is sparse enough. The more ops a range has, the emptier it must be, so that an insertion costs O(log n) amortised
/// wherever insertions gather.
void Function::makeRoom(OpId id) {
  constexpr double kFill = 1.2; // of a range of 2^k orders, at most (2 / kFill)^k are taken
  OpId first = id, last = id;
  size_t count = 1;
  double most = 1;
  for (unsigned bits = 1; bits <= 32; ++bits) {
    most *= 2 / kFill;
    uint64_t size = uint64_t(1) << bits;
    uint64_t base = ops_[id.raw].order & ~(size - 1);
    for (OpId p = ops_[first.raw].prev; p && ops_[p.raw].order >= base; p = ops_[p.raw].prev, ++count)
      first = p;
    for (OpId n = ops_[last.raw].next; n && ops_[n.raw].order < base + size; n = ops_[n.raw].next, ++count)
      last = n;
    uint64_t step = size / (count + 1);
    if ((double(count) > most && bits < 32) || step < 2)
      continue;
    uint64_t order = base;
    for (OpId op = first;; op = ops_[op.raw].next) {
      ops_[op.raw].order = uint32_t(order += step);
      if (op == last)
        return;
    }
  }
}

void Function::moveBefore(OpId op, OpId before) {
  unlink(op);
  linkBefore(op, ops_[before.raw].region, before);
}

// Uses ------------------------------------------------------------------------------------------------------------

void Function::setOperands(OpId op, std::span<const ValueId> operands) {
  OpData &d = ops_[op.raw];
  for (uint32_t i = 0; i < d.operandCount; ++i)
    removeUse(SlotId(d.firstOperand.raw + i));
  if (operands.size() > d.operandCount) { // a new run of slots at the end; the old one is given up until compact()
    d.firstOperand = SlotId(uint32_t(slots_.size()));
    slots_.resize(slots_.size() + operands.size(), SlotData{ValueId(), op, SlotId(), SlotId()});
  }
  assert(operands.size() <= kMaxOperands);
  d.operandCount = uint32_t(operands.size());
  for (uint32_t i = 0; i < d.operandCount; ++i)
    addUse(SlotId(d.firstOperand.raw + i), operands[i]);
}

/// The ops of nested regions go with an op that is erased. A stack of its own: nesting may be deep.
void Function::dropRegions(OpId id) {
  std::vector<RegionId> pending(regionsOf(id).begin(), regionsOf(id).end());
  while (!pending.empty()) {
    RegionData &region = regions_[pending.back().raw];
    pending.pop_back();
    for (OpId inner = region.firstOp, next; inner; inner = next) {
      next = ops_[inner.raw].next;
      std::span<const RegionId> nested = regionsOf(inner);
      pending.insert(pending.end(), nested.begin(), nested.end());
      dropOp(inner);
    }
    region.firstOp = region.lastOp = OpId();
    region.params.clear();
  }
}

size_t Function::memoryUsed() const {
  return ops_.capacity() * sizeof(OpData) + values_.capacity() * sizeof(ValueData) +
         slots_.capacity() * sizeof(SlotData) + regions_.capacity() * sizeof(RegionData) +
         (valueNames_.capacity() + opNames_.capacity()) * sizeof(StringId) + locs_.capacity() * sizeof(Loc);
}

} // namespace rw
