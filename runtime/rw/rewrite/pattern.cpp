#include "rw/rewrite/pattern.h"

#include "rw/rewrite/net_builder.h"

#include <algorithm>

namespace rw {

Pattern::Pattern(const PatternInfo &info) : info_(info) {}
Pattern::Pattern(const PatternInfo &info, KindId root) : info_(info), roots_{root} {}
Pattern::~Pattern() = default;

std::vector<KindId> kindsWithTraits(const OpRegistry &ops, Traits traits) {
  std::vector<KindId> kinds;
  for (size_t i = 2; i < ops.size(); ++i) {
    KindId kind{uint16_t(i)};
    if ((ops.schema(kind).traits & traits) == traits)
      kinds.push_back(kind);
  }
  return kinds;
}

std::vector<KindId> kindsOfSet(const OpRegistry &ops, std::initializer_list<Traits> traits, std::initializer_list<KindId> kinds) {
  std::vector<KindId> all;
  for (size_t i = 2; i < ops.size(); ++i) {
    KindId kind{uint16_t(i)};
    bool in = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    for (Traits t : traits)
      in |= (ops.schema(kind).traits & t) == t;
    if (in)
      all.push_back(kind);
  }
  return all;
}

FrozenPatternSet PatternSet::freeze() && { return FrozenPatternSet(std::move(*this)); }

FrozenPatternSet::FrozenPatternSet(PatternSet &&set) : ops_(set.ops_), patterns_(std::move(set.patterns_)) {
  // A root or link that the registry does not know has the opaque kind; no pattern matches opaque ops.
  auto known = [this](KindId kind) { return kind != kOpaqueKind && kind.raw < ops_.size(); };

  offsets_.assign(ops_.size() + 1, 0);
  chainKind_.assign(ops_.size(), false);
  for (const auto &pattern : patterns_) {
    const PatternInfo &info = pattern->info();
    depth_ = std::max(depth_, info.depth);
    looksAtUses_ |= info.looksAtUses;
    countsUses_ |= info.countsUses;
    looksAtUsers_ |= info.looksAtUsers;
    chainsFork_ |= !pattern->chainKinds().empty() && !info.looksAtUses;
    for (KindId kind : pattern->chainKinds())
      if (known(kind))
        chainKind_[kind.raw] = hasChains_ = true;
    for (KindId kind : pattern->roots())
      if (known(kind))
        ++offsets_[kind.raw + 1];
  }
  for (size_t i = 1; i < offsets_.size(); ++i)
    offsets_[i] += offsets_[i - 1];

  byRoot_.resize(offsets_.back());
  std::vector<uint32_t> next(offsets_.begin(), offsets_.end() - 1);
  for (uint32_t index = 0; index < patterns_.size(); ++index)
    for (KindId kind : patterns_[index]->roots())
      if (known(kind))
        byRoot_[next[kind.raw]++] = index;
  for (size_t kind = 0; kind + 1 < offsets_.size(); ++kind) {
    auto begin = byRoot_.begin() + offsets_[kind], end = byRoot_.begin() + offsets_[kind + 1];
    std::stable_sort(begin, end, [this](uint32_t a, uint32_t b) {
      return patterns_[a]->info().benefit > patterns_[b]->info().benefit;
    });
  }
  buildNet();
}

void FrozenPatternSet::buildNet() {
  NetBuilder builder(ops_);
  std::map<std::vector<uint32_t>, KindId> known; // kinds at which the same patterns may match have one net
  std::vector<NetBuilder::Tests> tests;
  for (size_t i = 0; i < ops_.size(); ++i) {
    KindId kind{uint16_t(i)};
    std::span<const uint32_t> patterns = at(kind);
    if (patterns.size() < 2) // nothing is shared
      continue;
    auto [same, isNew] = known.try_emplace({patterns.begin(), patterns.end()}, kind);
    if (!isNew) {
      builder.addSame(kind, same->second);
      continue;
    }
    tests.clear();
    for (uint32_t pattern : patterns)
      tests.push_back(patterns_[pattern]->info().tests);
    builder.add(kind, tests);
  }
  net_ = std::make_shared<const MatchingNet>(std::move(builder).finish());
}

const PatternEntry *PatternRegistry::find(std::string_view name) const {
  for (const PatternEntry &entry : entries_)
    if (entry.info.name == name)
      return &entry;
  return nullptr;
}

std::vector<std::pair<const PatternEntry *, const PatternEntry *>> PatternRegistry::clashes() const {
  std::vector<const PatternEntry *> sorted;
  for (const PatternEntry &entry : entries_)
    sorted.push_back(&entry);
  std::ranges::stable_sort(sorted, {}, [](const PatternEntry *e) { return e->info.name; });
  std::vector<std::pair<const PatternEntry *, const PatternEntry *>> out;
  for (size_t i = 1, first = 0; i < sorted.size(); ++i)
    if (sorted[i]->info.name == sorted[first]->info.name)
      out.emplace_back(sorted[i], sorted[first]);
    else
      first = i;
  return out;
}

} // namespace rw
