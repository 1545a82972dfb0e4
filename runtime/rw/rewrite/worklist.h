// Worklist: which ops the greedy driver still has to look at, and which a change makes it look at again.
//
// In:  the edits that PatternRewriter reports as it makes them.
// Out: ops in the order to visit them. After an edit exactly those are queued whose match it could affect.
// Elsewhere: the loop that takes ops and tries folds and patterns is greedy_driver.cpp.
//
// The list is a flat stack of ids; the flag kInWorklist in the op says whether it is queued, so that no hash table is
// needed, and an entry whose op is not flagged is stale. The flag kSettled says that everything failed at the op as
// it is now; a change that could affect its match clears the flag, a push that only asks "is it dead?" does not.
//
// How far a change can be seen: the reach of a pattern is how many levels of values it looks at, the root's results
// being the first: its depth, and one more if it looks at more of the values it ends at than types and constants. A
// change of an op, or of the type or constant that it reads, can affect the op itself and users up to reach - 1 levels
// away. Reading another value of the same type is a change of what is one level below the op, so it can affect users up
// to reach - 2 levels away. Links of chains count no level. Kinds of op that no pattern names and nothing folds have
// reach 0 and are never queued for a match.
//
// Ops that lose their last use are not queued: the driver erases them as soon as the running pattern is done.
//
// Users of an op that is queued itself are woken only when it has been visited and stays as it is (settled()): if it
// is replaced, they are woken by that. So a value with n users that changes n times before it settles wakes them once.
// Until then the high byte of the op's flags holds the distance from which to go on, plus one.
#pragma once

#include "rw/ir/signature.h"
#include "rw/rewrite/pattern.h"
#include "rw/support/flat_array.h"

#include <algorithm>

namespace rw {

/// Flag of OpData: every fold and pattern failed at this op as it is now.
inline constexpr uint16_t kSettled = 8;
/// Up to how many uses of a value by one op, and by no other, are seen as that (`one_user`).
inline constexpr unsigned kMaxUsesOfOneUser = 16;
/// The op that has all uses of a value, which has some; none if there are two, or more uses than that.
inline OpId onlyUser(const Function &fn, ValueId value) {
  SlotId slot = fn.data(value).firstUse;
  OpId user = fn.data(slot).owner;
  for (unsigned uses = 0; slot; slot = fn.data(slot).next)
    if (fn.data(slot).owner != user || ++uses > kMaxUsesOfOneUser)
      return {};
  return user;
}
/// Where OpData's flags keep how far the wave of a change has come that waits at the op, plus one; 0: none waits.
inline constexpr unsigned kWaveShift = 8;
inline constexpr uint16_t kWaveMask = 0xff00;
inline constexpr unsigned kMaxReach = 250;
/// The driver's flags of OpData.
inline constexpr uint16_t kDriverFlags = kInWorklist | kSettled | kWaveMask;

class Worklist {
public:
  /// What the driver knows of a kind of op, one table look-up away.
  struct KindInfo {
    uint8_t reach = 0;      // greatest reach of what may match at it; 0: nothing
    bool removable = false; // effect-free: may go once unused (regions are checked apart)
    bool chain = false;     // chains walk across it
    bool foldHook = false;  // the schema has one
    bool evaluated = false; // the constant folder may be asked
    bool constant = false;
    uint32_t firstCandidate = 0, candidateCount = 0; // its patterns, in the driver's list
    uint32_t net = 0;                                // its part of the matching net; 0: all of its patterns are tried
    uint64_t near = 0;                               // which of the first 64 may run

    bool folds() const { return foldHook || evaluated; }
  };

  struct Options {
    /// looksAtUses includes countsUses.
    bool looksAtUses = false, countsUses = false, looksAtUsers = false, looksInRegions = false, hasChains = false,
         chainsFork = false;
    /// Which ops may be queued; null: any.
    bool (*admits)(const void *state, OpId) = nullptr;
    const void *admitsState = nullptr;
  };

  Worklist(Function &fn, std::vector<KindInfo> kinds, Options options);

  const KindInfo &kind(OpId op) const { return kind(fn_.data(op)); }
  const KindInfo &kind(const OpData &op) const { return kinds_[op.kind.raw]; }
  uint64_t pushes() const { return pushes_; }
  bool countsUses() const { return options_.countsUses; }
  /// Whether some pattern looks at the users of its root or into regions, or counts uses.
  bool looksAround() const { return looksAround_; }
  /// Result types inferred during the run: patterns create ops of few signatures, and those over and over.
  SignatureTable &inferred() { return inferred_; }
  /// The same for the most common shape, one operand that is no constant and one result, with less to compare.
  struct UnaryType {
    const OpSchema *schema = nullptr;
    AttrsId attrs;
    TypeId operand, result;
    uint32_t room[3] = {}; // to a size of 32, not by alignment: that would be asked of the stack, too, of every caller
  };
  UnaryType &unaryType(const OpSchema &schema, AttrsId attrs, TypeId operand) {
    uint32_t hash =
        uint32_t(reinterpret_cast<uintptr_t>(&schema) >> 5) + attrs.raw * 0x9e3779b1u + operand.raw * 0x85ebca6bu;
    return unaryTypes_[hash >> 25 ^ (hash & 127)];
  }

  /// Before anything runs: room for so many seeds.
  void beginSeeds(size_t most) {
    stack_.resizeForOverwrite(most);
    unseeded_ = most;
  }
  /// Queues an op that may be touched behind the seeds before it: what earlier runs left in its flags goes.
  void seed(OpId op, uint16_t &flags) {
    flags = uint16_t((flags & ~kDriverFlags) | kInWorklist);
    stack_[--unseeded_] = op;
  }
  /// After the last seed.
  void endSeeds() {
    stack_.dropFront(unseeded_);
    pushes_ = stack_.size();
  }
  /// Turns the order of what is queued round.
  void reverse() { std::reverse(stack_.begin(), stack_.end()); }
  /// Queues an op without touching what is known of its match.
  void push(OpId op) {
    if (!admits(op)) [[unlikely]]
      return;
    uint16_t &flags = fn_.flags(op);
    if (flags & kInWorklist)
      return;
    flags |= kInWorklist;
    stack_.push_back(op);
    ++pushes_;
  }
  /// Queues an op on top though it may be queued below already: the older entry goes stale.
  void pushAgain(OpId op) {
    fn_.flags(op) |= kInWorklist;
    stack_.push_back(op);
  }
  /// The next op to visit, or none. Clears its flag.
  OpId pop() {
    for (;;) {
      while (!stack_.empty()) {
        OpId op = stack_.back();
        stack_.pop_back();
        uint16_t &flags = fn_.flags(op);
        if ((flags & (kInWorklist | kErased)) == kInWorklist) [[likely]] {
          flags &= uint16_t(~kInWorklist);
          if (stack_.size() >= kAhead)
            __builtin_prefetch(&fn_.data(stack_[stack_.size() - kAhead]));
          return op;
        }
      }
      if (parked_.empty()) [[likely]]
        return OpId();
      unpark();
    }
  }
  /// Leaves no flag behind in ops that are still queued.
  void clear();

  /// Whether `op` is queued already, to be tried.
  bool waitsForVisit(OpId op) const { return (fn_.data(op).flags & (kInWorklist | kSettled)) == kInWorklist; }
  /// Something was done at `op` and it is still there: it is visited again.
  void revisit(OpId op) {
    fn_.flags(op) &= uint16_t(~kSettled);
    push(op);
  }
  /// Everything failed at `op` as it is now: it rests, and what waited for it goes on to its users.
  void settled(OpId op) {
    uint16_t &flags = fn_.flags(op);
    unsigned wave = flags >> kWaveShift;
    flags = uint16_t((flags & ~kWaveMask) | kSettled);
    if (!wave || wave >= maxReach_)
      return;
    if (options_.hasChains && ++carried_ > kEagerLinks && isLink(op)) [[unlikely]]
      parked_.push_back({op, wave - 1});
    else
      spread(op, wave - 1);
  }

  // Edits.
  void created(OpId op) {
    wake(op, 0);
    if (looksFar_)
      wakeFar(op);
  }
  /// `op` has turned into another, as if it had been erased and that created in its place.
  void become(OpId op) {
    if (!kind(op).reach || !admits(op))
      return;
    uint16_t &flags = fn_.flags(op);
    const bool queued = flags & kInWorklist;
    flags = uint16_t((flags & ~(kSettled | kWaveMask)) | kInWorklist);
    if (queued)
      return;
    stack_.push_back(op);
    ++pushes_;
  }
  /// Attributes or kind of `op` changed.
  void modified(OpId op) {
    wake(op, 0);
    if (kind(op).constant) [[unlikely]]
      for (unsigned i = 0; i < fn_.data(op).resultCount; ++i) // a constant holds something else: a change of its users
        usersModified(ValueId(fn_.data(op).firstResult.raw + i), SlotId(), true);
    if (maxReach_ > 1 && !waits(op, 0))
      spreadEdit(op, 0);
    if (looksFar_)
      wakeFar(op);
  }
  /// The type of `value` says more than before. Changes of its users are reported separately.
  void retyped(ValueId value) {
    if (uint32_t def = fn_.data(value).def; !(def & ValueData::kParam))
      wake(OpId(def), 0);
    if (options_.looksInRegions) [[unlikely]]
      wakeHolders(value);
  }
  /// An operand of `op` is another value of the same type, neither a constant, or its number of uses is another.
  void operandModified(OpId op) {
    wake(op, 1);
    unsigned distance = options_.hasChains && isLink(op) ? 0 : 1;
    if (distance + 1 < maxReach_ && !waits(op, distance))
      spreadEdit(op, distance);
    if (looksFar_)
      wakeFar(op);
  }
  /// Every use of `value` up to the use `end` reads something new, with another type or constant if `otherType`.
  void usersModified(ValueId value, SlotId end, bool otherType) {
    for (SlotId slot = fn_.data(value).firstUse; slot != end; slot = fn_.data(slot).next)
      userModified(fn_.data(slot).owner, otherType);
  }
  /// Whether reading one of the two in place of the other may count as another type: one is a constant.
  bool isConstant(ValueId value) const {
    uint32_t def = fn_.data(value).def;
    return !(def & ValueData::kParam) && kind(OpId(def)).constant;
  }
  /// `value` lost a use. If that was the last one, its op is noted for takeDead.
  void useRemoved(ValueId value) {
    if (options_.looksAtUses) [[unlikely]]
      fewerUses(value);
    const ValueData &v = fn_.data(value);
    if (!v.firstUse && !(v.def & ValueData::kParam))
      dead_.push_back(OpId(v.def));
  }
  bool admits(OpId op) const {
    if (!options_.admits) [[likely]]
      return true;
    return options_.admits(options_.admitsState, op);
  }
  /// An op that lost the last use of a result since it was last asked. It may have been erased or gained uses since, or
  /// have effects: that is for the caller to ask. None: none.
  OpId takeDead() {
    if (dead_.empty()) [[likely]]
      return OpId();
    OpId op = dead_.back();
    dead_.pop_back();
    return op;
  }
  /// `value` gained a use.
  void useAdded(ValueId value) {
    if (options_.countsUses) [[unlikely]]
      usesChanged(value);
  }

private:
  /// A wave that crosses more links than this without a further edit waits until nothing else is queued: edits one
  /// after the other along a chain would each send theirs to its end, in time quadratic in the chain.
  static constexpr unsigned kEagerLinks = 16;
  static constexpr size_t kAhead = 8; // an op is on its way from memory so many visits before its own
  void userModified(OpId user, bool otherType) {
    if (near_ && !otherType) [[likely]]
      wake(user, 1);
    else
      otherType ? modified(user) : operandModified(user);
  }
  void wake(OpId op, unsigned distance) {
    if (kind(op).reach <= distance)
      return;
    fn_.flags(op) &= uint16_t(~kSettled);
    push(op);
  }
  /// Whether the wave that has come as far as `op` waits there until it is visited.
  bool waits(OpId op, unsigned distance) {
    uint16_t &flags = fn_.flags(op);
    if (!(flags & kInWorklist) || (flags & kSettled) || !kind(op).reach)
      return false;
    unsigned wave = flags >> kWaveShift;
    if (!wave || wave > distance + 1)
      flags = uint16_t((flags & ~kWaveMask) | (distance + 1) << kWaveShift);
    return true;
  }
  /// Whether chains walk across the op: values of several uses end them, unless some pattern's chains fork.
  bool isLink(OpId op) const {
    const OpData &d = fn_.data(op);
    if (!kinds_[d.kind.raw].chain || d.resultCount != 1)
      return false;
    SlotId first = fn_.data(d.firstResult).firstUse;
    return options_.chainsFork || (first && !fn_.data(first).next);
  }
  void spread(OpId from, unsigned distance);
  void spreadEdit(OpId from, unsigned distance) {
    carried_ = 0;
    spread(from, distance);
  }
  /// Sends on all waves that wait, together: what several of them reach is woken once.
  void unpark();
  void spreadForking(OpId from, unsigned distance);
  void wakeFar(OpId op);
  void wakeNeighbours(OpId op);
  void wakeHolders(RegionId region);
  void wakeHolders(ValueId value);
  void usesChanged(ValueId value);
  void fewerUses(ValueId value);

  Function &fn_;
  std::vector<KindInfo> kinds_;
  Options options_;
  SignatureTable inferred_;
  UnaryType unaryTypes_[128];
  unsigned maxReach_ = 0;
  bool looksFar_ = false;    // some pattern sees users of its root, or into regions
  bool looksAround_ = false; // or counts uses
  bool near_ = false;        // no pattern sees beyond the users of what changed
  FlatArray<OpId> stack_;
  std::vector<OpId> dead_; // for takeDead
  uint64_t pushes_ = 0;
  size_t unseeded_ = 0; // places at the front of the stack that no seed has taken
  struct Step {
    OpId op;
    unsigned distance;
  };
  std::vector<Step> pending_; // of spread
  std::vector<Step> parked_;  // how far waves have come that wait, see kEagerLinks
  unsigned carried_ = 0;      // links that waves crossed since the last edit that sent one
};

} // namespace rw
