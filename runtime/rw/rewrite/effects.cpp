#include "rw/rewrite/effects.h"

#include <vector>

namespace rw {

bool isRemovableIfUnused(Op op) {
  if (!isEffectFree(op.schema()))
    return false;
  std::span<const RegionId> held = op.regions();
  if (held.empty())
    return true;
  std::vector<RegionId> pending(held.begin(), held.end()); // not recursion: nesting may be deep
  while (!pending.empty()) {
    RegionId region = pending.back();
    pending.pop_back();
    for (Op inner : op.fn->ops(region)) {
      if (inner.kind() == kReturnKind)
        continue;
      if (!isEffectFree(inner.schema()))
        return false;
      std::span<const RegionId> nested = inner.regions();
      pending.insert(pending.end(), nested.begin(), nested.end());
    }
  }
  return true;
}

} // namespace rw
