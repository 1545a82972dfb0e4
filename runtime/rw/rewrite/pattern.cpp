#include "rw/rewrite/pattern.h"

#include "rw/rewrite/net_builder.h"

#include <algorithm>

namespace rw {

Pattern::Pattern(const PatternInfo &info) noexcept : info_(info) {}
Pattern::Pattern(const PatternInfo &info, KindId root) noexcept : info_(info), roots_{root} {}
Pattern::Pattern(const OpRegistry &ops, const PatternInfo &info, const OpSchema &root) noexcept : info_(info), roots_{ops.kindOf(root)} {}
Pattern::~Pattern() = default;

void Pattern::crosses(std::span<const KindId> kinds) { chainKinds_.insert(chainKinds_.end(), kinds.begin(), kinds.end()); }
void Pattern::crosses(const OpRegistry &ops, std::initializer_list<const OpSchema *> kinds) {
  for (const OpSchema *kind : kinds)
    chainKinds_.push_back(ops.kindOf(*kind));
}

MultiOpPattern::MultiOpPattern(const OpRegistry &ops, const PatternInfo &info, std::initializer_list<const OpSchema *> roots) : Pattern(info) {
  for (const OpSchema *root : roots)
    roots_.push_back(ops.kindOf(*root));
}

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
      forEachOrder(patterns_[pattern]->info(), [&](const TestList &list) { tests.push_back(list); });
    builder.add(kind, tests);
  }
  net_ = std::make_shared<const MatchingNet>(std::move(builder).finish());
}

void Pattern::setNames(std::string_view space, std::string shown) {
  shown_ = std::move(shown);
  info_.space = space;
  info_.shown = shown_;
}

std::unique_ptr<Pattern> PatternMaker::operator()(const OpRegistry &ops) const {
  if (new_)
    return std::unique_ptr<Pattern>(new_(ops));
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
    if (entry.info.line && other.line == entry.info.line && other.file == entry.info.file && other.space == entry.info.space)
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

std::unique_ptr<Pattern> PatternRegistry::make(const PatternEntry &entry, const OpRegistry &ops) const {
  std::unique_ptr<Pattern> pattern = entry.make(ops);
  pattern->setNames(entry.info.space, shownName(entry));
  return pattern;
}

} // namespace rw
