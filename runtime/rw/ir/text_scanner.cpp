#include "rw/ir/text_scanner.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace rw::text {

Scanner::Scanner(FileId file, const SourceManager &sources, Diagnostics &diags, size_t maxErrors)
    : diags_(diags), base_(sources.locOf(file, 0)), maxErrors_(maxErrors) {
  std::string_view text = sources.text(file);
  p_ = begin_ = text.data();
  end_ = begin_ + text.size();
}

void Scanner::skipSpaceSlow() {
  for (;;) {
    if (*p_ == ' ' || *p_ == '\n' || *p_ == '\t' || *p_ == '\r') {
      ++p_;
    } else if (*p_ == '/' && p_[1] == '/') {
      const void *newline = std::memchr(p_, '\n', size_t(end_ - p_));
      p_ = newline ? static_cast<const char *>(newline) : end_;
    } else {
      return;
    }
  }
}

bool Scanner::expect(char c, std::string_view where) {
  if (eat(c))
    return true;
  return errorHere("syntax", std::string("expected `") + c + "` " + std::string(where) + ", found " + found());
}

std::string_view Scanner::peekWord(bool dots) {
  skipSpace();
  const char *q = p_;
  if (!isNameStart(*q))
    return {};
  while (isNameChar(*q) || (dots && *q == '.' && isNameStart(q[1])))
    ++q;
  return {p_, size_t(q - p_)};
}

/// At a backslash.
bool Scanner::readEscape(std::string &out) {
  const char *start = p_;
  char c = *++p_;
  ++p_;
  switch (c) {
  case 'n':
    out += '\n';
    return true;
  case 't':
    out += '\t';
    return true;
  case 'r':
    out += '\r';
    return true;
  case '"':
  case '\\':
    out += c;
    return true;
  case 'x':
    if (hexDigit(p_[0]) >= 0 && hexDigit(p_[1]) >= 0) {
      out += char(hexDigit(p_[0]) * 16 + hexDigit(p_[1]));
      p_ += 2;
      return true;
    }
    break;
  default:
    break;
  }
  p_ = start + 1; // so that reading on cannot run past the end
  return error("bad-escape", start, start + 1, "unknown escape; use \\n, \\t, \\r, \\\", \\\\ or \\xHH");
}

bool Scanner::readQuoted(std::string_view &out) {
  const char *quote = p_++;
  const char *from = p_;
  while (*p_ != '"' && *p_ != '\\' && *p_ != '\n' && p_ != end_)
    ++p_;
  if (*p_ == '"') {
    out = {from, size_t(p_++ - from)};
    return true;
  }
  std::string &text = unescaped_.emplace_back(from, p_);
  bool ok = true;
  while (*p_ != '"') {
    if (p_ == end_ || *p_ == '\n')
      return error("unterminated", quote, p_, "this quoted text has no closing quote on its line");
    if (*p_ == '\\')
      ok &= readEscape(text);
    else
      text += *p_++;
  }
  ++p_;
  out = text;
  return ok;
}

bool Scanner::readName(std::string_view &out, std::string_view what) {
  if (peek() == '"')
    return readQuoted(out);
  out = readWord();
  return !out.empty() || errorHere("syntax", "expected " + std::string(what) + ", found " + found());
}

bool Scanner::readHex(std::string &bytes) {
  if (peek() != '"')
    return errorHere("syntax", "expected hex digits in quotes, found " + found());
  const char *start = p_;
  std::string_view digits;
  if (!readQuoted(digits))
    return false;
  if (digits.size() % 2)
    return error("bad-attribute", start, p_, "an odd number of hex digits: two make a byte");
  bytes.resize(digits.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    int high = hexDigit(digits[2 * i]), low = hexDigit(digits[2 * i + 1]);
    if (high < 0 || low < 0)
      return error("bad-attribute", start, p_, "only hex digits may stand here");
    bytes[i] = char(high * 16 + low);
  }
  return true;
}

bool Scanner::readNumber(Number &n) {
  skipSpace();
  const char *start = p_;
  n = Number();
  n.negative = *p_ == '-';
  p_ += n.negative;
  const char *digits = p_;
  auto finish = [&] {
    n.spelling = {start, size_t(p_ - start)};
    return true;
  };
  if (isNameStart(*p_)) {
    std::string_view word = readWord();
    if (word != "nan" && word != "inf")
      return error("syntax", start, p_, "expected a number, found `" + std::string(start, p_) + "`");
    n.value = std::copysign(word == "nan" ? std::nan("") : HUGE_VAL, n.negative ? -1 : 1);
    if (word != "nan" || *p_ != '(')
      return finish();
    std::from_chars_result r{p_, std::errc::invalid_argument};
    if (p_[1] == '0' && p_[2] == 'x')
      r = std::from_chars(p_ + 3, end_, n.magnitude, 16);
    if (r.ec != std::errc() || *r.ptr != ')')
      return error("syntax", start, endOfToken(p_), "the bits of a nan are written `nan(0x7ff8000000000001)`");
    p_ = r.ptr + 1;
    n.hasBits = true;
    return finish();
  }
  bool hex = p_[0] == '0' && p_[1] == 'x';
  auto integer = std::from_chars(hex ? p_ + 2 : p_, end_, n.magnitude, hex ? 16 : 10);
  if (integer.ec == std::errc::invalid_argument)
    return error("syntax", start, endOfToken(digits), "expected a number, found " + found());
  p_ = integer.ptr;
  n.isInt = hex || (*p_ != '.' && *p_ != 'e' && *p_ != 'E');
  if (!n.isInt) {
    auto real = std::from_chars(digits, end_, n.value);
    p_ = real.ptr;
    if (real.ec != std::errc())
      return error("too-large", start, p_, "this number does not fit a 64-bit float");
    n.value = n.negative ? -n.value : n.value;
  } else if (integer.ec != std::errc()) {
    n.overflow = true;
    if (hex || std::from_chars(digits, end_, n.value).ec != std::errc())
      return error("too-large", start, p_, "this number does not fit 64 bits");
    n.value = n.negative ? -n.value : n.value;
  } else {
    n.value = n.negative ? -double(n.magnitude) : double(n.magnitude);
  }
  if (isNameChar(*p_))
    return error("syntax", start, endOfToken(p_), "a number ends in letters");
  return finish();
}

const char *Scanner::endOfToken(const char *p) const {
  if (p >= end_)
    return end_;
  const char *q = p;
  if (*q == '%' || *q == '@')
    ++q;
  while (isNameChar(*q))
    ++q;
  if (q != p)
    return q;
  for (++q; q != end_ && (uint8_t(*q) & 0xc0) == 0x80;) // the whole of a character that is not ASCII
    ++q;
  return q;
}

std::string Scanner::found() {
  if (atEnd())
    return "the end of the text";
  const char *to = endOfToken(p_);
  if (to - p_ > 40)
    to = p_ + 40;
  if (to == p_ + 1 && (uint8_t(*p_) < 0x20 || uint8_t(*p_) >= 0x7f))
    return "a stray byte";
  return "`" + std::string(p_, to) + "`";
}

bool Scanner::error(std::string_view tag, const char *from, const char *to, std::string message, SourceRange noteAt,
                    std::string note) {
  if (quiet_)
    return false;
  ++errors_;
  if (stopped_)
    return false;
  auto builder = diags_.error(std::string(tag), range(from, to), std::move(message));
  if (!note.empty())
    noteAt ? builder.note(noteAt, std::move(note)) : builder.note(std::move(note));
  if (errors_ >= maxErrors_) {
    builder.note("reading stops here: too many errors");
    stopped_ = true;
    p_ = end_;
  }
  return false;
}

bool Scanner::errorHere(std::string_view tag, std::string message) {
  skipSpace();
  return error(tag, p_, endOfToken(p_), std::move(message));
}

bool Scanner::tooDeep() {
  return errorHere("too-deep", "nested more than " + std::to_string(kMaxDepth) + " levels deep");
}

} // namespace rw::text
