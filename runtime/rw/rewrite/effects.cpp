#include "rw/rewrite/effects.h"

#include <vector>

namespace rw {

static bool areEffectFree(const Function &fn, std::span<const RegionId> regions) {
  if (regions.empty())
    return true;
  std::vector<RegionId> pending(regions.begin(), regions.end()); // not recursion: nesting may be deep
  while (!pending.empty()) {
    OpId id = fn.data(pending.back()).firstOp;
    pending.pop_back();
    for (; id; id = fn.data(id).next) {
      if (fn.data(id).kind == kReturnKind)
        continue;
      if (!isEffectFree(fn.context().ops().schema(fn.data(id).kind)))
        return false;
      std::span<const RegionId> nested = fn.regionsOf(id);
      pending.insert(pending.end(), nested.begin(), nested.end());
    }
  }
  return true;
}

bool isRemovableIfUnused(Op op) { return isEffectFree(op.schema()) && areEffectFree(*op.fn, op.regions()); }

bool holdsNoEffects(Function &fn, RegionId region) { return areEffectFree(fn, {&region, 1}); }

} // namespace rw
