// The greater and the lesser of two numbers, as all kernels have it.
//
// NaN wins, and -0 lies below 0 (IEEE 754-2019, maximum and minimum): so neither depends on the order of operands, and
// a greatest element not on the order in which a kernel looks at them.
//
//   greaterOf(-0.0, 0.0) // 0.0
#pragma once

#include <cmath>
#include <type_traits>

namespace rw {

template <class T> T greaterOf(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    if (x == y)
      return std::signbit(x) ? y : x;
  return x != x || x > y ? x : y;
}
template <class T> T lesserOf(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    if (x == y)
      return std::signbit(x) ? x : y;
  return x != x || x < y ? x : y;
}

} // namespace rw
