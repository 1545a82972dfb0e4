// The single-walk driver: see applyPatternsOnce in greedy_driver.h.

#include "rw/rewrite/greedy_impl.h"

#include <algorithm>

namespace rw {

RewriteResult GreedyDriver::runOnce() {
  result_.patterns.resize(set_.size());
  setBudgets();
  firstNewOp_ = uint32_t(fn_.opCapacity());
  std::vector<OpId> order; // as in the text: an op before those of its regions
  order.reserve(fn_.liveOps());
  std::vector<OpId> next{fn_.data(config_.scope.value_or(fn_.body())).firstOp}; // in each region entered
  while (!next.empty()) {
    OpId op = next.back();
    if (!op) {
      next.pop_back();
      continue;
    }
    order.push_back(op);
    next.back() = fn_.data(op).next;
    if (fn_.data(op).flags & kHasRegions) {
      std::span<const RegionId> regions = fn_.regionsOf(op);
      for (size_t i = regions.size(); i-- > 0;)
        next.push_back(fn_.data(regions[i]).firstOp);
    }
  }
  if (config_.order == RewriteOrder::BottomUp)
    std::reverse(order.begin(), order.end());
  if (config_.sharedBudget && *config_.sharedBudget == 0)
    stop(RewriteStop::Asked);
  for (size_t i = 0; i < order.size() && running_; ++i) {
    if (fn_.data(order[i]).flags & kErased)
      continue;
    ++result_.visits;
    const KindInfo &kind = worklist_.kind(order[i]);
    if (kind.removable && eraseIfDead(order[i]))
      continue;
    Op op = fn_.op(order[i]);
    if (kind.folds() && fold(op, kind))
      continue;
    if (kind.candidateCount)
      tryPatterns(op, kind);
  }
  return finish();
}

RewriteResult applyPatternsOnce(Function &fn, const FrozenPatternSet &set, const GreedyRewriteConfig &config) {
  return GreedyDriver(fn, set, config).runOnce();
}

} // namespace rw
