// Lexer: words, strings, symbols and locations of MLIR text, on top of the scanner that reads `.rwir`.
//
// In:  one text of a SourceManager. Out: pieces of it as views; errors in Diagnostics.
// Elsewhere: types are type_reader.h, attributes attribute_reader.h, ops and functions reader.h.
//
// Every member that reads something returns false exactly if it has reported an error; reading stops at the first.
#pragma once

#include "rw/ir/text_scanner.h"

#include <deque>
#include <string>
#include <string_view>

namespace rw::stablehlo {

class Lexer : protected text::Scanner {
protected:
  Lexer(FileId file, const SourceManager &sources, Diagnostics &diags) : Scanner(file, sources, diags, SIZE_MAX) {}

  /// The word ahead (letters, digits, `_`, `$`, `.`), empty if there is none. peekIdentifier does not move.
  std::string_view peekIdentifier();
  std::string_view readIdentifier() {
    std::string_view word = peekIdentifier();
    p_ += word.size();
    return word;
  }
  bool eatIdentifier(std::string_view word) {
    if (peekIdentifier() != word)
      return false;
    p_ += word.size();
    return true;
  }
  /// `->`, `::` and their like.
  bool eatText(std::string_view);
  bool expectText(std::string_view, std::string_view where);
  /// At a quote: the text, escapes resolved. The view is valid as long as the lexer.
  bool readString(std::string_view &out);
  /// At `@`: a function's name, or names joined by `::`.
  bool readSymbol(std::string_view &out);
  /// A whole number of 64 bits.
  bool readInteger(int64_t &out, std::string_view what);
  /// `loc(…)`, if it stands ahead: nothing is made of it.
  bool skipLocation();
  /// At an opening bracket: past the one that closes it. Brackets in strings and comments do not count.
  bool skipBalanced();
  /// Something that is not read, by its name: `what` says what it is, `cure` what to do.
  bool unsupported(const char *from, const char *to, std::string what, std::string cure);

  std::string_view slice(const char *from, const char *to) const { return {from, size_t(to - from)}; }

private:
  std::deque<std::string> kept_;
};

using text::hexDigit;

} // namespace rw::stablehlo
