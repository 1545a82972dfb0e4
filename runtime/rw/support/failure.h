// The words of a Failure, by a format string.
//
// In:  a format string of fmt, and what it formats. Out: a Failure, which converts to any Result (result.h).
// Elsewhere: result.h does without fmt, since headers include it.
//
//   Result<int> half(int n) {
//     if (n % 2)
//       return failure("{} is odd", n);
//     return n / 2;
//   }
#pragma once

#include "rw/support/result.h"

#include <fmt/format.h>

namespace rw {

template <class... Args> Failure failure(fmt::format_string<Args...> format, Args &&...args) {
  return {fmt::format(format, std::forward<Args>(args)...)};
}

} // namespace rw
