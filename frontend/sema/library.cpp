// Which file in the import folders declares an op, a pass or a label that is not known here.
//
// In:  an op's name, and its dialect if that was written; the name of a pass or pipeline; a label.
// Out: the path to import it by, or nothing. Files are read as text and only when something is wrong; nothing is
// parsed.
#include "frontend/sema/checker.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

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

/// The ops that the files declare, with and without their dialect, passes and pipelines as `pass NAME`, labels as
/// `label NAME`, each with the path to import it by: of the first folder that has it, the least.
static std::map<std::string, std::string> libraryOf(const std::vector<std::string> &folders) {
  std::map<std::string, std::string> all;
  for (const std::string &folder : folders) {
    std::map<std::string, std::string> here;
    std::error_code error;
    size_t seen = 0;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end && seen < kMaxFiles;
         it.increment(error)) {
      uintmax_t size = 0;
      if (it->path().extension() != ".rw" || (size = it->file_size(error)) > kMaxBytes)
        continue;
      ++seen;
      std::ifstream in(it->path(), std::ios::binary);
      std::string text(size_t(size), 0);
      in.read(text.data(), std::streamsize(text.size()));
      text.resize(size_t(in.gcount()));
      std::string path = fs::relative(it->path(), folder, error).generic_string();
      auto found = [&](std::string name) {
        std::string &known = here.try_emplace(std::move(name), path).first->second;
        known = std::min(known, path);
      };
      size_t at = 0;
      std::string dialect(wordAfter(text, "dialect", at)), next;
      size_t nextAt = at; // where the next one is declared: an op is of the one before it
      if (nextAt != text.npos)
        next = wordAfter(text, "dialect", nextAt);
      for (size_t op = 0; op != text.npos;)
        if (std::string_view name = wordAfter(text, "op", op); !name.empty()) {
          while (nextAt < op && !next.empty()) {
            dialect = std::exchange(next, {});
            next = wordAfter(text, "dialect", nextAt);
          }
          found(std::string(name));
          found(dialect + "." + std::string(name));
        }
      for (std::string_view word : {"pass", "pipeline"})
        for (size_t stage = 0; stage != text.npos;)
          if (std::string_view name = wordAfter(text, word, stage); !name.empty())
            found("pass " + std::string(name));
      for (size_t pattern = 0; pattern != text.npos;) {
        if (wordAfter(text, "pattern", pattern).empty())
          continue;
        std::string_view tags = std::string_view(text).substr(pattern, text.find('{', pattern) - pattern);
        for (size_t label = 0; (label = tags.find("label \"", label)) != tags.npos;) {
          label += 7;
          found("label " + std::string(tags.substr(label, tags.find('"', label) - label)));
        }
      }
    }
    all.merge(here);
  }
  return all;
}

/// Also what comes with rw, which every import finds.
static std::map<std::string, std::string> libraryOf(const CheckOptions &options) {
  std::vector<std::string> folders = options.importDirs;
  if (!options.builtinDir.empty())
    folders.push_back(options.builtinDir);
  return libraryOf(folders);
}

bool Checker::isInLibrary(std::string_view what, std::string_view name) const {
  if (!importLibrary_)
    importLibrary_ = libraryOf(options.importDirs);
  return importLibrary_->contains(std::string(what) + " " + std::string(name));
}

std::string Checker::fileWithOp(std::string_view dialect, std::string_view op) const {
  if (!library_)
    library_ = libraryOf(options);
  auto found = library_->find(dialect.empty() ? std::string(op) : std::string(dialect) + "." + std::string(op));
  return found == library_->end() ? std::string() : found->second;
}

} // namespace rw::sema
