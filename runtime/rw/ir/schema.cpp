#include "rw/ir/schema.h"

#include <algorithm>
#include <atomic>

namespace rw {
namespace {
constexpr OpSchema kOpaqueSchema{.dialect = "", .name = ""};
constexpr OpSchema kReturnSchema{.dialect = "", .name = "return"};
} // namespace

int OpSchema::attrIndex(std::string_view wanted) const {
  for (size_t i = 0; i < attrs.size(); ++i)
    if (attrs[i].name == wanted)
      return int(i);
  return -1;
}

uint64_t OpRegistry::Number::next() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

OpRegistry::OpRegistry() : schemas_{&kOpaqueSchema, &kReturnSchema}, fullNames_{"", "return"}, constantAttrs_{-1, -1} {}

KindId OpRegistry::add(const OpSchema &schema) {
  if (KindId known = kindOf(schema); known != kOpaqueKind)
    return known;
  if (schemas_.size() >= UINT16_MAX)
    return kOpaqueKind;
  std::string text = schema.fullName();
  auto it = std::lower_bound(names_.begin(), names_.end(), text,
                             [](const Name &n, const std::string &t) { return n.text < t; });
  if (it == names_.end() || it->text != text)
    it = names_.insert(it, Name{text, {}});
  for (KindId other : it->versions)
    if (this->schema(other).since <= schema.until && schema.since <= this->schema(other).until) {
      refused_.push_back(&schema);
      return kOpaqueKind;
    }
  KindId kind{uint16_t(schemas_.size())};
  kinds_.emplace(&schema, kind);
  schemas_.push_back(&schema);
  fullNames_.push_back(text);
  constantAttrs_.push_back(int16_t(schema.hasTrait(Trait::Constant) ? schema.attrIndex("value") : -1));
  auto newer = [&](KindId k) { return this->schema(k).since > schema.since; };
  it->versions.insert(std::find_if_not(it->versions.begin(), it->versions.end(), newer), kind);
  return kind;
}

KindId OpRegistry::lookup(std::string_view fullName) const {
  auto it = std::lower_bound(names_.begin(), names_.end(), fullName,
                             [](const Name &n, std::string_view t) { return n.text < t; });
  return it == names_.end() || it->text != fullName ? kOpaqueKind : it->versions.front();
}

KindId OpRegistry::lookup(std::string_view fullName, int version) const {
  auto it = std::lower_bound(names_.begin(), names_.end(), fullName,
                             [](const Name &n, std::string_view t) { return n.text < t; });
  if (it != names_.end() && it->text == fullName)
    for (KindId kind : it->versions)
      if (schema(kind).since <= version && version <= schema(kind).until)
        return kind;
  return kOpaqueKind;
}

KindId OpRegistry::kindOf(const OpSchema &schema) const {
  auto it = kinds_.find(&schema);
  return it == kinds_.end() ? kOpaqueKind : it->second;
}

KindId OpRegistry::constantOp(std::string_view dialect) const {
  for (size_t i = 0; i < schemas_.size(); ++i)
    if (schemas_[i]->dialect == dialect && schemas_[i]->hasTrait(Trait::Constant))
      return KindId{uint16_t(i)};
  return kOpaqueKind;
}

std::vector<std::string_view> OpRegistry::names() const {
  std::vector<std::string_view> out;
  for (const Name &n : names_)
    out.push_back(n.text);
  return out;
}

} // namespace rw
