#include "rw/passes/layout/layout_model.h"

#include "rw/ir/expr_helpers.h"
#include "rw/passes/layout/region_move.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>

namespace rw {

// Beyond these the model says that it has not looked at everything. All permutations of four dimensions are 24.
static constexpr size_t kMostForms = 24, kMostProbes = 20'000, kMostRounds = 64;
static constexpr size_t kPlainTable = 16'384; // of more entries, users are counted one after another
static constexpr size_t kMostStates = 256;
static constexpr size_t kMostTurnedRank = 4; // of operands of which all permutations are tried
static constexpr size_t kMostFreeRank = 6;   // of values whose dimensions of 1 are moved for nothing

LayoutModel::LayoutModel(Function &fn, MoveProbe &probe, const std::vector<OpId> &order, Search search)
    : fn_(fn), ctx_(fn.context()), probe_(probe), mover_(probe.mover()), search_(search) {
  findRoots(order);
  findLayouts(order);
  now_ = costOf({}, Measure::Movers);
}

static AttrId unlessIdentity(Context &ctx, AttrId perm) {
  std::optional<std::span<const int64_t>> p = attrAs<std::span<const int64_t>>(ctx, perm);
  return p && std::ranges::is_sorted(*p) ? AttrId() : perm;
}

AttrId LayoutModel::inverse(AttrId perm) { return perm ? inversePerm(ctx_, perm) : perm; }

AttrId LayoutModel::compose(AttrId inner, AttrId outer) {
  if (!inner || !outer)
    return inner ? inner : outer;
  auto [at, isNew] = composed_.try_emplace(uint64_t(inner.raw) << 32 | outer.raw);
  if (isNew) {
    std::span<const int64_t> in = *attrAs<std::span<const int64_t>>(ctx_, inner),
                             out = *attrAs<std::span<const int64_t>>(ctx_, outer);
    std::vector<int64_t> both;
    for (int64_t i : out)
      both.push_back(in[size_t(i)]);
    at->second = unlessIdentity(ctx_, makeAttr(ctx_, std::span<const int64_t>(both)));
  }
  return at->second;
}

/// What each value is before movers; a mover in another region than its operand starts anew there.
void LayoutModel::findRoots(const std::vector<OpId> &order) {
  size_t values = fn_.valueCapacity();
  form_.resize(values);
  forms_.resize(values);
  aliases_.resize(values);
  nodeAt_.assign(fn_.opCapacity(), kNone);
  for (uint32_t v = 0; v < values; ++v)
    root_.push_back(ValueId(v));
  for (OpId id : order) {
    Op op = fn_.op(id);
    AttrId perm = mover_.is(op) ? mover_.permOf(op) : AttrId();
    Value from = perm ? op.operand(0) : Value();
    Op def = from ? from.definingOp() : Op();
    AttrId undone = from ? inversePerm(ctx_, perm) : AttrId();
    if (!undone || (def ? def.region() : from.paramRegion()) != op.region())
      continue;
    Value result = op.result();
    ValueId root = root_[from.id.raw];
    if (form_[from.id.raw] && permRank(ctx_, form_[from.id.raw]) != permRank(ctx_, perm)) // no program that verifies
      continue;
    root_[result.id.raw] = root;
    form_[result.id.raw] = compose(unlessIdentity(ctx_, undone), form_[from.id.raw]);
    aliases_[root.raw].push_back(result.id);
    addForm(fn_.value(root), form_[result.id.raw]);
  }
}

bool LayoutModel::addForm(Value root, AttrId form) {
  std::vector<AttrId> &forms = forms_[root.id.raw];
  if (forms.empty())
    forms.push_back(AttrId());
  if (std::ranges::find(forms, form) != forms.end())
    return false;
  complete_ &= forms.size() < kMostForms;
  if (forms.size() < kMostForms)
    forms.push_back(form);
  return forms.size() < kMostForms;
}

/// How many dimensions the value has, where its type or a mover says it.
static std::optional<size_t> rankNear(Context &ctx, Value v, const std::vector<AttrId> &forms) {
  if (std::optional<int64_t> rank = rankOf(ctx, v.typeId()))
    return size_t(*rank);
  return forms.size() > 1 ? std::optional(permRank(ctx, forms[1])) : std::nullopt;
}

bool LayoutModel::isMovable(Value v, Op user, AttrId perm) const {
  Op def = v.definingOp();
  return (def ? def.region() : v.paramRegion()) == user.region() && !isSingleElement(ctx_, v.typeId()) &&
         rankNear(ctx_, v, forms_[root_[v.id.raw].raw]) == permRank(ctx_, perm);
}

/// What a probe of operands that are moved depends on: ops are alike where it is the same.
std::string LayoutModel::likeness(Op op, const InlineList<bool> &operands, AttrId perm) {
  std::string key;
  auto add = [&](uint32_t number) { key.append(reinterpret_cast<const char *>(&number), sizeof number); };
  add(op.kind().raw);
  add(op.attrsId().raw);
  add(perm.raw);
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    Value v = op.operand(i);
    AttrId constant = v ? v.constant() : AttrId();
    add(v ? v.typeId().raw : kNone);
    add(constant ? constant.raw : kNone);
    add(operands[i]);
  }
  for (unsigned i = 0; i < op.resultCount(); ++i) {
    add(op.result(i).typeId().raw);
    add(op.result(i).hasUses());
  }
  return key;
}

ProbedMove LayoutModel::probe(Op op, const InlineList<bool> &operands, AttrId perm) {
  auto [at, isNew] = probed_.try_emplace(likeness(op, operands, perm));
  if (isNew)
    at->second = probe_.moved(op, operands, perm);
  return at->second;
}

/// Whether the op can be computed before `perm`, which is news. `wanted`: only if its results come in that form then,
/// or in one that a reshape makes of it.
bool LayoutModel::tryLayout(Op op, AttrId perm, std::optional<AttrId> wanted) {
  if (probed_.size() >= kMostProbes) {
    complete_ = false;
    return false;
  }
  uint64_t key = uint64_t(op.id.raw) << 32 | perm.raw;
  if (tried_.contains(key))
    return false;
  Layout layout;
  layout.perm = perm;
  bool any = false;
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    Value v = op.operand(i);
    bool varies = v && !v.constant();
    if (varies && !settled_ && !rankNear(ctx_, v, forms_[root_[v.id.raw].raw]))
      return false; // perhaps later, when more is known of it
    layout.operands.push_back(varies && isMovable(v, op, perm));
    any |= layout.operands.back();
  }
  ProbedMove probed = any && probe_.mayCross(op) ? probe(op, layout.operands, perm) : ProbedMove();
  if (wanted &&
      (!probed.perm || orderOf(op.result(), unlessIdentity(ctx_, probed.perm)) != orderOf(op.result(), *wanted)))
    return false;
  tried_.emplace(key, true);
  if (!probed.perm)
    return false;
  layout.resultPerm = unlessIdentity(ctx_, probed.perm);
  layout.ops = probed.ops;
  layout.movers = probed.movers;
  Node &node = nodeFor(op);
  for (unsigned i = 0; i < op.operandCount(); ++i)
    if (layout.operands[i])
      addForm(rootOf(op.operand(i)), compose(perm, form_[op.operand(i).id.raw]));
  for (unsigned i = 0; i < op.resultCount(); ++i)
    addForm(op.result(i), layout.resultPerm);
  node.layouts.push_back(std::move(layout));
  return true;
}

LayoutModel::Node &LayoutModel::nodeFor(Op op) {
  if (nodeAt_[op.id.raw] == kNone) {
    nodeAt_[op.id.raw] = uint32_t(nodes_.size());
    nodes_.emplace_back().op = op.id;
    nodes_.back().layouts.emplace_back().operands = InlineList<bool>(op.operandCount(), false);
  }
  return nodes_[nodeAt_[op.id.raw]];
}

/// Whether the op can make its result in a form at once, which is news.
bool LayoutModel::tryResult(Op op, AttrId form) {
  Value v = op.result();
  if (op.resultCount() != 1 || rankNear(ctx_, v, forms_[v.id.raw]) != permRank(ctx_, form) ||
      !triedResults_.try_emplace(uint64_t(op.id.raw) << 32 | form.raw, true).second)
    return false;
  if (triedResults_.size() >= kMostProbes) {
    complete_ = false;
    return false;
  }
  if (!probe_.absorbs(op, inverse(form)))
    return false;
  Layout layout;
  layout.resultPerm = form;
  layout.operands = InlineList<bool>(op.operandCount(), false);
  layout.changesOp = true;
  nodeFor(op).layouts.push_back(std::move(layout));
  return true;
}

/// Results of fewer or more dimensions than the operands have: which permutations of these give the wanted form of the
/// results is found by trying all of them. Whether one does, which is news.
bool LayoutModel::tryResultsAs(Op op, AttrId form) {
  size_t rank = 0;
  for (unsigned i = 0; i < op.operandCount() && rank == 0; ++i)
    if (Value v = op.operand(i); v && !v.constant())
      rank = rankNear(ctx_, v, forms_[root_[v.id.raw].raw]).value_or(0);
  if (rank < 2 || rank > kMostTurnedRank || rank == permRank(ctx_, form) || !probe_.mayCross(op) ||
      !triedForms_.try_emplace(uint64_t(op.id.raw) << 32 | form.raw, true).second)
    return false;
  std::vector<int64_t> perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  bool found = false;
  while (std::ranges::next_permutation(perm).found)
    found |= tryLayout(op, makeAttr(ctx_, std::span<const int64_t>(perm)), form);
  return found;
}

/// Whether the op reads operand `i` before `perm` as well, which is news. Operands are read each in a form of its own,
/// whatever the others are.
bool LayoutModel::tryOperand(Op op, unsigned i, AttrId perm) {
  const uint32_t slot = fn_.data(op.id).firstOperand.raw + i;
  if (hasLayout(op, perm) || !isMovable(op.operand(i), op, perm) ||
      !triedOperands_.try_emplace(uint64_t(slot) << 32 | perm.raw, true).second)
    return false;
  if (takenIn_.size() >= kMostProbes) {
    complete_ = false;
    return false;
  }
  Layout layout;
  layout.perm = perm;
  layout.operands = InlineList<bool>(op.operandCount(), false);
  layout.operands[i] = true;
  layout.changesOp = true;
  auto [taken, isFirst] = takenIn_.try_emplace(likeness(op, layout.operands, perm));
  if (isFirst)
    taken->second = probe_.takesIn(op, i, perm);
  if (!taken->second)
    return false;
  auto [at, isNew] = operandNodes_.try_emplace(slot, uint32_t(nodes_.size()));
  if (isNew) {
    Node &node = nodes_.emplace_back();
    node.op = op.id;
    node.isOperand = true;
    node.layouts.emplace_back().operands = InlineList<bool>(op.operandCount(), false);
  }
  nodes_[at->second].layouts.push_back(std::move(layout));
  return true;
}

bool LayoutModel::hasLayout(Op op, AttrId perm) const {
  const uint32_t node = nodeAt_[op.id.raw];
  return node != kNone && std::ranges::find(nodes_[node].layouts, perm, &Layout::perm) != nodes_[node].layouts.end();
}

/// Forms of a root that a reshape makes of `form`: dimensions of 1 stand elsewhere.
std::vector<AttrId> LayoutModel::freeForms(Value root, AttrId form) {
  std::optional<std::span<const Dim>> shape = shapeOf(ctx_, root.typeId());
  std::vector<int64_t> ones, others;
  if (!shape || shape->size() > kMostFreeRank)
    return {};
  AttrId undone = inverse(form);
  std::optional<std::span<const int64_t>> back = form ? attrAs<std::span<const int64_t>>(ctx_, undone) : std::nullopt;
  for (size_t i = 0; i < shape->size(); ++i) {
    int64_t from = back ? (*back)[i] : int64_t(i);
    ((*shape)[size_t(from)] == Dim(1) ? ones : others).push_back(from);
  }
  std::vector<AttrId> found;
  for (uint32_t places = 0; !ones.empty() && !others.empty() && places < 1u << shape->size(); ++places) {
    if (size_t(std::popcount(places)) != ones.size())
      continue;
    std::vector<int64_t> order;
    auto one = ones.begin(), other = others.begin();
    for (size_t i = 0; i < shape->size(); ++i)
      order.push_back(places >> i & 1 ? *one++ : *other++);
    AttrId free = inverse(makeAttr(ctx_, std::span<const int64_t>(order)));
    if (free = unlessIdentity(ctx_, free); free != form)
      found.push_back(free);
  }
  return found;
}

/// An op that cannot be computed before `perm`, the one that takes v to `form` of its root, perhaps can before another:
/// one that costs no mover more, or, if all are looked at, any. Whether it can, which is news.
bool LayoutModel::tryOtherForms(Op op, Value v, AttrId form) {
  AttrId back = inverse(form_[v.id.raw]), perm = compose(form, back);
  Value root = rootOf(v);
  if (probed_.size() >= kMostProbes / 2 || (search_ == Search::Near && forms_[root.id.raw].size() >= kMostForms / 2) ||
      !probe_.mayCross(op) || hasLayout(op, perm) ||
      !triedFree_.try_emplace(uint64_t(op.id.raw) << 32 | perm.raw, true).second)
    return false;
  bool found = false;
  if (const size_t rank = permRank(ctx_, perm); search_ == Search::All && rank <= kMostTurnedRank) {
    std::vector<int64_t> other(rank);
    std::iota(other.begin(), other.end(), 0);
    while (std::ranges::next_permutation(other).found)
      found |= tryLayout(op, makeAttr(ctx_, std::span<const int64_t>(other)));
    return found;
  }
  for (AttrId free : freeForms(root, form))
    if (AttrId other = compose(free, back); other && !found)
      found = tryLayout(op, other);
  return found;
}

/// Downwards from the forms of operands, then upwards from those of results, until nothing new comes up.
void LayoutModel::findLayouts(const std::vector<OpId> &order) {
  bool grown = std::ranges::any_of(forms_, [](const std::vector<AttrId> &forms) { return !forms.empty(); });
  for (size_t round = 0; grown; ++round) {
    grown = false;
    if (round == kMostRounds) {
      complete_ = false;
      return;
    }
    auto visit = [&](OpId id, bool down) {
      Op op = fn_.op(id);
      if (op.kind() == kReturnKind || op.resultCount() == 0 || root_[op.result().id.raw] != op.result().id)
        return;
      for (unsigned i = 0; i < (down ? op.operandCount() : op.resultCount()); ++i) {
        Value v = down ? op.operand(i) : op.result(i);
        if (!v || v.constant())
          continue;
        AttrId back = inverse(form_[v.id.raw]);
        for (size_t f = 0; f < forms_[root_[v.id.raw].raw].size(); ++f) // more may come
          if (AttrId perm = compose(forms_[root_[v.id.raw].raw][f], back)) {
            grown |= tryLayout(op, perm);
            grown |= down ? tryOperand(op, i, perm) : tryResult(op, perm) | tryResultsAs(op, perm);
            grown |= settled_ && tryOtherForms(op, v, forms_[root_[v.id.raw].raw][f]);
          }
      }
    };
    for (OpId id : order)
      visit(id, true);
    for (size_t i = order.size(); i-- > 0;)
      visit(order[i], false);
    if (!grown && !settled_)
      grown = settled_ = true; // of how many dimensions the rest is, nothing will tell
  }
  for (Node &node : nodes_) // an op is moved as a whole, or it reads operands in forms of their own
    if (const uint32_t whole = nodeAt_[node.op.raw];
        node.isOperand && whole != kNone &&
        std::ranges::any_of(nodes_[whole].layouts, [](const Layout &layout) { return bool(layout.perm); }))
      node.layouts.resize(1);
}

/// The node that says in which form the use reads its value; none: in the one it is in.
uint32_t LayoutModel::nodeOfUse(Use use) const {
  auto operand = operandNodes_.find(fn_.data(use.owner.id).firstOperand.raw + use.index);
  return operand != operandNodes_.end() ? operand->second : nodeAt_[use.owner.id.raw];
}

/// The forms that users of a root want. `forms` gets them, those that it is made in first.
LayoutModel::Wants LayoutModel::wantsOf(Value root, std::vector<AttrId> &forms) {
  auto bit = [&](AttrId form) -> uint32_t {
    auto at = std::ranges::find(forms, form);
    size_t place = size_t(at - forms.begin());
    if (at == forms.end())
      forms.push_back(form);
    return place < 32 ? 1u << place : 0; // kMostForms and a form of each alias at most: what is beyond is not counted
  };
  Wants wants;
  auto wantedAs = [&](Value alias, Use use) {
    AttrId form = form_[alias.id.raw];
    Op user = use.owner;
    if (mover_.is(user) && root_[user.result().id.raw] == root.id)
      return;
    const uint32_t node = nodeOfUse(use);
    if (node == kNone) {
      wants.always |= bit(form);
      return;
    }
    const std::vector<Layout> &layouts = nodes_[node].layouts;
    auto known = std::ranges::find(wants.users, node, &Wants::ByUser::node);
    if (known == wants.users.end()) {
      wants.users.push_back({node, std::vector<uint32_t>(layouts.size())});
      known = wants.users.end() - 1;
    }
    for (size_t i = 0; i < layouts.size(); ++i) {
      const Layout &layout = layouts[i];
      known->forms[i] |=
          bit(use.index < layout.operands.size() && layout.operands[use.index] ? compose(layout.perm, form) : form);
    }
  };
  for (Use use : root.uses())
    wantedAs(root, use);
  for (ValueId alias : aliases_[root.id.raw])
    for (Use use : fn_.value(alias).uses())
      wantedAs(fn_.value(alias), use);
  return wants;
}

/// The dimensions of a value in the order of a form, but for those of 1: movers between forms of one such order are
/// reshapes.
std::vector<int64_t> LayoutModel::orderOf(Value root, AttrId form) {
  std::optional<std::span<const Dim>> shape = shapeOf(ctx_, root.typeId());
  std::vector<int64_t> order;
  size_t rank = shape ? shape->size() : form ? permRank(ctx_, form) : 0;
  std::optional<std::span<const int64_t>> back;
  AttrId undone = inverse(form);
  if (form)
    back = attrAs<std::span<const int64_t>>(ctx_, undone);
  for (size_t i = 0; i < rank; ++i) {
    int64_t from = back ? (*back)[i] : int64_t(i);
    if (!shape || (*shape)[size_t(from)] != Dim(1))
      order.push_back(from);
  }
  return order;
}

/// What it costs that a root is made in one form and wanted in some.
uint64_t LayoutModel::price(Value root, const std::vector<AttrId> &forms, uint32_t made, uint32_t wanted,
                            Measure measure) {
  if (!(wanted & ~(1u << made)))
    return 0;
  std::optional<std::span<const Dim>> shape = shapeOf(ctx_, root.typeId());
  uint64_t bytes = dtypeBytes(ctx_.type(root.typeId()).dtype);
  for (size_t i = 0; shape && i < shape->size(); ++i)
    if ((*shape)[i].isKnown())
      bytes =
          std::min(kMostBytes, bytes * uint64_t(std::max<int64_t>(1, std::min<int64_t>((*shape)[i].size(), 1 << 24))));
  std::set<std::vector<int64_t>> there{orderOf(root, forms[made])};
  uint64_t cost = 0;
  for (uint32_t rest = wanted & ~(1u << made); rest; rest &= rest - 1) {
    bool isNew = there.insert(orderOf(root, forms[size_t(std::countr_zero(rest))])).second;
    cost += measure == Measure::Movers ? isNew : isNew ? kMoverCost * kUnit + bytes / 64 : kReshapeCost * kUnit;
  }
  return cost;
}

uint64_t LayoutModel::besideOf(const Layout &layout, Measure measure) {
  if (measure == Measure::Movers)
    return layout.movers;
  // of two choices alike, the one that changes nothing
  return (layout.ops * uint64_t(kOpCost) + layout.movers * uint64_t(kMoverCost)) * kUnit + layout.changesOp;
}

/// The costs of one root: a table of what makes it and its users, or, of many users, of states that go from one user to
/// the next.
void LayoutModel::addRoot(CostNetwork &network, Value root, Measure measure) {
  Node *maker = nodeOf(root.definingOp());
  std::vector<AttrId> forms{AttrId()};
  std::vector<uint32_t> made{0};
  for (size_t i = 1; maker && i < maker->layouts.size(); ++i) {
    auto at = std::ranges::find(forms, maker->layouts[i].resultPerm);
    made.push_back(uint32_t(at - forms.begin()));
    if (at == forms.end())
      forms.push_back(maker->layouts[i].resultPerm);
  }
  Wants wants = wantsOf(root, forms);
  std::vector<uint32_t> variables;
  size_t entries = 1;
  if (maker)
    variables.push_back(maker->variable), entries *= made.size();
  for (const Wants::ByUser &user : wants.users)
    variables.push_back(nodes_[user.node].variable), entries = std::min(entries * user.forms.size(), kPlainTable + 1);
  std::unordered_map<uint64_t, uint64_t> known;
  auto priceOf = [&](uint32_t form, uint32_t wanted) {
    auto [at, isNew] = known.try_emplace(uint64_t(form) << 32 | wanted);
    if (isNew)
      at->second = price(root, forms, form, wanted, measure);
    return at->second;
  };
  if (entries <= kPlainTable) {
    std::vector<uint64_t> costs(entries);
    for (size_t index = 0; index < entries; ++index) {
      size_t rest = index;
      uint32_t wanted = wants.always;
      for (size_t i = wants.users.size(); i-- > 0;) {
        wanted |= wants.users[i].forms[rest % wants.users[i].forms.size()];
        rest /= wants.users[i].forms.size();
      }
      costs[index] = priceOf(made[rest], wanted);
    }
    return network.addCost(std::move(variables), std::move(costs));
  }
  using State = std::pair<uint32_t, uint32_t>; // made in, wanted so far
  std::vector<State> states;
  for (uint32_t form : made)
    if (std::ranges::find(states, State(form, wants.always)) == states.end())
      states.emplace_back(form, wants.always);
  uint32_t at = network.addVariable(uint32_t(states.size()));
  std::vector<uint64_t> first;
  for (uint32_t form : made)
    for (const State &state : states)
      first.push_back(state.first == form ? 0 : CostNetwork::kNever);
  if (maker)
    network.addCost({maker->variable, at}, std::move(first));
  for (const Wants::ByUser &user : wants.users) {
    std::vector<State> next;
    std::map<State, size_t> places;
    for (const State &state : states)
      for (uint32_t more : user.forms)
        if (State then(state.first, state.second | more); places.emplace(then, next.size()).second)
          next.push_back(then);
    if (next.size() > kMostStates) // what further users want is not counted: the costs are less than they are
      break;
    uint32_t then = network.addVariable(uint32_t(next.size()));
    std::vector<uint64_t> costs;
    for (const State &state : states)
      for (uint32_t more : user.forms) {
        size_t place = places.at({state.first, state.second | more});
        for (size_t i = 0; i < next.size(); ++i)
          costs.push_back(i == place ? 0 : CostNetwork::kNever);
      }
    network.addCost({at, nodes_[user.node].variable, then}, std::move(costs));
    at = then;
    states = std::move(next);
  }
  std::vector<uint64_t> costs;
  for (const State &state : states)
    costs.push_back(priceOf(state.first, state.second));
  network.addCost({at}, std::move(costs));
}

template <class Each> void LayoutModel::eachRoot(Each each) {
  for (uint32_t v = 0; v < forms_.size(); ++v)
    if (!forms_[v].empty() && !MoveProbe::isConstant(fn_.value(ValueId(v)))) // movers of constants fold
      each(fn_.value(ValueId(v)));
}

CostNetwork LayoutModel::network(Measure measure) {
  CostNetwork out;
  for (Node &node : nodes_)
    node.variable = out.addVariable(uint32_t(node.layouts.size()));
  for (Node &node : nodes_) {
    std::vector<uint64_t> costs;
    for (const Layout &layout : node.layouts)
      costs.push_back(besideOf(layout, measure));
    out.addCost({node.variable}, std::move(costs));
  }
  eachRoot([&](Value root) { addRoot(out, root, measure); });
  return out;
}

/// The cost of a choice, by node; of more nodes than it has, they are as they are.
uint64_t LayoutModel::costOf(const std::vector<uint32_t> &chosen, Measure measure) {
  uint64_t cost = 0;
  auto layoutOf = [&](uint32_t node) { return node < chosen.size() ? chosen[node] : 0; };
  for (uint32_t i = 0; i < nodes_.size(); ++i)
    cost += besideOf(nodes_[i].layouts[layoutOf(i)], measure);
  eachRoot([&](Value root) {
    Op def = root.definingOp();
    Node *maker = nodeOf(def);
    std::vector<AttrId> forms{maker ? maker->layouts[layoutOf(nodeAt_[def.id.raw])].resultPerm : AttrId()};
    Wants wants = wantsOf(root, forms);
    uint32_t wanted = wants.always;
    for (const Wants::ByUser &user : wants.users)
      wanted |= user.forms[layoutOf(user.node)];
    cost += price(root, forms, 0, wanted, measure);
  });
  return cost;
}

LayoutModel::Choice LayoutModel::fewest() {
  Choice choice;
  choice.movers = choice.bound = now_;
  if (nodes_.empty()) {
    choice.bound = complete_ ? now_ : 0;
    return choice;
  }
  CostNetwork::Solution best = network(Measure::All).solve();
  best.values.resize(nodes_.size());
  for (uint32_t i = 0; i < nodes_.size(); ++i)
    if (uint32_t chosen = best.values[i]) {
      const Layout &layout = nodes_[i].layouts[chosen];
      choice.layouts.push_back({nodes_[i].op, layout.perm, layout.resultPerm, layout.operands,
                                layout.ops + layout.movers, nodes_[i].isOperand});
    }
  choice.movers = costOf(best.values, Measure::Movers);
  CostNetwork::Solution least = network(Measure::Movers).solve();
  choice.bound = complete_ ? std::min(least.bound, now_) : 0;
  choice.exact = complete_ && least.bound == least.cost;
  for (uint32_t i = 0; i < nodes_.size() && !choice.held; ++i)
    if (least.values[i] && least.values[i] != best.values[i])
      choice.held = nodes_[i].op;
  return choice;
}

} // namespace rw
