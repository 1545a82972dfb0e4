#include "rw/support/source.h"

#include "rw/support/endless.h"
#include "rw/support/failure.h"
#include "rw/support/utf8.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <system_error>
#include <unistd.h>

namespace rw {

FileId SourceManager::addText(std::string name, std::string text) {
  // Each text takes one position more than it has bytes, so that its end differs from the next one's start.
  uint64_t base = 1;
  if (!files_.empty())
    base = uint64_t(files_.back().base) + files_.back().text.size() + 1;
  if (base + text.size() >= UINT32_MAX)
    return {};
  File file;
  file.content = std::make_shared<const Text>(Text{std::move(name), std::move(text)});
  file.text = file.content->text;
  file.base = static_cast<uint32_t>(base);
  files_.push_back(std::move(file));
  return FileId(static_cast<uint32_t>(files_.size() - 1));
}

/// The bytes of a file ("-": standard input), and no more than `most`. `expected`: how many there are, if that is
/// known: then the text takes no more memory than it needs.
static Result<std::string> bytesOf(const std::string &path, size_t expected, size_t most) {
  const int fd = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  size_t size = 0;
  ssize_t got = fd < 0 ? -1 : 1;
  while (got > 0 && size < most) {
    if (size == text.size()) // one byte more than expected, so that the end is seen
      text.resize(std::min(most, text.empty() && expected ? expected + 1 : std::max<size_t>(2 * size, 1 << 16)));
    do
      got = ::read(fd, text.data() + size, text.size() - size);
    while (got < 0 && errno == EINTR);
    size += got > 0 ? size_t(got) : 0;
  }
  const int why = errno;
  if (fd > STDIN_FILENO)
    ::close(fd);
  if (got < 0)
    return Failure{std::generic_category().message(why)};
  text.resize(size);
  return text;
}

Result<FileId> SourceManager::addFile(const std::string &path, size_t most) {
  uint64_t expected = 0;
  if (path != "-")
    if (std::string why = whyEndless(path, &expected); !why.empty())
      return Failure{std::move(why)};
  most = std::min<size_t>(most, UINT32_MAX);
  Result<std::string> text = bytesOf(path, std::min<uint64_t>(expected, most), most);
  if (!text)
    return text.failure();
  FileId id = addText(path == "-" ? "<stdin>" : path, std::move(*text));
  if (!id)
    return failure("the text is too large: all inputs together may have 4 GiB");
  return id;
}

std::string_view SourceManager::text(FileId id) const { return files_[id.raw].text; }

std::string_view SourceManager::name(FileId id) const { return files_[id.raw].content->name; }

Loc SourceManager::locOf(FileId id, size_t byteOffset) const {
  const File &file = files_[id.raw];
  return {file.base + static_cast<uint32_t>(std::min(byteOffset, file.text.size()))};
}

FileId SourceManager::fileOf(Loc loc) const {
  if (!loc)
    return {};
  auto holds = [&](const File &file) { return loc.raw >= file.base && loc.raw - file.base <= file.text.size(); };
  if (lastFile_ < files_.size() && holds(files_[lastFile_])) // places are asked for file by file
    return FileId(lastFile_);
  auto after = std::upper_bound(files_.begin(), files_.end(), loc.raw,
                                [](uint32_t raw, const File &file) { return raw < file.base; });
  if (after == files_.begin())
    return {};
  size_t index = static_cast<size_t>(after - files_.begin()) - 1;
  if (!holds(files_[index]))
    return {};
  return FileId(lastFile_ = static_cast<uint32_t>(index));
}

size_t SourceManager::offsetOf(Loc loc) const {
  FileId file = fileOf(loc);
  return file ? loc.raw - files_[file.raw].base : 0;
}

const std::vector<uint32_t> &SourceManager::lineStarts(const File &file) {
  if (file.lineStarts.empty()) {
    file.lineStarts.push_back(0);
    for (size_t at = file.text.find('\n'); at != std::string_view::npos; at = file.text.find('\n', at + 1))
      file.lineStarts.push_back(static_cast<uint32_t>(at + 1));
  }
  return file.lineStarts;
}

LineColumn SourceManager::lineColumn(Loc loc) const {
  FileId id = fileOf(loc);
  if (!id)
    return {};
  const File &file = files_[id.raw];
  uint32_t offset = loc.raw - file.base;
  const std::vector<uint32_t> &starts = lineStarts(file);
  size_t line = static_cast<size_t>(std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin());
  uint32_t from = starts[line - 1], column = 1;
  // Errors come in order: counting on from the last one keeps a file that is one huge line linear.
  if (file.lastOffset >= from && file.lastOffset <= offset) {
    from = file.lastOffset;
    column = file.lastColumn;
  }
  column += static_cast<uint32_t>(utf8::count(file.text.substr(from, offset - from)));
  if (offset == file.text.size() || (static_cast<unsigned char>(file.text[offset]) & 0xC0) != 0x80) {
    file.lastOffset = offset; // only between two characters
    file.lastColumn = column;
  }
  return {static_cast<uint32_t>(line), column};
}

uint32_t SourceManager::line(Loc loc) const {
  FileId id = fileOf(loc);
  if (!id)
    return 0;
  const File &file = files_[id.raw];
  const uint32_t offset = loc.raw - file.base;
  const std::vector<uint32_t> &starts = lineStarts(file);
  auto holds = [&](size_t line) {
    return starts[line - 1] <= offset && (line == starts.size() || offset < starts[line]);
  };
  if (!holds(file.lastLine)) // places are asked for line by line
    file.lastLine = static_cast<uint32_t>(std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin());
  return file.lastLine;
}

std::string_view SourceManager::lineText(Loc loc) const {
  FileId id = fileOf(loc);
  if (!id)
    return {};
  const File &file = files_[id.raw];
  uint32_t offset = loc.raw - file.base;
  // A position on a line end belongs to the line that it ends.
  const std::vector<uint32_t> &starts = lineStarts(file);
  auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  size_t begin = next[-1], end = next == starts.end() ? file.text.size() : *next - 1;
  if (end > begin && file.text[end - 1] == '\r')
    --end;
  return file.text.substr(begin, end - begin);
}

std::string SourceManager::describe(Loc loc) const {
  FileId id = fileOf(loc);
  if (!id)
    return "<unknown>";
  LineColumn at = lineColumn(loc);
  return fmt::format("{}:{}:{}", utf8::safe(name(id)), at.line, at.column);
}

} // namespace rw
