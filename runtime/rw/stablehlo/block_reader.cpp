// Jumps between the blocks of a function, `cf.br` and `cf.cond_br`, as loops and branches.
//
// Which block leads to which is found first, from the text. Then blocks are read where they belong: what a jump on a
// condition leads to, up to where both ways meet, becomes the branches of an `if`; a block that is jumped back to
// begins a loop. What a loop does up to its condition is read three times: as the condition of a `while`, at the
// beginning of its body, and behind it, where it gives what the blocks after the loop use.
#include "rw/stablehlo/reader.h"

#include <algorithm>

namespace rw::stablehlo {

namespace {
/// Programs have few blocks: more cost more than the square of their number.
constexpr size_t kMostBlocks = 2048;
/// How many times the text of a function may be read, loops within loops.
constexpr size_t kMostReadings = 256;

using Graph = std::vector<std::vector<size_t>>;
constexpr size_t kNowhere = SIZE_MAX;

/// The nodes that can be reached, each behind those that it leads to; a jump back leads to one that is not before it.
std::vector<size_t> orderOf(const Graph &next, size_t root) {
  std::vector<size_t> order;
  std::vector<std::pair<size_t, size_t>> pending{{root, 0}};
  std::vector<bool> seen(next.size());
  seen[root] = true;
  while (!pending.empty()) {
    auto &[node, edge] = pending.back();
    if (edge == next[node].size()) {
      order.push_back(node);
      pending.pop_back();
    } else if (size_t to = next[node][edge++]; !seen[to]) {
      seen[to] = true;
      pending.push_back({to, 0});
    }
  }
  return order;
}

std::vector<size_t> numbersOf(const std::vector<size_t> &order, size_t nodes) {
  std::vector<size_t> number(nodes, kNowhere);
  for (size_t i = 0; i < order.size(); ++i)
    number[order[i]] = i;
  return number;
}

/// By node, the one nearest to it that every way from the root leads through; kNowhere where no way leads.
std::vector<size_t> dominators(const Graph &next, size_t root) {
  std::vector<size_t> order = orderOf(next, root), number = numbersOf(order, next.size());
  std::vector<size_t> up(next.size(), kNowhere);
  Graph before(next.size());
  for (size_t node : order)
    for (size_t to : next[node])
      before[to].push_back(node);
  up[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size() - 1; i-- > 0;) { // from the root on, without it
      size_t nearest = kNowhere;
      for (size_t from : before[order[i]]) {
        if (up[from] == kNowhere)
          continue;
        size_t other = nearest == kNowhere ? from : nearest;
        while (from != other) {
          size_t &lower = number[from] < number[other] ? from : other;
          lower = up[lower];
        }
        nearest = from;
      }
      changed |= up[order[i]] != nearest;
      up[order[i]] = nearest;
    }
  }
  return up;
}
} // namespace

/// From the beginning of a function's ops: where blocks begin, and which lead to which.
bool Reader::findBlocks() {
  blocks_.clear();
  blocks_.push_back({{}, nullptr, bodyAt_, {}});
  std::unordered_map<std::string_view, size_t> byLabel;
  std::vector<std::pair<size_t, std::string_view>> jumps;
  const char *here = p_;
  p_ = bodyAt_;
  while (!atEnd() && *p_ != '}') {
    if (*p_ == '"') {
      std::string_view ignored;
      if (!readString(ignored))
        return false;
    } else if (*p_ == '{' || *p_ == '(') {
      if (!skipBalanced())
        return false;
    } else if (*p_ != '^') {
      ++p_;
    } else {
      const char *from = p_;
      std::string_view label = readLabelName();
      const char *after = peek() == '(' ? p_ : nullptr;
      if (after && !skipBalanced())
        return false;
      if (peek() != ':') { // where a jump leads
        jumps.emplace_back(blocks_.size() - 1, label);
        continue;
      }
      ++p_;
      if (!byLabel.emplace(label, blocks_.size()).second)
        return error("redefined-value", from, from + label.size(), "a block of this name is there already");
      if (blocks_.size() == kMostBlocks)
        return error("too-large", from, from + label.size(),
                     "a function has at most " + std::to_string(kMostBlocks) + " blocks");
      blocks_.push_back({label, after, p_, {}});
    }
  }
  bodyEnd_ = p_;
  for (auto [from, label] : jumps) {
    auto to = byLabel.find(label);
    if (to == byLabel.end())
      return error("undefined-value", label.data(), label.data() + label.size(),
                   "no block named `" + std::string(label) + "` is in this function");
    blocks_[from].next.push_back(to->second);
  }
  p_ = here;
  return findLoops();
}

/// Where ways meet, and what belongs to which loop.
bool Reader::findLoops() {
  size_t count = blocks_.size(); // one more stands for the end of the function
  Graph next(count + 1), before(count + 1);
  for (size_t i = 0; i < count; ++i) {
    next[i] = blocks_[i].next;
    if (next[i].empty())
      next[i].push_back(count);
    for (size_t to : next[i])
      before[to].push_back(i);
  }
  std::vector<size_t> up = dominators(next, 0), meets = dominators(before, count);
  std::vector<size_t> number = numbersOf(orderOf(next, 0), next.size());
  auto dominates = [&](size_t a, size_t b) {
    for (; b != a && b != 0 && up[b] != kNowhere; b = up[b])
      ;
    return a == b;
  };
  for (size_t i = 0; i < count; ++i) {
    Block &block = blocks_[i];
    block.meets = meets[i];
    for (size_t to : block.next) {
      if (up[i] == kNowhere || number[to] < number[i])
        continue;
      const std::string_view label = blocks_[to].label;
      if (!dominates(to, i))
        return unsupported(label.data(), label.data() + label.size(),
                           "a loop that is entered in several places is not read",
                           "write the loop as `stablehlo.while`");
      std::vector<bool> &loop = blocks_[to].loop; // jumped back to
      loop.resize(count);
      loop[to] = true;
      std::vector<size_t> pending{i};
      while (!pending.empty()) {
        size_t at = pending.back();
        pending.pop_back();
        if (loop[at] || up[at] == kNowhere)
          continue;
        loop[at] = true;
        pending.insert(pending.end(), before[at].begin(), before[at].end());
      }
    }
  }
  return true;
}

/// At `^`.
std::string_view Reader::readLabelName() {
  const char *from = p_++;
  while (text::isNameChar(*p_))
    ++p_;
  return slice(from, p_);
}

/// After the name of a jump.
bool Reader::readJump(const Draft &d, bool generic) {
  ScalarTypes scalars(*this);
  if (blocks_.empty() && !findBlocks())
    return false;
  bool conditional = d.name.canonical == "cf.cond_br";
  jump_ = Jump();
  jump_.from = d.nameAt;
  jump_.to = d.nameEnd;
  jump_.count = conditional ? 2 : 1;
  auto target = [&](unsigned i) {
    if (peek() != '^')
      return errorHere("syntax", "expected a block's name, found " + found());
    const char *from = p_;
    std::string_view label = readLabelName();
    auto block = std::ranges::find(blocks_, label, &Block::label);
    if (block == blocks_.end())
      return error("undefined-value", from, p_, "no block named `" + std::string(label) + "` is in this function");
    jump_.target[i] = size_t(block - blocks_.begin());
    return true;
  };
  Operands all;
  if (!generic) {
    if (conditional) {
      if (!readOperand(all))
        return false;
      if (eatIdentifier("weights") && peek() == '(' && !skipBalanced())
        return false;
    }
    for (unsigned i = 0; i < jump_.count; ++i) {
      if ((conditional && !expect(',', "before the block")) || !target(i))
        return false;
      if (!eat('('))
        continue;
      do
        if (!readOperand(jump_.args[i]))
          return false;
      while (eat(','));
      if (!expect(':', "and the types of what the block gets") || !readList(')', [&] {
            TypeId ignored;
            return readType(ignored);
          }))
        return false;
    }
    if (conditional)
      jump_.condition = all[0];
    std::vector<NamedValue> ignored;
    return (!eat('{') || readAttributes('}', ignored)) && skipLocation();
  }
  unsigned targets = 0;
  if (!expect('(', "before the operands") || !readList(')', [&] { return readOperand(all); }) ||
      !expect('[', "before the blocks") || !readList(']', [&] {
        return targets < jump_.count ? target(targets++)
                                     : error("syntax", d.nameAt, d.nameEnd, "this jump leads to too many blocks");
      }))
    return false;
  size_t first = attrs_.size();
  TypeList types, none;
  if ((eatText("<{") && (!readAttributes('}', attrs_) || !expect('>', "after properties"))) ||
      (eat('{') && !readAttributes('}', attrs_)) || !expect(':', "and the jump's type") ||
      !readFunctionType(types, none) || !skipLocation())
    return false;
  size_t split = all.size();
  for (size_t i = first; i < attrs_.size(); ++i)
    if (const AttrData &a = ctx_.attr(attrs_[i].value); a.kind == AttrKind::Ints && a.ints.size() == 3)
      split = 1 + size_t(std::max<int64_t>(a.ints[1], 0)); // of any number: compared with how many there are
  attrs_.resize(first);
  if (targets != jump_.count || (conditional && all.empty()) || split > all.size())
    return error("wrong-operand-count", d.nameAt, d.nameEnd, "this jump has too few operands or blocks");
  for (size_t i = conditional; i < all.size(); ++i)
    jump_.args[i >= split].push_back(all[i]);
  if (conditional)
    jump_.condition = all[0];
  return true;
}

bool Reader::refuseJump(const Jump &jump, std::string what) {
  return unsupported(jump.from, jump.to, std::move(what),
                     "write the loop or branch as `stablehlo.while`, `stablehlo.if` or `stablehlo.case`");
}

/// After the jump that ends a function's first block: all others, and the function's return.
bool Reader::readBlocks() {
  size_t end = blocks_.size();
  readings_ = 0;
  Operands results;
  Loc loc = locAt(jump_.from);
  if (!isAsFound(0, jump_) || !follow(fn_->body(), 0, jump_, end, results))
    return false;
  fn_->appendOp(fn_->body(), kReturnKind, results, ctx_.noAttrs(), {}, loc);
  blocks_.clear();
  p_ = bodyEnd_;
  return true;
}

/// Whether the jump leads where it was found to lead when blocks were looked for: else names of blocks stand behind it.
bool Reader::isAsFound(size_t block, const Jump &jump) {
  return std::ranges::equal(std::span(jump.target, jump.count), blocks_[block].next) ||
         error("syntax", jump.from, jump.to, "names of blocks stand behind this that it does not lead to");
}

/// The block's parameters as names of these values.
bool Reader::enter(size_t index, std::span<const ValueId> args, const Jump &jump) {
  ScalarTypes scalars(*this);
  const Block &block = blocks_[index];
  size_t count = 0;
  if (block.params) {
    p_ = block.params + 1;
    auto param = [&] {
      text::ValueName name;
      TypeId type;
      if (!readValueName(name) || !expect(':', "after the parameter's name") || !readType(type) || !skipLocation())
        return false;
      if (count < args.size() && fn_->data(args[count]).type != type)
        return error("type-mismatch", name.from, name.to,
                     "a block's parameter is stated as " + ctx_.typeToString(type) + ", and gets " +
                         ctx_.typeToString(fn_->data(args[count]).type));
      return ++count > args.size() || bindName(name, args[count - 1]);
    };
    if (!readList(')', param))
      return false;
  }
  return count == args.size() || error("wrong-operand-count", jump.from, jump.to,
                                       "the block has " + std::to_string(count) + " parameters, and gets " +
                                           std::to_string(args.size()) + " values");
}

/// The block's ops, up to where it leads.
bool Reader::readOpsOf(size_t index, RegionId region, Jump &out) {
  p_ = blocks_[index].body;
  const char *from = p_;
  bool ended = false;
  blockRegion_ = region;
  jump_ = Jump();
  while (!ended) {
    if (peek() == '}' || *p_ == '^')
      return error("missing-return", p_, p_ + 1, "a block ends with a jump or with `return`");
    const char *at = p_;
    if (!readOp(region, ended))
      return false;
    if (ended && jump_.count == 0) { // `return`
      Op ret = fn_->terminator(region);
      for (unsigned i = 0; i < ret.operandCount(); ++i)
        jump_.args[0].push_back(ret.operand(i).id);
      jump_.from = at;
      jump_.to = endOfToken(at);
      fn_->erase(ret.id);
    }
  }
  if (!isAsFound(index, jump_))
    return false;
  out = jump_;
  readings_ += size_t(p_ - from);
  if (readings_ / kMostReadings > size_t(bodyEnd_ - bodyAt_))
    return error("too-complex", out.from, out.to, "loops stand within loops too deep to be read");
  return true;
}

/// From a jump out of block `from` on up to block `stop`: `results` are what that gets. The block behind the last one
/// is the end of the function.
bool Reader::follow(RegionId region, size_t from, Jump jump, size_t stop, Operands &results) {
  Nested nested(*this);
  if (!nested)
    return false;
  for (;;) {
    size_t next = jump.count == 0 ? blocks_.size() : jump.target[0];
    Operands args = jump.args[0];
    if (jump.count == 2) {
      next = blocks_[from].meets;
      if (next == kNowhere)
        return refuseJump(jump, "a loop without an end is not read");
      args.clear();
      if (!branch(region, from, jump, next, args))
        return false;
    }
    if (next == stop) {
      results = std::move(args);
      return true;
    }
    if (next == blocks_.size())
      return refuseJump(jump, "a loop that is left by `return` is not read");
    if (!blocks_[next].loop.empty()) {
      if (std::ranges::count(openLoops_, next))
        return refuseJump(jump, "a loop that is left in several places is not read");
      if (!readLoop(region, next, args, jump))
        return false;
      from = next;
      continue;
    }
    if (!enter(next, args, jump) || !readOpsOf(next, region, jump))
      return false;
    from = next;
  }
}

/// A jump on a condition, up to where both ways meet: an `if` with what that gets as its results.
bool Reader::branch(RegionId region, size_t from, const Jump &jump, size_t meet, Operands &results) {
  Loc loc = locAt(jump.from);
  const OpRegistry &ops = ctx_.ops();
  OpId made = fn_->appendOp(region, ops.lookup("stablehlo.if"), {&jump.condition, 1}, ctx_.noAttrs(), {}, loc).id;
  TypeList types;
  for (unsigned side = 0; side < 2; ++side) {
    Jump way = jump;
    way.count = 1;
    way.target[0] = jump.target[side];
    way.args[0] = jump.args[side];
    size_t mark = scope_.mark();
    RegionId inner = fn_->addRegion(made);
    Operands got;
    if (!follow(inner, from, way, meet, got))
      return false;
    scope_.release(mark);
    fn_->appendOp(inner, kReturnKind, got, ctx_.noAttrs(), {}, loc);
    TypeList own;
    for (ValueId v : got)
      own.push_back(fn_->data(v).type);
    if (side == 1 && !std::ranges::equal(own, types))
      return error("type-mismatch", jump.from, jump.to, "both ways of this jump must give the same types");
    types = own;
  }
  OpId typed = fn_->appendOp(region, ops.lookup("stablehlo.if"), {&jump.condition, 1}, ctx_.noAttrs(), types, loc).id;
  fn_->moveRegions(made, typed);
  fn_->erase(made);
  for (unsigned i = 0; i < types.size(); ++i)
    results.push_back(fn_->op(typed).result(i).id);
  if (types.empty()) // it does nothing
    fn_->erase(typed);
  return true;
}

/// What a loop does from its first block on up to the jump that may leave it.
bool Reader::readUpToExit(RegionId region, size_t first, size_t exit, std::span<const ValueId> args, Jump &jump) {
  if (!enter(first, args, jump) || !readOpsOf(first, region, jump))
    return false;
  if (first == exit)
    return true;
  Operands got;
  return follow(region, first, jump, exit, got) && enter(exit, got, jump) && readOpsOf(exit, region, jump);
}

/// The loop that begins with block `first`; `jump` is what leads there, and afterwards what leads on.
bool Reader::readLoop(RegionId region, size_t first, const Operands &args, Jump &jump) {
  const std::vector<bool> &loop = blocks_[first].loop;
  size_t exit = kNowhere;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    auto leaves = [&](size_t to) { return !loop[to]; };
    if (!loop[i] || (std::ranges::none_of(blocks_[i].next, leaves) && !blocks_[i].next.empty()))
      continue;
    if (exit != kNowhere || blocks_[i].next.size() != 2 || std::ranges::all_of(blocks_[i].next, leaves))
      return refuseJump(jump, "a loop that is left in several places is not read");
    exit = i;
  }
  if (exit == kNowhere)
    return refuseJump(jump, "a loop without an end is not read");
  Loc loc = locAt(jump.from);
  TypeList types;
  for (ValueId v : args)
    types.push_back(fn_->data(v).type);
  OpId made = fn_->appendOp(region, ctx_.ops().lookup("stablehlo.while"), args, ctx_.noAttrs(), types, loc).id;
  openLoops_.push_back(first);
  for (bool body : {false, true}) {
    size_t mark = scope_.mark();
    RegionId inner = fn_->addRegion(made);
    Operands params, results;
    for (TypeId type : types)
      params.push_back(fn_->addRegionParam(inner, type).id);
    Jump last = jump;
    if (!readUpToExit(inner, first, exit, params, last))
      return false;
    unsigned stays = loop[last.target[0]] ? 0 : 1;
    if (!body) {
      TypeId boolType = fn_->data(last.condition).type;
      results.push_back(stays == 0 ? last.condition
                                   : emit(inner, "stablehlo.not", {&last.condition, 1}, {}, boolType, last.from));
    } else {
      last.count = 1;
      last.target[0] = last.target[stays];
      last.args[0] = Operands(last.args[stays]);
      if (!follow(inner, exit, last, first, results))
        return false;
    }
    fn_->appendOp(inner, kReturnKind, results, ctx_.noAttrs(), {}, loc);
    scope_.release(mark);
  }
  Operands after;
  for (unsigned i = 0; i < types.size(); ++i)
    after.push_back(fn_->op(made).result(i).id);
  if (!readUpToExit(region, first, exit, after, jump))
    return false;
  openLoops_.pop_back();
  unsigned leaves = loop[jump.target[0]] ? 1 : 0;
  jump.count = 1;
  jump.target[0] = jump.target[leaves];
  jump.args[0] = Operands(jump.args[leaves]);
  return true;
}

} // namespace rw::stablehlo
