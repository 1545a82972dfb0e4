// UTF-8 seen as code points and as cells of a terminal.
//
// In:  any bytes; what is not UTF-8 is one invalid unit per byte, never an error.
// Out: code points, column counts, and text that is safe to print: control characters, invisible characters and
//      invalid bytes become visible (<U+001B>, <FF>), so that untrusted text cannot steer a terminal.
//
//   size_t at = 0;
//   while (at < text.size()) { utf8::Unit u = utf8::decode(text, at); at += u.length; }
//   utf8::safe("a\x1b[31m");   // "a<U+001B>[31m"
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rw::utf8 {

struct Unit {
  char32_t codePoint = 0; // the byte itself when invalid
  uint8_t length = 1;     // bytes
  bool valid = true;
};

/// The unit that starts at `at` (at < text.size()).
Unit decode(std::string_view text, size_t at);

/// How many units `text` has: code points, invalid bytes counting one each.
size_t count(std::string_view text);

/// Cells a terminal uses for the unit as `appendSafe` prints it: 0 for combining marks, 2 for wide characters.
int width(const Unit &);

/// Appends the unit in printable form. A tab is treated as a control character; callers expand tabs first.
void appendSafe(std::string &out, std::string_view text, size_t at, const Unit &);

/// The whole text in printable form, on one line.
std::string safe(std::string_view text);

/// True when all of `text` is valid UTF-8.
bool isValid(std::string_view text);

} // namespace rw::utf8
