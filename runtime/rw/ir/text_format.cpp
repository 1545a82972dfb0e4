#include "rw/ir/text_format.h"

#include "rw/support/numbers.h"
#include "rw/support/utf8.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace rw::text {

static bool nameRun(std::string_view s, bool dots, unsigned &dotCount) {
  bool start = true;
  for (char c : s) {
    if (start ? !isNameStart(c) : !(isNameChar(c) || (dots && c == '.')))
      return false;
    start = c == '.';
    dotCount += start;
  }
  return !start;
}
bool isBareName(std::string_view s) {
  unsigned dots = 0;
  return nameRun(s, false, dots);
}
bool isDottedName(std::string_view s, unsigned atLeast) {
  unsigned dots = 0;
  return nameRun(s, true, dots) && dots >= atLeast;
}

static constexpr char kHexDigits[] = "0123456789abcdef";

void appendQuoted(std::string &out, std::string_view s) {
  out += '"';
  for (size_t i = 0; i < s.size();) {
    uint8_t c = uint8_t(s[i]);
    utf8::Unit unit = c < 0x80 ? utf8::Unit{} : utf8::decode(s, i);
    size_t length = unit.length;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += char(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (!unit.valid || c < 0x20 || c == 0x7f) {
      out += "\\x";
      appendHex(out, &c, 1);
      length = 1;
    } else {
      out.append(s, i, length);
    }
    i += length;
  }
  out += '"';
}

void appendName(std::string &out, std::string_view name) {
  if (isBareName(name))
    out += name;
  else
    appendQuoted(out, name);
}

template <class T> static void appendNumber(std::string &out, T value) {
  char buffer[32];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}
void appendInt(std::string &out, int64_t value) { appendNumber(out, value); }
void appendUnsigned(std::string &out, uint64_t value) { appendNumber(out, value); }

static void appendBits(std::string &out, uint64_t bits, unsigned digits) {
  out += "0x";
  for (unsigned i = digits; i-- > 0;)
    out += kHexDigits[(bits >> (4 * i)) & 15];
}

/// A float that is not finite: `bits` are those of its own width, `quiet` those of the nan written plainly.
static void appendSpecial(std::string &out, double value, uint64_t bits, uint64_t quiet, unsigned digits) {
  if (!std::isnan(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  out += "nan";
  if (bits != quiet) {
    out += '(';
    appendBits(out, bits, digits);
    out += ')';
  }
}

template <class T> static void appendFinite(std::string &out, T value, bool point) {
  size_t start = out.size();
  appendNumber(out, value);
  if (point && out.find_first_of(".e", start) == std::string::npos)
    out += ".0";
}

/// Attributes hold numbers of 32 bits, read by way of 64: the digits of the shorter are enough unless rounding twice
/// goes astray.
static void appendFiniteAttr(std::string &out, double value, bool point) {
  size_t start = out.size();
  appendFinite(out, float(value), point);
  double back = 0;
  std::from_chars(out.data() + start, out.data() + out.size(), back);
  if (toFloat32(back) == value)
    return;
  out.resize(start);
  appendFinite(out, value, point);
}

void appendFloat(std::string &out, double value, bool point) {
  if (std::isfinite(value))
    appendFiniteAttr(out, value, point || (value == 0 && std::signbit(value)));
  else
    appendSpecial(out, value, std::bit_cast<uint64_t>(value), 0x7ff8000000000000u, 16);
}

void appendHex(std::string &out, const void *bytes, size_t count) {
  const uint8_t *p = static_cast<const uint8_t *>(bytes);
  size_t at = out.size();
  out.resize(at + 2 * count);
  for (size_t i = 0; i < count; ++i) {
    out[at++] = kHexDigits[p[i] >> 4];
    out[at++] = kHexDigits[p[i] & 15];
  }
}

template <class T> static T load(const std::byte *p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <class T, class Bits> static void appendFloatElement(std::string &out, const std::byte *p, Bits quiet) {
  T value = load<T>(p);
  if (std::isfinite(value))
    appendFinite(out, value, value == 0 && std::signbit(value));
  else
    appendSpecial(out, double(value), load<Bits>(p), quiet, 2 * sizeof(T));
}

/// `text`: the fewest digits that read back as the same bits. Whole numbers have all their digits: 65504, not 6.55e+04.
static void appendHalfElement(std::string &out, float value, uint16_t bits, uint16_t quiet, const std::string &text) {
  if (!std::isfinite(value))
    appendSpecial(out, value, bits, quiet, 4);
  else if (value == std::floor(value))
    appendFinite(out, value, value == 0 && std::signbit(value));
  else
    out += text;
}

template <class T, class Bits> static void appendComplexElement(std::string &out, const std::byte *p, Bits quiet) {
  out += '(';
  appendFloatElement<T>(out, p, quiet);
  out += ", ";
  appendFloatElement<T>(out, p + sizeof(T), quiet);
  out += ')';
}

bool appendElement(std::string &out, DType dtype, const std::byte *p) {
  constexpr uint32_t quiet32 = 0x7fc00000u;
  constexpr uint64_t quiet64 = 0x7ff8000000000000u;
  switch (dtype) {
  case DType::Bool:
    out += load<uint8_t>(p) ? "true" : "false";
    return load<uint8_t>(p) <= 1;
  case DType::I8:
    appendInt(out, load<int8_t>(p));
    return true;
  case DType::I16:
    appendInt(out, load<int16_t>(p));
    return true;
  case DType::I32:
    appendInt(out, load<int32_t>(p));
    return true;
  case DType::I64:
    appendInt(out, load<int64_t>(p));
    return true;
  case DType::U8:
    appendUnsigned(out, load<uint8_t>(p));
    return true;
  case DType::U16:
    appendUnsigned(out, load<uint16_t>(p));
    return true;
  case DType::U32:
    appendUnsigned(out, load<uint32_t>(p));
    return true;
  case DType::U64:
    appendUnsigned(out, load<uint64_t>(p));
    return true;
  case DType::F16: {
    uint16_t bits = load<uint16_t>(p);
    appendHalfElement(out, fromHalf(bits), bits, 0x7e00, printHalf(bits));
    return true;
  }
  case DType::BF16: {
    uint16_t bits = load<uint16_t>(p);
    appendHalfElement(out, fromBFloat16(bits), bits, 0x7fc0, printBFloat16(bits));
    return true;
  }
  case DType::F32:
    appendFloatElement<float>(out, p, quiet32);
    return true;
  case DType::F64:
    appendFloatElement<double>(out, p, quiet64);
    return true;
  case DType::C64:
    appendComplexElement<float>(out, p, quiet32);
    return true;
  case DType::C128:
    appendComplexElement<double>(out, p, quiet64);
    return true;
  default:
    return false; // strings are not bytes; the small floats are written in hex as a whole
  }
}

size_t denseBytes(DType dtype, size_t count) {
  if (size_t each = dtypeBytes(dtype)) {
    size_t bytes;
    return __builtin_mul_overflow(count, each, &bytes) ? SIZE_MAX : bytes;
  }
  return dtype == DType::I4 || dtype == DType::U4 || dtype == DType::F4E2M1 ? count / 2 + count % 2 : 0;
}

SourceRange wordAt(const SourceManager &sources, Loc loc) {
  FileId file = loc ? sources.fileOf(loc) : FileId();
  if (!file)
    return {};
  std::string_view rest = sources.text(file).substr(sources.offsetOf(loc));
  size_t length = 0;
  while (length < rest.size() && (isNameChar(rest[length]) || rest[length] == '.'))
    ++length;
  return {loc, Loc{loc.raw + uint32_t(length)}};
}

} // namespace rw::text
