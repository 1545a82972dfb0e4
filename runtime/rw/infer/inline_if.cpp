// inline_if: an op of which it is known that it runs one of its regions, once, becomes the ops of that region: an If
// whose condition is constant.
#include "rw/infer/infer_shapes.h"
#include "rw/infer/rules.h"
#include "rw/passes/pattern_pass.h"
#include "rw/rewrite/rewriter.h"

namespace rw {
namespace {

/// Moves the branch before the op and replaces the op by the branch's results.
bool inlineBranch(Op op, RegionId branch, PatternRewriter &rewriter) {
  Function &fn = *op.fn;
  Op end = fn.terminator(branch);
  if (!end || end.operandCount() != op.resultCount() || !fn.params(branch).empty())
    return false;
  InlineList<ValueId, 4> values;
  for (unsigned i = 0; i < op.resultCount(); ++i) {
    if (!end.operand(i) || !rewriter.mayReplace(op.result(i), end.operand(i)))
      return false;
    values.push_back(end.operand(i).id);
  }
  std::vector<OpId> moved;
  for (Op inner : fn.ops(branch))
    if (!(inner == end))
      moved.push_back(inner.id);
  for (OpId inner : moved)
    fn.moveBefore(inner, op.id);
  rewriter.begin(op);
  return rewriter.replaceOp(op, values);
}

class InlineIfPass : public FunctionPass {
public:
  std::string_view name() const override { return "inline_if"; }
  bool mayFail() const override { return false; }
  bool worksOnFunctionsAlone() const override { return true; }
  PassResult run(Function &fn, PassContext &context) override {
    PatternRewriter rewriter(fn, context.rewriteConfig.listener);
    PassResult result;
    std::optional<RulesByKind> rules;                   // of functions without regions none are looked for
    std::vector<OpId> next{fn.data(fn.body()).firstOp}; // in each region entered, the op to visit next
    while (!next.empty()) {
      Op op = fn.op(next.back());
      if (!op) {
        next.pop_back();
        continue;
      }
      next.back() = fn.data(op.id).next;
      if (op.regions().empty())
        continue;
      if (!rules)
        rules.emplace(fn.context().ops());
      Op before = op.prev();
      auto *taken = rules->of(op.kind()).regions.taken;
      if (std::optional<RegionId> branch = taken ? taken(op) : std::nullopt;
          branch && inlineBranch(op, *branch, rewriter)) {
        ++result.rewrites.rewrites;
        result.changed = true;
        next.back() = before ? before.next().id : fn.data(fn.data(next.back()).region).firstOp; // what was moved here
        continue;
      }
      for (RegionId region : op.regions())
        next.push_back(fn.data(region).firstOp);
    }
    result.rewrites.changed = result.changed;
    return result;
  }
};

} // namespace

void registerInlineIfPass(Registry &registry) {
  const Registry::Scope scope(registry, "rw");
  registry.addPass({.name = "inline_if",
                    .doc = "Replaces an If with a constant condition by the branch it takes.",
                    .make = makeWithoutOptions<InlineIfPass>});
}

} // namespace rw
