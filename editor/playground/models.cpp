#include "editor/playground/models.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdlib.h>

namespace rw::editor {

namespace fs = std::filesystem;

/// ".onnx" of "My model.ONNX"; empty if it is none of a model.
static std::string extensionOf(const std::string &name) {
  std::string extension = name.substr(std::min(name.rfind('.'), name.size()));
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return c < 128 ? std::tolower(c) : c; });
  for (const char *known : {".onnx", ".pb", ".rwir", ".mlir", ".jaxpr"})
    if (extension == known)
      return extension;
  return {};
}

/// What people called it, without folders and not without end.
static std::string shownName(std::string name) {
  name = name.substr(name.find_last_of("/\\") + 1);
  if (name.size() > 120)
    name.resize(120);
  return name.empty() ? "model" : name;
}

Models::~Models() {
  std::error_code ignored;
  if (!folder_.empty())
    fs::remove_all(folder_, ignored);
}

void Models::drop(const Entry &entry) {
  std::error_code ignored;
  if (entry.own)
    fs::remove(entry.path, ignored);
}

std::string Models::add(const std::string &path) {
  std::lock_guard lock(mutex_);
  return entries_.emplace_back(Entry{std::to_string(++added_), fs::path(path).filename().string(), path, false}).id;
}

std::string Models::add(const std::string &name, const ReadBytes &read, std::string &trouble) {
  Entry entry{.name = shownName(name), .own = true};
  {
    std::lock_guard lock(mutex_);
    if (folder_.empty()) {
      std::error_code error;
      std::string made = (fs::temp_directory_path(error) / "rw-models-XXXXXX").string();
      if (error || !mkdtemp(made.data())) {
        trouble = "there is no folder for models: " + (error ? error.message() : std::strerror(errno));
        return {};
      }
      folder_ = made;
    }
    entry.id = std::to_string(++added_);
    entry.path = folder_ + "/" + entry.id + extensionOf(name);
  }
  uint64_t size = 0;
  std::ofstream out(entry.path, std::ios::binary);
  const bool whole = read([&](std::string_view piece) {
    size += piece.size();
    return size <= kMostBytes && bool(out.write(piece.data(), std::streamsize(piece.size())));
  });
  out.close();
  if (size > kMostBytes)
    trouble = "the model is larger than 4 GiB; start rw-opt with its path: rw-opt --serve model.onnx";
  else if (!out)
    trouble = "the model cannot be kept: no space in " + folder_ + "?";
  else if (!whole)
    trouble = "not all of the model came";
  else if (size == 0)
    trouble = "the file is empty";
  if (!trouble.empty()) {
    drop(entry);
    return {};
  }
  std::lock_guard lock(mutex_);
  entries_.push_back(entry);
  if (std::ranges::count(entries_, true, &Entry::own) > ptrdiff_t(kMostKept)) {
    const auto oldest = std::ranges::find(entries_, true, &Entry::own);
    drop(*oldest);
    entries_.erase(oldest);
  }
  return entry.id;
}

std::optional<Models::Entry> Models::find(const std::string &id) {
  std::lock_guard lock(mutex_);
  const auto at = std::ranges::find(entries_, id, &Entry::id);
  return at == entries_.end() ? std::nullopt : std::optional(*at);
}

void Models::remove(const std::string &id) {
  std::lock_guard lock(mutex_);
  const auto at = std::ranges::find(entries_, id, &Entry::id);
  if (at == entries_.end())
    return;
  drop(*at);
  entries_.erase(at);
}

} // namespace rw::editor
