// Dimensions of a shape: a size, an expression over named symbols, or unknown. Attributes hold amounts along a
// dimension, too: these may be negative numbers, which sizes are not.
//
// In:  sizes, symbol names, sums, products and quotients of them.
// Out: `Dim`, eight bytes; two dims with the same bits are equal. Expressions are kept as polynomials in one
//      canonical form, so `B * 2 + B` and `3 * B` have the same bits.
// Elsewhere: shapes are part of types (context.h).
//
//   DimTable dims(strings);
//   Dim b = dims.symbol(strings.intern("B"));
//   dims.mul(b, Dim(196));                        // B * 196
//   dims.mul(Dim::unknown(), b) == Dim::unknown() // but unknown dims prove nothing: see provablyEqual
#pragma once

#include "rw/ir/ids.h"
#include "rw/support/inline_list.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rw {

class Dim {
public:
  constexpr Dim() = default; // unknown
  constexpr explicit Dim(int64_t size) : bits_(size) {}
  static constexpr Dim unknown() { return Dim(); }
  /// An amount, which may be below 0: in a type such a dim is unknown. Unknown where it has more than 60 bits.
  static constexpr Dim number(int64_t n) { return n >= 0 ? Dim(n) : n < kLeast ? unknown() : Dim(kNegative + n); }
  static constexpr Dim expression(uint32_t index) { return Dim(-2 - int64_t(index)); }

  constexpr bool isKnown() const { return bits_ >= 0; }
  constexpr bool isUnknown() const { return bits_ == -1; }
  constexpr bool isNegative() const { return bits_ < kNegative; }
  constexpr bool isNumber() const { return isKnown() || isNegative(); }
  constexpr bool isExpression() const { return bits_ <= -2 && !isNegative(); }
  constexpr int64_t size() const { return bits_; }                              ///< of a known dim
  constexpr int64_t negative() const { return bits_ - kNegative; }              ///< of one that is a negative number
  constexpr int64_t value() const { return isNegative() ? negative() : bits_; } ///< of a number
  constexpr uint32_t expressionIndex() const { return uint32_t(-2 - bits_); }
  constexpr int64_t bits() const { return bits_; }
  static constexpr Dim fromBits(int64_t bits) { return Dim(bits); }
  /// Same bits. Two unknown dims have the same bits and yet are not known to be equal: see provablyEqual.
  friend constexpr bool operator==(Dim, Dim) = default;

  static constexpr int64_t kLeast = -(int64_t(1) << 60); ///< the least number that is a dim

private:
  static constexpr int64_t kNegative = 2 * kLeast; // below: negative numbers; above, below -1: expressions
  int64_t bits_ = -1;
};
using Dims = InlineList<Dim, 6>;

/// Equal whatever the symbols stand for. Unknown dims are equal to nothing, not even to themselves.
inline bool provablyEqual(Dim a, Dim b) { return a == b && !a.isUnknown(); }
/// Different whatever the symbols stand for (two known sizes that differ).
inline bool provablyDifferent(Dim a, Dim b) { return a.isKnown() && b.isKnown() && a != b; }

class StringTable;

/// The interned expressions of one Context. Arithmetic that would overflow 62 bits, or give a negative number, gives an
/// unknown dim.
class DimTable {
public:
  explicit DimTable(StringTable &strings);
  ~DimTable();
  DimTable(const DimTable &) = delete;

  Dim symbol(StringId name);
  Dim add(Dim, Dim);
  /// The same of any number of dims: only the whole must not be negative.
  Dim sum(std::span<const Dim>);
  Dim sub(Dim, Dim);
  Dim mul(Dim, Dim);
  /// Quotient rounded down; exact and simplified where the divisor provably divides. By zero: unknown.
  Dim floorDiv(Dim, Dim); // of a negative number, too: unknown
  Dim mod(Dim, Dim);

  /// "B * 196 + 3", parsable by the text reader; "?" for unknown.
  std::string toString(Dim) const;
  /// The symbol's name if the dim is one symbol alone.
  std::optional<StringId> asSymbol(Dim) const;
  /// Replaces every symbol through `map` (unknown where `map` says so).
  Dim substitute(Dim, const std::vector<std::pair<StringId, Dim>> &map);
  /// The greatest size that the dim takes where no symbol is greater than `greatest` says of it; nothing if that is
  /// not bounded: an unknown dim, a symbol that is not in the list.
  std::optional<int64_t> upperBound(Dim, const std::vector<std::pair<StringId, int64_t>> &greatest) const;
  /// All expressions of another table, by index, each interned here in that order.
  std::vector<Dim> import(const DimTable &from);
  /// The distinct symbols of an expression in order of first appearance.
  void collectSymbols(Dim, std::vector<StringId> &out) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace rw
