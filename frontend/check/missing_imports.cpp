#include "frontend/check/missing_imports.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

namespace rw::sema {

namespace fs = std::filesystem;

static constexpr size_t kMaxFiles = 2'000;

/// The name that `word` declares at the beginning of a line; none if the line begins otherwise.
static std::string_view declaredBy(std::string_view word, std::string_view line) {
  if (!line.starts_with(word) || line.size() == word.size() || line[word.size()] != ' ')
    return {};
  size_t first = line.find_first_not_of(' ', word.size());
  if (first == line.npos)
    return {};
  size_t end = first;
  while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_'))
    ++end;
  return line.substr(first, end - first);
}

/// Calls `found` with each name that a text declares, as libraryOf() has it.
template <class F> static void forEachDeclared(std::string_view text, const F &found) {
  std::string dialect;
  std::vector<std::string> ahead; // ops ahead of the first dialect, of which they are
  auto ofDialect = [&](std::string_view op) { found(dialect + "." + std::string(op)); };
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at), name;
    if (line.empty() || !std::islower(static_cast<unsigned char>(line[0])))
      continue; // most lines are indented or comments
    if (name = declaredBy("op", line); !name.empty()) {
      found(std::string(name));
      if (dialect.empty())
        ahead.emplace_back(name);
      else
        ofDialect(name);
    } else if (name = declaredBy("dialect", line); !name.empty()) {
      dialect = name;
      for (const std::string &op : std::exchange(ahead, {}))
        ofDialect(op);
    } else if (name = declaredBy("pass", line); !name.empty()) {
      found("pass " + std::string(name));
    } else if (name = declaredBy("pipeline", line); !name.empty()) {
      found("pass " + std::string(name));
    } else if (!declaredBy("pattern", line).empty()) {
      std::string_view tags = text.substr(at, text.find('{', at) - at);
      for (size_t label = 0; (label = tags.find("label \"", label)) != tags.npos;) {
        label += 7;
        found("label " + std::string(tags.substr(label, tags.find('"', label) - label)));
      }
    }
  }
  for (const std::string &op : ahead)
    ofDialect(op);
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
      if (it->path().extension() != ".rw" || (size = it->file_size(error)) > ast::kMaxSourceBytes)
        continue;
      ++seen;
      std::ifstream in(it->path(), std::ios::binary);
      std::string text(size_t(size), 0);
      in.read(text.data(), std::streamsize(text.size()));
      text.resize(size_t(in.gcount()));
      std::string path = it->path().lexically_relative(folder).generic_string();
      forEachDeclared(text, [&](std::string name) {
        std::string &known = here.try_emplace(std::move(name), path).first->second;
        known = std::min(known, path);
      });
    }
    all.merge(here);
  }
  return all;
}

/// What the files in these folders declare, read once however many files are checked.
static const std::map<std::string, std::string> &library(const CheckContext &c,
                                                         const std::vector<std::string> &folders) {
  auto &known = c.options.parsed ? c.options.parsed->libraries : c.libraries;
  auto [it, isNew] = known.try_emplace(folders);
  if (isNew)
    it->second = libraryOf(folders);
  return it->second;
}

static std::vector<std::string> libraryFolders(const CheckContext &c) {
  std::vector<std::string> folders = c.options.importDirs;
  if (!c.options.builtinDir.empty()) // what comes with rw, which every import finds
    folders.push_back(c.options.builtinDir);
  return folders;
}

static const std::map<std::string, std::string> &library(const CheckContext &c) {
  return library(c, libraryFolders(c));
}

/// Whether one of the texts that have been read declares it: `what` is `label` or `pass`.
static bool isInTexts(const CheckContext &c, std::string_view what, std::string_view name,
                      const std::vector<std::string> &folders) {
  if (!c.options.parsed)
    return false;
  auto &[lookedThrough, paths] = c.options.parsed->declared;
  for (const auto &[path, file] : c.options.parsed->byPath) {
    if (lookedThrough.size() == c.options.parsed->byPath.size())
      break;
    if (!lookedThrough.insert(path).second || !path.ends_with(".rw"))
      continue;
    forEachDeclared(c.sources.text(file.id), [&](std::string each) { paths[std::move(each)].insert(path); });
    if (c.options.work)
      ++c.options.work->texts;
  }
  auto found = paths.find(std::string(what) + " " + std::string(name));
  return found != paths.end() && std::ranges::any_of(folders, [&](const std::string &folder) {
           const std::string below = canonicalPath(folder, c.options) + "/";
           auto first = found->second.lower_bound(below);
           return first != found->second.end() && first->starts_with(below);
         });
}

bool isInLibrary(const CheckContext &c, std::string_view what, std::string_view name, bool builtin) {
  if (c.trusted) // what a file that is right names is there
    return true;
  const std::vector<std::string> folders = builtin ? libraryFolders(c) : c.options.importDirs;
  // Files that are loaded together mostly name each other's passes and labels: then no folder has to be looked through.
  return isInTexts(c, what, name, folders) || library(c, folders).contains(std::string(what) + " " + std::string(name));
}

bool isKnownElsewhere(const CheckContext &c, bool dialect, std::string_view name) {
  const std::map<std::string, std::string> &all = library(c);
  std::string wanted = std::string(name) + (dialect ? "." : "");
  auto found = all.lower_bound(wanted);
  return found != all.end() && (dialect ? found->first.starts_with(wanted) : found->first == wanted);
}

std::string fileWithOp(const CheckContext &c, std::string_view dialect, std::string_view op) {
  const std::map<std::string, std::string> &all = library(c);
  auto found = all.find(dialect.empty() ? std::string(op) : std::string(dialect) + "." + std::string(op));
  return found == all.end() ? std::string() : found->second;
}

} // namespace rw::sema
