#include "rw/passes/param_store.h"

#include "rw/ir/derivation.h"

#include <fmt/format.h>

namespace rw {

static constexpr size_t kMaxDepth = 1000; // of derivations from derived parameters

void ParamStore::set(uint64_t stableId, AttrId dense) {
  values_[stableId] = dense;
  derived_.clear();
}

AttrId ParamStore::value(Function &fn, unsigned index, std::string &error) {
  const ParamInfo &info = fn.paramInfo(index);
  if (info.stableId)
    if (auto it = values_.find(info.stableId); it != values_.end())
      return it->second;
  std::optional<Derivation> derivation = derivationOf(fn, index);
  if (!derivation) {
    if (info.defaultValue)
      return info.defaultValue;
    error = fmt::format("parameter {} of @{} (id {}) has no value", index, fn.name(), info.stableId);
    return {};
  }
  Function *by = program_.function(derivation->function);
  if (!by) {
    error = fmt::format("parameter {} of @{} is derived by @{}, which is not there", index, fn.name(),
                        derivation->function);
    return {};
  }
  if (!derived_.count(by) && !derive(*by, fn, error))
    return {};
  const std::vector<AttrId> &results = derived_[by];
  if (derivation->result >= results.size()) {
    error = fmt::format("parameter {} of @{} is result {} of @{}, which has {}", index, fn.name(), derivation->result,
                        by->name(), results.size());
    return {};
  }
  return results[derivation->result];
}

/// The parameters of `by` are those of `fn` with the same ids.
bool ParamStore::derive(Function &by, Function &fn, std::string &error) {
  if (running_.size() >= kMaxDepth) {
    error = fmt::format("more than {} functions derive each other's parameters", kMaxDepth);
    return false;
  }
  if (!running_.insert(&by).second) {
    error = fmt::format("@{} derives its own parameters", by.name());
    return false;
  }
  std::unordered_map<uint64_t, unsigned> places;
  for (unsigned i = 0; i < fn.params(fn.body()).size(); ++i)
    places.try_emplace(fn.paramInfo(i).stableId, i);
  std::vector<AttrId> params, results;
  bool good = true;
  for (unsigned i = 0; good && i < by.params(by.body()).size(); ++i) {
    auto it = places.find(by.paramInfo(i).stableId);
    good = it != places.end() && by.paramInfo(i).stableId;
    if (good)
      params.push_back(value(fn, it->second, error));
    else
      error = fmt::format("parameter {} of @{} is no parameter of @{}", i, by.name(), fn.name());
    good = good && params.back();
  }
  running_.erase(&by);
  if (!good)
    return false;
  ++evaluations_;
  if (!evaluator_.evaluate(by, params, results, error))
    return false;
  derived_[&by] = std::move(results);
  return true;
}

} // namespace rw
