// Conditions that what the left side fixes already makes false: `relu(x: f32[2, 3]) where x.rank == 3`.
//
// In:  a checked pattern.
// Out: warnings. Only what the types written in the match prove is said.
// Elsewhere: conditions that contradict each other are lints.cpp.
#include "frontend/sema/checker.h"

#include <fmt/format.h>

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
    return op == BinaryOp::Eq ? std::optional(a.text == b.text) : op == BinaryOp::Ne ? std::optional(a.text != b.text) : std::nullopt;
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
      warning("never-matches", e.range, "this contradicts the type that the match asks for, so the pattern never matches")
          .note((ofLeft ? ofLeft : ofRight)->range, "asked for here");
  }
}

} // namespace rw::sema
