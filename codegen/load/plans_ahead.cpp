#include "codegen/load/plans_ahead.h"

namespace rw {

/// Waking the other thread costs as much as a plan: it is done for so many at once.
static constexpr uint32_t kBatch = 32;
/// So many plans are there at most, so that the memory of one serves the next.
static constexpr uint32_t kMostAhead = 4 * kBatch;

PlansAhead::PlansAhead(const sema::Module &module, std::vector<sema::PatternIndex> patterns,
                       const SourceManager &sources)
    : module_(module), patterns_(std::move(patterns)), sources_(sources), plans_(patterns_.size()),
      thread_([this](std::stop_token stop) { make(stop); }) {}

PlansAhead::~PlansAhead() {
  thread_.request_stop();
  done_ = uint32_t(patterns_.size());
  done_.notify_one();
}

void PlansAhead::make(std::stop_token stop) {
  Diagnostics unread(sources_);
  // A plan is many small pieces, and giving them back costs a third of making them: it is done here, beside who reads
  // them.
  uint32_t freed = 0;
  auto freeUntil = [&](uint32_t end) {
    for (uint32_t done = 0; freed < end; plans_[freed++].reset())
      while ((done = done_.load(std::memory_order_acquire)) <= freed)
        done_.wait(done, std::memory_order_acquire);
  };
  for (uint32_t i = 0; i < patterns_.size() && !stop.stop_requested(); ++i) {
    if (i >= kMostAhead && i % kBatch == 0)
      freeUntil(i - kMostAhead + kBatch);
    plans_[i] = plan::buildPlan(module_, patterns_[i], sources_, unread);
    const bool last = i + 1 == patterns_.size() || !plans_[i];
    if ((i + 1) % kBatch == 0 || last) {
      made_.store(i + 1, std::memory_order_release);
      made_.notify_one();
    }
    if (!plans_[i])
      return;
  }
  freeUntil(uint32_t(patterns_.size()));
}

const plan::MatchPlan *PlansAhead::next() {
  if (taken_ && taken_ % kBatch == 0) {
    done_.store(taken_, std::memory_order_release);
    done_.notify_one();
  }
  if (complete())
    return nullptr;
  while (taken_ >= known_)
    if ((known_ = made_.load(std::memory_order_acquire)) <= taken_)
      made_.wait(known_, std::memory_order_acquire);
  return plans_[taken_] ? &*plans_[taken_++] : nullptr;
}

} // namespace rw
