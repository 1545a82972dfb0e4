#include "codegen/plan/expression_facts.h"

#include <algorithm>

namespace rw::plan {

using sema::Builtin;
using sema::Expr;
using sema::ExprKind;
using sema::Property;
using sema::TypeKind;

void collectVars(const Expr &e, std::vector<bool> &used) {
  if (e.kind == ExprKind::Var && e.id < used.size())
    used[e.id] = true;
  for (const Expr &a : e.args)
    collectVars(a, used);
}

bool isShortRange(const Expr &begin, const Expr &end) {
  if (begin.kind != ExprKind::Int || begin.i < 0)
    return false;
  return (end.kind == ExprKind::Builtin && end.builtin == Builtin::Len) ||
         (end.kind == ExprKind::Int && end.i < 1000) ||
         (end.kind == ExprKind::Property && end.property == Property::Rank);
}

bool builds(const Expr &e) {
  bool constant = e.kind == sema::ExprKind::Convert && e.type.is(sema::TypeKind::Value) &&
                  e.args[0].type.is(sema::TypeKind::Tensor);
  return e.kind == sema::ExprKind::Build || constant || std::ranges::any_of(e.args, builds);
}

bool looksAround(const Expr &e) {
  switch (e.kind) {
  case ExprKind::Native:
  case ExprKind::Property:
  case ExprKind::OpOperand:
  case ExprKind::OpAttr:
  case ExprKind::OpResult:
  case ExprKind::OpRegion:
  case ExprKind::Is:
  case ExprKind::Build:
    return true;
  default:
    return std::ranges::any_of(e.args, looksAround);
  }
}

bool isWork(const Expr &e) {
  return e.kind == ExprKind::Call || e.kind == ExprKind::Comprehension || std::ranges::any_of(e.args, isWork);
}

bool isLiteral(const Expr &e) {
  switch (e.kind) {
  case ExprKind::Int:
  case ExprKind::Float:
  case ExprKind::Bool:
  case ExprKind::String:
  case ExprKind::DType:
    return true;
  case ExprKind::List:
  case ExprKind::Neg:
  case ExprKind::Convert:
    return std::ranges::all_of(e.args, isLiteral);
  default:
    return false;
  }
}

const Expr *typeOfOne(const Expr &type) {
  if (type.kind != ExprKind::MakeType || type.args.size() != 2)
    return nullptr;
  const Expr &dtype = type.args[0], &shape = type.args[1];
  bool properties = dtype.kind == ExprKind::Property && dtype.property == sema::Property::DType &&
                    shape.kind == ExprKind::Property && shape.property == sema::Property::Shape;
  if (!properties || dtype.args[0].kind != ExprKind::Var || shape.args[0].kind != ExprKind::Var ||
      dtype.args[0].id != shape.args[0].id || !dtype.args[0].type.is(TypeKind::Value))
    return nullptr;
  return &dtype.args[0];
}

bool mayBeAbsent(const Expr &e, const sema::Body &body) {
  switch (e.kind) {
  case ExprKind::OpAttr:
  case ExprKind::None:
    return true;
  case ExprKind::OpOperand:
    return !e.type.isList();
  case ExprKind::Var:
    return e.type.is(sema::TypeKind::Value) && body.var(e.var()).isOptionalOperand();
  case ExprKind::If:
    return e.type.is(sema::TypeKind::Value) && (mayBeAbsent(e.args[1], body) || mayBeAbsent(e.args[2], body));
  default:
    return false;
  }
}

} // namespace rw::plan
