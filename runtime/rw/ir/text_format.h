// Spelling shared by the text reader and writer: quoted text, names, numbers, elements of dense tensors.
//
// In:  values. Out: text appended to a string; and for tensor elements the way back.
// Elsewhere: the grammar is described in parser.h.
//
//   std::string s;
//   appendQuoted(s, "a\n");            // "a\n" with quotes, the line end escaped
//   appendFloat(s, 1, true);           // 1.0
#pragma once

#include "rw/ir/dtype.h"
#include "rw/support/source.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rw::text {

/// Deepest nesting of regions, lists, tuples and parentheses that is read.
inline constexpr unsigned kMaxDepth = 200;

inline bool isDigit(char c) { return c >= '0' && c <= '9'; }
inline bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline constexpr auto kIsNameChar = [] {
  std::array<bool, 256> is{};
  for (int c = 0; c < 256; ++c)
    is[size_t(c)] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
  return is;
}();
inline bool isNameChar(char c) { return kIsNameChar[uint8_t(c)]; }
/// Letters, digits and `_`, not starting with a digit.
bool isBareName(std::string_view);
/// Bare names joined by dots, at least `dots` of them.
bool isDottedName(std::string_view, unsigned dots);

/// In double quotes. Control characters and bytes that are not UTF-8 are written `\xHH`.
void appendQuoted(std::string &, std::string_view);
/// Bare if it can be, quoted otherwise.
void appendName(std::string &, std::string_view);
void appendInt(std::string &, int64_t);
void appendUnsigned(std::string &, uint64_t);
/// The shortest text that an attribute reads back as the same bits: `0.1`, `1.0`, `-0.0`, `nan`, `-inf`,
/// `nan(0x7ff8000000000001)`. Without `point`, whole numbers are written without a decimal point.
void appendFloat(std::string &, double, bool point);
void appendHex(std::string &, const void *bytes, size_t count);

/// Appends one element of a dense tensor of this dtype, as appendFloat writes floats. False if the dtype has no
/// spelling for it (4-bit types, a bool that is neither 0 nor 1): the tensor is then written in hex.
bool appendElement(std::string &, DType, const std::byte *element);

/// Bytes that `count` elements take in a dense attribute; 4-bit types hold two to a byte. SIZE_MAX if it does
/// not fit.
size_t denseBytes(DType, size_t count);

/// The word at a position of a text; empty if it is in none, as that of an op of a model.
SourceRange wordAt(const SourceManager &, Loc);

} // namespace rw::text
