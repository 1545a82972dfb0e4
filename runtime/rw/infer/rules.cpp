#include "rw/infer/rules.h"

#include <mutex>
#include <unordered_map>

namespace rw {
namespace {

struct Table {
  std::mutex lock;                                       // registries are filled on several threads
  std::unordered_map<std::string, InferenceRules> rules; // where one lies it stays
};
Table &table() {
  static Table all;
  return all;
}

} // namespace

bool addInferenceRules(std::string fullName, InferenceRules rules) {
  std::scoped_lock lock(table().lock);
  return table().rules.emplace(std::move(fullName), rules).second;
}

const InferenceRules RulesByKind::none_;

RulesByKind::RulesByKind(const OpRegistry &ops) : rules_(ops.size(), &none_) {
  std::scoped_lock lock(table().lock);
  for (uint16_t i = 0; i < ops.size(); ++i)
    if (auto it = table().rules.find(ops.fullName(KindId{i})); it != table().rules.end())
      rules_[i] = &it->second;
}

} // namespace rw
