#include "rw/passes/move_regions.h"

#include "rw/ir/expr_helpers.h"
#include "rw/passes/min_cut.h"
#include "rw/passes/move_probe.h"
#include "rw/passes/pattern_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace rw {
namespace {

/// Kinds of permutation tried in one function: models have a handful.
constexpr size_t kMaxPerms = 32;
constexpr unsigned kMaxSweeps = 6;
constexpr uint32_t kNoNode = UINT32_MAX;

/// The regions that can be moved by one permutation, and the choice among them.
class RegionMove {
public:
  RegionMove(Function &fn, Mover mover, MoveProbe &probe, AttrId perm)
      : fn_(fn), ctx_(fn.context()), mover_(mover), probe_(probe), perm_(perm), inverse_(inversePerm(ctx_, perm)) {}

  /// How much less the movers will cost; 0: nothing to do.
  uint64_t plan(const std::vector<OpId> &order);
  void apply(PatternRewriter &);
  /// What the patterns did that moved movers past ops, by number of the pattern.
  const std::vector<PatternCounters> &sunk() const { return sunk_; }

private:
  struct Crossing {
    OpId op;
    AttrId perm, resultPerm; // of its operands, of its results
    InlineList<bool> moved;  // its operands
    uint32_t node = kNoNode;
  };
  AttrId formOf(Value v) const { return v.id.raw < form_.size() ? form_[v.id.raw] : AttrId(); }
  Crossing *crossingOf(Op op) {
    uint32_t i = op.id.raw < crossing_.size() ? crossing_[op.id.raw] : kNoNode;
    return i == kNoNode ? nullptr : &crossings_[i];
  }
  bool isSource(Op op) const { return mover_.is(op) && role_[op.id.raw] == Role::Source; }
  bool isSink(Op op) const { return mover_.is(op) && role_[op.id.raw] == Role::Sink; }
  void assignRoles(const std::vector<OpId> &order);
  bool visit(Op op, AttrId perm);
  bool sweep(const std::vector<OpId> &order);
  bool feedsCrossing(Value v);
  uint32_t price(Value v, AttrId form) const;
  void cost(Value v);
  void costs();
  Value before(PatternRewriter &, Value v, AttrId perm, Op user);
  Value move(PatternRewriter &, Value v, AttrId perm);

  Function &fn_;
  Context &ctx_;
  Mover mover_;
  MoveProbe &probe_;
  std::vector<PatternCounters> sunk_;
  AttrId perm_, inverse_;
  enum class Role : uint8_t { None, Source, Sink };
  std::vector<Role> role_;         // by op
  std::vector<AttrId> form_;       // by value: the permutation it comes from where it is moved
  std::vector<AttrId> wanted_;     // by value: the form in which users that can be crossed would take it
  std::vector<uint32_t> crossing_; // by op
  std::vector<bool> tried_;        // by op: cannot be crossed by the form it was met with
  std::vector<Crossing> crossings_;
  MinCut cut_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Value> made_; // value, permutation, region → the value before it
};

/// A mover by P is a way in, one by its inverse a way out. If both are the same, what comes from a way in is a way out.
void RegionMove::assignRoles(const std::vector<OpId> &order) {
  role_.assign(fn_.opCapacity(), Role::None);
  std::vector<bool> fed(perm_ == inverse_ ? fn_.valueCapacity() : 0);
  for (OpId id : order) {
    Op op = fn_.op(id);
    if (mover_.is(op)) {
      AttrId p = mover_.permOf(op);
      bool out = p == inverse_ && (perm_ != inverse_ || fed[op.operand(0).id.raw]);
      role_[id.raw] = out ? Role::Sink : p == perm_ ? Role::Source : Role::None;
      if (perm_ == inverse_ && role_[id.raw] == Role::Source)
        fed[op.result().id.raw] = true;
      continue;
    }
    if (perm_ != inverse_)
      continue;
    for (unsigned i = 0; i < op.operandCount(); ++i)
      for (unsigned r = 0; op.operand(i) && fed[op.operand(i).id.raw] && r < op.resultCount(); ++r)
        fed[op.result(r).id.raw] = true;
  }
}

/// Whether the op can be crossed with its operands moved by `perm`; then it is recorded.
bool RegionMove::visit(Op op, AttrId perm) {
  if (!perm || crossingOf(op) || tried_[op.id.raw])
    return false;
  Crossing c{op.id, perm, {}, {}};
  bool any = false;
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    Value v = op.operand(i);
    bool moved = false;
    if (v && !v.constant()) {
      std::optional<int64_t> rank = rankOf(ctx_, v.typeId());
      Op def = v.definingOp();
      bool here = (def ? def.region() : v.paramRegion()) == op.region();
      moved = here && (formOf(v) ? formOf(v) == perm
                                 : rank && size_t(*rank) == permRank(ctx_, perm) && !isSingleElement(ctx_, v.typeId()));
      if (!moved && !rank && !formOf(v))
        return false; // perhaps later, when more is known of it
      if (moved && wanted_[v.id.raw] && wanted_[v.id.raw] != perm)
        return false; // another user takes it in another form
    }
    c.moved.push_back(moved);
    any |= moved;
  }
  if (!any)
    return false;
  tried_[op.id.raw] = true;
  c.resultPerm = probe_.moved(op, c.moved, perm);
  if (!c.resultPerm)
    return false;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (AttrId wanted = wanted_[op.result(i).id.raw]; wanted && wanted != c.resultPerm)
      return false;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    form_[op.result(i).id.raw] = c.resultPerm;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    if (c.moved[i] && !formOf(op.operand(i)))
      wanted_[op.operand(i).id.raw] = perm;
  crossing_[op.id.raw] = uint32_t(crossings_.size());
  crossings_.push_back(std::move(c));
  return true;
}

/// Downwards from what is moved, then upwards from what is wanted; whether anything new came up.
bool RegionMove::sweep(const std::vector<OpId> &order) {
  bool grown = false;
  for (OpId id : order) {
    Op op = fn_.op(id);
    if (mover_.is(op))
      continue;
    for (unsigned i = 0; i < op.operandCount() && !crossingOf(op); ++i)
      if (op.operand(i) && formOf(op.operand(i)))
        grown |= visit(op, formOf(op.operand(i)));
  }
  for (size_t i = order.size(); i-- > 0;) {
    Op op = fn_.op(order[i]);
    for (unsigned r = 0; r < op.resultCount() && !mover_.is(op) && !crossingOf(op); ++r)
      if (wanted_[op.result(r).id.raw])
        grown |= visit(op, wanted_[op.result(r).id.raw]);
  }
  return grown;
}

bool RegionMove::feedsCrossing(Value v) {
  for (Use use : v.uses())
    if (crossingOf(use.owner))
      return true;
  return false;
}

/// Whether moving v by `perm` leaves its elements in their order: it only moves dimensions of 1.
static bool keepsOrder(Context &ctx, Value v, AttrId perm) {
  std::optional<std::span<const Dim>> shape = shapeOf(ctx, v.typeId());
  std::optional<std::span<const int64_t>> p = attrAs<std::span<const int64_t>>(ctx, perm);
  int64_t last = -1;
  for (size_t i = 0; p && i < p->size(); ++i) {
    int64_t from = (*p)[i];
    bool one = shape && shape->size() == p->size() && (*shape)[size_t(from)] == Dim(1);
    if (!one && from < last)
      return false;
    last = one ? last : from;
  }
  return p.has_value();
}

/// What a mover of v, or of what gives v when moved by `form`, costs: nothing where it moves nothing. One that only moves
/// dimensions of 1 is a reshape, which merges with others: less than a mover.
uint32_t RegionMove::price(Value v, AttrId form) const {
  std::optional<std::span<const int64_t>> p = attrAs<std::span<const int64_t>>(ctx_, form);
  if (p && std::ranges::is_sorted(*p))
    return 0;
  return keepsOrder(ctx_, v, inversePerm(ctx_, form)) ? 1 : 2;
}

/// What the forms of a value cost, given who uses it.
void RegionMove::cost(Value v) {
  Op def = v.definingOp();
  Crossing *own = def ? crossingOf(def) : nullptr;
  bool source = def && isSource(def);
  AttrId form = own ? own->resultPerm : source ? perm_ : wanted_[v.id.raw];
  if (!form)
    return;
  uint32_t mover = price(v, form);
  std::vector<uint32_t> users;
  bool plainUser = false, movedUser = false;
  for (Use use : v.uses()) {
    Crossing *user = crossingOf(use.owner);
    if (user && use.index < user->moved.size() && user->moved[use.index] && user->perm == form)
      users.push_back(user->node);
    else if (isSink(use.owner) && form == perm_)
      movedUser = true;
    else if (mover_.is(use.owner) && !feedsCrossing(use.owner.result()))
      continue; // one mover either way: it merges with what the value comes from
    else
      plainUser = true;
  }
  // Moved, with users that take it as it is: one mover.
  if (own && plainUser) {
    cut_.addCost(own->node, 0, mover);
  } else if ((own || source) && !plainUser && !users.empty()) {
    uint32_t any = cut_.addNode();
    for (uint32_t user : users)
      cut_.addArc(any, user, MinCut::kAlways);
    if (own)
      cut_.addArc(own->node, any, mover);
    else
      cut_.addCost(any, mover, 0);
  }
  // As it is, with users that take it moved: one mover.
  if (source)
    return;
  if (movedUser) {
    if (own)
      cut_.addCost(own->node, mover, 0);
  } else if (!users.empty()) {
    uint32_t any = cut_.addNode();
    for (uint32_t user : users)
      cut_.addArc(user, any, MinCut::kAlways);
    if (own)
      cut_.addArc(any, own->node, mover);
    else
      cut_.addCost(any, 0, mover);
  }
}

void RegionMove::costs() {
  for (Crossing &c : crossings_)
    c.node = cut_.addNode();
  std::vector<bool> seen(fn_.valueCapacity());
  auto once = [&](Value v) {
    if (v && !seen[v.id.raw]) {
      seen[v.id.raw] = true;
      cost(v);
    }
  };
  for (Crossing &c : crossings_) {
    Op op = fn_.op(c.op);
    for (unsigned i = 0; i < op.operandCount(); ++i)
      if (c.moved[i])
        once(op.operand(i));
    for (unsigned i = 0; i < op.resultCount(); ++i)
      once(op.result(i));
  }
}

uint64_t RegionMove::plan(const std::vector<OpId> &order) {
  if (!inverse_)
    return 0;
  form_.assign(fn_.valueCapacity(), {});
  wanted_.assign(fn_.valueCapacity(), {});
  crossing_.assign(fn_.opCapacity(), kNoNode);
  assignRoles(order);
  for (OpId id : order) {
    Op op = fn_.op(id);
    if (isSource(op))
      form_[op.result().id.raw] = perm_;
    else if (isSink(op) && !op.operand(0).constant())
      wanted_[op.operand(0).id.raw] = perm_;
  }
  for (unsigned i = 0; i < kMaxSweeps; ++i) {
    tried_.assign(fn_.opCapacity(), false);
    if (!sweep(order))
      break;
  }
  costs();
  return cut_.solve();
}

Value RegionMove::move(PatternRewriter &rw, Value v, AttrId perm) {
  std::vector<AttrId> attrs(mover_.perm + 1);
  attrs[mover_.perm] = perm;
  return rw.create(ctx_.ops().schema(mover_.kind), std::span(&v.id, 1), ctx_.attrs(attrs)).result();
}

/// The value that gives v when moved by `perm`, for a user that comes later in the same region.
Value RegionMove::before(PatternRewriter &rw, Value v, AttrId perm, Op user) {
  Op def = v.definingOp();
  if (mover_.is(def) && mover_.permOf(def) == perm)
    return def.operand(0);
  Value &made = made_[{v.id.raw, perm.raw, user.region().raw}];
  if (made)
    return made;
  // What moves it already has other users, so that it stays where it is; one that comes later would be a second one.
  AttrId inverse = inversePerm(ctx_, perm);
  std::vector<Op> later;
  for (Use use : v.uses()) {
    if (!mover_.is(use.owner) || mover_.permOf(use.owner) != inverse || use.owner.region() != user.region())
      continue;
    if (use.owner.isBefore(user))
      return made = use.owner.result();
    later.push_back(use.owner);
  }
  made = move(rw, v, inverse);
  for (Op again : later)
    if (rw.canReplace(again.result(), made))
      rw.replaceOp(again, made);
  return made;
}

void RegionMove::apply(PatternRewriter &rw) {
  std::sort(crossings_.begin(), crossings_.end(), [&](const Crossing &a, const Crossing &b) {
    RegionId ra = fn_.op(a.op).region(), rb = fn_.op(b.op).region();
    return ra == rb ? fn_.op(a.op).isBefore(fn_.op(b.op)) : ra.raw < rb.raw;
  });
  for (const Crossing &c : crossings_) {
    if (!cut_.isSource(c.node))
      continue;
    Op op = fn_.op(c.op);
    rw.begin(op);
    for (unsigned i = 0; i < op.operandCount(); ++i)
      if (c.moved[i])
        rw.setOperand(op, i, move(rw, before(rw, op.operand(i), c.perm, op), c.perm));
    probe_.sink(rw, op, &sunk_);
  }
}

class MoveRegionsPass : public FunctionPass {
public:
  /// `counted` holds the patterns of the two sets, one after the other.
  MoveRegionsPass(std::string op, FrozenPatternSet sinks, FrozenPatternSet tidy, FrozenPatternSet counted)
      : op_(std::move(op)), sinks_(std::move(sinks)), tidy_(std::move(tidy)), counted_(std::move(counted)) {}
  std::string_view name() const override { return "move_regions"; }
  const FrozenPatternSet *patterns() const override { return &counted_; }
  PassResult run(Function &, PassContext &) override;

private:
  uint64_t movers(Function &, Mover, std::vector<OpId> *order, std::vector<AttrId> *perms) const;
  bool leavesFewer(const Function &, Mover, MoveProbe &, AttrId perm, GreedyRewriteConfig, uint64_t before) const;

  std::string op_;
  FrozenPatternSet sinks_, tidy_, counted_;
};

/// What the movers cost, every op with operands before its users, and the permutations in use: what movers lead out of, and what
/// they lead into (the inverse), where some of them may meet.
uint64_t MoveRegionsPass::movers(Function &fn, Mover mover, std::vector<OpId> *order, std::vector<AttrId> *perms) const {
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
    count += keepsOrder(fn.context(), op.operand(0), mover.permOf(op)) ? 1 : 2;
    if (AttrId perm = mover.permOf(op); perms && perm)
      used.push_back(perm);
  }
  for (bool inverse : {false, true})
    for (size_t i = 0; i < used.size() && perms->size() < kMaxPerms; ++i)
      if (AttrId perm = inverse ? inversePerm(fn.context(), used[i]) : used[i]; perm && std::ranges::find(*perms, perm) == perms->end())
        perms->push_back(perm);
  return count;
}

static void addCounters(std::vector<PatternCounters> &total, size_t from, const std::vector<PatternCounters> &more) {
  total.resize(std::max(total.size(), from + more.size()));
  for (size_t i = 0; i < more.size(); ++i) {
    PatternCounters &sum = total[from + i];
    sum.tried += more[i].tried;
    sum.matched += more[i].matched;
    sum.applied += more[i].applied;
    sum.nanoseconds += more[i].nanoseconds;
  }
}

/// Whether the movers that are left in the end cost less. The plan counts those of one permutation; what tidies up afterwards may undo
/// what it gains, so it is tried on a copy.
bool MoveRegionsPass::leavesFewer(const Function &fn, Mover mover, MoveProbe &probe, AttrId perm, GreedyRewriteConfig config,
                                  uint64_t before) const {
  config.listener = nullptr;
  config.sharedBudget = nullptr;
  Function copy = fn;
  std::vector<OpId> order;
  movers(copy, mover, &order, nullptr);
  RegionMove regions(copy, mover, probe, perm);
  if (!regions.plan(order))
    return false;
  PatternRewriter rw(copy);
  regions.apply(rw);
  applyPatternsGreedily(copy, tidy_, config);
  return movers(copy, mover, nullptr, nullptr) < before;
}

PassResult MoveRegionsPass::run(Function &fn, PassContext &context) {
  PassResult result;
  Context &ctx = fn.context();
  GreedyRewriteConfig config = context.rewriteConfig;
  config.order = RewriteOrder::TopDown; // a transpose meets its counterpart before the one behind it moves
  Mover mover{ctx.ops().lookup(op_)};
  int perm = mover.kind == kOpaqueKind ? -1 : ctx.ops().schema(mover.kind).attrIndex("perm");
  if (perm < 0)
    return result; // the pass was made for this registry: not reached
  mover.perm = unsigned(perm);
  MoveProbe probe(ctx, mover, sinks_, config);
  for (bool again = true; again;) {
    again = false;
    std::vector<AttrId> perms;
    uint64_t before = movers(fn, mover, nullptr, &perms);
    for (AttrId p : perms) {
      if (config.sharedBudget && *config.sharedBudget == 0)
        return result;
      std::vector<OpId> order;
      movers(fn, mover, &order, nullptr);
      RegionMove regions(fn, mover, probe, p);
      if (!regions.plan(order) || !leavesFewer(fn, mover, probe, p, config, before))
        continue;
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
      uint64_t after = movers(fn, mover, nullptr, nullptr);
      if (after >= before && !(config.sharedBudget && *config.sharedBudget == 0)) {
        result.failed = true;
        result.message = fmt::format("all {} cost {} before the move and {} after it", op_, before, after);
        return result;
      }
      before = after;
      again = true;
    }
  }
  return result;
}

} // namespace

std::unique_ptr<FunctionPass> makeMoveRegions(const Registry &registry, const PassOptions &options, std::string &error) {
  if (!checkOptionNames(options, {"op", "label", "tidy", "also"}, error))
    return nullptr;
  auto option = [&](const char *name, const char *otherwise) {
    auto it = options.find(name);
    return it == options.end() ? std::string(otherwise) : it->second;
  };
  std::string op = option("op", "");
  KindId kind = registry.ops.lookup(op);
  if (kind == kOpaqueKind || registry.ops.schema(kind).attrIndex("perm") < 0) {
    error = op.empty() ? "option `op` names the op that is moved: op=dialect.name"
                       : fmt::format("option `op`: `{}` is no op with an attribute `perm`", op);
    return nullptr;
  }
  std::string also = option("also", "");
  auto addLabelled = [&](PatternSet &set, const std::string &label) {
    auto wanted = [&](std::string_view of) { return of == label || of == also; };
    for (const PatternEntry &pattern : registry.patterns.all())
      if (std::ranges::any_of(pattern.info.labels, wanted))
        set.add(pattern.make(registry.ops));
  };
  PatternSet sinks(registry.ops), tidy(registry.ops), counted(registry.ops);
  addLabelled(sinks, option("label", "sink"));
  addLabelled(tidy, option("tidy", "layout"));
  addLabelled(counted, option("label", "sink"));
  addLabelled(counted, option("tidy", "layout"));
  return std::make_unique<MoveRegionsPass>(op, std::move(sinks).freeze(), std::move(tidy).freeze(), std::move(counted).freeze());
}

} // namespace rw
