// Merged matchers: the patterns of a set tried together at an op, tests that several of them share done once.
//
// In:  a root op and the run's MatchRun: which members may run, their counters, who watches.
// Out: whether a member fired. Members are numbered in order of priority, and which one fires is the same as if each
//      pattern had been tried in that order.
// Elsewhere: rwc writes one matcher per set of patterns (codegen/emit/tree_emitter.h), and the patterns name it in
//            their PatternInfo::merged, so that a FrozenPatternSet of any of them finds it. The driver decides when
//            patterns run on their own instead: with a cost model, and where someone asks why a pattern does not match.
//
//   bool Merged::match(Op op, MatchRun &run) const {
//     switch (kinds_.of(op)) {
//     case kTranspose:
//       …shared tests…
//       if (run.begin(0) && run.end(0, TransposeInverse::rest(op, inner, run.rewriter())))
//         return true;
#pragma once

#include "rw/rewrite/rewriter.h"

namespace rw {

struct PatternCounters {
  /// Attempts; of a pattern in a merged matcher those that got as far as the tests that are its own.
  uint64_t tried = 0;
  uint64_t matched = 0; // attempts that reported a rewrite
  uint64_t applied = 0; // those that changed something
  uint64_t nanoseconds = 0; // if times are asked for
};

/// What a member's attempt goes through when it is more than counted: checks, times, listeners.
class MatchWatcher {
public:
  virtual ~MatchWatcher() = default;
  virtual void beginMember(uint32_t index) = 0;
  /// Whether to stop here: the pattern fired, or the run is over.
  virtual bool endMember(uint32_t index, bool matched) = 0;
};

/// One attempt at an op.
class MatchRun {
public:
  /// `rewriter` has begun at the op.
  MatchRun(PatternRewriter &rewriter, std::span<const uint32_t> members, PatternCounters *counters, MatchWatcher *watcher)
      : rewriter_(rewriter), members_(members.data()), counters_(counters), watcher_(watcher) {}

  PatternRewriter &rewriter() { return rewriter_; }
  /// Before the member's own tests; false if it may not run.
  bool begin(uint32_t member) {
    uint32_t index = members_[member];
    if (index == kInactiveMember)
      return false;
    ++counters_[index].tried;
    rewriter_.setInsertionPointToRoot();
    if (watcher_) [[unlikely]]
      watcher_->beginMember(index);
    return true;
  }
  /// After them: whether to stop.
  bool end(uint32_t member, bool matched) {
    if (watcher_) [[unlikely]]
      matched = watcher_->endMember(members_[member], matched);
    if (matched)
      fired_ = members_[member];
    return matched;
  }
  /// Number in the set of the pattern that fired.
  uint32_t fired() const { return fired_; }

private:
  PatternRewriter &rewriter_;
  const uint32_t *members_; // of each of the matcher's: its number in the set, or kInactiveMember
  PatternCounters *counters_;         // by number in the set
  MatchWatcher *watcher_;
  uint32_t fired_ = kInactiveMember;
};

/// Numbers of the kinds of op that a matcher names, from 1 in the order given; 0 is any other.
class KindNumbers {
public:
  KindNumbers(const OpRegistry &ops, std::initializer_list<const OpSchema *> named);
  /// Of no op 0.
  unsigned of(Op op) const { return op ? numbers_[op.kind().raw] : 0; }

private:
  std::vector<uint16_t> numbers_; // by kind
};

/// Attempts that a matcher has found worth making, in order of priority.
class FoundMembers {
public:
  void add(uint32_t rank) {
    found_.push_back(rank);
    for (size_t i = found_.size() - 1; i > 0 && found_[i - 1] > found_[i]; --i)
      std::swap(found_[i - 1], found_[i]);
  }
  const uint32_t *begin() const { return found_.begin(); }
  const uint32_t *end() const { return found_.end(); }

private:
  InlineList<uint32_t, 16> found_;
};

} // namespace rw
