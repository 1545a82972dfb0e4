// Floats of 8 bits: against the formats' definitions, by search among all numbers there are.
#include "rw/ir/float8.h"

#include <cmath>
#include <doctest/doctest.h>
#include <random>

using namespace rw;

namespace {
constexpr DType kAll[] = {DType::F8E4M3FN, DType::F8E4M3FNUZ, DType::F8E5M2, DType::F8E5M2FNUZ};
constexpr double kInf = std::numeric_limits<double>::infinity();

double greatest(DType t) { return t == DType::F8E4M3FN ? 448 : t == DType::F8E4M3FNUZ ? 240 : 57344; }

/// The nearest number, of two the one with the even bits; only for sizes up to the greatest.
uint8_t nearest(DType t, double v) {
  int best = 0;
  for (int bits = 1; bits < 128; ++bits) {
    double is = fromFloat8(t, uint8_t(bits)), was = fromFloat8(t, uint8_t(best));
    if (!std::isfinite(is))
      continue;
    double near = std::abs(is - v), before = std::abs(was - v);
    if (near < before || (near == before && bits % 2 == 0))
      best = bits;
  }
  return uint8_t(best);
}
} // namespace

TEST_CASE("numbers of 8 bits are those of the formats") {
  CHECK(fromFloat8(DType::F8E4M3FN, 0x7E) == 448);
  CHECK(fromFloat8(DType::F8E4M3FN, 0x01) == 0x1p-9);
  CHECK(std::isnan(fromFloat8(DType::F8E4M3FN, 0x7F)));
  CHECK(fromFloat8(DType::F8E4M3FNUZ, 0x7F) == 240);
  CHECK(fromFloat8(DType::F8E4M3FNUZ, 0x01) == 0x1p-10);
  CHECK(std::isnan(fromFloat8(DType::F8E4M3FNUZ, 0x80)));
  CHECK(fromFloat8(DType::F8E5M2, 0x7B) == 57344);
  CHECK(fromFloat8(DType::F8E5M2, 0x01) == 0x1p-16);
  CHECK(fromFloat8(DType::F8E5M2, 0xFC) == -kInf);
  CHECK(std::isnan(fromFloat8(DType::F8E5M2, 0x7D)));
  CHECK(fromFloat8(DType::F8E5M2FNUZ, 0x7F) == 57344);
  CHECK(fromFloat8(DType::F8E5M2FNUZ, 0x01) == 0x1p-17);
  CHECK(fromFloat8(DType::F8E5M2FNUZ, 0xFF) == -57344);
}

TEST_CASE("every number of 8 bits is kept, every other one is rounded to the nearest, ties to even") {
  std::mt19937_64 random(1);
  for (DType t : kAll) {
    CAPTURE(int(t));
    for (int bits = 0; bits < 256; ++bits)
      if (double v = fromFloat8(t, uint8_t(bits)); !std::isnan(v) && !std::isinf(v))
        CHECK(toFloat8(t, v, false) == bits);
    for (int i = 0; i < 20000; ++i) {
      double v = std::ldexp(1 + double(random() % 256) / 256, int(random() % 36) - 20);
      if (v > greatest(t))
        continue;
      REQUIRE(toFloat8(t, v, i % 2) == nearest(t, v));
      REQUIRE(fromFloat8(t, toFloat8(t, -v, i % 2)) == -fromFloat8(t, nearest(t, v)));
    }
  }
}

TEST_CASE("beyond the greatest number, and zeros, as ONNX's tables of Cast say") {
  for (DType t : kAll) {
    CAPTURE(int(t));
    bool single = t == DType::F8E4M3FNUZ || t == DType::F8E5M2FNUZ, ieee = t == DType::F8E5M2;
    double most = greatest(t), step = most - fromFloat8(t, uint8_t(toFloat8(t, most, true) - 1));
    auto cast = [&](double v, bool saturate) { return fromFloat8(t, toFloat8(t, v, saturate)); };
    CHECK(std::isnan(cast(NAN, true)));
    CHECK(std::isnan(cast(NAN, false)));
    CHECK(cast(most + step, true) == most);
    CHECK(cast(-1e30, true) == -most);
    CHECK(cast(most + step / 4, false) == most); // rounded, it is not beyond
    CHECK((ieee ? cast(most + step, false) == kInf : std::isnan(cast(most + step, false))));
    CHECK((ieee ? cast(-1e30, false) == -kInf : std::isnan(cast(-1e30, false))));
    CHECK((single ? std::isnan(cast(-kInf, true)) : cast(-kInf, true) == -most));
    CHECK((ieee ? cast(kInf, false) == kInf : std::isnan(cast(kInf, false))));
    CHECK(toFloat8(t, -0.0, true) == (single ? 0 : 0x80));
    CHECK(toFloat8(t, -1e-30, true) == (single ? 0 : 0x80));
    CHECK(toFloat8(t, 0, true) == 0);
  }
}
