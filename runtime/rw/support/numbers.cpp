#include "rw/support/numbers.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace rw {
namespace {

std::string withPoint(const char *begin, const char *end) {
  std::string text(begin, end);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

template <class T> std::string shortest(T value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  auto done = std::to_chars(buffer, buffer + sizeof buffer, value);
  return withPoint(buffer, done.ptr);
}

/// Shortest text for a 16-bit float: as few digits as read back as the same bits.
template <class ToBits> std::string shortest16(float value, uint16_t bits, ToBits toBits) {
  if (std::isfinite(value)) {
    char buffer[64];
    for (int digits = 1; digits <= 6; ++digits) {
      auto done = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits);
      double back = 0;
      std::from_chars(buffer, done.ptr, back);
      if (toBits(back) == bits)
        return withPoint(buffer, done.ptr);
    }
  }
  return shortest(value);
}

/// Rounds to a float of `exponentBits` and `fractionBits`, both in the low bits of the result.
uint16_t narrow(double value, int exponentBits, int fractionBits) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint16_t sign = static_cast<uint16_t>((bits >> 63) << (exponentBits + fractionBits));
  uint16_t infinity = static_cast<uint16_t>(((1 << exponentBits) - 1) << fractionBits);
  if (std::isnan(value))
    return static_cast<uint16_t>(sign | infinity | (1 << (fractionBits - 1)));
  if (std::isinf(value))
    return sign | infinity;
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = static_cast<int>((bits >> 52) & 0x7FF) - 1023;
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == -1023) // zero, or a double's subnormal: far below half of the smallest result
    return sign;
  if (exponent > bias)
    return sign | infinity;
  fraction |= uint64_t(1) << 52;
  int drop = 52 - fractionBits;
  int field = exponent + bias; // the exponent as stored, when it is at least 1
  if (field < 1) {             // subnormal result: more fraction bits go, the leading one becomes explicit
    drop += 1 - field;
    field = 1;
  }
  if (drop > 54)
    return sign;
  uint64_t kept = fraction >> drop, rest = fraction & ((uint64_t(1) << drop) - 1), half = uint64_t(1) << (drop - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  // The leading one adds 1 to the exponent field; a carry out of the fraction adds one more, up to infinity.
  uint64_t result = (uint64_t(field - 1) << fractionBits) + kept;
  return static_cast<uint16_t>(sign | result);
}

template <class T> Parsed<T> parseInteger(std::string_view text) {
  T value{};
  const char *end = text.data() + text.size();
  auto done = std::from_chars(text.data(), end, value, 10);
  if (text.empty() || done.ptr != end || done.ec == std::errc::invalid_argument)
    return {};
  if (done.ec == std::errc::result_out_of_range)
    return {text[0] == '-' ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max(), NumberStatus::TooLarge};
  return {value, NumberStatus::Ok};
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// `-`? digits [. digits] [e[+-]digits]
bool isDecimal(std::string_view text) {
  size_t at = 0;
  auto digits = [&] {
    size_t from = at;
    while (at < text.size() && isDigit(text[at]))
      ++at;
    return at > from;
  };
  if (at < text.size() && text[at] == '-')
    ++at;
  if (!digits())
    return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (!digits())
      return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-'))
      ++at;
    if (!digits())
      return false;
  }
  return at == text.size();
}

template <class T> Parsed<T> parseFloating(std::string_view text) {
  constexpr T kInf = std::numeric_limits<T>::infinity();
  if (text == "nan")
    return {std::numeric_limits<T>::quiet_NaN(), NumberStatus::Ok};
  if (text == "inf")
    return {kInf, NumberStatus::Ok};
  if (text == "-inf")
    return {-kInf, NumberStatus::Ok};
  if (!isDecimal(text))
    return {};
  T value{};
  auto done = std::from_chars(text.data(), text.data() + text.size(), value);
  bool negative = text[0] == '-';
  if (done.ec == std::errc::result_out_of_range) {
    // The library does not say which way. The decimal exponent of the first digit that counts does.
    size_t exponentAt = text.find_first_of("eE");
    std::string_view mantissa = text.substr(negative, exponentAt == text.npos ? text.npos : exponentAt - negative);
    size_t point = std::min(mantissa.find('.'), mantissa.size());
    size_t first = mantissa.find_first_of("123456789");
    int64_t place = first < point ? int64_t(point - first) : -int64_t(first - point);
    std::string_view written = exponentAt == text.npos ? "0" : text.substr(exponentAt + 1);
    if (written[0] == '+')
      written.remove_prefix(1);
    constexpr int64_t kFar = int64_t(1) << 62; // farther than any text is long
    int64_t exponent = std::clamp(parseInt(written).value, -kFar, kFar);
    bool large = place + exponent > 0;
    T limit = large ? kInf : T(0);
    return {negative ? -limit : limit, large ? NumberStatus::TooLarge : NumberStatus::TooSmall};
  }
  return {value, NumberStatus::Ok};
}

} // namespace

std::string printFloat(double value) { return shortest(value); }
std::string printFloat(float value) { return shortest(value); }
std::string printNumber(double value) {
  if (toFloat32(value) == value)
    if (std::string text = printFloat(float(value)); toFloat32(parseDouble(text).value) == value)
      return text;
  return printFloat(value);
}
std::string printHalf(uint16_t bits) { return shortest16(fromHalf(bits), bits, toHalf); }
std::string printBFloat16(uint16_t bits) { return shortest16(fromBFloat16(bits), bits, toBFloat16); }

Parsed<int64_t> parseInt(std::string_view text) { return parseInteger<int64_t>(text); }
Parsed<uint64_t> parseUInt(std::string_view text) { return parseInteger<uint64_t>(text); }
Parsed<double> parseDouble(std::string_view text) { return parseFloating<double>(text); }
Parsed<float> parseFloat(std::string_view text) { return parseFloating<float>(text); }

uint16_t toHalf(double value) { return narrow(value, 5, 10); }
uint16_t toBFloat16(double value) { return narrow(value, 8, 7); }

float fromBFloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

float fromHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = (bits >> 10) & 0x1F, fraction = bits & 0x3FF;
  if (exponent == 0x1F)
    return std::bit_cast<float>(sign | 0x7F800000 | fraction << 13);
  if (exponent == 0) {
    float value = std::ldexp(static_cast<float>(fraction), -24);
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

} // namespace rw
