#include "rw/support/numbers.h"

#include <bit>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <random>

using namespace rw;

TEST_CASE("numbers that 32 bits hold are printed as such") {
  CHECK(printNumber(double(0.1f)) == "0.1");
  CHECK(printNumber(0.1) == "0.1");
  CHECK(printNumber(1.0 / 3) == "0.3333333333333333");
  CHECK(printNumber(double(1.0f / 3)) == "0.33333334");
  CHECK(printNumber(-0.0) == "-0.0");
  CHECK(fitsFloat32(1e-45));
  CHECK(fitsFloat32(__builtin_inf()));
  CHECK(fitsFloat32(__builtin_nan("")));
  CHECK_FALSE(fitsFloat32(1e-46));
  CHECK_FALSE(fitsFloat32(-3.5e38));
}

TEST_CASE("floats print as the shortest text that reads back") {
  CHECK(printFloat(0.1) == "0.1");
  CHECK(printFloat(0.1f) == "0.1");
  CHECK(printFloat(1.0) == "1.0");
  CHECK(printFloat(-0.0) == "-0.0");
  CHECK(printFloat(1e30) == "1e+30");
  CHECK(printFloat(std::nan("")) == "nan");
  CHECK(printFloat(-std::numeric_limits<float>::infinity()) == "-inf");
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    double d = std::bit_cast<double>(random());
    float f = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (std::isfinite(d))
      REQUIRE(std::bit_cast<uint64_t>(parseDouble(printFloat(d)).value) == std::bit_cast<uint64_t>(d));
    if (std::isfinite(f))
      REQUIRE(std::bit_cast<uint32_t>(parseFloat(printFloat(f)).value) == std::bit_cast<uint32_t>(f));
  }
}

TEST_CASE("ints parse whole or not at all, and overflow is told apart") {
  CHECK(parseInt("-9223372036854775808").value == std::numeric_limits<int64_t>::min());
  CHECK(parseInt("9223372036854775808").status == NumberStatus::TooLarge);
  CHECK(parseInt("-9223372036854775809").value == std::numeric_limits<int64_t>::min());
  CHECK(parseUInt("18446744073709551615").value == UINT64_MAX);
  CHECK(parseUInt("18446744073709551616").status == NumberStatus::TooLarge);
  for (const char *bad : {"", "-", "+1", " 1", "1 ", "1x", "0x10", "99999999999999999999999x"}) {
    CAPTURE(bad);
    CHECK(parseInt(bad).status == NumberStatus::Malformed);
  }
  CHECK(parseUInt("-1").status == NumberStatus::Malformed);
}

TEST_CASE("floats parse without locale; too large and too small are told apart") {
  CHECK(parseDouble("1e400").status == NumberStatus::TooLarge);
  CHECK(parseDouble("-1e400").value == -std::numeric_limits<double>::infinity());
  CHECK(parseDouble("1e-400").status == NumberStatus::TooSmall);
  CHECK(std::signbit(parseDouble("-1e-400").value));
  CHECK(parseFloat("1e39").status == NumberStatus::TooLarge);
  CHECK(parseFloat("1e-60").status == NumberStatus::TooSmall);
  CHECK(parseDouble("1e99999999999999999999").status == NumberStatus::TooLarge);
  CHECK(parseDouble("1e-99999999999999999999").status == NumberStatus::TooSmall);
  CHECK(parseDouble("0." + std::string(500, '0') + "1").status == NumberStatus::TooSmall);
  CHECK(parseDouble("1" + std::string(500, '0')).status == NumberStatus::TooLarge);
  CHECK(parseDouble("0." + std::string(500, '0') + "1e600").value == 1e99);
  CHECK(parseDouble("0e99999").value == 0);
  CHECK(parseDouble("4.9e-324").value == std::numeric_limits<double>::denorm_min());
  CHECK(parseDouble("-inf").value == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(parseDouble("nan").value));
  for (const char *bad :
       {"", "-", ".5", "5.", "1e", "1e+", "+1.0", "0x1p3", "infinity", "nan(1)", "1.0f", "1,5", " 1"}) {
    CAPTURE(bad);
    CHECK(parseDouble(bad).status == NumberStatus::Malformed);
  }
}

TEST_CASE("every 16-bit float survives conversion, and its text reads back") {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    uint16_t b = static_cast<uint16_t>(bits);
    float half = fromHalf(b), brain = fromBFloat16(b);
    if (!std::isnan(half)) {
      REQUIRE(toHalf(half) == b);
      REQUIRE(toHalf(parseDouble(printHalf(b)).value) == b);
    } else {
      REQUIRE(std::isnan(fromHalf(toHalf(half))));
    }
    if (!std::isnan(brain)) {
      REQUIRE(toBFloat16(brain) == b);
      REQUIRE(toBFloat16(parseDouble(printBFloat16(b)).value) == b);
    } else {
      REQUIRE(std::isnan(fromBFloat16(toBFloat16(brain))));
    }
  }
  CHECK(printHalf(toHalf(0.1)) == "0.1");
}

TEST_CASE("16-bit floats round to nearest, ties to even, once") {
  CHECK(toHalf(1.0) == 0x3C00);
  CHECK(toHalf(65504) == 0x7BFF);
  CHECK(toHalf(65519.99) == 0x7BFF);
  CHECK(toHalf(65520) == 0x7C00);
  CHECK(toHalf(-1e300) == 0xFC00);
  CHECK(toHalf(0x1p-24) == 1);
  CHECK(toHalf(0x1p-25) == 0);
  CHECK(toHalf(0x1.8p-25) == 1);
  CHECK(toHalf(0x1.8p-24) == 2);
  CHECK(toHalf(-0.0) == 0x8000);
  CHECK(toHalf(1 + 0x1p-11) == 0x3C00);
  CHECK(toHalf(1 + 3 * 0x1p-11) == 0x3C02);
  // Through float this would first round to the tie, then to even: down instead of up.
  CHECK(toHalf(1 + 0x1p-11 + 0x1p-40) == 0x3C01);
  CHECK(toHalf(2047.75) == 0x6800);
  CHECK(toBFloat16(1 + 0x1p-8) == 0x3F80);
  CHECK(toBFloat16(1 + 3 * 0x1p-8) == 0x3F82);
  CHECK(toBFloat16(3.4e38) == 0x7F80);
  CHECK(toBFloat16(0x1p-133) == 1);
}
