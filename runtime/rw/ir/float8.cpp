#include "rw/ir/float8.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rw {
namespace {

struct Format {
  int fractionBits, bias;
  uint8_t greatest, infinity, nan; // bits; infinity 0: none
  bool singleZero;

  double value(uint8_t bits) const { // of a number that is not negative
    int field = bits >> fractionBits, fraction = bits & ((1 << fractionBits) - 1);
    int exponent = (field ? field : 1) - bias - fractionBits;
    return std::ldexp(double(fraction + (field ? 1 << fractionBits : 0)), exponent);
  }
};

const Format &formatOf(DType t) {
  static constexpr Format kE4M3FN{3, 7, 0x7E, 0, 0x7F, false}, kE4M3FNUZ{3, 8, 0x7F, 0, 0x80, true},
      kE5M2{2, 15, 0x7B, 0x7C, 0x7F, false}, kE5M2FNUZ{2, 16, 0x7F, 0, 0x80, true};
  return t == DType::F8E4M3FN ? kE4M3FN : t == DType::F8E4M3FNUZ ? kE4M3FNUZ : t == DType::F8E5M2 ? kE5M2 : kE5M2FNUZ;
}

} // namespace

bool isFloat8(DType t) {
  return t == DType::F8E4M3FN || t == DType::F8E4M3FNUZ || t == DType::F8E5M2 || t == DType::F8E5M2FNUZ;
}

double fromFloat8(DType t, uint8_t bits) {
  const Format &f = formatOf(t);
  double sign = bits & 0x80 ? -1 : 1;
  if (f.singleZero && bits == 0x80)
    return std::numeric_limits<double>::quiet_NaN();
  uint8_t magnitude = bits & 0x7F;
  if (magnitude <= f.greatest)
    return sign * f.value(magnitude);
  return f.infinity == magnitude ? sign * std::numeric_limits<double>::infinity()
                                 : std::numeric_limits<double>::quiet_NaN();
}

uint8_t toFloat8(DType t, double value, bool saturate) {
  const Format &f = formatOf(t);
  uint8_t sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value) || (std::isinf(value) && f.singleZero))
    return f.singleZero ? f.nan : uint8_t(f.nan | sign);
  double size = std::abs(value);
  int least = 1 - f.bias - f.fractionBits; // the exponent of the smallest number
  if (std::isfinite(size)) {
    int exponent = size == 0 ? least : std::max(std::ilogb(size) - f.fractionBits, least);
    size = std::ldexp(std::nearbyint(std::ldexp(size, -exponent)), exponent);
  }
  if (size > f.value(f.greatest))
    return saturate ? f.greatest | sign : f.singleZero ? f.nan : uint8_t((f.infinity ? f.infinity : f.nan) | sign);
  if (size == 0)
    return f.singleZero ? 0 : sign;
  int exponent = std::max(std::ilogb(size) - f.fractionBits, least);
  int fraction = int(std::ldexp(size, -exponent)); // below 1 << fractionBits: subnormal
  int field = fraction >> f.fractionBits ? exponent - least + 1 : 0;
  return uint8_t(field << f.fractionBits | (fraction & ((1 << f.fractionBits) - 1))) | sign;
}

} // namespace rw
