// Source text and positions in it.
//
// In:  files or strings (`.rw`, `.rwir`), at most 4 GiB together.
// Out: `Loc` and `SourceRange`, 32-bit positions that any phase can carry cheaply, and the way back from
//      a position to file, line and column.
// Elsewhere: diagnostics are printed by diagnostics.h.
//
//   SourceManager sources;
//   FileId f = sources.addText("a.rw", "op add(x, y);\n");
//   LineColumn at = sources.lineColumn(sources.locOf(f, 3));   // line 1, column 4
#pragma once

#include "rw/support/id.h"
#include "rw/support/result.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rw {

/// A position in one of the texts a SourceManager holds: the text's base plus a byte offset. 0 is "unknown".
struct Loc {
  uint32_t raw = 0;
  explicit operator bool() const { return raw != 0; }
  friend bool operator==(Loc, Loc) = default;
  friend auto operator<=>(Loc, Loc) = default;
};

/// Half-open range of bytes [begin, end) in one text.
struct SourceRange {
  Loc begin, end;
  explicit operator bool() const { return bool(begin); }
};

using FileId = Id<struct FileTag>; ///< a text of a SourceManager

/// Line and column count from 1; columns count Unicode code points, not bytes.
struct LineColumn {
  uint32_t line = 0, column = 0;
};

/// One thread at a time may ask it. A copy shares the texts, and may be asked by another thread; positions mean the
/// same in both.
class SourceManager {
public:
  /// Takes the text; `name` is what diagnostics show. Fails (empty FileId) when the 4 GiB of positions are used up.
  FileId addText(std::string name, std::string text);

  /// Reads a whole file ("-" is standard input), or the first `most` bytes of a longer one; devices and pipes are
  /// refused. Fails with the system's reason ("No such file or directory").
  Result<FileId> addFile(const std::string &path, size_t most = SIZE_MAX);

  std::string_view text(FileId) const;
  std::string_view name(FileId) const;
  Loc locOf(FileId, size_t byteOffset) const;

  /// The file a position lies in; empty for an unknown position.
  FileId fileOf(Loc) const;
  size_t offsetOf(Loc) const;
  LineColumn lineColumn(Loc) const;
  /// Without the column: in the same time however long the line is. 0 of an unknown position.
  uint32_t line(Loc) const;
  /// The text of the line a position lies in, without its line end.
  std::string_view lineText(Loc) const;
  /// "file:line:column", or "<unknown>".
  std::string describe(Loc) const;
  size_t fileCount() const { return files_.size(); }

private:
  struct Text {
    std::string name, text;
  };
  struct File {
    std::shared_ptr<const Text> content;
    std::string_view text; // of content
    uint32_t base = 0;
    mutable std::vector<uint32_t> lineStarts;        // filled at first use
    mutable uint32_t lastOffset = 0, lastColumn = 1; // the last position asked for
    mutable uint32_t lastLine = 1;                   // likewise, of line()
  };
  static const std::vector<uint32_t> &lineStarts(const File &);
  std::deque<File> files_;
  mutable uint32_t lastFile_ = 0; // the one that was asked for last
};

} // namespace rw
