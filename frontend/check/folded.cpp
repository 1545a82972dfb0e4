#include "frontend/check/folded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

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
  if (e.kind != ExprKind::Var)
    return e;
  if (auto it = lets_.find(e.id); it != lets_.end())
    return meant(*it->second);
  const Expr *other = named ? named(e.var()) : nullptr;
  return other ? meant(*other) : e;
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
    if (auto loop = loops_.find(e.id); loop != loops_.end())
      return loop->second;
    auto it = lets_.find(e.id);
    if (it == lets_.end()) {
      const Expr *other = named ? named(e.var()) : nullptr;
      return other ? literal(*other) : std::nullopt;
    }
    if (!loops_.empty()) { // it may be another one for each element
      auto known = values_.find(e.id);
      return known == values_.end() ? std::nullopt : known->second;
    }
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
    if (std::optional<bool> truth = ofElements(e))
      return literalOf(ExprKind::Bool, *truth);
    return std::nullopt;
  case ExprKind::Index: {
    std::optional<int64_t> at = number(e.args[1]);
    std::optional<Elements> list = at && *at >= 0 ? elements(e.args[0]) : std::nullopt;
    return list && size_t(*at) < list->size() ? (*list)[size_t(*at)] : std::nullopt;
  }
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
  if ((e.binary == BinaryOp::Eq || e.binary == BinaryOp::Ne) && e.args[0].type.isList()) {
    std::optional<bool> same = sameLists(e.args[0], e.args[1]);
    return same ? std::optional(literalOf(ExprKind::Bool, *same == (e.binary == BinaryOp::Eq))) : std::nullopt;
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

static bool isSame(const Expr &a, const Expr &b) { return a.kind == b.kind && a.i == b.i && a.text == b.text; }

std::optional<Folded::Elements> Folded::elements(const Expr &written) const {
  constexpr int64_t kMost = 64; // which nobody writes down
  const Expr &list = meant(written);
  std::optional<int64_t> size = length(list);
  if (!size || *size > kMost)
    return std::nullopt;
  Elements out;
  out.resize(size_t(*size));
  switch (list.kind) {
  case ExprKind::List:
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = literal(list.args[i]);
    return out;
  case ExprKind::Convert: // of ints into dims; other elements have other values
    return list.type.kind == TypeKind::Dim ? elements(list.args[0]) : out;
  case ExprKind::Range:
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = literalOf(ExprKind::Int, *number(list.args[0]) + int64_t(i));
    return out;
  case ExprKind::Comprehension:
    return eachOf(list);
  case ExprKind::Property: { // sizes of a shape
    if (list.property != Property::Shape)
      return out;
    Expr at;
    at.kind = ExprKind::Index;
    at.args = {list, literalOf(ExprKind::Int, 0)};
    for (size_t i = 0; i < out.size(); ++i) {
      at.args[1].i = int64_t(i);
      out[i] = known(at);
    }
    return out;
  }
  default:
    return out;
  }
}

/// Of sizes that are all known.
std::optional<int64_t> Folded::product(const Elements &sizes) {
  int64_t out = 1;
  for (const std::optional<Expr> &size : sizes)
    if (!size || size->kind != ExprKind::Int || __builtin_mul_overflow(out, size->i, &out))
      return std::nullopt;
  return out;
}

/// `[f(x) for x in list]`, once for each element of the list.
std::optional<Folded::Elements> Folded::eachOf(const Expr &e) const {
  std::optional<Elements> list = elements(e.args[1]);
  if (!list || e.groupSize(0) != 1 || (steps_ += list->size()) > kMostSteps)
    return std::nullopt;
  Elements out;
  const uint32_t var = e.loopVars[0].raw;
  for (std::optional<Expr> &element : *list) {
    loops_[var] = std::move(element);
    out.push_back(literal(e.args[0]));
  }
  loops_.erase(var);
  return out;
}

std::optional<bool> Folded::sameLists(const Expr &a, const Expr &b) const {
  std::optional<int64_t> sizeOfA = length(a), sizeOfB = length(b);
  if (!sizeOfA || !sizeOfB)
    return std::nullopt;
  if (*sizeOfA != *sizeOfB)
    return false;
  std::optional<Elements> x = elements(a), y = elements(b);
  if (!x || !y)
    return std::nullopt;
  bool all = true;
  for (size_t i = 0; i < x->size(); ++i) {
    if (!(*x)[i] || !(*y)[i])
      all = false;
    else if (!isSame(*(*x)[i], *(*y)[i]))
      return false;
  }
  return all ? std::optional(true) : std::nullopt;
}

/// What is asked of a list: `contains([1, 2], 3)`, `is_permutation([0, 2], 2)`, `all(k >= 0 for k in [1, -1])`.
std::optional<bool> Folded::ofElements(const Expr &e) const {
  const Builtin asked = e.builtin;
  if (asked != Builtin::Contains && asked != Builtin::All && asked != Builtin::Any && asked != Builtin::IsPermutation &&
      asked != Builtin::IsUnique && asked != Builtin::IsSorted)
    return std::nullopt;
  if (asked == Builtin::IsPermutation) {
    std::optional<int64_t> size = length(e.args[0]), wanted = number(e.args[1]);
    if (size && wanted && *size != *wanted)
      return false;
  }
  std::optional<Elements> list = elements(e.args[0]);
  if (!list)
    return std::nullopt;
  std::optional<Expr> wanted = asked == Builtin::Contains ? literal(e.args[1]) : std::nullopt;
  bool every = true, some = false; // whether all are known, and whether one decides
  std::vector<int64_t> numbers;
  for (const std::optional<Expr> &element : *list) {
    every &= element.has_value();
    if (!element)
      continue;
    if (asked == Builtin::All || asked == Builtin::Any)
      some |= element->kind == ExprKind::Bool && (element->i != 0) == (asked == Builtin::Any);
    else if (asked == Builtin::Contains)
      some |= wanted && isSame(*element, *wanted);
    else
      numbers.push_back(element->i);
  }
  if (asked == Builtin::All)
    return some ? std::optional(false) : every ? std::optional(true) : std::nullopt;
  if (asked == Builtin::Any || asked == Builtin::Contains)
    return some                                                     ? std::optional(true)
           : every && (asked == Builtin::Any || wanted.has_value()) ? std::optional(false)
                                                                    : std::nullopt;
  const bool sorted = std::ranges::is_sorted(numbers);
  if (asked == Builtin::IsSorted)
    return !sorted ? std::optional(false) : every ? std::optional(true) : std::nullopt;
  std::ranges::sort(numbers);
  if (std::ranges::adjacent_find(numbers) != numbers.end())
    return false;
  if (asked == Builtin::IsUnique)
    return every ? std::optional(true) : std::nullopt;
  const bool inside = numbers.empty() || (numbers.front() >= 0 && numbers.back() < int64_t(list->size()));
  return !inside ? std::optional(false) : every && number(e.args[1]) ? std::optional(true) : std::nullopt;
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
    if (!known)
      return std::nullopt;
    if (list.property == Property::Ints || list.property == Property::Floats) { // of a constant of known shape
      Expr shape = list;
      shape.property = Property::Shape;
      std::optional<Elements> sizes = elements(shape);
      return sizes ? product(*sizes) : std::nullopt;
    }
    if (list.property != Property::Shape)
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
  case ExprKind::Binary: {
    std::optional<int64_t> a, b;
    if (list.binary == BinaryOp::Concat)
      a = length(list.args[0]), b = length(list.args[1]);
    return a && b ? std::optional(*a + *b) : std::nullopt;
  }
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

/// Why a constant cannot hold an element.
std::optional<Folded::Failure> Folded::held(const Expr &element, std::string_view dtype) const {
  const Expr *e = &meant(element);
  while (e->kind == ExprKind::Convert)
    e = &meant(e->args[0]);
  bool isSigned = dtype.starts_with('i'), isInt = isSigned || dtype.starts_with('u');
  if (!isInt)
    return std::nullopt;
  const std::string cure = "an element is what its type can hold; only floats are rounded";
  if (e->kind == ExprKind::Float && e->f != std::floor(e->f))
    return Failure{fmt::format("{} is no integer, and the elements are {}", e->f, dtype), cure};
  std::optional<int64_t> n = number(*e);
  const int bits = std::atoi(std::string(dtype.substr(1)).c_str());
  if (!n || bits < 2 || bits > 64)
    return std::nullopt;
  const bool below = isSigned ? bits < 64 && *n < -(int64_t(1) << (bits - 1)) : *n < 0;
  const bool above = bits - isSigned < 63 && *n >= (int64_t(1) << (bits - isSigned));
  return below || above ? std::optional(Failure{fmt::format("{} is no {}", *n, dtype), cure}) : std::nullopt;
}

/// `constant([1, 2], i64[3])`, `splat(300, i8[])`
std::optional<Folded::Failure> Folded::ofConstant(const Expr &e) const {
  const Expr &type = meant(e.args[1]);
  if (type.kind != ExprKind::MakeType)
    return std::nullopt;
  std::optional<Expr> dtype = literal(type.args[0]);
  std::optional<Elements> shape = type.args.size() > 1 ? elements(type.args[1]) : std::nullopt;
  std::optional<int64_t> size = e.builtin == Builtin::Constant ? length(e.args[0]) : std::nullopt;
  std::optional<int64_t> wanted = shape ? product(*shape) : std::nullopt;
  if (size && wanted && *wanted != *size)
    return Failure{fmt::format("the list has {} element{}, the type has {}", *size, *size == 1 ? "" : "s", *wanted),
                   "as many elements are written as the type has; `splat(0, t)` makes all of them one number"};
  if (!dtype || dtype->kind != ExprKind::DType)
    return std::nullopt;
  const Expr &list = meant(e.args[0]);
  if (e.builtin == Builtin::Splat)
    return held(list, dtype->text);
  for (const Expr *inner = &list; inner; inner = inner->kind == ExprKind::Convert ? &meant(inner->args[0]) : nullptr)
    if (inner->kind == ExprKind::List)
      for (const Expr &element : inner->args)
        if (std::optional<Failure> failure = held(element, dtype->text))
          return failure;
  return std::nullopt;
}

std::optional<Folded::Failure> Folded::ofBuiltin(const Expr &e) const {
  switch (e.builtin) {
  case Builtin::Constant:
  case Builtin::Splat:
    return ofConstant(e);
  case Builtin::Zip: {
    std::optional<int64_t> first;
    for (const Expr &list : e.args)
      if (std::optional<int64_t> size = length(list); size && first && *size != *first)
        return Failure{fmt::format("the lists have {} and {} elements", *first, *size),
                       "what `zip` goes through side by side is equally long"};
      else if (size)
        first = size;
    return std::nullopt;
  }
  case Builtin::Broadcast: {
    std::optional<Elements> a = elements(e.args[0]), b = elements(e.args[1]);
    for (size_t i = 1; a && b && i <= std::min(a->size(), b->size()); ++i) {
      const std::optional<Expr> &x = (*a)[a->size() - i], &y = (*b)[b->size() - i];
      if (x && y && x->kind == ExprKind::Int && y->kind == ExprKind::Int && x->i != y->i && x->i != 1 && y->i != 1)
        return Failure{fmt::format("{} and {} do not stretch to one size", x->i, y->i),
                       "dimensions are aligned at the end, and a 1 stretches"};
    }
    return std::nullopt;
  }
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
