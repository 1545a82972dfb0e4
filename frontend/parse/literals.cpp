// Numbers, strings and messages.
#include "frontend/parse/builder.h"

#include <fmt/format.h>

#include <charconv>

namespace rw::parse {
namespace {

/// False if it is no code point: too large, or a surrogate.
bool appendUtf8(std::string &out, unsigned long c) {
  if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
    return false;
  auto tail = [&](int shift) { out += char(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x80) {
    out += char(c);
  } else if (c < 0x800) {
    out += char(0xc0 | c >> 6);
    tail(0);
  } else if (c < 0x10000) {
    out += char(0xe0 | c >> 12);
    tail(6);
    tail(0);
  } else {
    out += char(0xf0 | c >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
  return true;
}

} // namespace

int64_t Builder::intOf(const Token *token, bool negative) {
  std::string_view text = tokens_.textOf(token);
  bool hex = text.starts_with("0x") || text.starts_with("0X");
  std::string_view digits = hex ? text.substr(2) : text;
  uint64_t value = 0;
  auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  uint64_t limit = uint64_t(INT64_MAX) + (negative ? 1 : 0);
  if (code != std::errc() || value > limit) {
    error("bad-number", rangeOf(token), fmt::format("`{}` does not fit into a signed 64-bit number", text))
        .note("the largest is 9223372036854775807; a float is written with a point");
    return 0;
  }
  return negative ? int64_t(0 - value) : int64_t(value);
}

double Builder::floatOf(const Token *token) {
  std::string_view text = tokens_.textOf(token);
  double value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc())
    error("bad-number", rangeOf(token), fmt::format("`{}` is beyond the range of a 64-bit float", text))
        .note("`inf` is a float, too");
  return value;
}

std::string Builder::stringOf(const Token *token) {
  return unescape(token->getStartIndex() + 1, token->getStopIndex() - 1);
}

std::string Builder::unescape(size_t begin, size_t end) {
  std::string_view text = tokens_.text;
  std::string out;
  for (size_t i = begin; i < end;) {
    if (text[i] != '\\') {
      out += text[i++];
      continue;
    }
    size_t start = i++;
    char c = i < end ? text[i++] : '\0';
    const char *plain = nullptr;
    switch (c) {
    case 'n':
      out += '\n';
      continue;
    case 't':
      out += '\t';
      continue;
    case 'r':
      out += '\r';
      continue;
    case '0':
      out += '\0';
      continue;
    case '\\':
    case '"':
      out += c;
      continue;
    case 'x': {
      unsigned value = 0;
      size_t last = std::min(i + 2, end);
      auto [at, code] = std::from_chars(text.data() + i, text.data() + last, value, 16);
      i = size_t(at - text.data());
      if (code == std::errc() && i == start + 4 && value < 0x80) {
        out += char(value);
        continue;
      }
      plain = "\\x takes two hexadecimal digits, up to \\x7f";
      break;
    }
    case 'u': {
      unsigned long value = 0;
      if (i < end && text[i] == '{') {
        auto [at, code] = std::from_chars(text.data() + i + 1, text.data() + end, value, 16);
        size_t close = size_t(at - text.data());
        if (code == std::errc() && close < end && text[close] == '}' && appendUtf8(out, value)) {
          i = close + 1;
          continue;
        }
        if (close < end && text[close] == '}')
          i = close + 1; // all of it is wrong
      }
      plain = "\\u takes the hexadecimal number of a character in braces: \\u{3bb}";
      break;
    }
    default:
      plain = "the escapes are \\n \\t \\r \\0 \\\\ \\\" \\x41 and \\u{3bb}";
      break;
    }
    size_t stop = std::min(end, std::max(i, start + 1));
    while (stop < end && ((unsigned char)text[stop] & 0xc0) == 0x80)
      ++stop; // never half a character
    error("bad-escape", tokens_.rangeOf(start, stop),
          fmt::format("`{}` is no escape sequence", text.substr(start, stop - start)))
        .note(plain);
  }
  return out;
}

std::vector<ast::MessagePart> Builder::messageOf(const Token *token) {
  std::vector<ast::MessagePart> parts;
  if (!token)
    return parts;
  size_t begin = token->getStartIndex() + 1, end = token->getStopIndex() - 1;
  std::string_view text = tokens_.text;
  std::string literal;
  size_t from = begin; // of text not yet taken
  auto take = [&](size_t to) { literal += unescape(from, to); };
  for (size_t i = begin; i < end; ++i) {
    char c = text[i];
    if (c == '\\' && i + 2 < end && text[i + 1] == 'u' && text[i + 2] == '{') {
      i = std::min(end - 1, text.find('}', i)); // the braces of an escape
    } else if (c == '\\') {
      ++i;
    } else if ((c == '{' || c == '}') && i + 1 < end && text[i + 1] == c) {
      take(i + 1);
      from = i + 2;
      ++i;
    } else if (c == '}') {
      error("syntax", tokens_.rangeOf(i, i + 1), "a brace in a message is written `}}`")
          .fixIt(tokens_.rangeOf(i, i + 1), "}}");
    } else if (c == '{') {
      size_t close = text.find('}', i);
      if (close == text.npos || close >= end) {
        error("unclosed", tokens_.rangeOf(i, i + 1), "this `{` is not closed inside the message")
            .note("a brace that is meant as text is written `{{`");
        return parts;
      }
      take(i);
      from = close + 1;
      if (!literal.empty())
        parts.push_back({std::move(literal), nullptr});
      literal.clear();
      ast::ExprPtr value = parseSlice_(i + 1, close);
      if (!value)
        failed_ = true;
      parts.push_back({std::string(), std::move(value)});
      i = close;
    }
  }
  take(end);
  if (!literal.empty() || parts.empty())
    parts.push_back({std::move(literal), nullptr});
  return parts;
}

} // namespace rw::parse
