// GreedyDriver: the state of one run of the greedy driver. Private to the greedy_*.cpp files.
//
// Elsewhere: setting up is greedy_setup.cpp, the loop greedy_driver.cpp, folding greedy_fold.cpp, what is said about a
// run greedy_report.cpp.
#pragma once

#include "rw/rewrite/greedy_driver.h"
#include "rw/rewrite/matching_net.h"
#include "rw/rewrite/ruled_out.h"
#include "rw/rewrite/worklist.h"

#include <array>
#include <map>
#include <unordered_map>

namespace rw {

inline constexpr uint32_t kFoldEvent = UINT32_MAX; // in the record of what fired last
inline constexpr size_t kRecent = 64;
/// A function may grow by so many ops whatever its size, and be built on what was built so many times over.
inline constexpr size_t kSmallGrowth = 128;
inline constexpr uint32_t kMostGenerations = 128;
inline constexpr unsigned kManyUses = 8; // from here on replacing a value waits until its operands are settled

class GreedyDriver {
public:
  GreedyDriver(Function &fn, const FrozenPatternSet &set, const GreedyRewriteConfig &config);

  RewriteResult run();
  RewriteResult runExhaustively();
  RewriteResult runOnce();

private:
  using KindInfo = Worklist::KindInfo;

  // Setting up.
  bool isActive(const PatternInfo &) const;
  std::vector<KindInfo> kinds();
  void addCandidates(KindId, KindInfo &, const std::vector<uint8_t> &active);
  Worklist::Options options();
  void setBudgets();
  void seed();
  bool eraseDeadSeed(OpId);
  bool inScope(OpId) const;
  static bool admits(const void *driver, OpId op) { return static_cast<const GreedyDriver *>(driver)->mayTouch(op); }
  bool mayTouch(OpId) const;
  bool isClosed(OpId) const;

  // The loop.
  void visitAll();
  RewriteResult finish();
  void visit(OpId);
  bool eraseIfDead(OpId);
  void eraseDead(OpId);
  bool producersFirst(OpId);
  bool queueProducers(OpId);
  bool fold(Op, const KindInfo &);
  void foldUsersNext(Op);
  bool foldTo(Op, std::span<const AttrId> constants);
  Value sharedConstant(Op, AttrId value, TypeId type);
  struct Candidate {
    const Pattern *pattern; // null: may not run
    uint32_t index;         // in the set
  };
  std::span<const Candidate> candidates(const KindInfo &kind) const {
    return {candidates_.data() + kind.firstCandidate, kind.candidateCount};
  }
  bool tryPatterns(Op, const KindInfo &);
  bool tryPatternsSlowly(Op, const KindInfo &);
  bool tryPatternChecked(Op, const Candidate &, const Opening *);
  bool tryPattern(Op, const Candidate &);
  bool tryFar(Op, const Candidate *, const Opening *, std::span<const uint32_t> places);
  void applied(uint32_t event);
  void queueCreated();
  void stop(RewriteStop why) {
    running_ = result_.converged = false;
    if (result_.stop == RewriteStop::None)
      result_.stop = why;
  }
  void foldSoon();
  bool readsConstantsAlone(OpId, ValueId but = {}) const;
  void countGenerations();
  void failCheck(std::string text);
  void describeCycle();

  Function &fn_;
  const FrozenPatternSet &set_;
  const GreedyRewriteConfig &config_;
  /// Of each kind in turn: greatest benefit first.
  std::vector<Candidate> candidates_;
  const MatchingNet &net_;
  NetRoom room_;
  RuledOut ruledOut_;
  bool folds_ = false;       // some kind of op is folded; before the worklist, which is made of the kinds
  std::vector<OpId> around_; // where attempts are checked: users of the root before
  Worklist worklist_;
  PatternRewriter rewriter_;
  RewriteResult result_;
  uint32_t firstNewOp_ = 0; // ids from here on were created by this run
  uint64_t visitBudget_ = UINT64_MAX, rewriteBudget_ = UINT64_MAX;
  RewriteStop budgetKind_ = RewriteStop::Rewrites; // which of the budgets rewriteBudget_ is
  size_t growthLimit_ = SIZE_MAX;
  size_t largest_ = 0; // beyond growthLimit_: the most ops there were
  /// Beyond growthLimit_: how many rewrites that made the function larger than ever lie, one on what the other built,
  /// before an op.
  std::unordered_map<uint32_t, uint32_t> generations_;
  std::vector<OpId> foldNext_;
  bool running_ = true, plain_ = true;
  uint32_t recent_[kRecent]; // what fired last, a ring
  uint64_t events_ = 0;
  std::vector<AttrId> constants_;                  // of fold
  std::map<std::array<uint32_t, 4>, OpId> shared_; // region, value, type, kind → the constant a fold made for it
};

/// After a rewrite or fold: counts it, and stops at the budget.
inline void GreedyDriver::applied(uint32_t event) {
  result_.changed = true;
  recent_[events_++ % kRecent] = event;
  if (event == kFoldEvent) {
    ++result_.folds;
  } else {
    ++result_.rewrites;
    PatternCounters &counters = result_.patterns[event];
    ++counters.matched;
    counters.applied += rewriter_.changed();
  }
  if (worklist_.looksAround()) [[unlikely]]
    queueCreated();
  for (OpId op : rewriter_.created()) { // what the rewrite made and did not use
    if (fn_.data(op).flags & (kErased | kInWorklist))
      continue;
    if (worklist_.kind(op).removable && !fn_.op(op).hasUses())
      worklist_.push(op);
  }
  if (folds_)
    foldSoon();
  if (events_ >= rewriteBudget_) [[unlikely]]
    stop(budgetKind_);
  if (fn_.liveOps() > growthLimit_) [[unlikely]]
    countGenerations();
}

} // namespace rw
