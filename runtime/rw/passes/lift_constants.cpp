#include "rw/passes/lift_constants.h"

#include "rw/passes/pattern_pass.h"
#include "rw/rewrite/match_helpers.h"

namespace rw {
namespace {

class LiftConstantsPass : public FunctionPass {
public:
  std::string_view name() const override { return "lift_constants"; }
  bool mayFail() const override { return false; }
  PassResult run(Function &fn, PassContext &context) override {
    PassResult result;
    if (&fn != &context.program.functions().front())
      return result; // the bodies of functions that the first one calls hold no stored data
    Context &ctx = fn.context();
    PatternRewriter rw(fn, context.rewriteConfig.listener);
    for (Op op = *fn.ops(fn.body()).begin(), next; op; op = next) {
      next = op.next();
      if (!op.hasTrait(Trait::Constant) || hasExtraAttrs(op))
        continue;
      KindId kind = ctx.ops().constantOp(op.schema().dialect);
      int from = op.schema().attrIndex("value"),
          to = kind == kOpaqueKind ? -1 : ctx.ops().schema(kind).attrIndex("value");
      if (kind == op.kind() || kind == kOpaqueKind || from < 0 || to < 0 || !op.attr(unsigned(from)))
        continue;
      std::vector<AttrId> attrs(size_t(to) + 1);
      attrs[size_t(to)] = op.attr(unsigned(from));
      TypeId type[] = {op.result().typeId()};
      rw.begin(op);
      rw.replaceOp(op, rw.createTyped(kind, {}, ctx.attrs(attrs), type));
      ++result.rewrites.rewrites;
    }
    result.changed = result.rewrites.changed = result.rewrites.rewrites != 0;
    return result;
  }
};

} // namespace

MadePass makeLiftConstants(const Registry &registry, const PassOptions &options) {
  return makeWithoutOptions<LiftConstantsPass>(registry, options);
}

} // namespace rw
