// Edits of ops that hold regions: copying the regions, building new ones, and erasing them with all that they captured.

#include "rw/rewrite/effects.h"
#include "rw/rewrite/match_helpers.h"
#include "rw/rewrite/rewriter.h"
#include "rw/rewrite/worklist.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <optional>

namespace rw {

/// Copies the regions of `from` into `to`; what they capture stays captured.
void PatternRewriter::cloneRegions(Op from, Op to) {
  std::vector<RegionId> regions(from.regions().begin(), from.regions().end());
  for (RegionId region : regions)
    cloneRegion(region, to.id);
}

/// An op again, without its regions, on what `copyOf` gives for its operands: before another one, or at the end of a
/// region. Its results are added to `copies`.
template <class CopyOf, class Copies>
Op PatternRewriter::copyOp(OpId original, CopyOf copyOf, Copies &copies, OpId before, RegionId at) {
  OpData d = fn_.data(original);
  InlineList<ValueId, 6> operands;
  for (uint32_t i = 0; i < d.operandCount; ++i)
    operands.push_back(copyOf(fn_.data(SlotId(d.firstOperand.raw + i)).value));
  InlineList<TypeId, 4> types;
  for (unsigned i = 0; i < d.resultCount; ++i)
    types.push_back(fn_.data(ValueId(d.firstResult.raw + i)).type);
  Loc loc = fn_.loc(original);
  Op copy = finish(before ? fn_.insertOp(before, d.kind, operands, d.attrs, types, loc)
                          : fn_.appendOp(at, d.kind, operands, d.attrs, types, loc));
  for (unsigned i = 0; i < d.resultCount; ++i)
    copies[d.firstResult.raw + i] = copy.result(i).id;
  return copy;
}

void PatternRewriter::cloneRegion(RegionId from, OpId to) {
  llvm::DenseMap<uint32_t, ValueId> copies; // by original
  auto copyOf = [&](ValueId v) {
    auto it = v ? copies.find(v.raw) : copies.end();
    if (it == copies.end() && v && holds_) // what it captures of a region that is built anew
      takeInside(v);
    return it == copies.end() ? v : it->second;
  };
  std::vector<std::pair<RegionId, OpId>> pending{{from, to}};
  cloneNested(pending, copyOf, copies);
}

/// Copies of regions in ops, and of all regions in them; `pending` grows meanwhile.
template <class CopyOf, class Copies>
void PatternRewriter::cloneNested(std::vector<std::pair<RegionId, OpId>> &pending, CopyOf copyOf, Copies &copies) {
  for (size_t next = 0; next < pending.size(); ++next) {
    auto [original, target] = pending[next];
    RegionId copy = fn_.addRegion(target);
    std::vector<ValueId> params(fn_.params(original).begin(), fn_.params(original).end());
    for (ValueId param : params)
      copies[param.raw] = fn_.addRegionParam(copy, fn_.data(param).type).id;
    for (OpId inner = fn_.data(original).firstOp; inner; inner = fn_.data(inner).next) {
      Op innerCopy = copyOp(inner, copyOf, copies, OpId(), copy);
      for (RegionId nested : fn_.regionsOf(inner))
        pending.push_back({nested, innerCopy.id});
    }
  }
}

InlineList<Value> PatternRewriter::cloneBody(RegionId from, std::span<const Value> args) {
  llvm::DenseMap<uint32_t, ValueId> copies; // by original
  auto copyOf = [&](ValueId v) {
    auto it = v ? copies.find(v.raw) : copies.end();
    return it == copies.end() ? v : it->second;
  };
  std::vector<ValueId> params(fn_.params(from).begin(), fn_.params(from).end());
  for (size_t i = 0; i < params.size() && i < args.size(); ++i)
    copies[params[i].raw] = args[i].id;
  std::vector<std::pair<RegionId, OpId>> pending;
  InlineList<Value> results;
  for (OpId inner = fn_.data(from).firstOp; inner; inner = fn_.data(inner).next) {
    if (fn_.data(inner).kind == kReturnKind) {
      for (unsigned i = 0; i < fn_.op(inner).operandCount(); ++i)
        results.push_back(fn_.value(copyOf(fn_.op(inner).operand(i).id)));
      continue;
    }
    Op copy = copyOp(inner, copyOf, copies, before_, region_);
    for (RegionId nested : fn_.regionsOf(inner))
      pending.push_back({nested, copy.id});
    cloneNested(pending, copyOf, copies);
    pending.clear();
  }
  return results;
}

// New regions -----------------------------------------------------------------------------------------------------

static constexpr uint32_t kNoResult = uint32_t(1) << 31; // no value has such a number: it stands for an op

/// As many types as the op's `type` clause gives, which is known to that alone.
static bool inferOpenTypes(const OpInputs &inputs, InlineList<TypeId, 4> &types) {
  const OpSchema &schema = inputs.schema();
  const bool any = std::ranges::any_of(schema.results, [](const auto &r) { return r.arity == Arity::Variadic; });
  for (size_t count = schema.results.size() - any, most = any ? kMaxOpenResults : count;
       schema.inferTypes && count <= most; ++count) {
    types.resize(count);
    std::fill(types.begin(), types.end(), TypeId());
    if (schema.inferTypes(inputs, {types.data(), types.size()}))
      return true;
  }
  return false;
}

/// An op that holds regions until the op that they are built for is made.
struct PatternRewriter::Holder {
  OpId op;
  OpId before; // where new ops went before a region was opened
  RegionId region;
  size_t created = 0;  // how many ops there were
  bool isOpen = false; // a region is being filled:
  RegionId filled, source;
  llvm::DenseMap<uint32_t, ValueId> again; // of values of the source
};
struct PatternRewriter::Holders {
  std::vector<Holder> list; // the innermost last
};

void PatternRewriter::openHolder(KindId kind) {
  if (!holders_)
    holders_ = std::make_shared<Holders>();
  Loc loc = root_ ? fn_.loc(root_) : Loc();
  Op op = before_ ? fn_.insertOp(before_, kind, {}, context().noAttrs(), {}, loc)
                  : fn_.appendOp(region_, kind, {}, context().noAttrs(), {}, loc);
  Holder &holder = holders_->list.emplace_back();
  holder.op = op.id;
  holder.before = before_;
  holder.region = region_;
  holder.created = created_.size();
  holds_ = true;
  ++edits_; // taken back by whoever takes the regions, or drops them
}
void PatternRewriter::openRegions(const OpSchema &schema) { openHolder(known(schema).kind); }
void PatternRewriter::openRegionsOf(Op model) { openHolder(model.kind()); }

void PatternRewriter::openRegion(RegionId source) {
  Holder &holder = holders_->list.back();
  holder.isOpen = true;
  holder.filled = fn_.addRegion(holder.op);
  holder.source = source;
  holder.again.clear();
  before_ = OpId();
  region_ = holder.filled;
}

Value PatternRewriter::addParam(TypeId type) { return fn_.addRegionParam(holders_->list.back().filled, type); }

void PatternRewriter::repeatParam(Value param) {
  Holder &holder = holders_->list.back();
  holder.again[param.id.raw] = fn_.addRegionParam(holder.filled, param.typeId()).id;
}

void PatternRewriter::closeRegion(std::span<const Value> results) {
  InlineList<ValueId, 6> ids;
  for (Value v : results)
    ids.push_back(v.id);
  createTyped(kReturnKind, ids, context().noAttrs(), {});
  Holder &holder = holders_->list.back();
  holder.isOpen = false;
  before_ = holder.before;
  region_ = holder.region;
}

void PatternRewriter::copyRegion(RegionId region) { cloneRegion(region, holders_->list.back().op); }

Op PatternRewriter::takeRegions(const OpSchema &schema, std::span<const ValueId> operands, AttrsId attrs,
                                std::span<const TypeId> stated, bool open) {
  OpId holder = holders_->list.back().op;
  OpInputs inputs(fn_, schema, operands, attrs, fn_.regionsOf(holder));
  InlineList<TypeId, 4> types;
  if (open) {
    if (!inferOpenTypes(inputs, types))
      return {};
    stated = {};
  } else {
    size_t count = 0;
    for (const ResultSchema &result : schema.results)
      count += result.arity == Arity::Variadic ? 0 : 1;
    types.resize(stated.empty() ? count : stated.size());
  }
  if (stated.empty())
    inferOnce(inputs, types);
  else
    joinStated(inputs, stated, types);
  Op op = createTyped(known(schema).kind, operands, attrs, types);
  closeHolder(op);
  return op;
}

Op PatternRewriter::takeRegionsAs(Op model, std::span<const ValueId> operands, AttrsId attrs,
                                  std::span<const TypeId> stated) {
  OpId holder = holders_->list.back().op;
  OpInputs inputs(fn_, model.schema(), operands, attrs, fn_.regionsOf(holder));
  InlineList<TypeId, 4> types(model.resultCount(), TypeId());
  if (stated.empty())
    inferOnce(inputs, types);
  else
    joinStated(inputs, stated, types);
  Op op = createTyped(model.kind(), operands, attrs, types);
  closeHolder(op);
  carryOn(model, op);
  return op;
}

/// Its regions are those of an op, which counts as created before what they hold: so abandon() takes what it holds away
/// first.
void PatternRewriter::closeHolder(Op op) {
  fn_.moveRegions(holders_->list.back().op, op.id);
  std::rotate(created_.begin() + ptrdiff_t(holders_->list.back().created), created_.end() - 1, created_.end());
  fn_.erase(holders_->list.back().op);
  holders_->list.pop_back();
  holds_ = !holders_->list.empty();
  --edits_;
}

/// What the pattern has built is removed already, but for what is in the regions of each other.
void PatternRewriter::dropHolders() {
  Holder outermost = std::move(holders_->list.front());
  for (size_t i = holders_->list.size(); i-- > 1;) {
    fn_.erase(holders_->list[i].op);
    --edits_;
  }
  fn_.erase(outermost.op);
  --edits_;
  before_ = outermost.before;
  region_ = outermost.region;
  holders_->list.clear();
  holds_ = false;
}

// Regions that are built anew -------------------------------------------------------------------------------------

bool PatternRewriter::isRebuilding() const {
  return holds_ && std::ranges::any_of(holders_->list, [](const Holder &h) { return h.isOpen && h.source; });
}

/// The region that a value stands in.
RegionId PatternRewriter::homeOf(ValueId v) const {
  uint32_t def = fn_.data(v).def;
  return def & ValueData::kParam ? RegionId(def & ~ValueData::kParam) : fn_.data(OpId(def)).region;
}

/// Whether a value can be used in a region: it stands in there, or around it.
bool PatternRewriter::isVisible(ValueId v, RegionId from) const {
  for (RegionId home = homeOf(v);; from = fn_.data(fn_.data(from).parent).region) {
    if (from == home)
      return true;
    if (!fn_.data(from).parent)
      return false;
  }
}

/// What an op reads: its operands, and what its regions capture.
std::vector<ValueId> PatternRewriter::readsOf(OpId op) const {
  std::vector<ValueId> out;
  llvm::DenseSet<uint32_t> inside; // regions
  std::vector<OpId> pending{op};
  for (size_t next = 0; next < pending.size(); ++next) {
    const OpData &d = fn_.data(pending[next]);
    for (uint32_t i = 0; i < d.operandCount; ++i)
      if (ValueId v = fn_.data(SlotId(d.firstOperand.raw + i)).value; v && !inside.contains(homeOf(v).raw))
        out.push_back(v);
    for (RegionId region : fn_.regionsOf(pending[next])) {
      inside.insert(region.raw);
      for (OpId inner = fn_.data(region).firstOp; inner; inner = fn_.data(inner).next)
        pending.push_back(inner);
    }
  }
  return out;
}

bool PatternRewriter::keepEffects() {
  Holder &holder = holders_->list.back();
  for (OpId op = holder.source ? fn_.data(holder.source).firstOp : OpId(); op; op = fn_.data(op).next)
    if (fn_.data(op).kind != kReturnKind && !isRemovableIfUnused(fn_.op(op)) &&
        !buildAgain(op, holders_->list.size() - 1))
      return false;
  return true;
}

/// An op of the source of a holder's region, and all of it that this needs first. Without recursion: what needs what
/// may be long.
bool PatternRewriter::buildAgain(OpId wanted, size_t wantedIn) {
  std::vector<Holder> &list = holders_->list;
  struct Item {
    OpId op;
    size_t holder;
    std::vector<ValueId> reads;
    size_t next = 0;
  };
  auto isThere = [&](OpId op, size_t holder) {
    const OpData &d = fn_.data(op);
    return d.resultCount ? list[holder].again.contains(d.firstResult.raw)
                         : list[holder].again.contains(kNoResult | op.raw);
  };
  std::vector<Item> pending{{wanted, wantedIn, readsOf(wanted)}};
  while (!pending.empty()) {
    Item &item = pending.back();
    if (isThere(item.op, item.holder)) {
      pending.pop_back();
      continue;
    }
    std::optional<std::pair<OpId, size_t>> needed;
    for (; item.next < item.reads.size() && !needed; ++item.next) {
      ValueId v = item.reads[item.next];
      RegionId home = homeOf(v);
      size_t from = item.holder + 1;
      while (from > 0 && !(list[from - 1].isOpen && list[from - 1].source == home))
        --from;
      if (from == 0) {
        if (!isVisible(v, list[item.holder].filled))
          return false;
        continue;
      }
      if (list[from - 1].again.contains(v.raw))
        continue;
      if (fn_.data(v).def & ValueData::kParam) // which the new region has not
        return false;
      needed = {OpId(fn_.data(v).def), from - 1};
    }
    if (needed) {
      pending.push_back({needed->first, needed->second, readsOf(needed->first)});
      continue;
    }
    auto copyOf = [&](ValueId v) {
      for (size_t i = item.holder + 1; v && i-- > 0;)
        if (auto it = list[i].again.find(v.raw); it != list[i].again.end())
          return it->second;
      return v;
    };
    OpId before = item.holder + 1 < list.size() ? list[item.holder + 1].op : OpId();
    Op copy = copyOp(item.op, copyOf, list[item.holder].again, before, list[item.holder].filled);
    if (!copy.resultCount())
      list[item.holder].again[kNoResult | item.op.raw] = ValueId();
    if (fn_.data(item.op).flags & kHasRegions)
      cloneRegions(fn_.op(item.op), copy);
    pending.pop_back();
  }
  return true;
}

bool PatternRewriter::takeInside(ValueId &v) {
  std::vector<Holder> &list = holders_->list;
  RegionId home = homeOf(v);
  for (size_t i = list.size(); i-- > 0;) {
    if (!list[i].isOpen || list[i].source != home)
      continue;
    if (!list[i].again.contains(v.raw) &&
        (fn_.data(v).def & ValueData::kParam || !buildAgain(OpId(fn_.data(v).def), i)))
      return false;
    v = list[i].again[v.raw];
    return true;
  }
  return isVisible(v, before_ ? fn_.data(before_).region : region_);
}

bool PatternRewriter::takeInside(Value &v) { return !v || !holds_ || takeInside(v.id); }

bool PatternRewriter::takeInside(InlineList<Value> &values) {
  return std::all_of(values.begin(), values.end(), [&](Value &v) { return takeInside(v); });
}

/// What the regions of an op that is built again capture is built again before it.
void PatternRewriter::readyCaptures(Op model) {
  if (!model.regions().empty() && isRebuilding())
    for (ValueId v : readsOf(model.id))
      takeInside(v);
}

/// An op with regions: what they captured lost uses too.
void PatternRewriter::eraseHolder(Op op) {
  std::vector<ValueId> used; // in the order in which they are met: ids depend on what was tried before
  llvm::DenseSet<uint32_t> met;
  std::vector<OpId> pending{op.id};
  while (!pending.empty()) {
    OpId at = pending.back();
    pending.pop_back();
    const OpData &d = fn_.data(at);
    for (uint32_t i = 0; i < d.operandCount; ++i)
      if (ValueId v = fn_.data(SlotId(d.firstOperand.raw + i)).value; v && met.insert(v.raw).second)
        used.push_back(v);
    for (RegionId region : fn_.regionsOf(at))
      for (OpId inner = fn_.data(region).firstOp; inner; inner = fn_.data(inner).next) {
        if (listener_)
          listener_->erasing(fn_.op(inner));
        pending.push_back(inner);
      }
  }
  fn_.erase(op.id);
  for (ValueId v : used) {
    Value value = fn_.value(v);
    Op def = value.definingOp();
    if (def ? def.isErased()
            : value.paramRegion() != fn_.body() && fn_.op(fn_.data(value.paramRegion()).parent).isErased())
      continue; // it was inside
    if (worklist_)
      worklist_->useRemoved(v);
    if (listener_)
      listener_->useRemoved(value);
  }
}

} // namespace rw
