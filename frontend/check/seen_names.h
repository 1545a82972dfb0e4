// The names of one list, of which none may stand twice. Inside frontend/check only.
//
// In:  one name after another, and where it stands.
// Out: whether it is new; where it was seen first if it is not.
//
//   SeenNames seen;
//   if (const SourceRange *first = seen.add(attr.name.text, attr.name.range))
//     c.error("duplicate-name", attr.name.range, "…").note(*first, "first here");
#pragma once

#include "rw/support/source.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <string_view>
#include <utility>

namespace rw::sema {

/// The names of one list, and where each was seen first. Most lists are short, and looked through.
class SeenNames {
public:
  /// Where the name stands already; null: it is new, and seen from now on. The text of the name stays where it is.
  const SourceRange *add(std::string_view name, SourceRange range) {
    if (few_.size() < kFew) {
      if (const SourceRange *known = find(name))
        return known;
      few_.push_back({name, range});
      return nullptr;
    }
    if (many_.empty())
      for (const auto &[other, at] : few_)
        many_.try_emplace(other, at);
    auto [it, isNew] = many_.try_emplace(name, range);
    return isNew ? nullptr : &it->second;
  }
  bool contains(std::string_view name) const { return many_.empty() ? find(name) != nullptr : many_.contains(name); }

private:
  static constexpr size_t kFew = 8;
  const SourceRange *find(std::string_view name) const {
    for (const auto &[other, at] : few_)
      if (other == name)
        return &at;
    return nullptr;
  }
  llvm::SmallVector<std::pair<std::string_view, SourceRange>, kFew> few_;
  llvm::StringMap<SourceRange> many_; // once there are more: all of them
};

} // namespace rw::sema
