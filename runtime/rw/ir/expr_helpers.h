// What generated code calls to evaluate expressions of .rw files: arithmetic that cannot overflow unseen, lists,
// shapes, constants. Every function is total: an empty optional (or `true` of the …Fails functions) is failure, and
// failure means "no match".
//
// In:  plain values, spans, ids of a Context.
// Out: plain values.
// Elsewhere: matching of ops, chains and replacement is rewrite/match_helpers.h; what expressions mean is said in
//            frontend/sema/expr.h.
//
//   int64_t sum;
//   if (addFails(a, b, sum)) return std::nullopt;
//   std::optional<Dims> shape = broadcastShapes(ctx, c, d);   // [B, 1] and [3] give [B, 3]
#pragma once

#include "rw/ir/attr_values.h"
#include "rw/ir/view.h"
#include "rw/support/inline_list.h"
#include "rw/support/numbers.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace rw {

// Numbers. `true` is failure.
inline bool addFails(int64_t a, int64_t b, int64_t &out) { return __builtin_add_overflow(a, b, &out); }
inline bool subFails(int64_t a, int64_t b, int64_t &out) { return __builtin_sub_overflow(a, b, &out); }
inline bool mulFails(int64_t a, int64_t b, int64_t &out) { return __builtin_mul_overflow(a, b, &out); }
/// Rounded down; division by zero and overflow fail.
bool divFails(int64_t a, int64_t b, int64_t &out);
bool modFails(int64_t a, int64_t b, int64_t &out); ///< the sign of the divisor
/// a * 2^n; fails of a negative n, and where it does not fit.
inline bool shiftLeftFails(int64_t a, int64_t n, int64_t &out) {
  if (n < 0 || (n > 62 && a != 0))
    return n < 0 || a != -1 || n != 63 || (out = INT64_MIN, false);
  return a == 0 ? (out = 0, false) : mulFails(a, int64_t(1) << n, out);
}
/// a / 2^n rounded down, which is 0 or -1 from some n on; fails of a negative n.
inline bool shiftRightFails(int64_t a, int64_t n, int64_t &out) {
  out = a >> (n > 63 ? 63 : n & 63);
  return n < 0;
}
/// How many binary digits; fails of a negative number.
inline bool bitLengthFails(int64_t n, int64_t &out) {
  out = 64 - std::countl_zero(uint64_t(n));
  return n < 0;
}
inline bool isPowerOfTwo(int64_t n) { return n > 0 && std::has_single_bit(uint64_t(n)); }
inline bool negFails(int64_t a, int64_t &out) { return __builtin_sub_overflow(int64_t(0), a, &out); }
inline bool absFails(int64_t a, int64_t &out) { return a < 0 ? negFails(a, out) : (out = a, false); }
inline bool inRange(int64_t index, size_t size) { return index >= 0 && uint64_t(index) < size; }
inline bool sliceFits(int64_t begin, int64_t end, size_t size) {
  return begin >= 0 && begin <= end && uint64_t(end) <= size;
}

// Dimensions.
std::optional<Dim> dimOf(int64_t);              ///< fails on what is no dim: numbers of more than 60 bits below 0
std::optional<bool> equal(Context &, Dim, Dim); ///< fails unless it holds, or not, whatever the symbols stand for
std::optional<bool> less(Context &, Dim, Dim);
std::optional<bool> lessOrEqual(Context &, Dim, Dim);
std::optional<Dim> divide(Context &, Dim, Dim);
std::optional<Dim> modulo(Context &, Dim, Dim);

// Floats that were rounded to 32 bits. Float attributes are, and elements of f32 constants; `where a == 0.2` means the
// one that 0.2 becomes there. Sema says where this is asked (Expr::rounded).
/// `meant` if `v` is what that becomes in 32 bits, else `v`.
inline double unrounded(double v, double meant) { return v == toFloat32(meant) && fitsFloat32(meant) ? meant : v; }
/// Of lists element by element; of a list and a number each element.
InlineList<double> unrounded(std::span<const double> list, std::span<const double> meant);
InlineList<double> unrounded(std::span<const double> list, double meant);
double unrounded(double v, std::span<const double> meant); ///< the first of `meant` that it is

// Equality of everything else.
inline std::optional<bool> equal(Context &, int64_t a, int64_t b) { return a == b; }
inline std::optional<bool> equal(Context &, double a, double b) { return a == b; }
inline std::optional<bool> equal(Context &, bool a, bool b) { return a == b; }
inline std::optional<bool> equal(Context &, std::string_view a, std::string_view b) { return a == b; }
inline std::optional<bool> equal(Context &, DType a, DType b) { return a == b; }
inline std::optional<bool> equal(Context &, Value a, Value b) { return a == b; }
inline std::optional<bool> equal(Context &, AttrId a, AttrId b) { return a == b; }
/// Of types: true if both are fully known and equal, false if they cannot be, else failure.
std::optional<bool> equal(Context &, TypeId, TypeId);
template <class T, size_t N> std::optional<bool> equal(Context &, const InlineList<T, N> &a, const InlineList<T, N> &b);
template <class T> std::optional<bool> equal(Context &ctx, std::span<const T> a, std::span<const T> b) {
  if (a.size() != b.size())
    return false;
  bool failed = false;
  for (size_t i = 0; i < a.size(); ++i) {
    std::optional<bool> e = equal(ctx, a[i], b[i]);
    if (e && !*e)
      return false; // decides, even if an earlier comparison had no answer
    failed |= !e;
  }
  return failed ? std::nullopt : std::optional(true);
}
template <class T, size_t N>
std::optional<bool> equal(Context &ctx, const InlineList<T, N> &a, const InlineList<T, N> &b) {
  return equal<T>(ctx, std::span<const T>(a), std::span<const T>(b));
}

// What matching means by the same: equality, of floats the same bits (0.0 is not -0.0, and NaN is itself).
template <class T> std::optional<bool> identical(Context &ctx, T a, T b) { return equal(ctx, a, b); }
inline std::optional<bool> identical(Context &, double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}
template <class T> std::optional<bool> identical(Context &ctx, std::span<const T> a, std::span<const T> b) {
  if constexpr (std::is_same_v<T, double>)
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
  else
    return equal<T>(ctx, a, b);
}

// Lists.
template <class T> std::optional<int64_t> indexOf(Context &ctx, std::span<const T> list, T x) {
  for (size_t i = 0; i < list.size(); ++i) {
    std::optional<bool> e = equal(ctx, list[i], x);
    if (!e || *e)
      return e ? std::optional(int64_t(i)) : std::nullopt;
  }
  return std::nullopt;
}
template <class T> std::optional<int64_t> count(Context &ctx, std::span<const T> list, T x) {
  int64_t n = 0;
  for (const T &y : list) {
    std::optional<bool> e = equal(ctx, y, x);
    if (!e)
      return std::nullopt;
    n += *e;
  }
  return n;
}
template <class T> std::optional<bool> contains(Context &ctx, std::span<const T> list, T x) {
  bool failed = false;
  for (const T &y : list) {
    std::optional<bool> e = equal(ctx, y, x);
    if (e && *e)
      return true;
    failed |= !e;
  }
  return failed ? std::nullopt : std::optional(false);
}
template <class T> ListOf<T> concat(std::span<const T> a, std::span<const T> b) {
  ListOf<T> out;
  for (const T &x : a)
    out.push_back(x);
  for (const T &x : b)
    out.push_back(x);
  return out;
}
/// Two texts as one, which lives as long as the context.
std::string_view joinedText(Context &, std::string_view, std::string_view);
template <class T> ListOf<T> reversed(std::span<const T> list) {
  ListOf<T> out;
  for (size_t i = list.size(); i-- > 0;)
    out.push_back(list[i]);
  return out;
}
/// [begin, end), empty if end <= begin; fails if it is too long to be meant (see kMaxList).
std::optional<Ints> range(int64_t begin, int64_t end);
inline constexpr size_t kMaxList = size_t(1) << 16;
/// Of a comprehension over several lists: more are no answer.
inline constexpr size_t kMaxSteps = size_t(1) << 20;
/// Of two lists joined: a list that a rewrite joins with itself would double each time.
inline bool joinFits(size_t a, size_t b) { return a + b <= kMaxList; }
inline bool rangeFits(int64_t begin, int64_t end) {
  return end <= begin || uint64_t(end) - uint64_t(begin) <= kMaxList;
}
Ints sorted(std::span<const int64_t>);
Ints argsort(std::span<const int64_t>); ///< stable
bool isSorted(std::span<const int64_t>);
bool isUnique(std::span<const int64_t>);
bool isPermutation(std::span<const int64_t>, int64_t n);
bool allOf(std::span<const bool>);
bool anyOf(std::span<const bool>);

std::optional<int64_t> sum(Context &, std::span<const int64_t>);
std::optional<int64_t> product(Context &, std::span<const int64_t>);
std::optional<double> sum(Context &, std::span<const double>);
std::optional<double> product(Context &, std::span<const double>);
std::optional<Dim> sum(Context &, std::span<const Dim>);
std::optional<Dim> product(Context &, std::span<const Dim>);
inline std::optional<int64_t> least(Context &, int64_t a, int64_t b) { return std::min(a, b); }
inline std::optional<int64_t> greatest(Context &, int64_t a, int64_t b) { return std::max(a, b); }
std::optional<double> least(Context &, double a, double b); ///< fails on NaN
std::optional<double> greatest(Context &, double a, double b);
std::optional<Dim> least(Context &, Dim a, Dim b);
std::optional<Dim> greatest(Context &, Dim a, Dim b);
template <class T> std::optional<T> leastOf(Context &ctx, std::span<const T> list) {
  std::optional<T> best = list.empty() ? std::nullopt : std::optional(list[0]);
  for (size_t i = 1; i < list.size() && best; ++i)
    best = least(ctx, *best, list[i]);
  return best;
}
template <class T> std::optional<T> greatestOf(Context &ctx, std::span<const T> list) {
  std::optional<T> best = list.empty() ? std::nullopt : std::optional(list[0]);
  for (size_t i = 1; i < list.size() && best; ++i)
    best = greatest(ctx, *best, list[i]);
  return best;
}

// Operands and results as lists.
InlineList<Value> operandGroupOf(Op, unsigned group); ///< of a declared operand
InlineList<Value> operandsOf(Op, unsigned first, unsigned end);
InlineList<Value> resultsOf(Op);
/// Names of the attributes that are written, declared ones first, and what they hold. Without those that keep what a
/// model says beside its ops (`$…`).
ListOf<std::string_view> attrNamesOf(Op);
ListOf<AttrId> attrsOf(Op);
InlineList<Value> resultGroupOf(Op, unsigned group); ///< of a declared result
InlineList<Value> valuesOf(const OpInputs &, unsigned group);
/// The value of a group that holds one or none.
inline Value firstOf(const InlineList<Value> &group) { return group.empty() ? Value() : group[0]; }

// Types. A `none` id (an operand that was left out) fails.
inline TypeId typeOf(Value v) { return v ? v.typeId() : TypeId(); }
TypeId typeOfTensor(Context &, AttrId dense);
std::optional<std::span<const Dim>> shapeOf(Context &, TypeId); ///< fails if unranked
std::optional<int64_t> rankOf(Context &, TypeId);
std::optional<DType> dtypeOf(Context &, TypeId); ///< fails if not known
std::optional<Dim> sizeOf(Context &, TypeId);    ///< the number of elements
bool isSingleElement(Context &, TypeId);         ///< provably one element
std::optional<int64_t> bitsOf(DType);
/// The shape both stretch to, dimensions aligned at the end; fails if they do not fit. A dimension of which it cannot
/// be told is unknown.
std::optional<Dims> broadcastShapes(Context &, std::span<const Dim>, std::span<const Dim>);
std::optional<Dims> broadcastShapes(Context &, std::span<const Dims>); ///< of one or more

/// A result type of which dtype or shape may be open; false if something is.
bool inferredType(Context &, std::optional<DType>, const std::optional<Dims> &, TypeId &out);
/// A result type that is the operand's: `(x.dtype, x.shape)`.
bool sameType(Context &, Value, TypeId &out);
/// What the op folds to, or nothing if the types do not go together.
FoldResult foldTo(Op, Value);
FoldResult foldTo(Op, AttrId dense);

// Constants.
AttrId constantOf(Value); ///< none if it is not constant
/// Elements in row-major order; fail if the dtype is of another kind or there are more than kMaxList.
std::optional<Ints> intsOfTensor(Context &, AttrId dense);
std::optional<InlineList<double>> floatsOfTensor(Context &, AttrId dense);
/// The integers that a value holds, as far as an inference that is running knows them; without one those of a constant.
/// Each is a number, an expression or unknown; numbers below Dim::kLeast are that. As sizes, what is or may be below 0
/// is unknown. Fails where not even their number is known.
std::optional<Dims> contentsOf(Value, bool asSizes);
std::optional<Dims> unknownSizes(int64_t n); ///< as many; fails below 0 and beyond kMaxList
/// The list, or n unknown sizes if it is none.
inline std::optional<Dims> orUnknown(const std::optional<Dims> &sizes, int64_t n) {
  return sizes ? sizes : unknownSizes(n);
}
/// Whether every element equals `value` (an int, float or bool, whatever the dtype); -0.0 is not 0. A float stands for
/// the nearest value of the dtype, so that 0.1 is the f32 that prints as 0.1; an int is exact.
bool isSplat(Context &, AttrId dense, int64_t value);
bool isSplat(Context &, AttrId dense, double value);
bool isSplat(Context &, AttrId dense, bool value);
/// The first element of a constant as a number, true and false as 1 and 0; nothing if there is none. If isSplat(c, v)
/// holds then splatNumber(c) == v, not the other way round: it tells patterns for different numbers apart.
std::optional<double> splatNumber(Context &, AttrId dense);
/// The int for which isSplat(c, i) may hold, and for no other: what the first element is. None: for no int.
std::optional<int64_t> firstInt(Context &, AttrId dense);
/// The int that an element of a dtype is exactly; none for bools, for -0.0 and beyond ±2⁵³ as a float.
std::optional<int64_t> exactInt(DType, const std::byte *element);
/// The element that all elements are, bit for bit, as an int, float or bool attribute; none if they differ, if there is
/// no element, or if the dtype has no such attribute.
AttrId elementOf(Context &, AttrId dense);
/// A tensor of `type`, whose dims must be known, all of whose elements are the int, float or bool `element`. None if an
/// element of that dtype cannot be it: floats are rounded, nothing else changes.
AttrId splatOf(Context &, AttrId element, TypeId type);
/// A tensor with these elements in row-major order; none if their number is another, or one cannot be held.
AttrId tensorOf(Context &, std::span<const int64_t>, TypeId type);
AttrId tensorOf(Context &, std::span<const double>, TypeId type);
AttrId tensorOf(Context &, std::span<const bool>, TypeId type);

// Attributes of values; the other way is attr_values.h.
AttrId tensorAttr(Context &, AttrId); ///< the attribute if it is a dense tensor, else none

/// What was computed has one NaN: the sign of a quotient of zeros depends on whether a compiler or a processor divides.
inline double withOneNan(double v) { return v == v ? v : std::numeric_limits<double>::quiet_NaN(); }
AttrId makeAttr(Context &, int64_t);
AttrId makeAttr(Context &, double);
AttrId makeAttr(Context &, bool);
AttrId makeAttr(Context &, std::string_view);
AttrId makeAttr(Context &, DType);
AttrId makeAttr(Context &, Dim);
AttrId makeAttr(Context &, TypeId);
inline AttrId makeAttr(Context &, AttrId a) { return a; }
AttrId makeAttr(Context &, std::span<const int64_t>);
AttrId makeAttr(Context &, std::span<const double>);
AttrId makeAttr(Context &, std::span<const Dim>);
AttrId makeAttr(Context &, std::span<const bool>);
AttrId makeAttr(Context &, std::span<const std::string_view>);
AttrId makeAttr(Context &, std::span<const DType>);
AttrId makeAttr(Context &, std::span<const TypeId>);
AttrId makeAttr(Context &, std::span<const Ints>);

std::optional<Dims> dimsFrom(std::span<const int64_t>); ///< see dimOf
std::optional<Ints> intsFrom(std::span<const Dim>);     ///< fails unless all are numbers
InlineList<double> floatsFrom(std::span<const int64_t>);

// Values as text, for messages of `require`.
std::string show(Context &, int64_t);
std::string show(Context &, double);
std::string show(Context &, bool);
std::string show(Context &, std::string_view);
std::string show(Context &, DType);
std::string show(Context &, Dim);
std::string show(Context &, TypeId);
std::string show(Context &, AttrId);
template <class T> std::string show(Context &ctx, std::span<const T> list) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? ", " : "") + show(ctx, list[i]);
  return text + "]";
}

} // namespace rw
