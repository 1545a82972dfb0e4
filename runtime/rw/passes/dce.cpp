#include "rw/passes/dce.h"

#include "rw/passes/pattern_pass.h"
#include "rw/rewrite/effects.h"

namespace rw {
namespace {

bool eraseIfDead(Op op, PatternRewriter *rewriter) {
  if (op.hasUses() || (!op.regions().empty() && !isRemovableIfUnused(op)))
    return false;
  if (rewriter)
    rewriter->erase(op);
  else
    op.fn->erase(op.id);
  return true;
}

class DcePass : public FunctionPass {
public:
  std::string_view name() const override { return "dce"; }
  bool worksOnFunctionsAlone() const override { return true; }
  bool mayFail() const override { return false; }
  PassResult run(Function &fn, PassContext &context) override {
    PassResult result;
    result.rewrites.erased = eliminateDeadCode(fn, context.rewriteConfig.listener);
    result.changed = result.rewrites.changed = result.rewrites.erased != 0;
    return result;
  }
};

} // namespace

uint64_t eliminateDeadCode(Function &fn, RewriteListener *listener) {
  const OpRegistry &ops = fn.context().ops();
  std::vector<bool> removable; // by kind
  for (size_t i = 0; i < ops.size(); ++i)
    removable.push_back(isEffectFree(ops.schema(KindId{uint16_t(i)})));

  // From the end of each region, so that a whole chain goes in one walk: users come after what they use. The regions
  // of an op that stays are walked before what comes ahead of it, which they may capture.
  PatternRewriter rewriter(fn, listener);
  uint64_t erased = 0;
  std::vector<OpId> next{fn.data(fn.body()).lastOp}; // in each region entered, the op to visit next
  while (!next.empty()) {
    OpId op = next.back();
    if (!op) {
      next.pop_back();
      continue;
    }
    const OpData &d = fn.data(op);
    next.back() = d.prev;
    if (removable[d.kind.raw] && eraseIfDead(fn.op(op), listener ? &rewriter : nullptr)) {
      ++erased;
      continue;
    }
    if (d.flags & kHasRegions)
      for (RegionId region : fn.regionsOf(op))
        next.push_back(fn.data(region).lastOp);
  }
  return erased;
}

MadePass makeDcePass(const Registry &registry, const PassOptions &options) {
  return makeWithoutOptions<DcePass>(registry, options);
}

} // namespace rw
