#include "codegen/plan/literals.h"

#include <algorithm>
#include <cmath>

namespace rw::plan {

using sema::ExprKind;

static std::optional<int64_t> intOf(const Expr &e) {
  if (!e.type.is(sema::TypeKind::Int))
    return std::nullopt;
  if (e.kind == ExprKind::Int)
    return e.i;
  if (e.kind == ExprKind::Neg && e.args[0].kind == ExprKind::Int && e.args[0].i != INT64_MIN)
    return -e.args[0].i;
  return std::nullopt;
}

std::optional<int64_t> literalInt(const Step &s) {
  return s.kind == StepKind::AttrEquals ? intOf(*s.expr) : std::nullopt;
}

bool equalsLiteral(const Step &s) {
  if (s.kind != StepKind::AttrEquals)
    return false;
  ExprKind kind = s.expr->kind;
  return intOf(*s.expr) || kind == ExprKind::String || kind == ExprKind::Bool ||
         (kind == ExprKind::DType && s.expr->text != "?");
}

static std::optional<double> numberOf(const Expr &e) {
  switch (e.kind) {
  case ExprKind::Int:
    return double(e.i);
  case ExprKind::Bool:
    return e.i ? 1.0 : 0.0;
  case ExprKind::Float:
    return e.f;
  case ExprKind::Convert:
    return numberOf(e.args[0]);
  case ExprKind::Neg: {
    std::optional<double> n = numberOf(e.args[0]);
    return n ? std::optional(-*n) : n;
  }
  default:
    return std::nullopt;
  }
}

/// Whether the number is the same in every dtype of floats that constants are read in: then no rounding makes another
/// literal mean the same.
static bool exactEverywhere(double n) {
  int exponent;
  double mantissa = std::ldexp(std::frexp(n, &exponent), 8); // the fewest bits: bf16; the least range: f16
  return n == 0 || (mantissa == std::floor(mantissa) && exponent > -13 && exponent <= 15);
}

std::optional<int64_t> splatInt(const Step &s) {
  return s.kind == StepKind::Splat && s.expr ? intOf(*s.expr) : std::nullopt;
}

std::optional<double> splatNumber(const Step &s) {
  std::optional<double> n = s.kind == StepKind::Splat && s.expr ? numberOf(*s.expr) : std::nullopt;
  if (!n || (s.expr->type.is(sema::TypeKind::Float) && !exactEverywhere(*n)))
    return std::nullopt;
  return *n == 0 ? 0.0 : *n; // both zeros are one number
}

bool asksDTypeOnly(const Step &s) {
  if (s.kind != StepKind::Type)
    return false;
  const sema::TypeMatch &t = *s.type;
  if (t.singleElement || t.equals || t.dims || !t.native.empty() || !t.elements.empty())
    return false;
  if (t.dtypeClass == sema::DTypeClass::Exactly)
    return t.dtype && t.dtype->kind == ExprKind::DType && t.dtype->text != "?";
  return t.dtypeClass != sema::DTypeClass::Any;
}

const sema::OpAttrDecl *attrOf(const sema::Op &op, const Step &s) {
  if (s.index < op.attrs.size() && op.attrs[s.index].name == s.name) // as it is where all ops have it at one place
    return &op.attrs[s.index];
  auto found = std::ranges::find(op.attrs, s.name, &sema::OpAttrDecl::name);
  return found == op.attrs.end() ? nullptr : &*found;
}

bool alwaysThere(const Step &s, const sema::Module &module) {
  if (s.opSet.byTrait() || s.opSet.ops.empty() || !s.indexes.empty())
    return false;
  return std::ranges::all_of(s.opSet.ops, [&](sema::OpIndex i) {
    const auto &attrs = module.op(i).attrs;
    return s.index < attrs.size() && attrs[s.index].required();
  });
}

StandInType typeOfStandIn(const sema::Op &op, const sema::OpAttrDecl &attr) {
  StandInType out;
  bool list = attr.type == sema::AttrType::Ints || attr.type == sema::AttrType::Floats;
  out.rank = list ? 1 : 0;
  if (attr.type == sema::AttrType::Int || attr.type == sema::AttrType::Ints)
    out.dtype = "i64";
  else if (list)
    out.dtype = "f32";
  if (const std::optional<sema::TypeMatch> &type = op.operands[attr.operand].type) {
    if (type->dtypeClass == sema::DTypeClass::Exactly && type->dtype->kind == sema::ExprKind::DType)
      out.dtype = type->dtype->text;
    if (type->dims && !list)
      out.rank = uint8_t(std::min<size_t>(type->dims->size(), 8));
  }
  return out;
}

} // namespace rw::plan
