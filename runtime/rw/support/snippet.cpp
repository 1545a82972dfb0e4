#include "rw/support/snippet.h"

#include "rw/support/utf8.h"

#include <algorithm>

namespace rw {
namespace {

constexpr std::string_view kCut = "...";

size_t unitCells(std::string_view line, size_t at, size_t cell, utf8::Unit &unit) {
  unit = utf8::decode(line, at);
  if (unit.codePoint == '\t' && unit.valid)
    return Snippet::kTab - cell % Snippet::kTab;
  return static_cast<size_t>(utf8::width(unit));
}

size_t cellsOf(std::string_view text) {
  size_t cells = 0;
  for (size_t at = 0; at < text.size();) {
    utf8::Unit unit;
    cells += unitCells(text, at, cells, unit);
    at += unit.length;
  }
  return cells;
}

void padTo(std::string &line, size_t &cell, size_t wanted) {
  for (; cell < wanted; ++cell)
    line += ' ';
}

} // namespace

Snippet::Snippet(std::string_view line, size_t begin, size_t end) {
  // The first byte to show: the line's own start when the caret is near it, else a third of the width before the
  // caret. A line is decoded from there at most kMaxCells far, so a huge line costs no more than a short one.
  constexpr size_t kBefore = kMaxCells / 3;
  if (begin > kMaxCells - kBefore) {
    first_ = begin - kBefore;
    while (first_ < begin && (static_cast<unsigned char>(line[first_]) & 0xC0) == 0x80)
      ++first_;
    lead_ = kCut.size();
  }
  size_t cell = lead_, at = first_;
  while (at < line.size()) {
    utf8::Unit unit;
    size_t cells = unitCells(line, at, cell, unit);
    if (cell + cells > kMaxCells && at >= begin) {
      cutAfter_ = true;
      break;
    }
    Glyph glyph{cell, cells, {}};
    if (unit.codePoint == '\t' && unit.valid)
      glyph.text.assign(cells, ' ');
    else
      utf8::appendSafe(glyph.text, line, at, unit);
    glyphs_.push_back(std::move(glyph));
    for (int i = 0; i < unit.length; ++i)
      byteCells_.push_back(cell);
    cell += cells;
    at += unit.length;
  }
  byteCells_.push_back(cell);
  caretBegin_ = cellOf(begin);
  caretEnd_ = std::max(cellOf(end), caretBegin_ + 1);
}

size_t Snippet::cellOf(size_t offset) const {
  if (offset < first_)
    return lead_;
  return byteCells_[std::min(offset - first_, byteCells_.size() - 1)];
}

void Snippet::addFixIt(size_t begin, size_t end, std::string_view replacement) {
  size_t cell = cellOf(begin);
  if (replacement.empty()) {
    fixIts_.push_back({cell, std::string(std::max<size_t>(cellOf(end), cell + 1) - cell, '-')});
    return;
  }
  while (true) {
    size_t lineEnd = replacement.find('\n');
    fixIts_.push_back({cell, utf8::safe(replacement.substr(0, lineEnd))});
    if (lineEnd == std::string_view::npos)
      return;
    replacement.remove_prefix(lineEnd + 1);
  }
}

std::string Snippet::sourceLine() const {
  std::string out(lead_ ? kCut : std::string_view());
  for (const Glyph &glyph : glyphs_)
    out += glyph.text;
  if (cutAfter_)
    return out + std::string(kCut);
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

std::string Snippet::caretLine() const {
  std::string out(caretBegin_, ' ');
  out += '^';
  out.append(caretEnd_ - caretBegin_ - 1, '~');
  return out;
}

std::vector<std::string> Snippet::fixItLines() const {
  // Each goes on the first line where it does not touch what is already there.
  std::vector<std::string> lines;
  std::vector<size_t> used;
  for (const Placed &fix : fixIts_) {
    size_t i = 0;
    while (i < lines.size() && used[i] != 0 && used[i] + 1 > fix.cell)
      ++i;
    if (i == lines.size()) {
      lines.emplace_back();
      used.push_back(0);
    }
    padTo(lines[i], used[i], fix.cell);
    lines[i] += fix.text;
    used[i] += cellsOf(fix.text);
  }
  return lines;
}

} // namespace rw
