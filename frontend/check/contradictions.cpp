#include "frontend/check/contradictions.h"

#include "frontend/check/folded.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

namespace rw::sema {
namespace {

/// What is fixed, and by what.
struct Fact {
  Expr value; // Int, Bool or DType
  SourceRange range;
};

/// Two facts of one value that cannot both hold.
struct Clash {
  SourceRange later, earlier;
};

/// What a match fixes of its values. Every pattern of a file is asked, most expressions of which are about something
/// else: so facts are found by the shape of an expression, not by its text.
class Facts {
public:
  explicit Facts(const Body &body) : body_(body) {}

  /// What every match of `m` fixes; alternatives fix nothing.
  void collect(const Match &m) {
    if (m.kind == MatchKind::Alternatives || m.optional || m.each)
      return;
    if (m.value)
      value(m.value.var, m);
    for (const OperandMatch &operand : m.operands)
      for (const Match &element : operand.elements)
        if (operand.kind != OperandMatchKind::Maybe)
          collect(element);
    for (const Match &child : m.children)
      collect(child);
  }

  /// What a match fixes of the value that it looks at.
  void value(VarId var, const Match &m) {
    if (body_.var(var).mayBeUnbound || m.kind == MatchKind::Alternatives || m.optional)
      return;
    for (const TypeMatch &type : m.types)
      add(var, type);
    if (m.kind == MatchKind::Const || m.kind == MatchKind::Splat)
      add({var.raw, Asked::IsConst}, literal(ExprKind::Bool, 1), m.range);
    if (m.single)
      add({var.raw, Asked::Uses}, literal(ExprKind::Int, 1), m.range);
  }

  bool empty() const { return facts_.empty(); }
  const std::vector<Clash> &clashes() const { return clashes_; }

  /// `x.rank`, `x.uses`, `x.shape[0]`, `x.dtype`, `x.dtype == f32`, `is_float(x.dtype)`, `is_const(x)`.
  std::optional<Fact> of(const Expr &e) const {
    switch (e.kind) {
    case ExprKind::Property:
      if (e.property == Property::Rank)
        return find(Asked::Rank, e.args[0]);
      if (e.property == Property::Uses)
        return find(Asked::Uses, e.args[0]);
      return e.property == Property::DType ? find(Asked::DType, e.args[0]) : std::nullopt;
    case ExprKind::Index: {
      const Expr &shape = bare(e.args[0]), &at = bare(e.args[1]);
      bool isSize = shape.kind == ExprKind::Property && shape.property == Property::Shape && at.kind == ExprKind::Int;
      return isSize ? find(Asked::Size, shape.args[0], at.i) : std::nullopt;
    }
    case ExprKind::Builtin:
      if (e.builtin == Builtin::IsConst)
        return find(Asked::IsConst, e.args[0]);
      for (auto [builtin, asked] : kClasses)
        if (e.builtin == builtin)
          return ofDType(asked, e.args[0]);
      return std::nullopt;
    case ExprKind::Binary:
      return e.binary == BinaryOp::Eq || e.binary == BinaryOp::Ne ? isOther(e) : std::nullopt;
    default:
      return std::nullopt;
    }
  }

private:
  enum class Asked : uint8_t { Rank, Uses, Size, DType, IsConst, IsFloat, IsInteger, IsSigned, IsComplex };
  struct Key {
    uint32_t var;
    Asked asked;
    int64_t index = 0; // of a size
    auto operator<=>(const Key &) const = default;
  };
  static constexpr std::pair<Builtin, Asked> kClasses[] = {{Builtin::IsFloat, Asked::IsFloat},
                                                           {Builtin::IsInteger, Asked::IsInteger},
                                                           {Builtin::IsSigned, Asked::IsSigned},
                                                           {Builtin::IsComplex, Asked::IsComplex}};

  static const Expr &bare(const Expr &e) { return e.kind == ExprKind::Convert ? bare(e.args[0]) : e; }
  std::optional<Fact> find(Asked asked, const Expr &value, int64_t index = 0) const {
    const Expr &x = bare(value);
    auto it = x.kind == ExprKind::Var ? facts_.find({x.id, asked, index}) : facts_.end();
    return it == facts_.end() ? std::nullopt : std::optional(it->second);
  }
  std::optional<Fact> ofDType(Asked asked, const Expr &dtype) const {
    const Expr &x = bare(dtype);
    bool isDType = x.kind == ExprKind::Property && x.property == Property::DType;
    return isDType ? find(asked, x.args[0]) : std::nullopt;
  }
  /// `x.dtype == i32` of an x that is float.
  std::optional<Fact> isOther(const Expr &e) const {
    bool left = e.args[0].kind == ExprKind::DType;
    const Expr &dtype = e.args[left ? 0 : 1];
    if (dtype.kind != ExprKind::DType)
      return std::nullopt;
    for (auto [asked, is] :
         {std::pair(Asked::IsFloat, isFloat(dtype.text)), std::pair(Asked::IsInteger, isInteger(dtype.text))})
      if (std::optional<Fact> fact = ofDType(asked, e.args[left ? 1 : 0]); fact && fact->value.i != int64_t(is))
        return Fact{literal(ExprKind::Bool, e.binary == BinaryOp::Ne), fact->range};
    return std::nullopt;
  }

  void add(VarId var, const TypeMatch &type) {
    if (type.dtypeClass == DTypeClass::Float)
      classes(var, "f32", type.range);
    if (type.dtypeClass == DTypeClass::Integer) // signed or not
      for (Asked asked : {Asked::IsInteger, Asked::IsFloat, Asked::IsComplex})
        add({var.raw, asked}, literal(ExprKind::Bool, asked == Asked::IsInteger), type.range);
    if (type.dtype && type.dtypeClass == DTypeClass::Exactly && type.dtype->kind == ExprKind::DType) {
      add({var.raw, Asked::DType}, *type.dtype, type.range);
      classes(var, type.dtype->text, type.range);
    }
    if (!type.dims)
      return;
    for (const DimMatch &dim : *type.dims)
      if (dim.rest)
        return;
    add({var.raw, Asked::Rank}, literal(ExprKind::Int, int64_t(type.dims->size())), type.range);
    for (size_t i = 0; i < type.dims->size(); ++i)
      if (const std::optional<Expr> &size = (*type.dims)[i].value; size && bare(*size).kind == ExprKind::Int)
        add({var.raw, Asked::Size, int64_t(i)}, literal(ExprKind::Int, bare(*size).i), type.range);
  }
  static bool isFloat(std::string_view dtype) { return dtype.starts_with("f") || dtype.starts_with("bf"); }
  static bool isInteger(std::string_view dtype) { return dtype.starts_with("i") || dtype.starts_with("u"); }
  void classes(VarId var, std::string_view dtype, SourceRange range) {
    for (auto [asked, holds] :
         {std::pair(Asked::IsFloat, isFloat(dtype)), std::pair(Asked::IsInteger, isInteger(dtype)),
          std::pair(Asked::IsSigned, dtype.starts_with("i")), std::pair(Asked::IsComplex, dtype.starts_with("c"))})
      add({var.raw, asked}, literal(ExprKind::Bool, holds), range);
  }
  void add(Key key, const Expr &value, SourceRange range) {
    auto [it, isNew] = facts_.try_emplace(key, Fact{value, range});
    if (!isNew && (it->second.value.i != value.i || it->second.value.text != value.text))
      clashes_.push_back({range, it->second.range});
  }
  static Expr literal(ExprKind kind, int64_t i) {
    Expr e;
    e.kind = kind;
    e.i = i;
    return e;
  }

  const Body &body_;
  std::map<Key, Fact> facts_;
  std::vector<Clash> clashes_;
};

} // namespace

static Facts factsOf(const Pattern &pattern) {
  Facts facts(pattern.body);
  for (const Match &root : pattern.roots)
    facts.collect(root);
  for (const Condition &condition : pattern.conditions)
    if (condition.kind == ConditionKind::Is && condition.expr.kind == ExprKind::Var) {
      facts.value(condition.expr.var(), *condition.match);
      facts.collect(*condition.match);
    }
  return facts;
}

Folded foldedIn(const Pattern &pattern) {
  Folded folded(pattern.conditions);
  auto facts = std::make_shared<Facts>(factsOf(pattern));
  if (!facts->empty())
    folded.known = [facts](const Expr &e) -> std::optional<Expr> {
      std::optional<Fact> fact = facts->of(e);
      return fact ? std::optional(fact->value) : std::nullopt;
    };
  return folded;
}

void reportContradictedTypes(CheckContext &c, const Pattern &pattern, bool ofTemplate) {
  const Facts facts = factsOf(pattern);
  if (!facts.clashes().empty()) {
    const Clash &clash = facts.clashes().front();
    c.warning("never-matches", clash.later,
              "this contradicts another type that the match asks of the same value, so the pattern never matches")
        .note(clash.earlier, "the other one");
    return;
  }
  if (facts.empty())
    return;
  Folded folded(pattern.conditions);
  std::optional<Fact> used;
  folded.known = [&](const Expr &e) -> std::optional<Expr> {
    std::optional<Fact> fact = facts.of(e);
    if (!fact)
      return std::nullopt;
    used = fact;
    return fact->value;
  };
  for (const Condition &condition : pattern.conditions) {
    if (condition.kind != ConditionKind::Test)
      continue;
    used.reset();
    std::optional<bool> truth = Folded(folded).truth(condition.expr); // a copy of its own, to see what it uses
    if (truth == false && used)
      c.warning("never-matches", condition.expr.range,
                "this contradicts what the match asks for, so the pattern never matches")
          .note(used->range, "asked for here");
    if (truth == true && used && !ofTemplate) // another instance has other types
      c.warning("empty-condition", condition.expr.range, "this is always true, since the match asks for it")
          .note(used->range, "asked for here");
  }
}

void reportSingleUsedTwice(CheckContext &c, const Pattern &pattern) {
  struct Place {
    const Match *op, *value;
  };
  std::map<uint32_t, std::vector<Place>> places; // by variable
  std::function<void(const Match &)> collect = [&](const Match &m) {
    if (m.kind != MatchKind::Op || m.optional || m.each)
      return;
    for (const OperandMatch &operand : m.operands)
      for (const Match &element : operand.elements)
        if (operand.kind != OperandMatchKind::Maybe) {
          if (element.value)
            places[element.value.var.raw].push_back({&m, &element});
          collect(element);
        }
  };
  for (const Match &root : pattern.roots)
    collect(root);
  auto differ = [](const OpSet &a, const OpSet &b) {
    return !a.byTrait() && !b.byTrait() &&
           std::ranges::none_of(a.ops, [&](OpIndex op) { return std::ranges::find(b.ops, op) != b.ops.end(); });
  };
  for (const auto &[id, all] : places)
    for (const Place &one : all)
      for (const Place &other : all)
        if (&one != &other && one.value->single && (one.op == other.op || differ(one.op->ops, other.op->ops))) {
          c.warning(
               "never-matches", one.value->range,
               fmt::format("`{}` has another use in the match, so `single` never holds", pattern.body.vars[id].name))
              .note(other.value->range, "the other use")
              .note("leave out `single`, or ask how many there are: `x.uses == 2`");
          return;
        }
}

void reportMadeByTwo(CheckContext &c, const Pattern &pattern) {
  std::map<uint32_t, const Match *> made; // by variable, what a condition before says of it
  for (const Condition &condition : pattern.conditions) {
    bool isOfName = condition.kind == ConditionKind::Is && condition.expr.kind == ExprKind::Var;
    const Match *m = isOfName ? &*condition.match : nullptr;
    if (!m || m->kind != MatchKind::Op || m->optional || m->ops.byTrait() || m->ops.ops.empty())
      continue;
    auto [before, isNew] = made.try_emplace(condition.expr.id, m);
    const std::vector<OpIndex> &first = before->second->ops.ops;
    auto isCommon = [&](OpIndex op) { return std::ranges::find(first, op) != first.end(); };
    if (isNew || std::ranges::any_of(m->ops.ops, isCommon))
      continue;
    c.warning("never-matches", m->range,
              fmt::format("`{}` is made by another op already, so the pattern never matches",
                          pattern.body.var(condition.expr.var()).name))
        .note(before->second->range, "by this one")
        .note("one of several is `x is (relu | exp)(y)`");
    return;
  }
}

namespace {
/// Every match below `m`, and `m` itself where it stands for a value.
void eachValueMatch(const Match &m, bool isValue, const std::function<void(const Match &)> &visit) {
  if (isValue)
    visit(m);
  for (const OperandMatch &operand : m.operands)
    for (const Match &element : operand.elements)
      eachValueMatch(element, true, visit);
  forEachInside(m, [&](const Match &part) { eachValueMatch(part, true, visit); });
  bool alternatives = m.kind == MatchKind::Alternatives;
  for (const Match &child : m.children)
    eachValueMatch(child, isValue || !alternatives, visit);
  for (const Match &side : m.side)
    eachValueMatch(side, true, visit);
  for (const Condition &condition : m.after)
    if (condition.match)
      eachValueMatch(*condition.match, true, visit);
}

/// All matches of a pattern that stand for values: what is below its roots, and what `is` asks.
void eachValueMatch(const Pattern &pattern, const std::function<void(const Match &)> &visit) {
  for (const Match &root : pattern.roots)
    eachValueMatch(root, false, visit);
  for (const Condition &condition : pattern.conditions)
    if (condition.match)
      eachValueMatch(*condition.match, true, visit);
  for (const Match &test : pattern.body.tests)
    eachValueMatch(test, true, visit);
}

bool asksUses(const Expr &e) {
  return (e.kind == ExprKind::Property && e.property == Property::Uses) || std::ranges::any_of(e.args, asksUses);
}
} // namespace

void reportMatchOfNoValue(CheckContext &c, const Pattern &pattern) {
  eachValueMatch(pattern, [&](const Match &m) {
    if (m.kind != MatchKind::Op && m.kind != MatchKind::Chain)
      return;
    for (OpIndex id : m.ops.ops)
      if (const Op &op = c.module.op(id); op.results.empty())
        c.error("result-count", m.range,
                fmt::format("`{}` has no results, so it makes no value that could be matched here", op.fullName()))
            .note(op.nameRange, fmt::format("`{}` is declared here: a result is written `-> tensor`", op.name))
            .note("an op without results can stand at the root: `c: check(x)`, or beside another one that shares a "
                  "value with it");
  });
}

void reportErasedUses(CheckContext &c, const Pattern &pattern) {
  std::map<uint32_t, SourceRange> read; // ops bound where a value stands
  eachValueMatch(pattern, [&](const Match &m) {
    if (m.op)
      read.emplace(m.op.var.raw, m.range);
  });
  for (const Action &action : pattern.actions) {
    if (action.kind != ActionKind::Erase || !action.op)
      continue;
    const Var &var = pattern.body.var(action.op);
    if (auto it = read.find(action.op.raw); it != read.end()) {
      c.warning(
           "never-matches", action.range,
           fmt::format(
               "`erase` takes an op that nothing uses, but the match itself reads `{}`, so the pattern never fires",
               var.name))
          .note(it->second, "it is an operand here")
          .note("leave the statement out: an op without effects goes by itself when nothing reads it any more");
      continue;
    }
    bool isAsked = std::ranges::any_of(pattern.conditions, [](const Condition &c) { return asksUses(c.expr); });
    for (OpIndex id : var.ops.ops) {
      const Op &op = c.module.op(id);
      if (op.results.empty() || isAsked)
        continue;
      Report report = c.warning(
          "unused-result", action.range,
          fmt::format("`erase` takes an op that nothing uses: this fires only where the result of `{}` is unused",
                      op.fullName()));
      if (op.traits & trait::pure)
        report.note("an op without effects that nothing uses goes by itself, so there is nothing to do; to take away "
                    "one that is "
                    "used, say what replaces it: `=> x`");
      else
        report.note(
            fmt::format("to take away one that is used, say what replaces it: `=> x`; that it is unused is asked by "
                        "`where {}.uses == 0`",
                        var.name));
      break;
    }
  }
}

} // namespace rw::sema
