// Plans: optimised programs, kept so that the same program is optimised once.
//
// In:  a program, what it is specialised for, a pipeline.
// Out: the optimised program, from the cache if an equal one was optimised before, and whether that was so.
// Elsewhere: what makes programs equal are structure_digest.h and entry_signature.h; running passes pass_manager.h.
//
// A plan is kept under the structure of its program (names of inner values and locations do not count), the signature
// of each function (roles, stable ids and types of parameters, types of results), and the specialisation: the pipeline
// with its options, the permissions that change what passes do, and whatever the caller adds (a target, sizes that
// symbols stand for). The oldest plan that was longest not asked for goes when there are too many.
//
// A cache serves one thread, and one registry of ops and passes. Plans are constant: clone the program to change it.
//
//   PlanCache cache(64);
//   PlanLookup a = optimizeCached(manager, program, options, cache);
//   PlanLookup b = optimizeCached(manager, program, options, cache);       // b.hit, b.plan == a.plan
//   cache.statistics().hits;                                              // 1
#pragma once

#include "rw/passes/entry_signature.h"
#include "rw/passes/pass_manager.h"
#include "rw/support/digest.h"

#include <list>
#include <unordered_map>

namespace rw {

struct PlanKey {
  Digest structure, signature, specialisation;
  friend bool operator==(const PlanKey &, const PlanKey &) = default;
  /// 16 hexadecimal digits that name the plan in traces.
  std::string text() const;
};
PlanKey planKeyOf(const Program &, std::string_view specialisation = {});

struct Plan {
  PlanKey key;
  Program program;
  PassManagerResult result; // of the run that made it
};

struct PlanCacheStatistics {
  uint64_t hits = 0, misses = 0, evicted = 0;
};

class PlanCache {
public:
  /// Keeps at most `capacity` plans, at least one.
  explicit PlanCache(size_t capacity = 64) : capacity_(capacity ? capacity : 1) {}

  /// The plan kept under the key, or null; counts a hit or a miss.
  std::shared_ptr<const Plan> find(const PlanKey &);
  /// Keeps a plan under its key, in place of one that is there.
  std::shared_ptr<const Plan> insert(Plan);
  size_t size() const { return plans_.size(); }
  const PlanCacheStatistics &statistics() const { return statistics_; }
  void clear();

private:
  struct KeyHash {
    size_t operator()(const PlanKey &key) const {
      return size_t(key.structure.head() ^ key.signature.head() * 3 ^ key.specialisation.head() * 5);
    }
  };
  using Plans = std::list<std::shared_ptr<const Plan>>; // the one last asked for first
  size_t capacity_;
  Plans plans_;
  std::unordered_map<PlanKey, Plans::iterator, KeyHash> byKey_;
  PlanCacheStatistics statistics_;
};

struct PlanLookup {
  std::shared_ptr<const Plan> plan;
  bool hit = false;
};

/// Runs the manager's pipeline over a copy of the program, unless the cache has its plan. Runs under a shared budget of
/// rewrites are not kept. Traces record a hit or a miss, with the key as the graph's id; a hit is a run without
/// passes. Of a cost model only its presence is part of the key: name it in `specialisation`.
PlanLookup optimizeCached(PassManager &, const Program &, const PassManagerOptions &, PlanCache &,
                          std::string_view specialisation = {});

/// "hits 3, misses 1, evicted 0, plans 1"
std::string renderStatistics(const PlanCache &);

} // namespace rw
