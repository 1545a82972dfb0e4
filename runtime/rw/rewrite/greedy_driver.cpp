#include "rw/rewrite/greedy_driver.h"

#include "rw/ir/dense_sweep.h"
#include "rw/rewrite/checks.h"
#include "rw/rewrite/effects.h"
#include "rw/rewrite/greedy_impl.h"
#include "rw/rewrite/rewriter_impl.h"
#include "rw/support/flatten.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>

namespace rw {
namespace {
uint64_t now() { return uint64_t(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1)); }
} // namespace

// The loop --------------------------------------------------------------------------------------------------------

RewriteResult GreedyDriver::run() {
  result_.patterns.resize(set_.size());
  setBudgets();
  fn_.setReuse(config_.reuseIds && !config_.listener && config_.strictness == RewriteStrictness::AnyOp);
  rewriter_.allowInPlace(fn_.reusesIds() && !worklist_.looksAround());
  seed();
  if (config_.sharedBudget && *config_.sharedBudget == 0)
    stop(RewriteStop::Asked);
  visitAll();
  return finish();
}

/// Flattened with everything below that is not marked cold: a rewrite is some twenty small steps, and calls were a
/// quarter of its instructions.
RW_FLATTEN void GreedyDriver::visitAll() {
  while (running_) {
    OpId op = worklist_.pop();
    if (!op)
      break;
    if (++result_.visits > visitBudget_) [[unlikely]]
      return stop(RewriteStop::Visits);
    visit(op);
    while (OpId dead = worklist_.takeDead())
      eraseDead(dead);
    if (config_.sweep && config_.sweep->due()) [[unlikely]]
      config_.sweep->run();
  }
}

RewriteResult GreedyDriver::finish() {
  worklist_.clear();
  rewriter_.allowInPlace(false);
  fn_.setReuse(false);
  if (!result_.converged)
    describeCycle();
  if (config_.sharedBudget)
    *config_.sharedBudget -= std::min(*config_.sharedBudget, result_.rewrites + result_.folds);
  result_.opsAfter = fn_.liveOps() - 1;
  result_.pushes = worklist_.pushes();
  result_.refusal = rewriter_.refusal();
  return std::move(result_);
}

/// Visits every op, forgetting what is known of it and what edits queue, from the first one again after each change.
RewriteResult GreedyDriver::runExhaustively() {
  result_.patterns.resize(set_.size());
  setBudgets();
  firstNewOp_ = uint32_t(fn_.opCapacity());
  for (bool again = true; again && running_;) {
    again = false;
    for (uint32_t i = 0; !again && running_ && i < fn_.opCapacity(); ++i) {
      OpId op(i);
      if (fn_.data(op).flags & kErased || !mayTouch(op))
        continue;
      worklist_.clear();
      fn_.flags(op) &= uint16_t(~kDriverFlags);
      uint64_t done = events_ + result_.erased;
      ++result_.visits;
      visit(op);
      again = events_ + result_.erased != done;
    }
  }
  return finish();
}

inline void GreedyDriver::visit(OpId id) {
  const KindInfo &kind = worklist_.kind(id);
  const OpData &d = fn_.data(id);
  bool severalUses = true; // of its result, perhaps
  if (d.resultCount == 1) [[likely]] {
    SlotId use = fn_.data(d.firstResult).firstUse;
    severalUses = use && fn_.data(use).next;
    if (!use && kind.removable && eraseIfDead(id))
      return;
  } else if (kind.removable && eraseIfDead(id)) {
    return;
  }
  if (!kind.reach || d.flags & kSettled)
    return;
  if (severalUses && producersFirst(id)) [[unlikely]]
    return;
  Op op = fn_.op(id);
  if (kind.folds() && fold(op, kind)) [[unlikely]]
    return;
  if (!kind.candidateCount || !tryPatterns(op, kind))
    worklist_.settled(id);
  else if (!op.isErased() && !worklist_.waitsForVisit(id))
    worklist_.revisit(id);
}

/// Whether all operands of an op, of which it has some, are constants; `but` counts as one.
bool GreedyDriver::readsConstantsAlone(OpId id, ValueId but) const {
  const OpData &d = fn_.data(id);
  bool any = false;
  for (uint32_t i = 0; i < d.operandCount; ++i) {
    ValueId operand = fn_.data(SlotId(d.firstOperand.raw + i)).value;
    if (!operand)
      continue; // left out
    any = true;
    if (operand != but && !worklist_.isConstant(operand))
      return false;
  }
  return any;
}

/// What a pattern or fold has just built of constants alone is a constant as soon as it is visited: that comes before a
/// match at what reads it. Else rules that gather constants, `(x + c) + y => (x + y) + c` and `(x + c) + d => x + (c +
/// d)`, take `c + d` for an op like any other, and turn the sum round for ever.
void GreedyDriver::foldSoon() {
  auto soon = [&](OpId op) {
    const KindInfo &kind = worklist_.kind(op);
    if (kind.folds() && !(fn_.data(op).flags & kErased) && readsConstantsAlone(op) && mayTouch(op))
      worklist_.pushAgain(op);
  };
  for (OpId op : rewriter_.created())
    soon(op);
  for (OpId op : foldNext_)
    soon(op);
  foldNext_.clear();
}

/// After a rewrite, where the function has grown beyond its limit: how often it has been made larger on top of what was
/// made so. Rewrites are infinitely many only if some of these numbers grow without bound, since each of them makes few
/// ops.
[[gnu::noinline, gnu::cold]] void GreedyDriver::countGenerations() {
  OpId root = rewriter_.root();
  auto known = generations_.find(root.raw);
  uint32_t generation = (known == generations_.end() ? 0 : known->second) + (fn_.liveOps() > largest_);
  largest_ = std::max(largest_, fn_.liveOps());
  for (OpId op : rewriter_.created())
    generations_[op.raw] = generation;
  if (!(fn_.data(root).flags & kErased))
    generations_[root.raw] = generation;
  if (generation > kMostGenerations)
    stop(RewriteStop::Growth);
}

/// An op that lost its last use, if nothing has happened to it since. Most have one operand and one result.
inline void GreedyDriver::eraseDead(OpId id) {
  const OpData &d = fn_.data(id);
  if (d.flags & kErased || !worklist_.kind(d).removable || !worklist_.admits(id)) [[unlikely]]
    return;
  if (d.resultCount != 1 || d.operandCount != 1 || d.flags & kHasRegions || !rewriter_.isPlain()) [[unlikely]] {
    eraseIfDead(id);
    return;
  }
  if (fn_.data(d.firstResult).firstUse) [[unlikely]]
    return;
  rewriter_.eraseDeadUnary(id);
  ++result_.erased;
  result_.changed = true;
}

[[gnu::noinline]] bool GreedyDriver::eraseIfDead(OpId id) {
  Op op = fn_.op(id);
  if (op.hasUses())
    return false;
  if ((fn_.data(id).flags & kHasRegions) && !isRemovableIfUnused(op))
    return false;
  rewriter_.eraseDead(id);
  ++result_.erased;
  result_.changed = true;
  return true;
}

/// Replacing a value moves its uses one by one. If it has many and the op's operands are still to be visited, these
/// go first: else a chain of no-op casts whose last value has n users would move them n times.
bool GreedyDriver::producersFirst(OpId id) {
  const OpData &d = fn_.data(id);
  if (!d.resultCount)
    return false;
  SlotId use = fn_.data(d.firstResult).firstUse;
  for (unsigned i = 0; i < kManyUses; ++i) {
    if (!use)
      return false;
    use = fn_.data(use).next;
  }
  return config_.order != RewriteOrder::TopDown && queueProducers(id);
}

/// Queues an operand's op and then `id` if there is one that waits to be visited.
[[gnu::noinline, gnu::cold]] bool GreedyDriver::queueProducers(OpId id) {
  const OpData &d = fn_.data(id);
  for (uint32_t i = 0; i < d.operandCount; ++i) {
    ValueId operand = fn_.data(SlotId(d.firstOperand.raw + i)).value;
    if (!operand || (fn_.data(operand).def & ValueData::kParam))
      continue;
    OpId def(fn_.data(operand).def);
    if ((fn_.data(def).flags & kInWorklist) && worklist_.kind(def).reach && def != id) {
      worklist_.pushAgain(id);
      worklist_.pushAgain(def);
      return true;
    }
  }
  return false;
}

// Patterns --------------------------------------------------------------------------------------------------------

/// The rewriter knows the pattern's opening.
inline bool GreedyDriver::tryPattern(Op op, const Candidate &candidate) {
  ++result_.patterns[candidate.index].tried;
  rewriter_.setInsertionPoint(op);
  if (candidate.pattern->matchAndRewrite(op, rewriter_)) {
    applied(candidate.index);
    return true;
  }
  if (rewriter_.changed()) [[unlikely]] { // it lied; expensive checks would say so
    result_.changed = true;
    rewriter_.begin(op);
  }
  return false;
}

bool GreedyDriver::tryPatterns(Op op, const KindInfo &kind) {
  if (!plain_) [[unlikely]]
    return tryPatternsSlowly(op, kind);
  const Candidate *all = candidates_.data() + kind.firstCandidate;
  if (!kind.net) [[unlikely]] {
    rewriter_.begin(op);
    rewriter_.setNoOpening();
    return std::any_of(all, all + kind.candidateCount,
                       [&](const Candidate &candidate) { return candidate.pattern && tryPattern(op, candidate); });
  }
  FoundPatterns found = net_.find(op, kind.net, room_);
  uint64_t near = kind.near & found.near;
  std::span<const uint32_t> far = found.far;
  if (!near && far.empty())
    return false;
  const OpId maker(found.def);
  near &= ~ruledOut_.places(fn_, op.id, maker);
  if (!near && far.empty())
    return false;
  const Opening *openings = found.openings;
  rewriter_.begin(op);
  const uint8_t asks = rewriter_.asksBehindNet();
  for (; near; near &= near - 1) {
    const unsigned place = unsigned(std::countr_zero(near));
    rewriter_.setOpening(openings[place], asks);
    if (tryPattern(op, all[place]))
      return true;
    if (rewriter_.takeRuledOut() && net_.firstOperandOf(kind.net) == 0)
      ruledOut_.add(fn_, op.id, maker, place);
  }
  return !far.empty() && tryFar(op, all, openings, far);
}

/// Patterns behind the 64th at a kind.
[[gnu::noinline]] bool GreedyDriver::tryFar(Op op, const Candidate *all, const Opening *openings,
                                            std::span<const uint32_t> places) {
  return std::any_of(places.begin(), places.end(), [&](uint32_t place) {
    rewriter_.setOpening(openings[place], rewriter_.asksBehindNet());
    return all[place].pattern && tryPattern(op, all[place]);
  });
}

/// With a cost model, a listener, expensive checks, times, or without the net.
[[gnu::noinline]] bool GreedyDriver::tryPatternsSlowly(Op op, const KindInfo &kind) {
  std::span<const Candidate> all = candidates(kind);
  if (kind.net) {
    FoundPatterns found = net_.find(op, kind.net, room_);
    const Opening *openings = found.openings;
    auto fires = [&](uint32_t place) {
      return all[place].pattern && tryPatternChecked(op, all[place], openings + place);
    };
    for (; found.near; found.near &= found.near - 1)
      if (fires(uint32_t(std::countr_zero(found.near))))
        return true;
    return std::any_of(found.far.begin(), found.far.end(), fires);
  }
  if (!config_.costModel)
    return std::any_of(all.begin(), all.end(), [&](const Candidate &candidate) {
      return candidate.pattern && tryPatternChecked(op, candidate, nullptr);
    });
  struct Priced {
    int benefit;
    uint32_t at; // in `all`
  };
  InlineList<Priced, 16> order;
  for (uint32_t i = 0; i < all.size(); ++i)
    if (all[i].pattern)
      if (int benefit = config_.costModel(op, all[i].index); benefit >= 0)
        order.push_back({benefit, i});
  std::sort(order.begin(), order.end(), [&](const Priced &a, const Priced &b) {
    return a.benefit != b.benefit ? a.benefit > b.benefit : all[a.at].index < all[b.at].index;
  });
  for (const Priced &priced : order)
    if (tryPatternChecked(op, all[priced.at], nullptr))
      return true;
  return false;
}

/// Where patterns look at users or count uses: what was made, and what it uses now.
[[gnu::noinline]] void GreedyDriver::queueCreated() {
  for (OpId id : rewriter_.created()) {
    Op op = fn_.op(id);
    if (op.isErased())
      continue;
    worklist_.created(id);
    for (unsigned i = 0; i < op.operandCount(); ++i)
      if (Value operand = op.operand(i))
        worklist_.useAdded(operand.id);
  }
}

/// Whether to stop: the pattern fired, or the run is over.
bool GreedyDriver::tryPatternChecked(Op op, const Candidate &candidate, const Opening *opening) {
  const Pattern &pattern = *candidate.pattern;
  uint32_t index = candidate.index;
  ++result_.patterns[index].tried;
  uint64_t hash = 0;
  around_.clear(); // users of the root now: after a success they read something new
  if (config_.expensiveChecks) {
    hash = structureHash(fn_, op);
    for (unsigned i = 0; i < op.resultCount(); ++i)
      for (Use use : op.result(i).uses())
        if (around_.size() < 64)
          around_.push_back(use.owner.id);
  }
  uint64_t start = config_.timePatterns ? now() : 0;
  rewriter_.begin(op);
  rewriter_.begin(set_.info(index), op);
  if (opening)
    rewriter_.setOpening(*opening, rewriter_.asksBehindNet());
  else
    rewriter_.setNoOpening();
  bool matched = pattern.matchAndRewrite(op, rewriter_);
  rewriter_.end(set_.info(index), matched);
  if (config_.timePatterns)
    result_.patterns[index].nanoseconds += now() - start;
  bool edited = rewriter_.changed();
  result_.changed |= matched || edited;
  if (!config_.expensiveChecks) {
    if (matched)
      applied(index);
    return matched;
  }

  Op root = op.isErased() ? Op{} : op;
  bool same = root && structureHash(fn_, root) == hash;
  std::string_view name = set_.info(index).shownName();
  if (!rewriter_.refusal().empty()) {
    failCheck(fmt::format("pattern `{}` made an edit that was refused: {}", name, rewriter_.refusal()));
  } else if (!matched && (edited || !same)) {
    failCheck(fmt::format("pattern `{}` reports no match but changed the IR", name));
  } else if (matched && same) {
    failCheck(fmt::format("pattern `{}` reports a rewrite but changed nothing", name));
  } else if (matched) {
    if (std::string complaint = verifyStep(rewriter_, root, around_); !complaint.empty())
      failCheck(fmt::format("pattern `{}` leaves broken IR: {}", name, complaint));
  }
  if (matched)
    applied(index);
  return matched || !running_;
}

void GreedyDriver::failCheck(std::string text) {
  if (result_.checkFailure.empty())
    result_.checkFailure = std::move(text);
  stop(RewriteStop::Check);
}

RewriteResult applyPatternsGreedily(Function &fn, const FrozenPatternSet &set, const GreedyRewriteConfig &config) {
  return GreedyDriver(fn, set, config).run();
}

RewriteResult applyPatternsExhaustively(Function &fn, const FrozenPatternSet &set, const GreedyRewriteConfig &config) {
  return GreedyDriver(fn, set, config).runExhaustively();
}

} // namespace rw
