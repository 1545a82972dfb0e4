// Which file in the import folders declares an op that is not known here.
//
// In:  an op's name, and its dialect if that was written.
// Out: the path to import it by, or nothing. Files are read as text and only when something is wrong; nothing is parsed.
#include "frontend/sema/checker.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace rw::sema {

namespace fs = std::filesystem;

static constexpr size_t kMaxFiles = 2'000;
static constexpr uintmax_t kMaxBytes = 4 << 20;

/// Behind `word` and spaces, at the beginning of a line, the word that follows; from `at`, which is moved behind it.
static std::string_view wordAfter(std::string_view text, std::string_view word, size_t &at) {
  while ((at = text.find(word, at)) != text.npos) {
    bool begins = at == 0 || text[at - 1] == '\n';
    at += word.size();
    if (!begins || at >= text.size() || text[at] != ' ')
      continue;
    size_t first = text.find_first_not_of(' ', at);
    if (first == text.npos)
      break;
    size_t end = first;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    at = end;
    return text.substr(first, end - first);
  }
  return {};
}

static bool declaresOp(std::string_view text, std::string_view dialect, std::string_view op) {
  size_t at = 0;
  if (!dialect.empty() && wordAfter(text, "dialect", at) != dialect)
    return false;
  while (at != text.npos)
    if (wordAfter(text, "op", at) == op)
      return true;
  return false;
}

std::string Checker::fileWithOp(std::string_view dialect, std::string_view op) const {
  std::vector<std::string> found;
  for (const std::string &folder : options.importDirs) {
    std::error_code error;
    size_t seen = 0;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end && seen < kMaxFiles; it.increment(error)) {
      if (it->path().extension() != ".rw" || it->file_size(error) > kMaxBytes)
        continue;
      ++seen;
      std::ifstream in(it->path(), std::ios::binary);
      std::string text{std::istreambuf_iterator<char>(in), {}};
      if (declaresOp(text, dialect, op))
        found.push_back(fs::relative(it->path(), folder, error).generic_string());
    }
    if (!found.empty())
      break;
  }
  return found.empty() ? std::string() : *std::ranges::min_element(found);
}

} // namespace rw::sema
