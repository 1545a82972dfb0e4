#include "editor/server/view.h"

#include <algorithm>
#include <filesystem>

namespace rw::editor {

namespace fs = std::filesystem;

std::string pathOfUri(std::string_view uri) {
  constexpr std::string_view kFile = "file://";
  if (!uri.starts_with(kFile))
    return std::string(uri); // an unsaved document: nothing is beside it
  uri.remove_prefix(kFile.size());
  if (size_t slash = uri.find('/'); slash != uri.npos)
    uri.remove_prefix(slash); // a host
  std::string path;
  auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  for (size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] == '%' && i + 2 < uri.size() && digit(uri[i + 1]) >= 0 && digit(uri[i + 2]) >= 0) {
      path += char(digit(uri[i + 1]) * 16 + digit(uri[i + 2]));
      i += 2;
    } else {
      path += uri[i];
    }
  }
  if (path.find('\0') != std::string::npos)
    return std::string(uri);
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(path, error);
  return error ? path : canonical.string();
}

std::string uriOfPath(std::string_view path) {
  if (!path.starts_with('/'))
    return std::string(path);
  std::string uri = "file://";
  constexpr std::string_view kPlain = "-._~/!$&'()*+,;=:@";
  for (char c : path) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || kPlain.find(c) != kPlain.npos) {
      uri += c;
    } else {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      (uri += '%') += kDigits[byte >> 4];
      uri += kDigits[byte & 15];
    }
  }
  return uri;
}

View::View(std::shared_ptr<const Analysis> analysis, Encoding encoding, std::vector<std::string> importFolders)
    : a_(std::move(analysis)), encoding_(encoding), importFolders_(std::move(importFolders)) {}

const std::vector<Occurrence> &View::names() const {
  if (!names_)
    names_ = namesOf(*a_);
  return *names_;
}

static Json positionJson(Position at) { return {{"line", at.line}, {"character", at.character}}; }

Json View::range(size_t begin, size_t end) const {
  return {{"start", positionJson(a_->text.position(begin, encoding_))},
          {"end", positionJson(a_->text.position(std::max(begin, end), encoding_))}};
}

Json View::range(SourceRange range) const {
  const FileId file = a_->sources.fileOf(range.begin);
  const size_t begin = file ? a_->offset(range.begin) : 0,
               end = begin + (range.end > range.begin ? range.end.raw - range.begin.raw : 0);
  if (!file || file == a_->root())
    return this->range(begin, end);
  auto it = others_.find(file.raw);
  if (it == others_.end())
    it = others_.emplace(file.raw, Text(std::string(a_->sources.text(file)))).first;
  return {{"start", positionJson(it->second.position(begin, encoding_))},
          {"end", positionJson(it->second.position(end, encoding_))}};
}

Json View::location(SourceRange place) const {
  const FileId file = a_->sources.fileOf(place.begin);
  std::string path = file ? std::string(a_->sources.name(file)) : a_->files[0].path;
  for (const Analysis::File &each : a_->files)
    if (each.id == file)
      path = each.path;
  return {{"uri", uriOfPath(path)}, {"range", range(place)}};
}

const Occurrence *View::nameAt(Position at) const { return editor::nameAt(*a_, names(), offset(at)); }

} // namespace rw::editor
