#include "rw/passes/dce.h"

#include "rw/ir/walk.h"
#include "rw/passes/pattern_pass.h"
#include "rw/rewrite/effects.h"

namespace rw {
namespace {

bool eraseIfDead(Op op, PatternRewriter *rewriter) {
  if (op.hasUses() || (op.fn->data(op.id).flags & kHasRegions && !isRemovableIfUnused(op)))
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
  std::vector<uint8_t> removable; // by kind
  for (size_t i = 0; i < ops.size(); ++i)
    removable.push_back(isEffectFree(ops.schema(KindId{uint16_t(i)})));

  PatternRewriter rewriter(fn, listener);
  uint64_t erased = 0;
  walkFromEnd(fn, fn.body(), [&](OpId op) {
    const OpData &d = fn.data(op);
    if (!removable[d.kind.raw] || !eraseIfDead(fn.op(op), listener ? &rewriter : nullptr))
      return bool(d.flags & kHasRegions);
    ++erased;
    return false;
  });
  return erased;
}

MadePass makeDcePass(const Registry &registry, const PassOptions &options) {
  return makeWithoutOptions<DcePass>(registry, options);
}

} // namespace rw
