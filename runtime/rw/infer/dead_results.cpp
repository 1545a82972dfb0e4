// drop_dead_results: what an op with regions computes and nobody reads is not computed: results of branches, outputs of
// loops, and carried values that serve nothing but their own next value.
#include "rw/infer/infer_shapes.h"
#include "rw/infer/rules.h"
#include "rw/passes/pattern_pass.h"
#include "rw/rewrite/effects.h"
#include "rw/rewrite/rewriter.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

namespace rw {
namespace {

/// Whether the regions are as the layout says.
bool fits(Op op, const RegionLayout &l) {
  Function &fn = *op.fn;
  return op.resultCount() >= l.carried && std::ranges::all_of(op.regions(), [&](RegionId region) {
           Op end = fn.terminator(region);
           return end && end.operandCount() == l.results + op.resultCount() &&
                  fn.params(region).size() >= l.params + l.carried;
         });
}

class Liveness {
public:
  Liveness(Op op, const RegionLayout &l) : fn_(*op.fn), op_(op), layout_(l), live_(op.resultCount()) { enter(op); }

  /// Which results are needed, for themselves or for the next round.
  std::vector<bool> run() {
    for (unsigned i = 0; i < op_.resultCount(); ++i)
      live_[i] = op_.result(i).hasUses();
    for (RegionId region : op_.regions()) {
      for (unsigned i = 0; i < layout_.results; ++i)
        need(fn_.terminator(region).operand(i));
      for (Op inner : fn_.ops(region))
        if (inner.kind() != kReturnKind && !isEffectFree(inner.schema()))
          need(inner);
    }
    for (unsigned i = 0; i < op_.resultCount(); ++i)
      if (live_[i])
        needResult(i);
    while (!todo_.empty()) {
      Value v = todo_.back();
      todo_.pop_back();
      if (Op def = v.definingOp())
        need(def);
      else
        needParam(v);
    }
    return live_;
  }

private:
  void enter(Op op) {
    for (RegionId region : op.regions()) {
      inside_.insert(region.raw);
      for (Op inner : fn_.ops(region))
        enter(inner);
    }
  }
  /// What is computed outside stays, whether it is needed or not: going on from there would walk all that comes before.
  void need(Value v) {
    if (!v || !inside_.count(v.isParam() ? v.paramRegion().raw : v.definingOp().region().raw))
      return;
    if (seen_.insert(v.id.raw).second)
      todo_.push_back(v);
  }
  void need(Op op) {
    for (unsigned i = 0; i < op.operandCount(); ++i)
      need(op.operand(i));
    for (RegionId region : op.regions()) // what regions read counts, whether it comes to anything or not
      for (Op inner : fn_.ops(region))
        need(inner);
  }
  void needParam(Value v) {
    for (RegionId region : op_.regions()) {
      std::span<const ValueId> params = fn_.params(region);
      for (unsigned i = 0; i < layout_.carried; ++i)
        if (params[layout_.params + i] == v.id && !live_[i]) {
          live_[i] = true;
          needResult(i);
        }
    }
  }
  void needResult(unsigned i) {
    for (RegionId region : op_.regions())
      need(fn_.terminator(region).operand(layout_.results + i));
  }

  Function &fn_;
  Op op_;
  RegionLayout layout_;
  std::vector<bool> live_;
  std::unordered_set<uint32_t> inside_, seen_; // regions; values
  std::vector<Value> todo_;
};

/// The region with the parameters and results that are kept, as region of `to`.
void moveRegion(Function &fn, RegionId from, Op to, const RegionLayout &l, const std::vector<bool> &live) {
  RegionId region = fn.addRegion(to.id);
  std::vector<ValueId> params(fn.params(from).begin(), fn.params(from).end());
  for (unsigned i = 0; i < params.size(); ++i)
    if (i < l.params || i >= l.params + l.carried || live[i - l.params]) {
      Value param = fn.addRegionParam(region, fn.data(params[i]).type);
      if (StringId name = fn.valueName(params[i]))
        fn.setValueName(param.id, name);
      fn.replaceAllUses(params[i], param.id);
    }
  Op end = fn.terminator(from);
  InlineList<ValueId, 6> results;
  for (unsigned i = 0; i < end.operandCount(); ++i)
    if (i < l.results || live[i - l.results])
      results.push_back(end.operand(i).id);
  Op newEnd = fn.appendOp(region, kReturnKind, results, end.attrsId(), {});
  std::vector<OpId> moved;
  for (Op inner : fn.ops(from))
    if (!(inner == end))
      moved.push_back(inner.id);
  for (OpId inner : moved)
    fn.moveBefore(inner, newEnd.id);
}

class DeadResultsPass : public FunctionPass {
public:
  std::string_view name() const override { return "drop_dead_results"; }
  bool mayFail() const override { return false; }
  bool worksOnFunctionsAlone() const override { return true; }
  PassResult run(Function &fn, PassContext &context) override;
};

/// The op again, with what is live; true if that is less.
bool shrink(Op op, const RegionRules &rules, PatternRewriter &rewriter) {
  std::optional<RegionLayout> layout = rules.layout ? rules.layout(op) : std::nullopt;
  if (!layout || !fits(op, *layout))
    return false;
  std::vector<bool> live = Liveness(op, *layout).run();
  // An op without results would be gone; that is for dce.
  if (std::ranges::all_of(live, std::identity()) || std::ranges::none_of(live, std::identity()))
    return false;
  Function &fn = *op.fn;
  InlineList<ValueId, 6> operands;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    if (i < layout->operands || i >= layout->operands + layout->carried || live[i - layout->operands])
      operands.push_back(op.operand(i).id);
  InlineList<TypeId, 4> types;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (live[i])
      types.push_back(op.result(i).typeId());
  rewriter.begin(op);
  Op made = rewriter.createTyped(op.kind(), operands, op.attrsId(), types);
  if (StringId name = fn.opName(op.id))
    fn.setOpName(made.id, name);
  std::vector<RegionId> regions(op.regions().begin(), op.regions().end());
  for (RegionId region : regions)
    moveRegion(fn, region, made, *layout, live);
  for (unsigned i = 0, to = 0; i < op.resultCount(); ++i)
    if (live[i]) {
      if (StringId name = fn.valueName(op.result(i).id)) {
        fn.setValueName(op.result(i).id, StringId());
        fn.setValueName(made.result(to).id, name);
      }
      fn.replaceAllUses(op.result(i).id, made.result(to++).id);
    }
  rewriter.erase(op);
  return true;
}

PassResult DeadResultsPass::run(Function &fn, PassContext &context) {
  PatternRewriter rewriter(fn, context.rewriteConfig.listener);
  PassResult result;
  // Inner ones first: what they read no more may be dead further out.
  std::vector<OpId> found, next{fn.data(fn.body()).firstOp};
  while (!next.empty()) {
    Op op = fn.op(next.back());
    if (!op) {
      next.pop_back();
      continue;
    }
    next.back() = fn.data(op.id).next;
    if (!op.regions().empty())
      found.push_back(op.id);
    for (RegionId region : op.regions())
      next.push_back(fn.data(region).firstOp);
  }
  if (found.empty())
    return result;
  const RulesByKind rules(fn.context().ops());
  for (size_t i = found.size(); i-- > 0;)
    if (Op op = fn.op(found[i]); shrink(op, rules.of(op.kind()).regions, rewriter)) {
      ++result.rewrites.rewrites;
      result.changed = result.rewrites.changed = true;
    }
  return result;
}

} // namespace

void registerDeadResultsPass(Registry &registry) {
  const Registry::Scope scope(registry, "rw");
  registry.addPass(
      {.name = "drop_dead_results",
       .doc = "Removes results of If, Loop and Scan that nobody reads, and what a loop carries for nothing else.",
       .make = makeWithoutOptions<DeadResultsPass>});
}

} // namespace rw
