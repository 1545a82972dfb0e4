// The little UTF-8 that lexing needs.
//
//   utf8Length('\xc3') == 2;   firstInvalidUtf8("a\xff") == 1
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rw::parse {

/// Bytes of the code point that begins with `lead`, in valid text.
inline size_t utf8Length(char lead) {
  unsigned char c = lead;
  return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/// Offset of the first byte that does not belong to a well-formed code point; the size if all do.
size_t firstInvalidUtf8(std::string_view);

/// Appends a code point; false if it is none (too large, a surrogate).
bool appendUtf8(std::string &, unsigned long codePoint);

} // namespace rw::parse
