#include "frontend/parse/utf8.h"

namespace rw::parse {

size_t firstInvalidUtf8(std::string_view s) {
  size_t i = 0;
  auto continuation = [&](size_t at, unsigned low = 0x80, unsigned high = 0xbf) {
    return at < s.size() && (unsigned char)s[at] >= low && (unsigned char)s[at] <= high;
  };
  while (i < s.size()) {
    unsigned char c = s[i];
    if (c < 0x80) {
      ++i;
    } else if (c >= 0xc2 && c <= 0xdf) {
      if (!continuation(i + 1)) return i;
      i += 2;
    } else if (c >= 0xe0 && c <= 0xef) {
      // Neither longer than needed nor a surrogate.
      if (!continuation(i + 1, c == 0xe0 ? 0xa0 : 0x80, c == 0xed ? 0x9f : 0xbf) || !continuation(i + 2)) return i;
      i += 3;
    } else if (c >= 0xf0 && c <= 0xf4) {
      if (!continuation(i + 1, c == 0xf0 ? 0x90 : 0x80, c == 0xf4 ? 0x8f : 0xbf) || !continuation(i + 2) ||
          !continuation(i + 3))
        return i;
      i += 4;
    } else {
      return i;
    }
  }
  return i;
}

bool appendUtf8(std::string &out, unsigned long c) {
  if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return false;
  auto put = [&](unsigned long byte) { out += char(byte); };
  auto tail = [&](int shift) { put(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6), tail(0);
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12), tail(6), tail(0);
  } else {
    put(0xf0 | c >> 18), tail(12), tail(6), tail(0);
  }
  return true;
}

} // namespace rw::parse
