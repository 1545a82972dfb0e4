// Plans made by a thread of their own, so that the code of one pattern is written while the next one is planned.
//
// In:  a checked module and the patterns to plan.
// Out: their plans, one by one. They end at a pattern that cannot be planned, without a message: then `complete` is
//      false, and the caller asks plan::buildPlans, which reports what is wrong.
// Elsewhere: plans are codegen/plan/plan.h.
//
//   PlansAhead plans(*module, patterns, sources);
//   Unit unit = interpret::compile(*module, [&] { return plans.next(); }, sources, options, diags);
//   if (!plans.complete()) ...
#pragma once

#include "codegen/plan/plan.h"

#include <atomic>
#include <thread>

namespace rw {

class PlansAhead {
public:
  /// The module stays as it is until this object is gone; the sources are copied.
  PlansAhead(const sema::Module &, std::vector<sema::PatternIndex>, const SourceManager &);
  /// Waits for the thread.
  ~PlansAhead();
  PlansAhead(const PlansAhead &) = delete;
  PlansAhead &operator=(const PlansAhead &) = delete;

  /// The next plan, once it is made; null at the end. It is there until the next is asked for.
  const plan::MatchPlan *next();
  /// Behind the last: whether all patterns had a plan.
  bool complete() const { return taken_ == patterns_.size(); }

private:
  void make(std::stop_token);

  const sema::Module &module_;
  const std::vector<sema::PatternIndex> patterns_;
  const SourceManager sources_; // asked by the thread alone
  std::vector<std::optional<plan::MatchPlan>> plans_;
  std::atomic<uint32_t> made_{0}, done_{0}; // plans that can be taken; that are done with
  uint32_t taken_ = 0, known_ = 0;          // of plans_; that are made, as far as the reader has seen
  std::jthread thread_;
};

} // namespace rw
