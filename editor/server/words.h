// The words of a text that may be wrong anywhere, as it is while one types.
//
// In:  any bytes.
// Out: words, signs, strings and comments with their places; a string or comment that is not closed ends with its line.
// What stands
//      around a place: the brackets that are open there, and the declaration.
// Elsewhere: texts that are right are read by frontend/parse.
//
//   words("f(x, \"a").size() == 5       // f ( x , "a
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rw::editor {

struct Word {
  enum class Kind : uint8_t { Name, Number, String, Native, Sign, Comment };
  Kind kind;
  uint32_t begin, end;
};

std::vector<Word> words(std::string_view text);

/// A place among words, comments left out.
class Around {
public:
  Around(std::string_view text, const std::vector<Word> &all, size_t offset);

  /// The word that is being typed: what stands of it before the place; empty if there is none.
  std::string_view prefix;
  size_t prefixBegin;
  bool inComment = false, inString = false, inNative = false;
  std::string_view string; // what stands of the string before the place, without the quote

  /// The n-th word before the prefix, from 0; empty at the beginning of the text.
  std::string_view before(size_t n) const { return n < count_ ? at(count_ - 1 - n) : std::string_view(); }
  /// Words before the prefix, by number.
  size_t count() const { return count_; }
  std::string_view at(size_t i) const { return text_.substr(words_[i].begin, words_[i].end - words_[i].begin); }
  const Word &word(size_t i) const { return words_[i]; }
  /// All words, behind the place too.
  size_t total() const { return words_.size(); }

  /// The brackets that are open at the place, by number of word, outermost first.
  std::vector<size_t> open;
  /// The number of the word that begins the declaration in which the place lies, and behind it the first that is not of
  /// it.
  size_t declBegin = 0, declEnd = 0;
  /// The keyword of that declaration; empty between declarations.
  std::string_view declKind;

private:
  std::string_view text_;
  std::vector<Word> words_;
  size_t count_ = 0;
};

bool isDeclarationWord(std::string_view);

} // namespace rw::editor
