// FastMath: the freedoms that a pattern takes with numbers, and those that the user allows.
//
// In:  names of freedoms, as tags of patterns and flags write them.  Out: a set of them, which another set may hold.
//
// A pattern that takes none gives the same bits. One that takes some is right over the reals, and runs only where all
// of these are allowed; `true` stands for all of those with floats.
//
//   reassoc          sums and products are grouped, ordered and multiplied out in another way
//   no_nan           NaN and infinities do not come up
//   no_signed_zero   -0.0 and 0.0 are the same
//   contract         several roundings become one: what an op computes inside is not rounded in between
//   reciprocal       a quotient is a product with the reciprocal, or the other way round
//   approximate      a function or constant is computed in another way, which differs in the last digits
//   no_overflow      no integer op has a result that its type cannot hold: of integers, not of floats
//
//   if (allowed.allows(info.fastmath)) run();
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rw {

class FastMath {
public:
  static constexpr std::string_view kNames[] = {"reassoc",    "no_nan",      "no_signed_zero", "contract",
                                                "reciprocal", "approximate", "no_overflow"};
  static constexpr uint8_t kEvery = (1u << std::size(kNames)) - 1, kOverflow = 1u << (std::size(kNames) - 1);
  static constexpr uint8_t kAll = kEvery & ~kOverflow; // of floats

  constexpr FastMath(bool all = false) : bits_(all ? kAll : uint8_t(0)) {}
  static constexpr FastMath of(unsigned bits) {
    FastMath out;
    out.bits_ = uint8_t(bits & kEvery);
    return out;
  }
  /// The freedom of a name, if it is one.
  static std::optional<FastMath> named(std::string_view name) {
    for (unsigned i = 0; i < std::size(kNames); ++i)
      if (kNames[i] == name)
        return of(1u << i);
    return std::nullopt;
  }
  constexpr uint8_t bits() const { return bits_; }
  constexpr bool all() const { return bits_ == kAll; }
  constexpr explicit operator bool() const { return bits_ != 0; }
  constexpr bool operator==(const FastMath &) const = default;
  constexpr FastMath operator|(FastMath other) const { return of(bits_ | other.bits_); }
  /// Whether a pattern that takes `taken` may run.
  constexpr bool allows(FastMath taken) const { return (taken.bits_ & ~bits_) == 0; }
  constexpr FastMath operator&(FastMath other) const { return of(bits_ & other.bits_); }
  static constexpr FastMath every() { return of(kEvery); }
  /// That integers do not overflow, which `true` leaves out.
  static constexpr FastMath noOverflow() { return of(kOverflow); }
  constexpr FastMath without(FastMath other) const { return of(bits_ & ~other.bits_); }

  /// "reassoc,contract"; "true" for all and "false" for none, as options write them.
  std::string text() const { return all() ? "true" : bits_ ? list(",") : "false"; }
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> out;
    for (unsigned i = 0; i < std::size(kNames); ++i)
      if (bits_ >> i & 1)
        out.push_back(kNames[i]);
    return out;
  }
  std::string list(std::string_view separator = ", ") const {
    std::string out;
    for (std::string_view name : names())
      out += std::string(out.empty() ? "" : separator).append(name);
    return out;
  }
  /// Of text() or an empty text, which is all of floats; "true,no_overflow" is every one. What is none is in `unknown`.
  static std::optional<FastMath> read(std::string_view text, std::string &unknown) {
    if (text.empty() || text == "true")
      return FastMath(true);
    if (text == "false")
      return FastMath(false);
    FastMath out;
    while (true) {
      size_t comma = text.find(',');
      std::string_view name = text.substr(0, comma);
      std::optional<FastMath> one = name == "true" ? FastMath(true) : named(name);
      if (!one) {
        unknown = name;
        return std::nullopt;
      }
      out = out | *one;
      if (comma == text.npos)
        return out;
      text.remove_prefix(comma + 1);
    }
  }
  /// The flag that allows what is missing: "--fastmath", "--fastmath=reassoc,contract".
  std::string flag() const { return all() ? "--fastmath" : "--fastmath=" + list(","); }

private:
  uint8_t bits_;
};

} // namespace rw
