#include "rw/passes/cse.h"

#include "rw/passes/pattern_pass.h"
#include "rw/rewrite/effects.h"
#include "rw/rewrite/match_helpers.h"
#include "rw/support/flat_array.h"

#include <algorithm>
#include <array>
#include <memory>

namespace rw {
namespace {

/// Ops by hash: open addressing, entries removed in the reverse order of their insertion, which leaves no gaps.
class OpTable {
public:
  /// An equal op, or none after adding this one.
  template <class Equals> OpId findOrAdd(uint64_t hash, OpId op, Equals equals) {
    if ((entries_.size() + 1) * 4 > slots_.size() * 3)
      grow();
    size_t mask = slots_.size() - 1;
    size_t i = hash & mask;
    for (; slots_[i] != kEmpty; i = (i + 1) & mask) {
      uint32_t index = uint32_t(slots_[i]);
      if (uint32_t(slots_[i] >> 32) == uint32_t(hash >> 32) && equals(entries_[index].op))
        return entries_[index].op;
    }
    slots_[i] = (hash & 0xffffffff00000000u) | entries_.size();
    entries_.push_back({hash, op});
    return OpId();
  }
  void removeLast() {
    size_t mask = slots_.size() - 1;
    uint32_t index = uint32_t(entries_.size() - 1);
    size_t i = entries_.back().hash & mask;
    while (uint32_t(slots_[i]) != index || slots_[i] == kEmpty)
      i = (i + 1) & mask;
    slots_[i] = kEmpty;
    entries_.pop_back();
  }

private:
  static constexpr uint64_t kEmpty = UINT64_MAX; // else: upper half of the hash, index of the entry
  struct Entry {
    uint64_t hash;
    OpId op;
  };
  void grow() {
    const size_t size = std::max<size_t>(64, slots_.size() * 2);
    slots_.clear();
    slots_.resize(size, kEmpty);
    size_t mask = slots_.size() - 1;
    for (size_t index = 0; index < entries_.size(); ++index) { // in order of insertion, as removeLast() expects
      size_t i = entries_[index].hash & mask;
      while (slots_[i] != kEmpty)
        i = (i + 1) & mask;
      slots_[i] = (entries_[index].hash & 0xffffffff00000000u) | index;
    }
  }
  FlatArray<uint64_t> slots_;
  FlatArray<Entry> entries_;
};

/// The ops seen so far that dominate the current place. A hash table over a large function is a cache miss per op, so
/// ops are kept by the last value they read, a few slots for every few values: ops that follow each other read values
/// that do. What finds these slots full goes into a table by hash, so that a value with many users costs no more.
class AvailableOps {
public:
  explicit AvailableOps(size_t values) {
    size_t windows = 16;
    while (windows * kValuesPerWindow < values)
      windows *= 2;
    mask_ = windows - 1;
    slots_ = static_cast<uint64_t *>(zeroBlock(bytes()));
  }
  ~AvailableOps() { freeBlock(slots_, bytes()); }
  AvailableOps(const AvailableOps &) = delete;
  AvailableOps &operator=(const AvailableOps &) = delete;

  /// An equal op, or none after adding this one. Equal ops have equal hashes and places.
  template <class Equals> OpId findOrAdd(uint64_t hash, uint32_t place, OpId op, Equals equals) {
    size_t first = (place / kValuesPerWindow & mask_) * kWindow;
    for (size_t i = first; i < first + kWindow; ++i) {
      if (slots_[i] == 0) {
        slots_[i] = (hash & 0xffffffff00000000u) | (op.raw + 1);
        added_.push_back(uint32_t(i));
        return OpId();
      }
      if (uint32_t(slots_[i] >> 32) == uint32_t(hash >> 32))
        if (OpId other(uint32_t(slots_[i]) - 1); equals(other))
          return other;
    }
    OpId known = rest_.findOrAdd(hash, op, equals);
    if (!known)
      added_.push_back(kInRest);
    return known;
  }
  size_t mark() const { return added_.size(); }
  /// Forgets what was added since mark(), the last first: so no slot falls empty ahead of one that is taken.
  void release(size_t mark) {
    for (; added_.size() > mark; added_.pop_back())
      added_.back() == kInRest ? rest_.removeLast() : void(slots_[added_.back()] = 0);
  }

private:
  static constexpr size_t kWindow = 8; // slots, a cache line
  static constexpr uint32_t kValuesPerWindow = 4, kInRest = UINT32_MAX;
  size_t bytes() const { return (mask_ + 1) * kWindow * sizeof(uint64_t); }
  size_t mask_ = 0;
  uint64_t *slots_ = nullptr; // 0: empty; else upper half of the hash, id of the op plus one
  FlatArray<uint32_t> added_; // slots, in order
  OpTable rest_;
};

class Cse {
public:
  Cse(Function &fn, RewriteListener *listener, bool orderOperands)
      : fn_(fn), rewriter_(fn, listener), orderOperands_(orderOperands), available_(fn.valueCapacity()) {
    const OpRegistry &ops = fn.context().ops();
    for (size_t i = 0; i < ops.size(); ++i) {
      const OpSchema &schema = ops.schema(KindId{uint16_t(i)});
      bool defaults = std::ranges::any_of(schema.attrs, &AttrSchema::hasDefault);
      kinds_.push_back({isEffectFree(schema), schema.hasTrait(Trait::Commutative), defaults});
    }
  }

  CseStatistics run() {
    struct Open {
      OpId next;   // in a region entered
      size_t mark; // what was available before it
    };
    std::vector<Open> open{{fn_.data(fn_.body()).firstOp, 0}};
    while (!open.empty()) {
      OpId op = open.back().next;
      if (!op) {
        if (open.size() > 1)
          available_.release(open.back().mark);
        open.pop_back();
        continue;
      }
      const OpData &d = fn_.data(op);
      open.back().next = d.next;
      if (d.flags & kHasRegions) {
        std::span<const RegionId> regions = fn_.regionsOf(op);
        for (size_t i = regions.size(); i-- > 0;)
          open.push_back({fn_.data(regions[i]).firstOp, available_.mark()});
      } else if (kinds_[d.kind.raw].effectFree && d.resultCount) {
        visit(op);
      }
    }
    return statistics_;
  }

private:
  ValueId operand(const OpData &d, uint32_t i) const { return fn_.data(SlotId(d.firstOperand.raw + i)).value; }
  bool swaps(const OpData &d) const { return d.operandCount == 2 && kinds_[d.kind.raw].commutative; }

  /// The attributes of an op without those that only say what would hold without them.
  AttrsId plainAttrs(OpId id) const {
    const OpData &d = fn_.data(id);
    AttrsId plain = d.attrs;
    if (!kinds_[d.kind.raw].defaults || plain == fn_.context().noAttrs())
      return plain;
    Op op = fn_.op(id);
    std::span<const AttrSchema> declared = op.schema().attrs;
    for (unsigned i = 0; i < declared.size(); ++i)
      if (declared[i].hasDefault && op.attr(i) && attrIsDefault(op, i))
        plain = fn_.context().withAttr(plain, i, AttrId());
    return plain;
  }

  /// The last value read; of an op that reads none something that differs with its attributes.
  uint32_t place(const OpData &d, AttrsId attrs) const {
    uint32_t last = 0;
    for (uint32_t i = 0; i < d.operandCount; ++i)
      if (ValueId v = operand(d, i))
        last = std::max(last, v.raw);
    return d.operandCount ? last : attrs.raw;
  }

  uint64_t hash(const OpData &d, AttrsId attrs) const {
    uint64_t state = (uint64_t(d.kind.raw) << 32 | attrs.raw) * 0x9fb21c651e98df25u;
    auto add = [&](uint32_t word) {
      state = (state ^ word) * 0x9e3779b97f4a7c15u;
      state ^= state >> 32;
    };
    if (swaps(d)) {
      uint32_t x = operand(d, 0).raw, y = operand(d, 1).raw;
      add(std::min(x, y));
      add(std::max(x, y));
    } else {
      for (uint32_t i = 0; i < d.operandCount; ++i)
        add(operand(d, i).raw);
    }
    for (unsigned i = 0; i < d.resultCount; ++i)
      add(fn_.data(ValueId(d.firstResult.raw + i)).type.raw);
    return state * 0x9e3779b97f4a7c15u;
  }

  /// Whether `known` is an op that is equal to `id`, whose attributes are `attrs` in plain.
  bool equal(OpId known, OpId id, AttrsId attrs) const {
    const OpData &a = fn_.data(known), &b = fn_.data(id);
    if (a.kind != b.kind || a.operandCount != b.operandCount || a.resultCount != b.resultCount)
      return false;
    if (a.attrs != b.attrs && plainAttrs(known) != attrs)
      return false;
    bool same = true;
    for (uint32_t i = 0; same && i < a.operandCount; ++i)
      same = operand(a, i) == operand(b, i);
    if (!same && !(swaps(a) && operand(a, 0) == operand(b, 1) && operand(a, 1) == operand(b, 0)))
      return false;
    for (unsigned i = 0; i < a.resultCount; ++i)
      if (fn_.data(ValueId(a.firstResult.raw + i)).type != fn_.data(ValueId(b.firstResult.raw + i)).type)
        return false;
    return true;
  }

  /// An order of values that does not depend on ids: parameters first, then as the text has them.
  bool comesBefore(ValueId a, ValueId b) const {
    auto place = [this](ValueId v) -> std::array<uint32_t, 4> {
      if (!v)
        return {2, 0, 0, 0};
      Value value = fn_.value(v);
      if (value.isParam())
        return {0, value.paramRegion().raw, value.resultIndex(), 0};
      const OpData &d = fn_.data(value.definingOp().id);
      return {1, d.region.raw, d.order, value.resultIndex()};
    };
    return place(a) < place(b);
  }

  void visit(OpId id) {
    const OpData &d = fn_.data(id);
    if (orderOperands_ && swaps(d) && comesBefore(operand(d, 1), operand(d, 0))) {
      Op op = fn_.op(id);
      Value x = op.operand(0), y = op.operand(1);
      rewriter_.setOperand(op, 0, y);
      rewriter_.setOperand(op, 1, x);
      ++statistics_.reordered;
    }
    AttrsId attrs = plainAttrs(id);
    OpId known =
        available_.findOrAdd(hash(d, attrs), place(d, attrs), id, [&](OpId other) { return equal(other, id, attrs); });
    if (!known)
      return;
    rewriter_.replaceOp(fn_.op(id), fn_.op(known));
    ++statistics_.merged;
  }

  Function &fn_;
  PatternRewriter rewriter_;
  bool orderOperands_;
  struct Kind {
    bool effectFree, commutative, defaults;
  };
  std::vector<Kind> kinds_;
  AvailableOps available_;
  CseStatistics statistics_;
};

class CsePass : public FunctionPass {
public:
  explicit CsePass(bool orderOperands) : orderOperands_(orderOperands) {}
  std::string_view name() const override { return "cse"; }
  bool worksOnFunctionsAlone() const override { return true; }
  bool mayFail() const override { return false; }
  PassResult run(Function &fn, PassContext &context) override {
    CseStatistics s = eliminateCommonSubexpressions(fn, context.rewriteConfig.listener, orderOperands_);
    PassResult result;
    result.rewrites.rewrites = s.merged + s.reordered;
    result.changed = result.rewrites.changed = s.merged + s.reordered != 0;
    return result;
  }

private:
  bool orderOperands_;
};

} // namespace

CseStatistics eliminateCommonSubexpressions(Function &fn, RewriteListener *listener, bool orderOperands) {
  return Cse(fn, listener, orderOperands).run();
}

MadePass makeCsePass(const Registry &, const PassOptions &options) {
  if (Result<void> known = checkOptionNames(options, {"order-operands"}); !known)
    return known.failure();
  Result<std::optional<bool>> orderOperands = readFlag(options, "order-operands");
  if (!orderOperands)
    return orderOperands.failure();
  return std::make_unique<CsePass>(orderOperands->value_or(false));
}

} // namespace rw
