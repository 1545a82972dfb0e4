#include "rw/infer/rules.h"

#include <map>
#include <mutex>

namespace rw {
namespace {

struct Table {
  std::mutex lock; // registries are filled on several threads
  std::map<std::string, InferenceRules, std::less<>> rules;
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

InferenceRules inferenceRules(std::string_view fullName) {
  std::scoped_lock lock(table().lock);
  auto it = table().rules.find(fullName);
  return it == table().rules.end() ? InferenceRules() : it->second;
}

} // namespace rw
