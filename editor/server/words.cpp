#include "editor/server/words.h"

#include <algorithm>
#include <cctype>

namespace rw::editor {

static bool isNameByte(unsigned char c) { return std::isalnum(c) || c == '_' || c >= 0x80; }

std::vector<Word> words(std::string_view text) {
  using enum Word::Kind;
  std::vector<Word> out;
  auto lineEnd = [&](size_t i) { return std::min(text.find_first_of("\r\n", i), text.size()); };
  for (size_t i = 0, end; i < text.size(); i = end) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    Word::Kind kind = Sign;
    end = i + 1;
    if (std::isspace(c))
      continue;
    if (text.substr(i, 2) == "//") {
      kind = Comment;
      end = lineEnd(i);
    } else if (text.substr(i, 2) == "[{") {
      kind = Native;
      end = text.find("}]", i + 2);
      end = end == text.npos ? text.size() : end + 2;
    } else if (c == '"') {
      kind = String;
      const size_t line = lineEnd(i);
      while (end < line && text[end] != '"')
        end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, line);
    } else if (std::isdigit(c)) {
      kind = Number;
      while (end < text.size() && (isNameByte(static_cast<unsigned char>(text[end])) ||
                                   (text[end] == '.' && end + 1 < text.size() &&
                                    std::isdigit(static_cast<unsigned char>(text[end + 1])) && text[end - 1] != '.')))
        ++end;
    } else if (isNameByte(c)) {
      kind = Name;
      while (end < text.size() && isNameByte(static_cast<unsigned char>(text[end])))
        ++end;
    } else {
      for (std::string_view sign : {"...", "..", "=>", "->", "==", "!=", "<=", ">=", "<<", ">>", "++", "::"})
        if (text.substr(i, sign.size()) == sign) {
          end = i + sign.size();
          break;
        }
    }
    out.push_back({kind, uint32_t(i), uint32_t(end)});
  }
  return out;
}

static constexpr std::string_view kDeclarations[] = {
    "dialect", "import",     "op",      "fn",   "pattern",  "match",      "set",  "trait", "extern",
    "private", "constraint", "rewrite", "pass", "pipeline", "conversion", "test", "expect"};

bool isDeclarationWord(std::string_view word) {
  return std::ranges::find(kDeclarations, word) != std::end(kDeclarations);
}

Around::Around(std::string_view text, const std::vector<Word> &all, size_t offset) : prefixBegin(offset), text_(text) {
  for (const Word &word : all) {
    const bool within = word.begin < offset && offset <= word.end;
    if (word.kind == Word::Kind::Comment) {
      inComment |= within;
      continue;
    }
    const bool closed = word.kind == Word::Kind::String && word.end - word.begin > 1 && text[word.end - 1] == '"';
    if (word.kind == Word::Kind::String && within && !(closed && offset == word.end)) {
      inString = true;
      string = text.substr(word.begin + 1, offset - word.begin - 1);
    }
    inNative |= word.kind == Word::Kind::Native && within && offset < word.end;
    if (word.kind == Word::Kind::Name && within) {
      prefix = text.substr(word.begin, offset - word.begin);
      prefixBegin = word.begin;
    }
    if (word.end <= offset && !(word.kind == Word::Kind::Name && within) &&
        !(word.kind == Word::Kind::String && inString && within))
      count_ = words_.size() + 1;
    words_.push_back(word);
  }
  // A declaration begins with its word in the first column, or behind the end of another.
  size_t depth = 0;
  bool fresh = true;
  declEnd = words_.size();
  std::vector<size_t> stack;
  for (size_t i = 0; i < words_.size(); ++i) {
    const std::string_view word = at(i);
    const bool firstColumn = words_[i].begin == 0 || text[words_[i].begin - 1] == '\n';
    const bool starts = words_[i].kind == Word::Kind::Name && (firstColumn || (depth == 0 && fresh)) &&
                        (isDeclarationWord(word) || (word == "for" && firstColumn));
    if (starts && i >= count_) {
      declEnd = i;
      break;
    }
    // `private fn`, `extern rewrite`, `for f in s pattern` are one.
    if (starts &&
        !(i && i - 1 >= declBegin && (at(i - 1) == "private" || at(i - 1) == "extern") && !declKind.empty())) {
      declBegin = i;
      depth = 0;
      stack.clear();
    }
    if (starts)
      declKind = word;
    else if (declKind == "for" && depth == 0 && word == "pattern")
      declKind = word;
    fresh = false;
    if (word == "(" || word == "[" || word == "{") {
      ++depth;
      stack.push_back(i);
    } else if ((word == ")" || word == "]" || word == "}") && depth) {
      --depth;
      stack.pop_back();
    }
    if (depth == 0 && (word == ";" || word == "}" || words_[i].kind == Word::Kind::Native) && !(declKind == "for")) {
      fresh = true;
      if (i < count_) { // what follows is between declarations
        declKind = {};
        declBegin = i + 1;
      } else {
        declEnd = i + 1;
        break;
      }
    }
    if (i + 1 == count_)
      open = stack;
  }
  if (count_ == 0)
    open.clear();
  if (declBegin > count_ ||
      (declBegin == count_ && !declKind.empty() && declBegin < words_.size() && words_[declBegin].begin >= offset)) {
    declKind = {};
    declBegin = count_;
  }
}

} // namespace rw::editor
