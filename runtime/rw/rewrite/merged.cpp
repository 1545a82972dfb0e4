#include "rw/rewrite/merged.h"

#include <algorithm>

namespace rw {

KindNumbers::KindNumbers(const OpRegistry &ops, std::initializer_list<const OpSchema *> named) : numbers_(ops.size()) {
  uint16_t number = 0;
  for (const OpSchema *schema : named) {
    KindId kind = ops.kindOf(*schema);
    ++number;
    if (kind != kOpaqueKind && kind.raw < numbers_.size()) // opaque ops match nothing
      numbers_[kind.raw] = number;
  }
}

namespace {
using MakeMatcher = std::unique_ptr<MergedMatcher> (*)(const OpRegistry &);

/// The patterns of a set that one matcher holds.
struct Merge {
  MakeMatcher make;
  uint32_t members = 0;                 // how many the set needs
  std::vector<uint32_t> list;           // for ranges that leave nothing of the matcher out
  const MergedMatcher *matcher = nullptr;
  uint32_t listIndex = UINT32_MAX;      // of `list`, once it is used
};

const MergedMember *memberOf(const Pattern &pattern, MakeMatcher make) {
  for (const MergedMember &m : pattern.info().merged)
    if (m.make == make)
      return &m;
  return nullptr;
}
} // namespace

/// Splits the patterns of each kind into runs that one matcher holds in the same order: at each place the longest.
void FrozenPatternSet::findMerged() {
  std::vector<Merge> merges;
  for (const auto &pattern : patterns_)
    for (const MergedMember &m : pattern->info().merged) {
      auto it = std::find_if(merges.begin(), merges.end(), [&](const Merge &merge) { return merge.make == m.make; });
      if (it == merges.end())
        it = merges.insert(merges.end(), {.make = m.make});
      it->members = std::max(it->members, m.member + 1);
    }
  mergedOffsets_.assign(offsets_.size(), 0);
  if (merges.empty())
    return;
  for (Merge &merge : merges) {
    merge.list.assign(merge.members, kInactiveMember);
    for (uint32_t i = 0; i < patterns_.size(); ++i)
      if (const MergedMember *m = memberOf(*patterns_[i], merge.make))
        merge.list[m->member] = i;
  }

  for (size_t kind = 0; kind + 1 < offsets_.size(); ++kind) {
    std::span<const uint32_t> all = at(KindId{uint16_t(kind)});
    for (uint32_t begin = 0; begin < all.size();) {
      Merge *best = nullptr;
      uint32_t longest = 1;
      for (const MergedMember &first : patterns_[all[begin]]->info().merged) {
        uint32_t end = begin + 1;
        for (uint32_t last = first.member; end < all.size(); ++end) {
          const MergedMember *next = memberOf(*patterns_[all[end]], first.make);
          if (!next || next->member <= last)
            break;
          last = next->member;
        }
        if (end - begin > longest) {
          longest = end - begin;
          best = &*std::find_if(merges.begin(), merges.end(), [&](const Merge &m) { return m.make == first.make; });
        }
      }
      if (best) {
        if (!best->matcher)
          best->matcher = matchers_.emplace_back(best->make(ops_)).get();
        // A list of its own if some of the matcher's patterns at this kind are not in this run.
        bool whole = true;
        for (uint32_t i = 0; i < all.size(); ++i)
          whole &= (i >= begin && i < begin + longest) || !memberOf(*patterns_[all[i]], best->make);
        uint32_t list = best->listIndex;
        if (!whole) {
          list = uint32_t(memberLists_.size());
          std::vector<uint32_t> &own = memberLists_.emplace_back(best->matcher->memberCount(), kInactiveMember);
          for (uint32_t i = begin; i < begin + longest; ++i)
            own[memberOf(*patterns_[all[i]], best->make)->member] = all[i];
        } else if (list == UINT32_MAX) {
          list = best->listIndex = uint32_t(memberLists_.size());
          memberLists_.push_back(best->list);
          memberLists_.back().resize(best->matcher->memberCount(), kInactiveMember);
        }
        merged_.push_back({best->matcher, begin, longest, list});
      }
      begin += longest;
    }
    mergedOffsets_[kind + 1] = uint32_t(merged_.size());
  }
}

} // namespace rw
