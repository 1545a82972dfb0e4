// What makes that a pattern never fires: conditions that the left side already makes false (`relu(x: f32[2, 3]) where
// x.rank == 3`), operands that an op without results would make, ops erased while the match itself reads them.
//
// In:  a checked pattern.
// Out: warnings, and errors for operands that nothing can make. Only what the match proves is said.
// Elsewhere: conditions that contradict each other are lints.cpp.
#include "frontend/sema/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

namespace rw::sema {
namespace {

/// What is fixed: an expression as text ("x.rank") and the literal that it equals.
struct Fact {
  Expr value; // Int or DType
  SourceRange range;
};

class Facts {
public:
  Facts(const Module &module, const Body &body) : m_(module), body_(body) {}

  /// What every match of `m` fixes; alternatives fix nothing.
  void collect(const Match &m) {
    if (m.kind == MatchKind::Alternatives || m.optional || m.each)
      return;
    if (m.value && !body_.var(m.value.var).mayBeUnbound)
      for (const TypeMatch &type : m.types)
        add(body_.var(m.value.var).name, type);
    for (const OperandMatch &operand : m.operands)
      for (const Match &element : operand.elements)
        if (operand.kind != OperandMatchKind::Maybe)
          collect(element);
    for (const Match &child : m.children)
      collect(child);
  }

  const Fact *of(const Expr &e) const {
    auto it = facts_.find(toString(e, m_, body_));
    return it == facts_.end() ? nullptr : &it->second;
  }

private:
  void add(const std::string &name, const TypeMatch &type) {
    if (type.dtype && type.dtypeClass == DTypeClass::Exactly && type.dtype->kind == ExprKind::DType)
      facts_.emplace(name + ".dtype", Fact{*type.dtype, type.range});
    if (!type.dims)
      return;
    for (const DimMatch &dim : *type.dims)
      if (dim.rest)
        return;
    facts_.emplace(name + ".rank", Fact{number(int64_t(type.dims->size())), type.range});
    for (size_t i = 0; i < type.dims->size(); ++i) {
      const Expr *value = (*type.dims)[i].value ? &*(*type.dims)[i].value : nullptr;
      while (value && value->kind == ExprKind::Convert)
        value = &value->args[0];
      if (value && value->kind == ExprKind::Int)
        facts_.emplace(fmt::format("{}.shape[{}]", name, i), Fact{number(value->i), type.range});
    }
  }
  static Expr number(int64_t i) {
    Expr e;
    e.kind = ExprKind::Int;
    e.i = i;
    return e;
  }

  const Module &m_;
  const Body &body_;
  std::map<std::string, Fact> facts_;
};

const Expr &plain(const Expr &e) { return e.kind == ExprKind::Convert ? plain(e.args[0]) : e; }

/// Whether `a OP b` holds, of two literals of one kind; none if that is not known.
std::optional<bool> holds(BinaryOp op, const Expr &a, const Expr &b) {
  if (a.kind == ExprKind::DType && b.kind == ExprKind::DType)
    return op == BinaryOp::Eq   ? std::optional(a.text == b.text)
           : op == BinaryOp::Ne ? std::optional(a.text != b.text)
                                : std::nullopt;
  if (a.kind != ExprKind::Int || b.kind != ExprKind::Int)
    return std::nullopt;
  switch (op) {
  case BinaryOp::Eq: return a.i == b.i;
  case BinaryOp::Ne: return a.i != b.i;
  case BinaryOp::Lt: return a.i < b.i;
  case BinaryOp::Le: return a.i <= b.i;
  case BinaryOp::Gt: return a.i > b.i;
  case BinaryOp::Ge: return a.i >= b.i;
  default: return std::nullopt;
  }
}

} // namespace

void Checker::contradictsTypes(const Pattern &pattern) {
  Facts facts(module, pattern.body);
  for (const Match &root : pattern.roots)
    facts.collect(root);
  for (const Condition &condition : pattern.conditions) {
    const Expr &e = condition.expr;
    if (condition.kind != ConditionKind::Test || e.kind != ExprKind::Binary)
      continue;
    const Expr &left = plain(e.args[0]), &right = plain(e.args[1]);
    const Fact *ofLeft = facts.of(left), *ofRight = facts.of(right);
    std::optional<bool> held = holds(e.binary, ofLeft ? ofLeft->value : left, ofRight ? ofRight->value : right);
    if ((ofLeft || ofRight) && held && !*held)
      warning("never-matches", e.range,
              "this contradicts the type that the match asks for, so the pattern never matches")
          .note((ofLeft ? ofLeft : ofRight)->range, "asked for here");
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

/// An op without results where a value stands.
void Checker::matchesNoValue(const Pattern &pattern) {
  eachValueMatch(pattern, [&](const Match &m) {
    if (m.kind != MatchKind::Op && m.kind != MatchKind::Chain)
      return;
    for (OpIndex id : m.ops.ops)
      if (const Op &op = module.op(id); op.results.empty())
        error("result-count", m.range,
              fmt::format("`{}` has no results, so it makes no value that could be matched here", op.fullName()))
            .note(op.nameRange, fmt::format("`{}` is declared here: a result is written `-> tensor`", op.name))
            .note("an op without results can stand at the root: `c: check(x)`, or beside another one that shares a "
                  "value with it");
  });
}

/// `erase` of what something in the match reads: the condition that the op is unused fails whenever the rest holds.
void Checker::erasesUsed(const Pattern &pattern) {
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
      warning("never-matches", action.range,
              fmt::format(
                  "`erase` takes an op that nothing uses, but the match itself reads `{}`, so the pattern never fires",
                  var.name))
          .note(it->second, "it is an operand here")
          .note("leave the statement out: an op without effects goes by itself when nothing reads it any more");
      continue;
    }
    bool isAsked = std::ranges::any_of(pattern.conditions, [](const Condition &c) { return asksUses(c.expr); });
    for (OpIndex id : var.ops.ops) {
      const Op &op = module.op(id);
      if (op.results.empty() || isAsked)
        continue;
      Report report = warning(
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
