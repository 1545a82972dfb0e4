#include "rw/passes/param_store.h"

#include "rw/ir/derivation.h"
#include "rw/support/failure.h"

#include "llvm/ADT/ScopeExit.h"

#include <fmt/format.h>

namespace rw {

static constexpr size_t kMaxDepth = 1000; // of derivations from derived parameters

void ParamStore::set(uint64_t stableId, AttrId dense) {
  values_[stableId] = dense;
  derived_.clear();
}

Result<AttrId> ParamStore::value(Function &fn, unsigned index) {
  const ParamInfo &info = fn.paramInfo(index);
  if (info.stableId)
    if (auto it = values_.find(info.stableId); it != values_.end())
      return it->second;
  std::optional<Derivation> derivation = derivationOf(fn, index);
  if (!derivation) {
    if (info.defaultValue)
      return info.defaultValue;
    return failure("parameter {} of @{} (id {}) has no value", index, fn.name(), info.stableId);
  }
  Function *by = program_.function(derivation->function);
  if (!by)
    return failure("parameter {} of @{} is derived by @{}, which is not there", index, fn.name(), derivation->function);
  if (!derived_.count(by))
    if (Result<void> derived = derive(*by, fn); !derived)
      return derived.failure();
  const std::vector<AttrId> &results = derived_[by];
  if (derivation->result >= results.size())
    return failure("parameter {} of @{} is result {} of @{}, which has {}", index, fn.name(), derivation->result,
                   by->name(), results.size());
  return results[derivation->result];
}

/// The parameters of `by` are those of `fn` with the same ids.
Result<void> ParamStore::derive(Function &by, Function &fn) {
  if (running_.size() >= kMaxDepth)
    return failure("more than {} functions derive each other's parameters", kMaxDepth);
  if (!running_.insert(&by).second)
    return failure("@{} derives its own parameters", by.name());
  auto ended = llvm::make_scope_exit([&] { running_.erase(&by); });
  std::unordered_map<uint64_t, unsigned> places;
  for (unsigned i = 0; i < fn.params(fn.body()).size(); ++i)
    places.try_emplace(fn.paramInfo(i).stableId, i);
  std::vector<AttrId> params;
  for (unsigned i = 0; i < by.params(by.body()).size(); ++i) {
    auto it = places.find(by.paramInfo(i).stableId);
    if (it == places.end() || !by.paramInfo(i).stableId)
      return failure("parameter {} of @{} is no parameter of @{}", i, by.name(), fn.name());
    Result<AttrId> param = value(fn, it->second);
    if (!param)
      return param.failure();
    params.push_back(*param);
  }
  ++evaluations_;
  Result<std::vector<AttrId>> results = evaluator_.evaluate(by, params);
  if (!results)
    return results.failure();
  derived_[&by] = *std::move(results);
  return {};
}

} // namespace rw
