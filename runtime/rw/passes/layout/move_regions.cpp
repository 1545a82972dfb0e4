#include "rw/passes/layout/move_regions.h"

#include "rw/passes/layout/layout_choice.h"
#include "rw/passes/layout/region_move.h"
#include "rw/passes/pattern_pass.h"
#include "rw/support/failure.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw {
namespace {

/// Kinds of permutation tried in one function: models have a handful.
constexpr size_t kMaxPerms = 32;
constexpr size_t kFewOps = 512; // of which all forms are looked at

class MoveRegionsPass : public FunctionPass {
public:
  /// `counted` holds the patterns of the two sets, one after the other.
  MoveRegionsPass(std::string op, FrozenPatternSet sinks, FrozenPatternSet tidy, FrozenPatternSet counted)
      : op_(std::move(op)), sinks_(std::move(sinks)), tidy_(std::move(tidy)), counted_(std::move(counted)) {}
  std::string_view name() const override { return "move_regions"; }
  const FrozenPatternSet *patterns() const override { return &counted_; }
  bool worksOnFunctionsAlone() const override { return true; }
  PassResult run(Function &, PassContext &) override;

private:
  uint64_t movers(Function &, Mover, std::vector<OpId> *order, std::vector<AttrId> *perms) const;
  bool leavesFewer(const Function &, MoveProbe &, AttrId perm, bool alone, GreedyRewriteConfig, uint64_t before) const;
  bool move(Function &, MoveProbe &, AttrId perm, const GreedyRewriteConfig &, uint64_t before, PassResult &) const;
  bool moveChosen(Function &, const LayoutModel::Choice &, MoveProbe &, const GreedyRewriteConfig &, uint64_t before,
                  PassResult &) const;
  bool choose(Function &, MoveProbe &, const GreedyRewriteConfig &, uint64_t before, PassResult &) const;
  void tidy(Function &, const Mover &, const GreedyRewriteConfig &, PassResult &) const;

  std::string op_;
  FrozenPatternSet sinks_, tidy_, counted_;
};

/// What the movers cost, every op with operands before its users, and the permutations in use: what movers lead out of,
/// and what they lead into (the inverse), where some of them may meet.
uint64_t MoveRegionsPass::movers(Function &fn, Mover mover, std::vector<OpId> *order,
                                 std::vector<AttrId> *perms) const {
  uint64_t count = 0;
  std::vector<AttrId> used;
  std::vector<OpId> next{fn.data(fn.body()).firstOp};
  while (!next.empty()) {
    OpId id = next.back();
    next.pop_back();
    if (!id)
      continue;
    Op op = fn.op(id);
    next.push_back(fn.data(id).next);
    for (RegionId region : op.regions())
      next.push_back(fn.data(region).firstOp);
    if (order)
      order->push_back(id);
    if (!mover.is(op) || MoveProbe::isConstant(op.operand(0))) // the latter folds
      continue;
    count += keepsOrder(fn.context(), op.operand(0), mover.permOf(op)) ? kReshapeCost : kMoverCost;
    if (AttrId perm = mover.permOf(op); perms && perm)
      used.push_back(perm);
  }
  for (bool inverse : {false, true})
    for (size_t i = 0; i < used.size() && perms->size() < kMaxPerms; ++i)
      if (AttrId perm = inverse ? inversePerm(fn.context(), used[i]) : used[i];
          perm && std::ranges::find(*perms, perm) == perms->end())
        perms->push_back(perm);
  return count;
}

static void addCounters(std::vector<PatternCounters> &total, size_t from, const std::vector<PatternCounters> &more) {
  total.resize(std::max(total.size(), from + more.size()));
  for (size_t i = 0; i < more.size(); ++i)
    total[from + i].add(more[i]);
}

/// Ops but for constants and what folding makes one.
static uint64_t countOps(const Function &fn) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
    Op op = const_cast<Function &>(fn).op(OpId{i});
    if (!op.isErased() && op.kind() != kReturnKind)
      count += op.resultCount() == 0 || !MoveProbe::isConstant(op.result(0));
  }
  return count;
}

/// Whether the movers that are left in the end cost less, and there are no more ops where the plan adds some. The plan
/// counts movers of one permutation; what tidies up afterwards may undo what it gains, so it is tried on a copy.
bool MoveRegionsPass::leavesFewer(const Function &fn, MoveProbe &probe, AttrId perm, bool alone,
                                  GreedyRewriteConfig config, uint64_t before) const {
  config.listener = nullptr;
  config.sharedBudget = nullptr;
  Function copy = fn;
  std::vector<OpId> order;
  movers(copy, probe.mover(), &order, nullptr);
  RegionMove regions(copy, probe, perm, alone);
  if (!regions.plan(order))
    return false;
  PatternRewriter rw(copy);
  regions.apply(rw);
  applyPatternsGreedily(copy, tidy_, config);
  return movers(copy, probe.mover(), nullptr, nullptr) < before &&
         (!regions.addsOps() || countOps(copy) <= countOps(fn));
}

/// Moves the regions of one permutation, if that leaves fewer movers.
bool MoveRegionsPass::move(Function &fn, MoveProbe &probe, AttrId perm, const GreedyRewriteConfig &config,
                           uint64_t before, PassResult &result) const {
  std::vector<OpId> order;
  movers(fn, probe.mover(), &order, nullptr);
  for (bool alone : {false, true}) {
    RegionMove regions(fn, probe, perm, alone);
    if (!regions.plan(order))
      return false;
    if (!leavesFewer(fn, probe, perm, alone, config, before)) {
      if (!regions.addsOps())
        return false;
      continue; // perhaps without what adds ops
    }
    if (config.sharedBudget)
      --*config.sharedBudget;
    PatternRewriter rw(fn, config.listener);
    regions.apply(rw);
    RewriteResult tidied = applyPatternsGreedily(fn, tidy_, config);
    result.changed = result.rewrites.changed = true;
    result.rewrites.rewrites += 1 + tidied.rewrites;
    result.rewrites.folds += tidied.folds;
    result.rewrites.erased += tidied.erased;
    addCounters(result.rewrites.patterns, 0, regions.sunk());
    addCounters(result.rewrites.patterns, sinks_.size(), tidied.patterns);
    return true;
  }
  return false;
}

/// What merges and cancels, until nothing does.
void MoveRegionsPass::tidy(Function &fn, const Mover &mover, const GreedyRewriteConfig &config,
                           PassResult &result) const {
  PatternRewriter rw(fn, config.listener);
  mergeMovers(rw, mover); // else one of two alike might be moved on
  do {
    RewriteResult tidied = applyPatternsGreedily(fn, tidy_, config);
    result.rewrites.rewrites += tidied.rewrites;
    result.rewrites.folds += tidied.folds;
    result.rewrites.erased += tidied.erased;
    addCounters(result.rewrites.patterns, sinks_.size(), tidied.patterns);
  } while (mergeMovers(rw, mover));
}

/// Moves ops to the layouts that were chosen, if that leaves fewer movers, and no more ops where it adds some.
bool MoveRegionsPass::moveChosen(Function &fn, const LayoutModel::Choice &choice, MoveProbe &probe,
                                 const GreedyRewriteConfig &config, uint64_t before, PassResult &result) const {
  if (choice.layouts.empty())
    return false;
  Function copy = fn;
  GreedyRewriteConfig quiet = config;
  quiet.listener = nullptr;
  quiet.sharedBudget = nullptr;
  PassResult tried;
  std::vector<PatternCounters> sunk;
  PatternRewriter inCopy(copy);
  moveTo(choice.layouts, inCopy, probe, sunk);
  tidy(copy, probe.mover(), quiet, tried);
  bool adds = std::ranges::any_of(choice.layouts, [](const LayoutModel::Moved &moved) { return moved.beside > 0; });
  if (movers(copy, probe.mover(), nullptr, nullptr) >= before || (adds && countOps(copy) > countOps(fn)))
    return false;
  if (config.sharedBudget)
    --*config.sharedBudget;
  PatternRewriter rw(fn, config.listener);
  sunk.clear();
  moveTo(choice.layouts, rw, probe, sunk);
  tidy(fn, probe.mover(), config, result);
  result.changed = result.rewrites.changed = true;
  ++result.rewrites.rewrites;
  addCounters(result.rewrites.patterns, 0, sunk);
  return true;
}

/// Moves ops to the layouts of all permutations in which the fewest movers are needed, if that leaves fewer. Says how
/// many there are then, and how many there must be.
bool MoveRegionsPass::choose(Function &fn, MoveProbe &probe, const GreedyRewriteConfig &config, uint64_t before,
                             PassResult &result) const {
  std::vector<OpId> order;
  movers(fn, probe.mover(), &order, nullptr);
  LayoutModel::Choice choice = LayoutModel(fn, probe, order, LayoutModel::Search::Near).fewest();
  if (moveChosen(fn, choice, probe, config, before, result))
    return true;
  uint64_t left = 0;
  for (OpId id : order)
    if (Op op = fn.op(id); probe.mover().is(op) && !MoveProbe::isConstant(op.operand(0)) && probe.mover().permOf(op))
      left += !keepsOrder(fn.context(), op.operand(0), probe.mover().permOf(op));
  if (left && choice.exact && order.size() <= kFewOps) {
    LayoutModel::Choice all = LayoutModel(fn, probe, order, LayoutModel::Search::All).fewest();
    if (moveChosen(fn, all, probe, config, before, result))
      return true;
    if (all.exact)
      choice = std::move(all);
  }
  if (left)
    result.message = fmt::format("transposes {}, lower bound {}", left, choice.bound);
  if (left > choice.bound && choice.held) {
    Op held = fn.op(choice.held);
    StringId name = fn.valueName(held.result().id);
    result.message += fmt::format(": with fewer, {}{}{} would be computed in another layout, with more ops beside it",
                                  held.fullName(), name ? " %" : "", name ? fn.context().text(name) : "");
  }
  return false;
}

PassResult MoveRegionsPass::run(Function &fn, PassContext &context) {
  PassResult result;
  result.stateOf = op_;
  Context &ctx = fn.context();
  GreedyRewriteConfig config = context.rewriteConfig;
  config.order = RewriteOrder::TopDown; // a transpose meets its counterpart before the one behind it moves
  Mover mover{ctx.ops().lookup(op_)};
  int perm = mover.kind == kOpaqueKind ? -1 : ctx.ops().schema(mover.kind).attrIndex("perm");
  if (perm < 0)
    return result; // the pass was made for this registry: not reached
  mover.perm = unsigned(perm);
  MoveProbe probe(ctx, mover, sinks_, tidy_, config);
  for (bool again = true; again;) {
    again = false;
    std::vector<AttrId> perms;
    uint64_t before = movers(fn, mover, nullptr, &perms);
    for (AttrId p : perms) {
      if (config.sharedBudget && *config.sharedBudget == 0)
        return result;
      if (!move(fn, probe, p, config, before, result))
        continue;
      uint64_t after = movers(fn, mover, nullptr, nullptr);
      if (after >= before && !(config.sharedBudget && *config.sharedBudget == 0)) {
        result.failed = true;
        result.message = fmt::format("all {} cost {} before the move and {} after it", op_, before, after);
        return result;
      }
      before = after;
      again = true;
    }
    if (again || (config.sharedBudget && *config.sharedBudget == 0))
      continue;
    again = choose(fn, probe, config, before, result);
  }
  return result;
}

/// Whether a name is one of those in a list with commas between.
bool isAmong(std::string_view name, std::string_view list) {
  while (true) {
    size_t comma = list.find(',');
    if (list.substr(0, comma) == name)
      return true;
    if (comma == std::string_view::npos)
      return false;
    list.remove_prefix(comma + 1);
  }
}

} // namespace

MadePass makeMoveRegions(const Registry &registry, const PassOptions &options) {
  if (Result<void> known = checkOptionNames(options, {"op", "label", "tidy", "also"}); !known)
    return known.failure();
  auto option = [&](const char *name, const char *otherwise) {
    auto it = options.find(name);
    return it == options.end() ? std::string(otherwise) : it->second;
  };
  std::string op = option("op", "");
  KindId kind = registry.ops.lookup(op);
  if (op.empty())
    return failure("option `op` names the op that is moved: op=dialect.name");
  if (kind == kOpaqueKind || registry.ops.schema(kind).attrIndex("perm") < 0)
    return failure("option `op`: `{}` is no op with an attribute `perm`", op);
  std::string also = option("also", "");
  auto addLabelled = [&](PatternSet &set, const std::string &labels) {
    auto wanted = [&](std::string_view of) { return of == also || isAmong(of, labels); };
    for (const PatternEntry &pattern : registry.patterns.all())
      if (std::ranges::any_of(pattern.info.labels, wanted))
        set.add(pattern.make(registry.ops));
  };
  PatternSet sinks(registry.ops), tidy(registry.ops), counted(registry.ops);
  addLabelled(sinks, option("label", "sink"));
  addLabelled(tidy, option("tidy", "layout"));
  addLabelled(counted, option("label", "sink"));
  addLabelled(counted, option("tidy", "layout"));
  return std::make_unique<MoveRegionsPass>(op, std::move(sinks).freeze(), std::move(tidy).freeze(),
                                           std::move(counted).freeze());
}

} // namespace rw
