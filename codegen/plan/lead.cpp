#include "codegen/plan/lead.h"

#include <algorithm>
#include <cmath>
#include <map>

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
  return intOf(*s.expr) || kind == ExprKind::String || kind == ExprKind::Bool || (kind == ExprKind::DType && s.expr->text != "?");
}

static std::optional<double> numberOf(const Expr &e) {
  switch (e.kind) {
  case ExprKind::Int: return double(e.i);
  case ExprKind::Bool: return e.i ? 1.0 : 0.0;
  case ExprKind::Float: return e.f;
  case ExprKind::Convert: return numberOf(e.args[0]);
  case ExprKind::Neg: {
    std::optional<double> n = numberOf(e.args[0]);
    return n ? std::optional(-*n) : n;
  }
  default: return std::nullopt;
  }
}

/// Whether the number is the same in every dtype of floats that constants are read in: then no rounding makes another
/// literal mean the same.
static bool exactEverywhere(double n) {
  int exponent;
  double mantissa = std::ldexp(std::frexp(n, &exponent), 8); // the fewest bits: bf16; the least range: f16
  return n == 0 || (mantissa == std::floor(mantissa) && exponent > -13 && exponent <= 15);
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

bool alwaysThere(const Step &s, const sema::Module &module) {
  if (s.opSet.byTrait() || s.opSet.ops.empty() || !s.indexes.empty())
    return false;
  return std::ranges::all_of(s.opSet.ops, [&](sema::OpIndex i) {
    const auto &attrs = module.op(i).attrs;
    return s.index < attrs.size() && attrs[s.index].required();
  });
}

Lead splitPlan(const MatchPlan &plan) {
  Lead out;
  out.slots.assign(plan.slots.size(), false);
  std::map<uint32_t, Slot> vars; // bound to a value that the lead has
  bool stopped = false;
  auto given = [&](Slot s) { return s != kNoSlot && out.slots[s]; };
  auto isValue = [&](Slot s) { return plan.slots[s].kind == SlotKind::Value; };
  for (const Step &s : plan.steps) {
    auto take = [&] { out.lead.push_back(s); };
    auto set = [&](Slot slot) { out.slots[slot] = true; };
    bool taken = true;
    if (stopped) {
      out.rest.push_back(s);
      continue;
    }
    switch (s.kind) {
    case StepKind::Root: take(), set(s.out); break;
    case StepKind::Operand:
    case StepKind::Def: // sets that mix ops and traits are asked for in the rest
      if ((taken = given(s.in) && !(s.kind == StepKind::Def && s.ops.mixed())))
        take(), set(s.out);
      break;
    case StepKind::Attr:
      if ((taken = given(s.in) && s.indexes.empty()))
        take(), set(s.out);
      break;
    case StepKind::AttrDefault:
    case StepKind::AttrAbsent:
      if ((taken = given(s.in) && s.indexes.empty()))
        take();
      break;
    case StepKind::Count:
    case StepKind::Absent:
    case StepKind::NoExtras:
    case StepKind::Single:
    case StepKind::Const:
      if ((taken = given(s.in)))
        take();
      break;
    case StepKind::AttrEquals:
      if ((taken = given(s.in) && equalsLiteral(s)))
        take();
      break;
    case StepKind::Type:
      if ((taken = given(s.in) && asksDTypeOnly(s)))
        take();
      break;
    case StepKind::Splat:
      if (given(s.in))
        take();
      taken = false; // exactly, in the rest
      break;
    case StepKind::Bind:
      if (given(s.in) && isValue(s.in)) { // names it, in both parts
        vars[s.var.raw] = s.in;
        take();
      }
      taken = false;
      break;
    case StepKind::Same:
      if ((taken = given(s.in) && isValue(s.in) && vars.contains(s.var.raw)))
        take();
      break;
    case StepKind::Commute: // where that depends on the op, all that follows is the rest
      if ((taken = given(s.in) && !out.commutes && !s.ifCommutative)) {
        take(), set(s.out), set(s.out + 1);
        out.commutes = true;
      } else {
        stopped = true;
      }
      break;
    case StepKind::AttrOneOf:
    case StepKind::AttrList:
    case StepKind::OperandList: taken = false; break;
    default:
      taken = false;
      stopped = true;
    }
    if (!taken)
      out.rest.push_back(s);
  }
  return out;
}

} // namespace rw::plan
