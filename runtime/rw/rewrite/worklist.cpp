#include "rw/rewrite/worklist.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <utility>

namespace rw {

Worklist::Worklist(Function &fn, std::vector<KindInfo> kinds, Options options)
    : fn_(fn), kinds_(std::move(kinds)), options_(options) {
  for (const KindInfo &kind : kinds_)
    maxReach_ = std::max<unsigned>(maxReach_, kind.reach);
  looksFar_ = options_.looksAtUsers || options_.looksInRegions;
  looksAround_ = options_.countsUses || looksFar_;
  near_ = maxReach_ <= 2 && !options_.hasChains && !looksFar_;
}

void Worklist::clear() {
  for (OpId op : stack_)
    fn_.flags(op) &= uint16_t(~(kInWorklist | kWaveMask));
  stack_.clear();
  dead_.clear();
  parked_.clear();
}

/// For patterns that look at uses: `value` lost one.
void Worklist::fewerUses(ValueId value) {
  if (options_.countsUses)
    usesChanged(value);
  if (options_.looksInRegions)
    wakeHolders(value);
  const ValueData &v = fn_.data(value);
  if (!v.firstUse) { // matches that need a result of several to be unused may now succeed, at the producer and beyond
    OpId def(v.def & ValueData::kParam ? OpId() : OpId(v.def));
    if (!def || (fn_.data(def).resultCount == 1 && kind(def).removable))
      return;
    wake(def, 0);
    if (maxReach_ > 1 && !waits(def, 0))
      spreadEdit(def, 0);
    return;
  }
  OpId user = options_.countsUses ? OpId() : onlyUser(fn_, value);
  if (!user)
    return;
  // One user is left: matches that need a single use or user may now succeed, at the producer, at the user and beyond.
  if (!(v.def & ValueData::kParam))
    wake(OpId(v.def), 0);
  operandModified(user);
}

/// For patterns that count uses: the producer and every user may match now.
void Worklist::usesChanged(ValueId value) {
  if (options_.looksInRegions)
    wakeHolders(value);
  const ValueData &v = fn_.data(value);
  if (!(v.def & ValueData::kParam))
    wake(OpId(v.def), 0);
  for (SlotId slot = v.firstUse; slot; slot = fn_.data(slot).next)
    operandModified(fn_.data(slot).owner);
}

/// Wakes users of `from`, which is `distance` levels above the change, as far as patterns look.
void Worklist::spread(OpId from, unsigned distance) {
  if (options_.chainsFork)
    return spreadForking(from, distance);
  pending_.clear();
  pending_.push_back({from, distance});
  while (!pending_.empty()) {
    Step at = pending_.back();
    pending_.pop_back();
    const OpData &d = fn_.data(at.op);
    if (d.kind == kReturnKind) { // the op that holds the region may be matched by what the region gives
      if (OpId parent = fn_.data(d.region).parent) {
        wake(parent, at.distance + 1);
        if (at.distance + 2 < maxReach_ && !waits(parent, at.distance + 1))
          pending_.push_back({parent, at.distance + 1});
      }
      continue;
    }
    for (unsigned i = 0; i < d.resultCount; ++i) {
      for (SlotId slot = fn_.data(ValueId(d.firstResult.raw + i)).firstUse; slot; slot = fn_.data(slot).next) {
        OpId user = fn_.data(slot).owner;
        wake(user, at.distance + 1);
        // Links are values of a single use, so crossing them is no more than a walk along a list.
        unsigned next = options_.hasChains && isLink(user) ? at.distance : at.distance + 1;
        if (next + 1 < maxReach_ && !waits(user, next))
          pending_.push_back({user, next});
      }
    }
  }
}

/// The same where chains may walk across links with several users: a change may be seen along every path, so visited
/// ops are kept, each with the smallest distance it was reached at.
void Worklist::spreadForking(OpId from, unsigned distance) {
  llvm::DenseMap<uint32_t, unsigned> seen;
  pending_.clear();
  pending_.push_back({from, distance});
  while (!pending_.empty()) {
    Step at = pending_.back();
    pending_.pop_back();
    const OpData &d = fn_.data(at.op);
    auto visit = [&](OpId user) {
      wake(user, at.distance + 1);
      unsigned next = isLink(user) ? at.distance : at.distance + 1;
      if (next + 1 >= maxReach_ || waits(user, next))
        return;
      auto [it, fresh] = seen.try_emplace(user.raw, next);
      if (!fresh && it->second <= next)
        return;
      it->second = next;
      pending_.push_back({user, next});
    };
    if (OpId parent = d.kind == kReturnKind ? fn_.data(d.region).parent : OpId())
      visit(parent);
    for (unsigned i = 0; i < d.resultCount; ++i)
      for (SlotId slot = fn_.data(ValueId(d.firstResult.raw + i)).firstUse; slot; slot = fn_.data(slot).next)
        visit(fn_.data(slot).owner);
  }
}

void Worklist::unpark() {
  llvm::DenseMap<uint32_t, unsigned> seen;
  std::vector<Step> open = std::exchange(parked_, {});
  auto reach = [&](OpId op, unsigned distance) {
    auto [it, fresh] = seen.try_emplace(op.raw, distance);
    if (!fresh && it->second <= distance)
      return;
    it->second = distance;
    open.push_back({op, distance});
  };
  while (!open.empty()) {
    Step at = open.back();
    open.pop_back();
    if (fn_.flags(at.op) & kErased) // what took its place has sent a wave of its own
      continue;
    const OpData &d = fn_.data(at.op);
    if (d.kind == kReturnKind) {
      if (OpId parent = fn_.data(d.region).parent) {
        wake(parent, at.distance + 1);
        if (at.distance + 2 < maxReach_)
          reach(parent, at.distance + 1);
      }
      continue;
    }
    for (unsigned i = 0; i < d.resultCount; ++i)
      for (SlotId slot = fn_.data(ValueId(d.firstResult.raw + i)).firstUse; slot; slot = fn_.data(slot).next) {
        OpId user = fn_.data(slot).owner;
        wake(user, at.distance + 1);
        unsigned next = isLink(user) ? at.distance : at.distance + 1;
        if (next + 1 < maxReach_)
          reach(user, next);
      }
  }
}

/// For patterns that look at users of the root, or into regions.
void Worklist::wakeFar(OpId op) {
  if (options_.looksAtUsers)
    wakeNeighbours(op);
  if (options_.looksInRegions)
    wakeHolders(fn_.data(op).region);
}

/// For patterns that look into regions: ops that a change in one may make match, and those above them.
void Worklist::wakeHolders(RegionId region) {
  while (OpId holder = fn_.data(region).parent) {
    wake(holder, 0);
    if (maxReach_ > 1 && !waits(holder, 0))
      spreadEdit(holder, 0);
    region = fn_.data(holder).region;
  }
}
void Worklist::wakeHolders(ValueId value) {
  uint32_t def = fn_.data(value).def;
  wakeHolders(def & ValueData::kParam ? RegionId(def & ~ValueData::kParam) : fn_.data(OpId(def)).region);
}

/// For patterns that look at users of the root: everything within their reach, whichever way the values lead.
void Worklist::wakeNeighbours(OpId op) {
  llvm::DenseMap<uint32_t, unsigned> seen;
  std::vector<Step> pending{{op, 0}};
  seen[op.raw] = 0;
  auto visit = [&](OpId other, unsigned distance) {
    unsigned next = kind(other).chain ? distance : distance + 1;
    auto [it, fresh] = seen.try_emplace(other.raw, next);
    if (!fresh && it->second <= next)
      return;
    it->second = next;
    wake(other, 0);
    // Up to a common value and down again: each way at most as far as patterns look.
    if (next + 1 < 2 * maxReach_)
      pending.push_back({other, next});
  };
  auto visitUsers = [&](ValueId value, unsigned distance) {
    for (SlotId slot = fn_.data(value).firstUse; slot; slot = fn_.data(slot).next)
      visit(fn_.data(slot).owner, distance);
  };
  for (size_t i = 0; i < pending.size(); ++i) {
    Step at = pending[i];
    const OpData d = fn_.data(at.op);
    for (unsigned r = 0; r < d.resultCount; ++r)
      visitUsers(ValueId(d.firstResult.raw + r), at.distance);
    for (unsigned o = 0; o < d.operandCount; ++o) {
      ValueId operand = fn_.data(SlotId(d.firstOperand.raw + o)).value;
      if (!operand)
        continue;
      visitUsers(operand, at.distance); // siblings
      if (uint32_t def = fn_.data(operand).def; !(def & ValueData::kParam))
        visit(OpId(def), at.distance);
    }
  }
}

} // namespace rw
