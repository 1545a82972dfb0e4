#include "rw/support/utf8.h"

#include <fmt/format.h>
#include <iterator>

namespace rw::utf8 {
namespace {

struct Range {
  char32_t first, last;
};

template <size_t N> bool contains(const Range (&ranges)[N], char32_t c) {
  for (const Range &r : ranges)
    if (c >= r.first && c <= r.last)
      return true;
  return false;
}

constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},  {0x3041, 0x33FF}, {0x3400, 0x4DBF},
                           {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},  {0xAC00, 0xD7A3}, {0xF900, 0xFAFF},
                           {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F},
                           {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
constexpr Range kCombining[] = {{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
                                {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
// Controls, and characters that are invisible or change the direction of the text after them.
constexpr Range kHidden[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},  {0x200B, 0x200F},
                             {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}};

bool hidden(const Unit &u) { return !u.valid || contains(kHidden, u.codePoint); }

} // namespace

Unit decode(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char lead = byte(at);
  if (lead < 0x80)
    return {lead, 1, true};
  int more = lead >= 0xF0 && lead <= 0xF4 ? 3 : lead >= 0xE0 && lead < 0xF0 ? 2 : lead >= 0xC2 && lead < 0xE0 ? 1 : 0;
  Unit invalid{lead, 1, false};
  if (more == 0 || text.size() - at <= static_cast<size_t>(more))
    return invalid;
  char32_t c = lead & (0x3F >> more);
  for (int i = 1; i <= more; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80)
      return invalid;
    c = c << 6 | (byte(at + i) & 0x3F);
  }
  constexpr char32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  if (c < kSmallest[more] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
    return invalid;
  return {c, static_cast<uint8_t>(more + 1), true};
}

size_t count(std::string_view text) {
  size_t units = 0;
  for (size_t at = 0; at < text.size(); ++units)
    at += decode(text, at).length;
  return units;
}

int width(const Unit &u) {
  if (!u.valid)
    return 4; // <FF>
  if (u.codePoint < 0x7F && u.codePoint >= 0x20)
    return 1;
  if (hidden(u))
    return u.codePoint > 0xFFFF ? 9 : 8; // <U+001B>
  if (contains(kCombining, u.codePoint))
    return 0;
  return contains(kWide, u.codePoint) ? 2 : 1;
}

void appendSafe(std::string &out, std::string_view text, size_t at, const Unit &u) {
  if (!u.valid)
    fmt::format_to(std::back_inserter(out), "<{:02X}>", static_cast<unsigned>(u.codePoint));
  else if (hidden(u))
    fmt::format_to(std::back_inserter(out), "<U+{:04X}>", static_cast<unsigned>(u.codePoint));
  else
    out.append(text.substr(at, u.length));
}

std::string safe(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    Unit u = decode(text, at);
    appendSafe(out, text, at, u);
    at += u.length;
  }
  return out;
}

bool isValid(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    Unit u = decode(text, at);
    if (!u.valid)
      return false;
    at += u.length;
  }
  return true;
}

} // namespace rw::utf8
