// One source line as a diagnostic shows it: the line, the caret line below it, and the replacement text of fix-its.
//
// In:  the line's bytes, and byte ranges in it.
// Out: lines whose cells stand straight under each other: tabs become spaces up to the next multiple of 8, wide
//      characters count two, control characters are made visible; a line too long to show is cut around the caret.
//
//   Snippet s("  tranpose(x)", 2, 10);
//   s.addFixIt(2, 10, "transpose");
//   s.sourceLine();    // "  tranpose(x)"
//   s.caretLine();     // "  ^~~~~~~~"
//   s.fixItLines();    // {"  transpose"}
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rw {

class Snippet {
public:
  static constexpr size_t kMaxCells = 120, kTab = 8;

  /// [begin, end) are bytes of `line`; begin == end points between two characters.
  Snippet(std::string_view line, size_t begin, size_t end);

  void addFixIt(size_t begin, size_t end, std::string_view replacement);

  std::string sourceLine() const;
  std::string caretLine() const;
  std::vector<std::string> fixItLines() const;

private:
  struct Glyph {
    size_t cell;      // where it starts
    size_t cells;     // how wide it is
    std::string text; // what is printed
  };
  /// The cell where byte `offset` is shown; bytes that are cut off count as the nearest end of what is shown.
  size_t cellOf(size_t offset) const;

  size_t first_ = 0; // the first byte shown
  size_t lead_ = 0;  // cells of the mark that stands for what is cut off before it
  bool cutAfter_ = false;
  std::vector<size_t> byteCells_; // for each byte shown, and the end: its cell
  std::vector<Glyph> glyphs_;
  size_t caretBegin_ = 0, caretEnd_ = 0;
  struct Placed {
    size_t cell;
    std::string text;
  };
  std::vector<Placed> fixIts_;
};

} // namespace rw
