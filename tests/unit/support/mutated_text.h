// Texts with a few mistakes in them, for readers: a byte that is another one, a part that is gone, stands twice or is
// the end, a number that fits nothing, a word in another one's place.
//
// In:  a text, random numbers, and what the language is written with.
// Out: a text with one to three such mistakes, never empty; the same ones for the same random numbers.
//
//   std::mt19937 random(1);
//   std::string text = rw::test::mutatedText(kSeed, random, {.bytes = "()=,", .numbers = {"0", "1e400"}, .words = {}});
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace rw::test {

struct TextAlphabet {
  std::string_view bytes;
  std::vector<std::string_view> numbers;
  std::vector<std::string_view> words; ///< none: words are left as they are
};

inline std::string mutatedText(std::string text, std::mt19937 &random, const TextAlphabet &alphabet) {
  auto below = [&](size_t n) { return size_t(random() % n); };
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  for (size_t n = 1 + below(3); n != 0; --n) {
    size_t at = below(text.size()), length = std::min(text.size() - at, size_t(1) << below(8));
    switch (below(alphabet.words.empty() ? 6 : 7)) {
    case 0:
      text[at] = alphabet.bytes[below(alphabet.bytes.size())];
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(at, 1, alphabet.bytes[below(alphabet.bytes.size())]);
      break;
    case 3:
      text.insert(at, text.substr(below(text.size()), length));
      break;
    case 4:
      text.resize(at + 1);
      break;
    case 5: // a number becomes another one
      if (size_t digit = text.find_first_of("0123456789", at); digit != std::string::npos)
        text.replace(digit, 1, alphabet.numbers[below(alphabet.numbers.size())]);
      break;
    default:
      if (size_t from = text.find_first_of(kLetters, at); from != std::string::npos) {
        size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", from);
        text.replace(from, end == std::string::npos ? end : end - from, alphabet.words[below(alphabet.words.size())]);
      }
    }
    if (text.empty())
      text = " ";
  }
  return text;
}

} // namespace rw::test
