#include "frontend/check/native_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace rw::sema {
namespace {
/// Behind the string or character that begins at `at`; none if it does not end in its line.
std::optional<size_t> behindQuoted(std::string_view code, size_t at) {
  for (size_t i = at + 1; i < code.size() && code[i] != '\n'; ++i) {
    if (code[i] == '\\')
      ++i;
    else if (code[i] == code[at])
      return i + 1;
  }
  return std::nullopt;
}

/// Behind the raw string whose quote stands at `at`; none if it does not end.
std::optional<size_t> behindRaw(std::string_view code, size_t at) {
  size_t open = code.find('(', at);
  if (open == std::string_view::npos)
    return std::nullopt;
  std::string end = fmt::format("){}\"", code.substr(at + 1, open - at - 1));
  size_t close = code.find(end, open);
  return close == std::string_view::npos ? std::nullopt : std::optional(close + end.size());
}

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
} // namespace

std::optional<CodeMistake> nativeCodeMistake(std::string_view code) {
  static constexpr std::string_view kOpen = "([{", kClose = ")]}";
  std::vector<size_t> open; // places
  for (size_t i = 0; i < code.size();) {
    char c = code[i];
    if (code.substr(i).starts_with("//")) {
      i = std::min(code.find('\n', i), code.size());
    } else if (code.substr(i).starts_with("/*")) {
      size_t end = code.find("*/", i + 2);
      if (end == std::string_view::npos)
        return CodeMistake{i, "this comment is not closed before the block ends"};
      i = end + 2;
    } else if (c == '"' || (c == '\'' && (i == 0 || !isWord(code[i - 1])))) { // not the `'` of 1'000
      std::optional<size_t> end = c == '"' && i > 0 && code[i - 1] == 'R' ? behindRaw(code, i) : behindQuoted(code, i);
      if (!end)
        return CodeMistake{
            i, fmt::format("this {} is not closed before the block ends", c == '"' ? "string" : "character")};
      i = *end;
    } else {
      if (kOpen.find(c) != std::string_view::npos) {
        open.push_back(i);
      } else if (size_t kind = kClose.find(c); kind != std::string_view::npos) {
        if (open.empty())
          return CodeMistake{i, fmt::format("this `{}` closes nothing that the block has opened", c)};
        if (code[open.back()] != kOpen[kind])
          return CodeMistake{
              i, fmt::format("this `{}` stands where the `{}` before it is to be closed", c, code[open.back()])};
        open.pop_back();
      }
      ++i;
    }
  }
  if (!open.empty())
    return CodeMistake{open.back(), fmt::format("this `{}` is not closed before the block ends", code[open.back()])};
  return std::nullopt;
}

} // namespace rw::sema
