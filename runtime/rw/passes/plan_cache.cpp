#include "rw/passes/plan_cache.h"

#include "rw/passes/structure_digest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rw {

std::string PlanKey::text() const {
  return Digester().add(structure).add(signature).add(specialisation).take().hex(16);
}

PlanKey planKeyOf(const Program &program, std::string_view specialisation) {
  Digester d;
  for (const Function &fn : program.functions())
    d.add(fn.name()).add(EntrySignature::of(fn).digest());
  for (const auto &[dialect, version] : program.context().dialectVersions())
    d.add(dialect).add(uint64_t(version));
  PlanKey key;
  key.signature = d.take();
  key.structure = structureOf(program);
  key.specialisation = d.add(specialisation).take();
  return key;
}

std::shared_ptr<const Plan> PlanCache::find(const PlanKey &key) {
  auto it = byKey_.find(key);
  if (it == byKey_.end()) {
    ++statistics_.misses;
    return nullptr;
  }
  ++statistics_.hits;
  plans_.splice(plans_.begin(), plans_, it->second);
  return plans_.front();
}

std::shared_ptr<const Plan> PlanCache::insert(Plan plan) {
  auto kept = std::make_shared<const Plan>(std::move(plan));
  if (auto it = byKey_.find(kept->key); it != byKey_.end()) {
    plans_.erase(it->second);
    byKey_.erase(it);
  }
  plans_.push_front(kept);
  byKey_.emplace(kept->key, plans_.begin());
  if (plans_.size() > capacity_) {
    byKey_.erase(plans_.back()->key);
    plans_.pop_back();
    ++statistics_.evicted;
  }
  return kept;
}

void PlanCache::clear() {
  byKey_.clear();
  plans_.clear();
}

/// Everything besides the program that may make the result another one.
static std::string specialisationText(const PassManager &manager, const PassManagerOptions &options,
                                      std::string_view more) {
  const GreedyRewriteConfig &c = options.rewriteConfig;
  std::string text = fmt::format("{};iterations={};rewrites={};perop={};growth={};fold={};folder={};bytes={};dce={};"
                                 "fastmath={};order={};strictness={};cost={};share={};strict={};verify={}",
                                 printPipeline(manager.items()), c.maxIterations, c.maxRewrites, c.maxRewritesPerOp,
                                 c.maxGrowth, c.enableFolding, bool(c.folder), c.maxFoldBytes, c.enableDce,
                                 c.allowFastMath.text() + "/" + c.mostFastMath.text(), int(c.order), int(c.strictness),
                                 bool(c.costModel), c.cseConstants, options.strict, options.verifyEach);
  if (c.filter)
    text += fmt::format(";disabled={};only={}", fmt::join(c.filter->disabled, ","), fmt::join(c.filter->only, ","));
  return fmt::format("{};{}", text, more);
}

PlanLookup optimizeCached(PassManager &manager, const Program &program, const PassManagerOptions &options,
                          PlanCache &cache, std::string_view specialisation) {
  PlanKey key = planKeyOf(program, specialisationText(manager, options, specialisation));
  bool partial = options.rewriteConfig.sharedBudget; // what is left of it is no part of the key
  TraceRun traced = options.traceRun;
  if (traced.graph.empty())
    traced.graph = key.text();
  if (std::shared_ptr<const Plan> plan = partial ? nullptr : cache.find(key)) {
    traced.planCacheHit = true;
    if (traced.pipeline.empty())
      traced.pipeline = printPipeline(manager.items());
    if (!options.within)
      ProgramTrace(traced, plan->program, options.trace).finish(plan->result.changed, plan->result.failed);
    return {plan, true};
  }
  if (!partial)
    traced.planCacheHit = false;
  PassManagerOptions run = options;
  run.traceRun = traced;
  Program copy = program.clone();
  PassManagerResult result = manager.run(copy, run);
  Plan plan{key, std::move(copy), std::move(result)};
  return {partial ? std::make_shared<const Plan>(std::move(plan)) : cache.insert(std::move(plan)), false};
}

std::string renderStatistics(const PlanCache &cache) {
  const PlanCacheStatistics &s = cache.statistics();
  return fmt::format("hits {}, misses {}, evicted {}, plans {}", s.hits, s.misses, s.evicted, cache.size());
}

} // namespace rw
