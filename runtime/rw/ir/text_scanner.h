// Scanner: characters, words, numbers and quoted text of a `.rwir` file, and the reporting of errors at them.
//
// In:  one text of a SourceManager. Out: pieces of it as views; errors in Diagnostics, at most a given number.
// Elsewhere: the grammar is in parser_*.cpp on top of this.
//
// Everything works on bytes ahead of `p_`; the text ends in a zero byte that belongs to no file (SourceManager keeps
// std::strings), so looking one byte ahead never needs a bounds check.
#pragma once

#include "rw/ir/text_format.h"
#include "rw/support/diagnostics.h"

#include <deque>
#include <string>
#include <string_view>

namespace rw::text {

/// -1 if it is none.
inline int hexDigit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/// A number as written. Whether it is meant as an int or a float is seen from `isInt`.
struct Number {
  std::string_view spelling;
  bool isInt = false, negative = false;
  bool overflow = false;  // an int beyond 64 bits; `value` is near it
  uint64_t magnitude = 0; // of an int
  double value = 0;       // of either
  bool hasBits = false;   // nan(0x…): `magnitude` are the bits
};

class Scanner {
protected:
  Scanner(FileId, const SourceManager &, Diagnostics &, size_t maxErrors);

  void skipSpace() {
    while (*p_ == ' ')
      ++p_;
    if (uint8_t(*p_) <= ' ' || *p_ == '/')
      skipSpaceSlow();
  }
  /// The next character that is no space; zero at the end.
  char peek() {
    skipSpace();
    return *p_;
  }
  bool atEnd() {
    skipSpace();
    return p_ == end_;
  }
  bool eat(char c) {
    if (peek() != c || p_ == end_)
      return false;
    ++p_;
    return true;
  }
  /// Reads `c` or reports "expected `c` WHERE".
  bool expect(char c, std::string_view where);
  /// The word ahead (letters, digits, `_`; with `dots` also joined by dots), empty if there is none. peekWord does not
  /// move.
  std::string_view peekWord(bool dots = false);
  std::string_view readWord(bool dots = false) {
    std::string_view word = peekWord(dots);
    p_ += word.size();
    return word;
  }
  bool eatWord(std::string_view word) {
    if (peekWord() != word)
      return false;
    p_ += word.size();
    return true;
  }
  /// Quoted text ahead, escapes resolved. The view is valid as long as the scanner.
  bool readQuoted(std::string_view &out);
  /// A bare word or quoted text.
  bool readName(std::string_view &out, std::string_view what);
  bool readNumber(Number &out);
  /// Quoted hex digits, two a byte.
  bool readHex(std::string &bytes);

  /// Items up to `close`, separated by commas.
  template <class Item> bool readList(char close, Item item) {
    if (eat(close))
      return true;
    for (;;) {
      if (!item())
        return false;
      if (eat(close))
        return true;
      if (!eat(','))
        return errorHere("syntax", std::string("expected `,` or `") + close + "`, found " + found());
    }
  }

  /// What stands ahead, for messages: "`foo`", "the end of the text".
  std::string found();
  Loc locAt(const char *p) const { return Loc{base_.raw + uint32_t(p - begin_)}; }
  SourceRange range(const char *from, const char *to) const { return {locAt(from), locAt(to)}; }
  /// Reports unless too many errors have been reported; always false. The range is [from, to).
  bool error(std::string_view tag, const char *from, const char *to, std::string message, SourceRange noteAt = {},
             std::string note = {});
  /// Counts an error that is in the diagnostics already; always false.
  bool errorReported() {
    ++errors_;
    return false;
  }
  /// At the word or character ahead.
  bool errorHere(std::string_view tag, std::string message);
  /// The end of the word or character that starts at p.
  const char *endOfToken(const char *p) const;
  bool stopped() const { return stopped_; }
  size_t errorCount() const { return errors_; }

  const char *p_ = nullptr, *begin_ = nullptr, *end_ = nullptr;
  bool quiet_ = false; // something is tried: errors are not reported
  Diagnostics &diags_;

  /// Bounds recursion: false, with an error, beyond kMaxDepth.
  class Nested {
  public:
    explicit Nested(Scanner &s) : s_(s), ok_(++s.depth_ <= kMaxDepth || s.tooDeep()) {}
    ~Nested() { --s_.depth_; }
    explicit operator bool() const { return ok_; }

  private:
    Scanner &s_;
    bool ok_;
  };

private:
  void skipSpaceSlow();
  bool readEscape(std::string &out);
  bool tooDeep();

  Loc base_;
  size_t errors_ = 0, maxErrors_;
  unsigned depth_ = 0;
  bool stopped_ = false;
  std::deque<std::string> unescaped_;
};

} // namespace rw::text
