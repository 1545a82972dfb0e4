// Numbers as text and as 16-bit floats, without locale.
//
// In:  decimal text; values.
// Out: the shortest text that reads back as the same value; correctly rounded conversions (ties to even).
//
//   printFloat(0.1f);                // "0.1"
//   printFloat(2.0);                 // "2.0": a float is never mistaken for an int
//   parseInt("99999999999999999999"); // status TooLarge
//   fromHalf(toHalf(1.0 / 3));       // 0.333251953125
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace rw {

/// Shortest text that reads back as the same value. Always has a '.', an 'e', or is nan, inf or -inf; -0.0 keeps
/// its sign; every NaN prints as nan.
std::string printFloat(double);
std::string printFloat(float);
/// As printFloat; of a value that 32 bits hold, the digits that tell it among those: 0.1, not 0.10000000149011612. As a
/// double rounded to 32 bits, the text reads back as the same value.
std::string printNumber(double);
std::string printHalf(uint16_t bits);
std::string printBFloat16(uint16_t bits);

enum class NumberStatus : uint8_t {
  Ok,
  Malformed, // not a number, or text after it
  TooLarge,  // an int out of range (value: the nearest); a float beyond the largest (value: an infinity)
  TooSmall,  // a float nearer to 0 than the smallest, but not 0 (value: a zero)
};

template <class T> struct Parsed {
  T value{};
  NumberStatus status = NumberStatus::Malformed;
  explicit operator bool() const { return status == NumberStatus::Ok; }
};

/// The whole text must be `-`? digits (no '+', no spaces).
Parsed<int64_t> parseInt(std::string_view);
Parsed<uint64_t> parseUInt(std::string_view);
/// The whole text must be `-`? digits [. digits] [e[+-]digits], or nan, inf, -inf. Rounded once, correctly.
Parsed<double> parseDouble(std::string_view);
Parsed<float> parseFloat(std::string_view);

/// The nearest float of 32 bits: what an attribute holds of a number.
inline double toFloat32(double value) { return double(float(value)); }
/// Whether that is of the number's size: a finite number does not become infinite, and only 0 becomes 0.
inline bool fitsFloat32(double value) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  double near = toFloat32(value);
  return value != value ||
         ((near == kInf || near == -kInf) == (value == kInf || value == -kInf) && (near == 0) == (value == 0));
}

/// IEEE binary16 and bfloat16. Too large becomes an infinity, a NaN stays a quiet NaN; subnormals are kept.
uint16_t toHalf(double);
float fromHalf(uint16_t bits);
uint16_t toBFloat16(double);
float fromBFloat16(uint16_t bits);

} // namespace rw
