#include "rw/ir/walk.h"
#include "rw/rewrite/effects.h"
#include "rw/rewrite/greedy_impl.h"

#include <algorithm>

namespace rw {

GreedyDriver::GreedyDriver(Function &fn, const FrozenPatternSet &set, const GreedyRewriteConfig &config)
    : fn_(fn), set_(set), config_(config), net_(set.net()), room_(net_), worklist_(fn, kinds(), options()),
      rewriter_(fn, config.listener, &worklist_) {
  rewriter_.setNetRegisters(room_.registers());
  rewriter_.setExplain(config.listener && config.listener->wantsReasons());
  plain_ = config.merge && !config.costModel && !config.timePatterns && !config.expensiveChecks && !config.listener;
}

bool GreedyDriver::isActive(const PatternInfo &info) const {
  return config_.allowFastMath.allows(info.fastmath) && (!config_.filter || config_.filter->allows(info)) &&
         !isTooNew(info, fn_.context());
}

std::vector<GreedyDriver::KindInfo> GreedyDriver::kinds() {
  const OpRegistry &ops = set_.ops();
  std::vector<uint8_t> active(set_.size());
  for (size_t i = 0; i < set_.size(); ++i)
    active[i] = isActive(set_.info(i));
  std::vector<KindInfo> kinds(ops.size());
  for (size_t i = 0; i < kinds.size(); ++i) {
    KindId id{uint16_t(i)};
    const OpSchema &schema = ops.schema(id);
    KindInfo &kind = kinds[i];
    kind.removable = config_.enableDce && isEffectFree(schema);
    kind.constant = schema.hasTrait(Trait::Constant);
    kind.chain = set_.isChainKind(id);
    addCandidates(id, kind, active);
    if (!config_.enableFolding || kind.constant || !isEffectFree(schema))
      continue;
    kind.foldHook = schema.fold;
    kind.evaluated = config_.folder && !schema.operands.empty();
    folds_ |= kind.folds();
    if (kind.folds())
      kind.reach = std::max<uint8_t>(kind.reach, 2); // folds look at operands that are constants
  }
  return kinds;
}

/// The patterns at a kind, which of them are active, and the net that says which to try.
void GreedyDriver::addCandidates(KindId id, KindInfo &kind, const std::vector<uint8_t> &active) {
  std::span<const uint32_t> all = set_.at(id);
  auto actives = std::count_if(all.begin(), all.end(), [&](uint32_t index) { return active[index]; });
  if (actives == 0)
    return;
  if (config_.merge && !config_.costModel && !(config_.listener && config_.listener->wantsReasons()))
    kind.net = net_.rootOf(id);
  kind.firstCandidate = uint32_t(candidates_.size());
  for (uint32_t index : all) {
    const PatternInfo &info = set_.info(index);
    const Candidate candidate{active[index] ? &set_.pattern(index) : nullptr, index};
    if (!kind.net)
      candidates_.push_back(candidate);
    else // as the net has them
      forEachOrder(info, [&](const TestList &) { candidates_.push_back(candidate); });
    if (active[index])
      kind.reach = std::max(kind.reach, uint8_t(std::min(info.depth + info.looksAtLeaves, kMaxReach)));
  }
  kind.candidateCount = uint32_t(candidates_.size()) - kind.firstCandidate;
  for (uint32_t place = 0; place < std::min<uint32_t>(kind.candidateCount, kNearPlaces); ++place)
    if (candidates(kind)[place].pattern)
      kind.near |= uint64_t(1) << place;
}

Worklist::Options GreedyDriver::options() {
  Worklist::Options options;
  options.looksAtUses = set_.looksAtUses() || set_.countsUses();
  options.countsUses = set_.countsUses();
  options.looksAtUsers = set_.looksAtUsers();
  options.looksInRegions = set_.looksInRegions();
  options.hasChains = set_.hasChains();
  options.chainsFork = set_.chainsFork();
  if (config_.scope && config_.strictness != RewriteStrictness::AnyOp) {
    options.admits = admits;
    options.admitsState = this;
  }
  if (config_.strictness == RewriteStrictness::ExistingOps || config_.closedKinds) {
    options.admits = admits;
    options.admitsState = this;
  }
  return options;
}

bool GreedyDriver::inScope(OpId op) const {
  if (!config_.scope)
    return true;
  for (;;) {
    RegionId region = fn_.data(op).region;
    if (region == *config_.scope)
      return true;
    OpId parent = fn_.data(region).parent;
    if (!parent)
      return false;
    op = parent;
  }
}

/// Whether the op holds regions that are left alone.
bool GreedyDriver::isClosed(OpId op) const {
  return config_.closedKinds && (*config_.closedKinds)[fn_.data(op).kind.raw];
}

bool GreedyDriver::mayTouch(OpId op) const {
  if (config_.closedKinds)
    if (OpId holder = fn_.data(fn_.data(op).region).parent; holder && isClosed(holder))
      return false;
  bool isNew = op.raw >= firstNewOp_;
  if (config_.strictness == RewriteStrictness::ExistingOps)
    return !isNew && inScope(op);
  return isNew || inScope(op);
}

void GreedyDriver::setBudgets() {
  uint64_t ops = std::max<uint64_t>(fn_.liveOps(), 1);
  if (config_.maxIterations)
    visitBudget_ = config_.maxIterations * ops;
  if (config_.maxRewrites) {
    rewriteBudget_ = config_.maxRewrites;
    budgetKind_ = RewriteStop::Asked;
  } else if (config_.maxRewritesPerOp) {
    uint64_t perOp = std::max<uint64_t>(1'000, config_.maxRewritesPerOp * ops);
    rewriteBudget_ = std::min<uint64_t>(perOp, 2'000'000 + 8 * ops);
  }
  if (config_.sharedBudget && *config_.sharedBudget <= rewriteBudget_) {
    rewriteBudget_ = *config_.sharedBudget;
    budgetKind_ = RewriteStop::Asked;
  }
  if (config_.maxGrowth)
    growthLimit_ = kSmallGrowth + config_.maxGrowth * fn_.liveOps();
  largest_ = growthLimit_;
  result_.opsBefore = fn_.liveOps() - 1;
}

/// Walks the function from its end, so that whole dead chains go at once, and queues every op that something may match.
void GreedyDriver::seed() {
  firstNewOp_ = uint32_t(fn_.opCapacity());
  worklist_.beginSeeds(fn_.liveOps());
  walkFromEnd(fn_, config_.scope.value_or(fn_.body()), [&](OpId op) {
    const KindInfo &kind = worklist_.kind(op);
    if (kind.removable && !fn_.op(op).hasUses() && eraseDeadSeed(op))
      return false;
    uint16_t &flags = fn_.flags(op);
    if (kind.reach) [[likely]]
      worklist_.seed(op, flags);
    else
      flags &= uint16_t(~kDriverFlags); // of an earlier run with other patterns
    return (flags & kHasRegions) && !isClosed(op);
  });
  worklist_.endSeeds();
  if (config_.order == RewriteOrder::TopDown)
    worklist_.reverse();
}

/// An unused op of a removable kind, before anything is queued: nothing needs to be told but the listener.
bool GreedyDriver::eraseDeadSeed(OpId id) {
  if ((fn_.data(id).flags & kHasRegions) && !isRemovableIfUnused(fn_.op(id)))
    return false;
  if (config_.listener)
    PatternRewriter(fn_, config_.listener).erase(fn_.op(id));
  else
    fn_.erase(id);
  ++result_.erased;
  result_.changed = true;
  return true;
}

} // namespace rw
