// A text in an editor: positions as the protocol counts them, and edits.
//
// In:  UTF-8, whatever the client counts columns in.
// Out: byte offsets for positions and back; a position beyond its line or the text is the nearest that exists.
//
//   Text text("relu(x)\n");
//   text.offset({0, 4}, Encoding::Utf16)   // 4
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rw::editor {

/// What a column counts: bytes, 16-bit units or code points.
enum class Encoding : uint8_t { Utf8, Utf16, Utf32 };

/// Line and column, from 0.
struct Position {
  uint32_t line = 0, character = 0;
  friend auto operator<=>(const Position &, const Position &) = default;
};

class Text {
public:
  Text() : Text(std::string()) {}
  explicit Text(std::string text);

  const std::string &str() const { return text_; }
  size_t lineCount() const { return starts_.size(); }
  size_t lineStart(size_t line) const { return line < starts_.size() ? starts_[line] : text_.size(); }
  /// The line that a byte lies in.
  size_t lineAt(size_t offset) const;
  size_t offset(Position, Encoding) const;
  Position position(size_t offset, Encoding) const;
  /// Puts `with` in the place of the bytes [begin, end).
  void replace(size_t begin, size_t end, std::string_view with);

private:
  void findLines();
  std::string text_;
  std::vector<uint32_t> starts_;
};

} // namespace rw::editor
