#include "frontend/check/lint_requires.h"

#include "frontend/check/contradictions.h"
#include "frontend/check/folded.h"
#include "frontend/sema/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace rw::sema {
namespace {

/// Whether an expression means the same wherever it stands.
bool isClosed(const Expr &e) {
  switch (e.kind) {
  case ExprKind::Int:
  case ExprKind::Float:
  case ExprKind::Bool:
  case ExprKind::String:
  case ExprKind::DType:
  case ExprKind::List:
  case ExprKind::Neg:
  case ExprKind::Convert:
    return std::ranges::all_of(e.args, isClosed);
  default:
    return false;
  }
}

/// What is written of one op: its attributes, and names of its operands.
struct WrittenOp {
  std::vector<std::pair<int, Expr>> attrs; // by number as declared
  std::vector<std::pair<size_t, VarId>> operands;

  void attr(int index, const Expr &value) {
    if (index >= 0 && isClosed(value))
      attrs.emplace_back(index, value);
  }
};

/// Evaluates what an op requires, of an op as it is written.
class Requirements {
public:
  /// What `pattern` knows of names is what types say of them.
  Requirements(const Op &op, const WrittenOp &written, const Folded &pattern)
      : op_(op), written_(written), pattern_(pattern) {}

  /// The first that does not hold, or null. Where lists say how many dimensions an operand has, each number of them is
  /// tried: `start = [0], limit = [1, 2]` fits none.
  const Require *broken() const {
    const Require *found = brokenHere();
    bool hasList = std::ranges::any_of(written_.attrs, [](const auto &a) { return a.second.kind == ExprKind::List; });
    if (found || !hasList || !openRank_)
      return found;
    constexpr int64_t kMostRank = 16;
    assumed_ = openRank_;
    for (rank_ = 0; rank_ <= kMostRank; ++rank_)
      if (const Require *here = brokenHere(); !here)
        return nullptr;
      else if (!found || here != &op_.requires_.front())
        found = here;
    return found;
  }

private:
  const Require *brokenHere() const {
    for (const Require &require : op_.requires_) {
      Folded folded;
      folded.named = [this](VarId id) { return valueOf(id); };
      folded.known = [this](const Expr &e) { return ofOperand(e); };
      folded.learn(require.condition);
      if (folded.truth(require.condition) == false)
        return &require;
    }
    return nullptr;
  }
  const Expr *valueOf(VarId id) const {
    if (!id || id.raw >= op_.body.vars.size() || op_.body.var(id).kind != VarKind::Attr)
      return nullptr;
    const int at = op_.attrNamed(op_.body.var(id).name);
    auto it = std::ranges::find(written_.attrs, at, [](const auto &attr) { return attr.first; });
    return it == written_.attrs.end() ? nullptr : &it->second;
  }
  /// `x.rank`, `x.dtype == f32` of an operand that has a name in the pattern.
  std::optional<Expr> ofOperand(const Expr &e) const {
    bool isRank = e.kind == ExprKind::Property && e.property == Property::Rank && e.args[0].kind == ExprKind::Var &&
                  e.args[0].id < op_.body.vars.size() && op_.body.var(e.args[0].var()).kind == VarKind::Operand;
    if (isRank && assumed_ == e.args[0].var()) {
      Expr rank;
      rank.kind = ExprKind::Int;
      rank.i = rank_;
      return rank;
    }
    std::optional<Expr> out = asked(e);
    if (isRank && !out && !openRank_)
      openRank_ = e.args[0].var();
    return out;
  }
  std::optional<Expr> asked(const Expr &e) const {
    if (!pattern_.known || written_.operands.empty())
      return std::nullopt;
    bool asks = e.kind == ExprKind::Property || e.kind == ExprKind::Index || e.kind == ExprKind::Builtin ||
                e.kind == ExprKind::Binary;
    size_t left = 8;
    std::optional<Expr> there = asks ? inPattern(e, left) : std::nullopt;
    return there ? pattern_.known(*there) : std::nullopt;
  }
  /// The same, in names of the pattern.
  std::optional<Expr> inPattern(const Expr &e, size_t &left) const {
    if (!left--)
      return left = 0, std::nullopt;
    if (e.kind == ExprKind::Var) {
      if (e.id >= op_.body.vars.size() || op_.body.var(e.var()).kind != VarKind::Operand)
        return std::nullopt;
      auto it = std::ranges::find(written_.operands, size_t(op_.body.var(e.var()).index),
                                  [](const auto &operand) { return operand.first; });
      if (it == written_.operands.end())
        return std::nullopt;
      Expr out = e;
      out.id = it->second.raw;
      return out;
    }
    Expr out = e;
    for (Expr &arg : out.args) {
      std::optional<Expr> inner = inPattern(arg, left);
      if (!inner)
        return std::nullopt;
      arg = std::move(*inner);
    }
    return out;
  }

  const Op &op_;
  const WrittenOp &written_;
  const Folded &pattern_;
  mutable VarId openRank_; // the first operand whose rank is asked for and not known
  mutable VarId assumed_;  // that whose rank is taken to be `rank_`
  mutable int64_t rank_ = 0;
};

class Contradictions {
public:
  Contradictions(CheckContext &c, Folded pattern) : c_(c), pattern_(std::move(pattern)) {}

  /// A match of an op, and all that is matched below it.
  void match(const Match &m) {
    if (m.kind == MatchKind::Op && !m.ops.byTrait())
      all(m.ops.ops, m.range, false, [&](size_t i) { return written(m, i); });
    forEachPart(m, [&](const Match &part) { match(part); });
    for (const Condition &condition : m.after)
      if (condition.match)
        match(*condition.match);
  }
  /// An op that is built.
  void build(const Build &b, const Body &body) {
    std::vector<OpIndex> ops = b.versions;
    if (b.kind == BuildKind::Op && ops.empty())
      ops.push_back(b.op);
    if (b.kind == BuildKind::Like && !body.var(b.like).ops.byTrait())
      ops = body.var(b.like).ops.ops;
    all(ops, b.range, true, [&](size_t i) {
      WrittenOp out;
      const Op &op = c_.module.op(ops[i]);
      for (const BuildAttr &attr : b.attrs)
        out.attr(op.attrNamed(attr.name), attr.value);
      for (size_t k = 0; b.kind == BuildKind::Op && k < b.operands.size() && k < op.operands.size(); ++k)
        if (b.operands[k].kind == ExprKind::Var && ops[i] == b.op)
          out.operands.emplace_back(k, b.operands[k].var());
      if (b.kind == BuildKind::Op)
        defaults(op, out, [&](const std::string &name) {
          return std::ranges::none_of(b.attrs, [&](const BuildAttr &attr) { return attr.name == name; });
        });
      return out;
    });
  }
  void update(const Action &action, const OpSet &ops) {
    if (!ops.byTrait())
      all(ops.ops, action.range, true, [&](size_t i) {
        WrittenOp out;
        for (const BuildAttr &attr : action.attrs)
          out.attr(c_.module.op(ops.ops[i]).attrNamed(attr.name), attr.value);
        return out;
      });
  }

private:
  WrittenOp written(const Match &m, size_t i) const {
    WrittenOp out;
    const Op &op = c_.module.op(m.ops.ops[i]);
    for (const AttrMatch &attr : m.attrs) {
      const int at = i < attr.index.size() ? attr.index[i] : -1;
      if (at < 0)
        continue;
      if (attr.kind == AttrMatchKind::Equal && attr.value)
        out.attr(at, *attr.value);
      if (attr.kind == AttrMatchKind::List && !attr.hasRest && !op.isStandIn(at))
        out.attrs.emplace_back(at, listOf(attr));
      if (attr.kind == AttrMatchKind::Default && !op.isStandIn(at) && op.attrAt(size_t(at)).defaultValue)
        out.attrs.emplace_back(at, *op.attrAt(size_t(at)).defaultValue);
    }
    for (size_t k = 0; k < m.operands.size() && k < op.operands.size(); ++k)
      if (const OperandMatch &operand = m.operands[k];
          operand.kind == OperandMatchKind::One && operand.elements[0].value)
        out.operands.emplace_back(k, operand.elements[0].value.var);
    return out;
  }
  /// `[0, n]`: what is no literal stays open.
  static Expr listOf(const AttrMatch &attr) {
    Expr list;
    list.kind = ExprKind::List;
    list.type = attr.element.listOf();
    for (const AttrMatch::Element &element : attr.elements) {
      Expr open;
      open.kind = ExprKind::Var;
      list.args.push_back(element.value && isClosed(*element.value) ? *element.value : open);
    }
    return list;
  }
  template <class F> static void defaults(const Op &op, WrittenOp &out, const F &isLeftOut) {
    for (size_t k = 0; k < op.attrs.size(); ++k)
      if (op.attrs[k].defaultValue && isLeftOut(op.attrs[k].name))
        out.attrs.emplace_back(int(k), *op.attrs[k].defaultValue);
  }

  /// Says so where none of the ops, or versions of one, can be as it is written.
  template <class F> void all(const std::vector<OpIndex> &ops, SourceRange range, bool built, const F &written) {
    const Require *first = nullptr;
    for (size_t i = 0; i < ops.size(); ++i) {
      const Op &op = c_.module.op(ops[i]);
      if (op.requires_.empty())
        return;
      const WrittenOp here = written(i);
      const Require *broken = here.attrs.empty() ? nullptr : Requirements(op, here, pattern_).broken();
      if (!broken)
        return;
      first = first ? first : broken;
    }
    if (!first)
      return;
    const std::string name = c_.module.op(ops[0]).fullName();
    c_.warning(built ? "always-fails" : "never-matches", range,
               built ? fmt::format("`{}` is never valid so, and this is never built", name)
                     : fmt::format("no `{}` is like this, so nothing matches here", name))
        .note(first->range, "it requires this")
        .note(built ? "state attributes that meet it" : "ask for what such an op can have");
  }

  CheckContext &c_;
  Folded pattern_;
};

} // namespace

void reportContradictedRequires(CheckContext &c, const Pattern &pattern) {
  Contradictions lint(c, foldedIn(pattern));
  for (const Match &root : pattern.roots)
    lint.match(root);
  for (const Condition &condition : pattern.conditions)
    if (condition.match)
      lint.match(*condition.match);
  for (const Match &test : pattern.body.tests)
    lint.match(test);
  for (const Build &build : pattern.body.builds)
    lint.build(build, pattern.body);
  for (const Action &action : pattern.actions)
    if (action.kind == ActionKind::Update && action.op)
      lint.update(action, pattern.body.var(action.op).ops);
}

void reportContradictedRequires(CheckContext &c, const Test &test) {
  Contradictions lint(c, Folded());
  for (const Build &build : test.body.builds)
    lint.build(build, test.body);
}

} // namespace rw::sema
