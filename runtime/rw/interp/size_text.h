// Names of symbolic dimensions that are expressions over other ones, as exporters write them: "past + 1", "2*S".
//
// In:  the name, and the sizes of the symbols.
// Out: its value; nothing if it is a plain name, or one over symbols that have no size.
// Elsewhere: dims that are expressions of the IR are rw/ir/dim.h.
//
//   sizeOfText("S + past", sizeOf) == 7;   // sizeOf: what "S" and "past" are
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace rw {

/// Understands + - * / // % ( ), floor, ceil, min, max; quotients are rounded down. Nothing if the value is negative.
std::optional<int64_t> sizeOfText(std::string_view text,
                                  const std::function<std::optional<int64_t>(std::string_view symbol)> &sizeOf);

} // namespace rw
