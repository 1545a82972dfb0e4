// Folding of literals, declared in folded.h.
#include "frontend/sema/folded.h"

#include <fmt/format.h>

#include <algorithm>

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

void Folded::learn(const Expr &e) {
  if (e.kind == ExprKind::Let)
    lets_.emplace(e.id, &e.args[0]);
  for (const Expr &arg : e.args)
    learn(arg);
}

/// What a name stands for, as far as a `let` says so.
const Expr &Folded::meant(const Expr &e) const {
  auto it = e.kind == ExprKind::Var ? lets_.find(e.id) : lets_.end();
  return it == lets_.end() ? e : meant(*it->second);
}

std::optional<int64_t> Folded::number(const Expr &e) const {
  std::optional<Expr> out = literal(e);
  return out && out->kind == ExprKind::Int ? std::optional(out->i) : std::nullopt;
}

std::optional<Expr> Folded::literal(const Expr &e) const {
  if (known)
    if (std::optional<Expr> out = known(e))
      return out;
  switch (e.kind) {
  case ExprKind::Int:
  case ExprKind::Bool:
  case ExprKind::String:
  case ExprKind::DType:
    return e;
  case ExprKind::Var: {
    auto it = lets_.find(e.id);
    if (it == lets_.end())
      return std::nullopt;
    auto [value, isNew] = values_.try_emplace(e.id);
    if (isNew)
      value->second = literal(*it->second);
    return value->second;
  }
  case ExprKind::Convert:
    return e.type.is(TypeKind::Dim) ? literal(e.args[0]) : std::nullopt;
  case ExprKind::Not: {
    std::optional<bool> inner = truth(e.args[0]);
    return inner ? std::optional(literalOf(ExprKind::Bool, !*inner)) : std::nullopt;
  }
  case ExprKind::Builtin:
    if (std::optional<int64_t> n = e.builtin == Builtin::Len ? length(e.args[0]) : std::nullopt)
      return literalOf(ExprKind::Int, *n);
    return std::nullopt;
  case ExprKind::Neg: {
    std::optional<int64_t> n = number(e.args[0]);
    return n && *n != INT64_MIN ? std::optional(literalOf(ExprKind::Int, -*n)) : std::nullopt;
  }
  case ExprKind::Binary:
    return binary(e);
  default:
    return std::nullopt;
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
  case BinaryOp::Eq:
    return literalOf(ExprKind::Bool, equal);
  case BinaryOp::Ne:
    return literalOf(ExprKind::Bool, !equal);
  default:
    break;
  }
  if (a->kind != ExprKind::Int)
    return std::nullopt;
  switch (e.binary) {
  case BinaryOp::Lt:
    return literalOf(ExprKind::Bool, a->i < b->i);
  case BinaryOp::Le:
    return literalOf(ExprKind::Bool, a->i <= b->i);
  case BinaryOp::Gt:
    return literalOf(ExprKind::Bool, a->i > b->i);
  case BinaryOp::Ge:
    return literalOf(ExprKind::Bool, a->i >= b->i);
  case BinaryOp::Add:
    return __builtin_add_overflow(a->i, b->i, &number) ? std::nullopt : std::optional(literalOf(ExprKind::Int, number));
  case BinaryOp::Sub:
    return __builtin_sub_overflow(a->i, b->i, &number) ? std::nullopt : std::optional(literalOf(ExprKind::Int, number));
  case BinaryOp::Mul:
    return __builtin_mul_overflow(a->i, b->i, &number) ? std::nullopt : std::optional(literalOf(ExprKind::Int, number));
  default:
    return std::nullopt;
  }
}

/// How many elements a list has, if that is written down.
std::optional<int64_t> Folded::length(const Expr &written) const {
  const Expr &list = meant(written);
  switch (list.kind) {
  case ExprKind::List:
    return int64_t(list.args.size());
  case ExprKind::Convert:
    return list.type.isList() ? length(list.args[0]) : std::nullopt;
  case ExprKind::Range: {
    std::optional<int64_t> begin = number(list.args[0]), end = number(list.args[1]);
    int64_t count = 0;
    if (!begin || !end || __builtin_sub_overflow(*end, *begin, &count))
      return std::nullopt;
    return std::max<int64_t>(count, 0);
  }
  case ExprKind::Comprehension:
    return !list.hasFilter && list.sourceCount() == 1 ? length(list.args[1]) : std::nullopt;
  case ExprKind::Property: { // of a shape of known rank
    if (list.property != Property::Shape || !known)
      return std::nullopt;
    Expr rank = list;
    rank.property = Property::Rank;
    return number(rank);
  }
  case ExprKind::Builtin:
    if (list.builtin == Builtin::Reversed || list.builtin == Builtin::Sorted || list.builtin == Builtin::Argsort)
      return length(list.args[0]);
    if (list.builtin == Builtin::Exactly)
      return number(list.args[1]);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

Folded::Bounds Folded::bounds(const Expr &e) const {
  if (std::optional<int64_t> n = number(e))
    return {*n, *n};
  if (e.kind == ExprKind::Convert && e.type.is(TypeKind::Dim) && e.args[0].type.is(TypeKind::Int))
    return bounds(e.args[0]);
  if (e.kind == ExprKind::Builtin && e.builtin == Builtin::BitLength)
    return {0, 63};
  if (e.kind != ExprKind::Binary || !e.type.is(TypeKind::Int))
    return {};
  std::optional<int64_t> a = number(e.args[0]), b = number(e.args[1]);
  if (e.binary == BinaryOp::BitAnd) {
    int64_t most = std::min(a && *a >= 0 ? *a : INT64_MAX, b && *b >= 0 ? *b : INT64_MAX);
    return most == INT64_MAX ? Bounds() : Bounds{0, most};
  }
  if (e.binary == BinaryOp::Mod && b && *b != 0 && *b != INT64_MIN)
    return *b > 0 ? Bounds{0, *b - 1} : Bounds{*b + 1, 0};
  return {};
}

std::optional<Folded::Failure> Folded::failure(const Expr &e) const {
  switch (e.kind) {
  case ExprKind::Neg:
  case ExprKind::Binary:
    return e.type.is(TypeKind::Int) ? ofNumbers(e) : std::nullopt;
  case ExprKind::Index:
  case ExprKind::Slice:
    return ofList(e);
  case ExprKind::Builtin:
    return ofBuiltin(e);
  default:
    return std::nullopt;
  }
}

std::optional<Folded::Failure> Folded::ofNumbers(const Expr &e) const {
  const Failure tooLarge = {"the number is beyond 64 bits", "ints go from -9223372036854775808 to 9223372036854775807"};
  std::optional<int64_t> a = number(e.args[0]);
  if (e.kind == ExprKind::Neg)
    return a == INT64_MIN ? std::optional(tooLarge) : std::nullopt;
  std::optional<int64_t> b = number(e.args[1]);
  bool shifts = e.binary == BinaryOp::ShiftLeft || e.binary == BinaryOp::ShiftRight;
  if (shifts && b && *b < 0)
    return Failure{"bits are shifted by 0 or more", "the other way is the other operator"};
  if ((e.binary == BinaryOp::Div || e.binary == BinaryOp::Mod) && b == 0)
    return Failure{"this divides by 0", "write the number that is meant"};
  if (!a || !b)
    return std::nullopt;
  int64_t out = 0;
  bool over = false;
  switch (e.binary) {
  case BinaryOp::Add:
    over = __builtin_add_overflow(*a, *b, &out);
    break;
  case BinaryOp::Sub:
    over = __builtin_sub_overflow(*a, *b, &out);
    break;
  case BinaryOp::Mul:
    over = __builtin_mul_overflow(*a, *b, &out);
    break;
  case BinaryOp::ShiftLeft:
    over = *a != 0 && (*b > 63 || *a > (INT64_MAX >> *b) || *a < (INT64_MIN >> *b));
    break;
  default:
    break;
  }
  return over ? std::optional(tooLarge) : std::nullopt;
}

std::optional<Folded::Failure> Folded::ofList(const Expr &e) const {
  std::optional<int64_t> size = length(e.args[0]), first = number(e.args[1]);
  bool slice = e.kind == ExprKind::Slice;
  std::optional<int64_t> end = slice ? number(e.args[2]) : std::nullopt;
  if (slice && first && end && *end < *first)
    return Failure{"the slice ends before it begins", "`list[a..b]` has the elements from `a` on, `b` not among them"};
  std::optional<int64_t> reached = end ? end : first;
  if (!size || !reached || (*reached >= 0 && (slice ? *reached <= *size : *reached < *size)))
    return std::nullopt;
  return Failure{fmt::format("the list has {} element{}", *size, *size == 1 ? "" : "s"),
                 *size ? fmt::format("indexes count from 0, so the last is {}", *size - 1)
                       : "an empty list has no elements"};
}

std::optional<Folded::Failure> Folded::ofBuiltin(const Expr &e) const {
  switch (e.builtin) {
  case Builtin::MinOf:
  case Builtin::MaxOf:
    if (length(e.args[0]) == 0)
      return Failure{"the list is empty", "`min(list ++ [0])` has one element at least"};
    return std::nullopt;
  case Builtin::Exactly: {
    std::optional<int64_t> size = length(e.args[0]), wanted = number(e.args[1]);
    if (wanted && *wanted < 0)
      return Failure{"a list has 0 elements or more", "the second argument is how many there are"};
    if (size && wanted && *size != *wanted)
      return Failure{fmt::format("the list has {} element{}, not {}", *size, *size == 1 ? "" : "s", *wanted),
                     "as many are asked for as there are"};
    return std::nullopt;
  }
  case Builtin::BitLength:
    if (std::optional<int64_t> n = number(e.args[0]); n && *n < 0)
      return Failure{"a negative number has no bit length", "`abs(n)` is its size"};
    return std::nullopt;
  case Builtin::Bits:
    if (std::optional<Expr> type = literal(e.args[0]); type && type->kind == ExprKind::DType && type->text == "str")
      return Failure{"strings have no number of bits", "ask whether it is a number first: `d != str`"};
    return std::nullopt;
  case Builtin::IndexOf: {
    const Expr &list = meant(e.args[0]);
    std::optional<Expr> wanted = literal(e.args[1]);
    auto differs = [&](const Expr &element) {
      std::optional<Expr> given = literal(element);
      return given && given->kind == wanted->kind && (given->i != wanted->i || given->text != wanted->text);
    };
    if (wanted && list.kind == ExprKind::List && std::ranges::all_of(list.args, differs))
      return Failure{"no element of the list is that", "`contains(list, x)` asks whether there is one"};
    return std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

} // namespace rw::sema
