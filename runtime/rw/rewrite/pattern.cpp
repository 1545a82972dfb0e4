#include "rw/rewrite/pattern.h"

#include "rw/rewrite/net_builder.h"

#include <algorithm>

namespace rw {

std::vector<KindId> Pattern::roots(const OpRegistry &ops) const {
  return root_ ? std::vector<KindId>{ops.kindOf(*root_)} : kindsOf(ops, info_.roots);
}

std::vector<KindId> Pattern::chainKinds(const OpRegistry &ops) const {
  std::vector<KindId> all;
  for (const KindSet &kinds : info_.chains) {
    std::vector<KindId> more = kindsOf(ops, kinds);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

MultiOpPattern::MultiOpPattern(const OpRegistry &ops, const PatternInfo &info,
                               std::initializer_list<const OpSchema *> roots)
    : Pattern(info) {
  for (const OpSchema *root : roots)
    roots_.push_back(ops.kindOf(*root));
}

std::vector<KindId> kindsWithTraits(const OpRegistry &ops, Traits traits) {
  return kindsOf(ops, {.traits = {&traits, 1}});
}

std::vector<KindId> kindsOf(const OpRegistry &ops, const KindSet &set) {
  std::vector<KindId> kinds;
  for (const OpSchema *op : set.ops)
    kinds.push_back(ops.kindOf(*op));
  if (set.traits.empty())
    return kinds;
  size_t listed = kinds.size();
  for (size_t i = kFirstDeclaredKind; i < ops.size(); ++i) {
    KindId kind{uint16_t(i)};
    Traits have = ops.schema(kind).traits;
    if (std::ranges::any_of(set.traits, [&](Traits traits) { return (have & traits) == traits; }) &&
        std::find(kinds.begin(), kinds.begin() + listed, kind) == kinds.begin() + listed)
      kinds.push_back(kind);
  }
  return kinds;
}

FrozenPatternSet PatternSet::freeze() && { return FrozenPatternSet(std::move(*this)); }

FrozenPatternSet::FrozenPatternSet(PatternSet &&set) : ops_(set.ops_), patterns_(std::move(set.patterns_)) {
  infos_.reserve(patterns_.size());
  // A root or link that the registry does not know has the opaque kind; no pattern matches opaque ops.
  auto known = [this](KindId kind) { return kind != kOpaqueKind && kind.raw < ops_.size(); };

  offsets_.assign(ops_.size() + 1, 0);
  chainKind_.assign(ops_.size(), false);
  std::vector<std::vector<KindId>> roots;
  for (const NamedPattern &named : patterns_) {
    PatternInfo &info = infos_.emplace_back(named.pattern->info());
    if (!named.shown.empty()) {
      info.space = named.space;
      info.shown = named.shown;
    }
    depth_ = std::max(depth_, info.depth);
    looksAtUses_ |= info.looksAtUses;
    countsUses_ |= info.countsUses;
    looksAtUsers_ |= info.looksAtUsers;
    looksInRegions_ |= info.looksInRegions;
    std::vector<KindId> chains = named.pattern->chainKinds(ops_);
    chainsFork_ |= !chains.empty() && !info.looksAtUses;
    for (KindId kind : chains)
      if (known(kind))
        chainKind_[kind.raw] = hasChains_ = true;
    std::vector<KindId> &kinds = roots.emplace_back(named.pattern->roots(ops_));
    std::erase_if(kinds, [&](KindId kind) { return !known(kind); });
    for (KindId kind : kinds)
      ++offsets_[kind.raw + 1];
  }
  for (size_t i = 1; i < offsets_.size(); ++i)
    offsets_[i] += offsets_[i - 1];

  byRoot_.resize(offsets_.back());
  std::vector<uint32_t> next(offsets_.begin(), offsets_.end() - 1);
  for (uint32_t index = 0; index < patterns_.size(); ++index)
    for (KindId kind : roots[index])
      byRoot_[next[kind.raw]++] = index;
  for (size_t kind = 0; kind + 1 < offsets_.size(); ++kind) {
    auto begin = byRoot_.begin() + offsets_[kind], end = byRoot_.begin() + offsets_[kind + 1];
    std::stable_sort(begin, end, [this](uint32_t a, uint32_t b) { return infos_[a].benefit > infos_[b].benefit; });
  }
  buildNet();
}

void FrozenPatternSet::buildNet() {
  NetBuilder builder(ops_);
  std::map<std::vector<uint32_t>, KindId> known; // kinds at which the same patterns may match have one net
  std::vector<TestList> tests;
  for (size_t i = 0; i < ops_.size(); ++i) {
    KindId kind{uint16_t(i)};
    std::span<const uint32_t> patterns = at(kind);
    if (patterns.empty())
      continue;
    auto [same, isNew] = known.try_emplace({patterns.begin(), patterns.end()}, kind);
    if (!isNew) {
      builder.addSame(kind, same->second);
      continue;
    }
    tests.clear();
    for (uint32_t pattern : patterns)
      forEachOrder(infos_[pattern], [&](const TestList &list) { tests.push_back(list); });
    builder.add(kind, tests);
  }
  net_ = std::make_shared<const MatchingNet>(std::move(builder).finish());
}

PatternPtr PatternMaker::operator()(const OpRegistry &ops) const {
  if (static_)
    return ofStatic(*static_);
  return functionOf_ ? functionOf_(ops, data_) : function_(ops);
}

bool PatternRegistry::remake(std::string_view name, std::string_view file, const PatternMaker &make) {
  bool found = false;
  for (PatternEntry &entry : entries_)
    if (entry.info.name == name && entry.info.file == file) {
      entry.make = make;
      found = true;
    }
  return found;
}

void PatternRegistry::add(const PatternEntry &given) {
  PatternEntry entry = given;
  if (entry.info.space.empty())
    entry.info.space = space_;
  std::vector<uint32_t> &same = byName_[entry.info.name];
  for (uint32_t index : same) {
    const PatternInfo &other = entries_[index].info;
    if (entry.info.line && other.line == entry.info.line && other.file == entry.info.file &&
        other.space == entry.info.space)
      return; // a library that was registered twice
  }
  same.push_back(uint32_t(entries_.size()));
  entries_.push_back(entry);
}

std::vector<Declared> PatternRegistry::namedLike(std::string_view name) const {
  std::vector<Declared> out;
  if (auto it = byName_.find(name); it != byName_.end())
    for (uint32_t index : it->second)
      out.push_back(entries_[index].info.declared());
  return out;
}

std::vector<const PatternEntry *> PatternRegistry::meant(const NameRef &ref, const NameScope &scope) const {
  std::vector<const PatternEntry *> out;
  std::string_view name = shortName(ref.name);
  auto it = byName_.find(name);
  if (it == byName_.end())
    return out;
  for (uint32_t index : findMeant(ref, scope, namedLike(name)))
    out.push_back(&entries_[it->second[index]]);
  return out;
}

const PatternEntry *PatternRegistry::find(std::string_view name) const {
  std::vector<const PatternEntry *> all = meant(name);
  return all.size() == 1 ? all.front() : nullptr;
}

std::string PatternRegistry::shownName(const PatternEntry &entry) const {
  return rw::shownName(entry.info.declared(), namedLike(entry.info.name));
}

NamedPattern PatternRegistry::make(const PatternEntry &entry, const OpRegistry &ops) const {
  return {entry.make(ops), entry.info.space, shownName(entry)};
}

} // namespace rw
