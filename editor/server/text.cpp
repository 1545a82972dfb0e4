#include "editor/server/text.h"

#include "rw/support/utf8.h"

#include <algorithm>

namespace rw::editor {

Text::Text(std::string text) : text_(std::move(text)) { findLines(); }

void Text::findLines() {
  starts_.assign(1, 0);
  for (size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n' || (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n')))
      starts_.push_back(uint32_t(i + 1));
}

size_t Text::lineAt(size_t offset) const {
  return size_t(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin()) - 1;
}

/// How many columns a character takes.
static uint32_t columnsOf(const utf8::Unit &unit, Encoding encoding) {
  if (encoding == Encoding::Utf8)
    return unit.length;
  return encoding == Encoding::Utf16 && unit.valid && unit.codePoint > 0xffff ? 2 : 1;
}

size_t Text::offset(Position at, Encoding encoding) const {
  if (at.line >= starts_.size())
    return text_.size();
  size_t end = at.line + 1 < starts_.size() ? starts_[at.line + 1] : text_.size(), i = starts_[at.line];
  while (end > i && (text_[end - 1] == '\n' || text_[end - 1] == '\r'))
    --end; // the line break is behind every column
  for (uint32_t column = 0; i < end && column < at.character;) {
    const utf8::Unit unit = utf8::decode(text_, i);
    column += columnsOf(unit, encoding);
    if (column > at.character)
      break; // in the middle of a character: before it
    i += unit.length;
  }
  return std::min(i, end);
}

Position Text::position(size_t offset, Encoding encoding) const {
  offset = std::min(offset, text_.size());
  const size_t line = lineAt(offset);
  Position out{uint32_t(line), 0};
  for (size_t i = starts_[line]; i < offset;) {
    const utf8::Unit unit = utf8::decode(text_, i);
    out.character += columnsOf(unit, encoding);
    i += unit.length;
  }
  return out;
}

void Text::replace(size_t begin, size_t end, std::string_view with) {
  end = std::min(end, text_.size());
  begin = std::min(begin, end);
  text_.replace(begin, end - begin, with);
  findLines();
}

} // namespace rw::editor
