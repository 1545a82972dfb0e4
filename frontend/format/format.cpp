#include "frontend/format/format.h"

#include "frontend/format/spacing.h"
#include "rw/support/utf8.h"

#include <algorithm>

namespace rw {
namespace format {
namespace {

constexpr size_t kBlock = 2;        // columns per block
constexpr size_t kContinuation = 2; // of the later lines of a statement

size_t columns(std::string_view text) {
  size_t n = 0;
  for (size_t at = 0; at < text.size(); at += utf8::decode(text, at).length)
    ++n;
  return n;
}

/// Puts pieces on lines: indentation from what is open, breaks from the source.
class Layout {
public:
  explicit Layout(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}

  std::string run() {
    for (size_t i = 0; i < pieces_.size(); ++i)
      place(i);
    endLine();
    alignComments();
    std::string out;
    for (const Line &line : lines_) {
      out += line.code;
      if (!line.comment.empty()) {
        if (!line.code.empty())
          out.append(line.commentColumn - columns(lastLineOf(line.code)), ' ');
        out += line.comment;
      }
      out += '\n';
    }
    return out;
  }

private:
  struct Line {
    std::string code, comment; // the comment behind the code, if any
    size_t commentColumn = 0;
  };
  struct Bracket {
    bool block;   // braces around statements
    bool pattern; // of a pattern or a test: `where` and `=>` begin lines
    size_t outer; // where its line's statement is indented
    size_t base;  // where lines inside are
  };
  enum class Part : uint8_t { Match, Where, Result };

  static std::string_view lastLineOf(std::string_view code) { return code.substr(code.rfind('\n') + 1); }

  void place(size_t i) {
    const Piece &piece = pieces_[i];
    bool newLine = i == 0 || piece.breaksBefore > 0 || pieces_[i - 1].isLineComment();
    if (newLine) {
      if (i > 0)
        endLine();
      bool blank = piece.breaksBefore > 1 && i > 0 && !pieces_[i - 1].opens() && !piece.closes();
      if (blank)
        lines_.emplace_back();
    }
    enterPart(piece);
    if (piece.closes() && !open_.empty()) {
      if (newLine)
        line_.code.assign(open_.back().outer, ' ');
      open_.pop_back();
    } else if (newLine) {
      line_.code.assign(indentOf(i), ' ');
    }
    if (!newLine && piece.isLineComment()) {
      line_.comment = piece.text;
      return;
    }
    if (!newLine && piece.spaceBefore)
      line_.code += ' ';
    line_.code += piece.text;
    if (piece.opens())
      push(i);
  }

  void enterPart(const Piece &piece) {
    bool inBody = open_.size() == 1 && open_.back().pattern;
    if (inBody && piece.is("where"))
      part_ = Part::Where;
    if (inBody && piece.is("=>"))
      part_ = Part::Result;
  }

  /// Where a later line of what is being written stands.
  size_t continuation() const {
    if (open_.empty())
      return kContinuation;
    const Bracket &b = open_.back();
    if (!b.block)
      return b.base;
    if (!b.pattern)
      return b.base + kContinuation;
    return b.base + (part_ == Part::Where ? 6 : part_ == Part::Result ? 3 : 0); // behind `where ` and `=> `
  }

  size_t indentOf(size_t i) const {
    while (i + 1 < pieces_.size() && pieces_[i].isComment())
      ++i; // a comment belongs to what follows
    const Piece &piece = pieces_[i];
    size_t base = open_.empty() ? 0 : open_.back().base;
    if (piece.isComment() || piece.closes() || piece.startsStatement)
      return base;
    if (!open_.empty() && open_.back().block && (piece.is("where") || piece.is("=>")))
      return base;
    bool list = !open_.empty() && piece.decl == Decl::Pass && i > 0 && pieces_[i - 1].is(",");
    return list ? base : continuation();
  }

  void push(size_t i) {
    const Piece &piece = pieces_[i];
    size_t next = i + 1;
    while (next < pieces_.size() && pieces_[next].isComment() && pieces_[next].breaksBefore == 0)
      ++next;
    bool broken = next < pieces_.size() && (pieces_[next].breaksBefore > 0 || pieces_[next - 1].isLineComment());
    Bracket b;
    b.block = piece.is("{") && piece.paddedBrace;
    b.pattern = b.block && open_.empty() && (piece.decl == Decl::Pattern || piece.decl == Decl::Test);
    b.outer = b.block ? (open_.empty() ? 0 : open_.back().base) : open_.empty() ? 0 : continuation();
    b.base = broken ? b.outer + kBlock : columns(lastLineOf(line_.code)) + (b.block ? 1 : 0);
    if (b.pattern)
      part_ = Part::Match;
    open_.push_back(b);
  }

  void endLine() {
    while (!line_.code.empty() && line_.code.back() == ' ')
      line_.code.pop_back();
    lines_.push_back(std::move(line_));
    line_ = {};
  }

  /// Comments behind neighbouring lines begin in one column.
  void alignComments() {
    for (size_t i = 0; i < lines_.size();) {
      size_t end = i, column = 0;
      for (; end < lines_.size() && !lines_[end].comment.empty(); ++end)
        column = std::max(column, columns(lastLineOf(lines_[end].code)) + 2);
      for (size_t k = i; k < end; ++k)
        lines_[k].commentColumn = column;
      i = std::max(end, i + 1);
    }
  }

  std::vector<Piece> pieces_;
  std::vector<Line> lines_;
  std::vector<Bracket> open_;
  Part part_ = Part::Match;
  Line line_;
};

} // namespace
} // namespace format

std::string formatText(std::string_view text, const std::vector<Lexeme> &lexemes) {
  return lexemes.empty() ? std::string() : format::Layout(format::classify(text, lexemes)).run();
}

} // namespace rw
