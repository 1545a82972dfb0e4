#include "rw/ir/nameless_dims.h"

#include <algorithm>

namespace rw {

static thread_local NamelessDims *live = nullptr;

NamelessDims::NamelessDims(DimTable &dims) : dims_(dims), outer_(live), used_(live ? live->used_ : 0) { live = this; }
NamelessDims::~NamelessDims() { live = outer_; }

Dim NamelessDims::next() { return dims_.symbol(StringId(kFirst + used_++)); }

Dim NamelessDims::stretched(Dim a, Dim b) {
  if (!live || a.isUnknown() || b.isUnknown())
    return Dim::unknown();
  std::vector<Dim> sizes;
  for (Dim d : {a, b}) {
    auto known = std::ranges::find(live->stretched_, d, [](const auto &entry) { return entry.second; });
    if (known == live->stretched_.end())
      sizes.push_back(d);
    else
      sizes.insert(sizes.end(), known->first.begin(), known->first.end());
  }
  return live->whole(std::move(sizes));
}

Dim NamelessDims::whole(std::vector<Dim> sizes) {
  std::ranges::sort(sizes, {}, &Dim::bits);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes.size() == 1)
    return sizes[0];
  for (const auto &[known, dim] : stretched_)
    if (known == sizes)
      return dim;
  stretched_.emplace_back(std::move(sizes), next());
  return stretched_.back().second;
}

} // namespace rw
