// Folding of literals, declared in folded.h.
#include "frontend/sema/folded.h"

namespace rw::sema {

static Expr literalOf(ExprKind kind, int64_t i) {
  Expr out;
  out.kind = kind;
  out.i = i;
  return out;
}
std::optional<bool> Folded::truth(const Expr &e) const {
  std::optional<Expr> out = literal(e);
  return out && out->kind == ExprKind::Bool ? std::optional(out->i != 0) : std::nullopt;
}

std::optional<Expr> Folded::literal(const Expr &e) const {
  switch (e.kind) {
  case ExprKind::Int:
  case ExprKind::Bool:
  case ExprKind::String:
  case ExprKind::DType: return e;
  case ExprKind::Var: {
    auto it = lets_.find(e.id);
    return it == lets_.end() ? std::nullopt : literal(*it->second);
  }
  case ExprKind::Convert: return e.type.is(TypeKind::Dim) ? literal(e.args[0]) : std::nullopt;
  case ExprKind::Not: {
    std::optional<bool> inner = truth(e.args[0]);
    return inner ? std::optional(literalOf(ExprKind::Bool, !*inner)) : std::nullopt;
  }
  case ExprKind::Builtin:
    if (e.builtin == Builtin::Len && e.args[0].kind == ExprKind::List)
      return literalOf(ExprKind::Int, int64_t(e.args[0].args.size()));
    return std::nullopt;
  case ExprKind::Binary: return binary(e);
  default: return std::nullopt;
  }
}

std::optional<Expr> Folded::binary(const Expr &e) const {
  if (e.binary == BinaryOp::And || e.binary == BinaryOp::Or) {
    bool decides = e.binary == BinaryOp::Or;
    std::optional<bool> a = truth(e.args[0]), b = truth(e.args[1]);
    if (a == decides || b == decides)
      return literalOf(ExprKind::Bool, decides);
    return a && b ? std::optional(literalOf(ExprKind::Bool, !decides)) : std::nullopt;
  }
  std::optional<Expr> a = literal(e.args[0]), b = literal(e.args[1]);
  if (!a || !b || a->kind != b->kind)
    return std::nullopt;
  bool isText = a->kind == ExprKind::String || a->kind == ExprKind::DType;
  bool equal = isText ? a->text == b->text : a->i == b->i;
  int64_t number = 0;
  switch (e.binary) {
  case BinaryOp::Eq: return literalOf(ExprKind::Bool, equal);
  case BinaryOp::Ne: return literalOf(ExprKind::Bool, !equal);
  default: break;
  }
  if (a->kind != ExprKind::Int)
    return std::nullopt;
  switch (e.binary) {
  case BinaryOp::Lt: return literalOf(ExprKind::Bool, a->i < b->i);
  case BinaryOp::Le: return literalOf(ExprKind::Bool, a->i <= b->i);
  case BinaryOp::Gt: return literalOf(ExprKind::Bool, a->i > b->i);
  case BinaryOp::Ge: return literalOf(ExprKind::Bool, a->i >= b->i);
  case BinaryOp::Add:
    return __builtin_add_overflow(a->i, b->i, &number) ? std::nullopt : std::optional(literalOf(ExprKind::Int, number));
  case BinaryOp::Sub:
    return __builtin_sub_overflow(a->i, b->i, &number) ? std::nullopt : std::optional(literalOf(ExprKind::Int, number));
  case BinaryOp::Mul:
    return __builtin_mul_overflow(a->i, b->i, &number) ? std::nullopt : std::optional(literalOf(ExprKind::Int, number));
  default: return std::nullopt;
  }
}

} // namespace rw::sema
