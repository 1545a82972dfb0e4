#include "rw/stablehlo/lexer.h"

#include <cstring>

namespace rw::stablehlo {

std::string_view Lexer::peekIdentifier() {
  skipSpace();
  const char *q = p_;
  if (!text::isNameStart(*q))
    return {};
  while (text::isNameChar(*q) || *q == '$' || *q == '.')
    ++q;
  return slice(p_, q);
}

bool Lexer::eatText(std::string_view text) {
  skipSpace();
  if (size_t(end_ - p_) < text.size() || std::memcmp(p_, text.data(), text.size()) != 0)
    return false;
  p_ += text.size();
  return true;
}

bool Lexer::expectText(std::string_view text, std::string_view where) {
  return eatText(text) ||
         errorHere("syntax", "expected `" + std::string(text) + "` " + std::string(where) + ", found " + found());
}

bool Lexer::readString(std::string_view &out) {
  const char *quote = p_++;
  const char *from = p_;
  while (p_ != end_ && *p_ != '"' && *p_ != '\\' && *p_ != '\n')
    ++p_;
  if (p_ != end_ && *p_ == '"') {
    out = slice(from, p_++);
    return true;
  }
  std::string &text = kept_.emplace_back(from, p_);
  for (; p_ == end_ || *p_ != '"'; ++p_) {
    if (p_ == end_ || *p_ == '\n')
      return error("unterminated", quote, p_, "this string has no closing quote on its line");
    if (*p_ != '\\') {
      text += *p_;
      continue;
    }
    const char *escape = p_++;
    if (*p_ == 'n' || *p_ == 't' || *p_ == '"' || *p_ == '\\') {
      text += *p_ == 'n' ? '\n' : *p_ == 't' ? '\t' : *p_;
    } else if (hexDigit(p_[0]) >= 0 && hexDigit(p_[1]) >= 0) {
      text += char(hexDigit(p_[0]) * 16 + hexDigit(p_[1]));
      ++p_;
    } else {
      return error("bad-escape", escape, escape + 1, "unknown escape; MLIR has \\n, \\t, \\\", \\\\ and \\HH");
    }
  }
  ++p_;
  out = text;
  return true;
}

bool Lexer::readSymbol(std::string_view &out) {
  std::string *joined = nullptr;
  do {
    if (!expect('@', "before a function's name"))
      return false;
    std::string_view part;
    if (*p_ == '"') {
      if (!readString(part))
        return false;
    } else {
      const char *at = p_;
      part = peekIdentifier();
      if (part.data() != at) // no space may stand between
        part = {};
      if (part.empty())
        return errorHere("syntax", "expected a name after `@`, found " + found());
      p_ += part.size();
    }
    if (joined)
      *joined += "::" + std::string(part);
    else
      out = part;
    bool more = *p_ == ':' && p_[1] == ':' && p_[2] == '@';
    if (!more)
      break;
    p_ += 2;
    if (!joined)
      joined = &kept_.emplace_back(part);
  } while (true);
  if (joined)
    out = *joined;
  return true;
}

bool Lexer::readInteger(int64_t &out, std::string_view what) {
  skipSpace();
  const char *from = p_;
  text::Number n;
  if (!text::isDigit(*p_) && *p_ != '-')
    return errorHere("syntax", "expected " + std::string(what) + ", found " + found());
  if (!readNumber(n))
    return false;
  if (!n.isInt)
    return error("bad-attribute", from, p_, "expected " + std::string(what) + ", a whole number");
  if (n.overflow || n.magnitude > uint64_t(INT64_MAX) + n.negative)
    return error("too-large", from, p_, "this number does not fit a signed 64-bit integer");
  out = int64_t(n.negative ? 0 - n.magnitude : n.magnitude);
  return true;
}

bool Lexer::skipLocation() {
  if (peek() != 'l' || peekIdentifier() != "loc")
    return true;
  p_ += 3;
  if (peek() != '(')
    return expect('(', "after `loc`");
  return skipBalanced();
}

bool Lexer::skipBalanced() {
  const char *open = p_;
  std::string closers; // of the brackets that are open
  do {
    if (atEnd())
      return error("unterminated", open, open + 1, "nothing closes this bracket");
    char c = *p_;
    if (c == '"') {
      std::string_view ignored;
      if (!readString(ignored))
        return false;
      continue;
    }
    if (c == '-' && p_[1] == '>') { // an arrow closes nothing
      p_ += 2;
      continue;
    }
    ++p_;
    if (c == '(' || c == '[' || c == '{' || c == '<')
      closers += c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '>';
    else if (c == closers.back())
      closers.pop_back();
    else if (c == ')' || c == ']' || c == '}') // `>` may be a part of a comparison
      return error("unterminated", open, open + 1, "nothing closes this bracket");
  } while (!closers.empty());
  return true;
}

bool Lexer::unsupported(const char *from, const char *to, std::string what, std::string cure) {
  return error("unsupported", from, to, std::move(what), {}, std::move(cure));
}

} // namespace rw::stablehlo
