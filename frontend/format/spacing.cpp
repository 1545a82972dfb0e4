#include "frontend/format/spacing.h"

#include <algorithm>

namespace rw::format {
namespace {

using Kind = Lexeme::Kind;

/// Walks the pieces once, knowing the declaration it is in and the brackets that are open.
class Classifier {
public:
  Classifier(std::string_view text, const std::vector<Lexeme> &lexemes) : text_(text) {
    size_t end = 0;
    for (const Lexeme &l : lexemes) {
      std::string_view gap = text.substr(end, l.begin - end);
      Piece piece{text.substr(l.begin, l.end - l.begin), l.kind};
      if (piece.isLineComment())
        piece.text = piece.text.substr(0, piece.text.find_last_not_of(" \t\v\f") + 1);
      piece.breaksBefore = uint32_t(std::count(gap.begin(), gap.end(), '\n'));
      pieces_.push_back(piece);
      begins_.push_back(l.begin);
      end = l.end;
    }
  }

  std::vector<Piece> run() {
    const Piece *before = nullptr; // comments left out
    for (size_t i = 0; i < pieces_.size(); ++i) {
      Piece &piece = pieces_[i];
      if (piece.isComment()) {
        piece.spaceBefore = true;
        piece.startsStatement = startOfStatement_;
        piece.decl = decl_;
        continue;
      }
      enter(piece);
      if (before)
        piece.spaceBefore = !tight(*before, piece, i);
      leave(piece);
      before = &piece;
    }
    return std::move(pieces_);
  }

private:
  void enter(Piece &piece) {
    if (open_.empty() && piece.kind == Kind::Keyword && (startOfStatement_ || piece.is("pattern"))) {
      startOfStatement_ = true;
      decl_ = piece.is("pattern")                          ? Decl::Pattern
              : piece.is("test")                           ? Decl::Test
              : piece.is("pass") || piece.is("conversion") ? Decl::Pass
              : piece.is("pipeline")                       ? Decl::Pipeline
                                                           : Decl::Other;
      leftSide_ = false;
      versions_ = false;
      named_ = piece.is("match");
      set_ = piece.is("set");
    }
    if (piece.is("versions"))
      versions_ = true;
    if (piece.is("where") || piece.is("=>"))
      leftSide_ = false;
    piece.startsStatement = startOfStatement_;
    piece.decl = decl_;
    if (piece.is("|") && !open_.empty())
      open_.back().choice = true;
    if (piece.closes() && !open_.empty()) {
      closed_ = open_.back();
      piece.paddedBrace = closed_.padded;
      open_.pop_back();
    }
  }

  void leave(Piece &piece) {
    // C++, which ends its declaration
    startOfStatement_ = (open_.empty() && piece.kind == Kind::Keyword && piece.is("private")) || piece.is(";") ||
                        (open_.empty() && piece.text.starts_with("[{"));
    if (piece.opens()) {
      bool set =
          before_.is("in") || (set_ && before_.is("=")) || (decl_ == Decl::Pipeline && before_.kind == Kind::Name);
      piece.paddedBrace = piece.is("{") && !set;
      bool top = open_.empty();
      open_.push_back({piece.paddedBrace, piece.is("[")});
      startOfStatement_ = piece.is("{");
      if (top && piece.is("{") && decl_ == Decl::Pattern && !set)
        leftSide_ = true;
    } else if (piece.is("}")) {
      // A declaration ends, but a pipeline goes on behind the block of a `repeat`; the set of a `for` ends its line.
      startOfStatement_ = open_.empty() && decl_ != Decl::Pipeline;
    }
    if (named_ && open_.empty() && (piece.is("=") || piece.is("|")))
      leftSide_ = true;
    unary_ = piece.is("-") && !endsOperand(before_);
    testName_ = before_.is("test") && piece.kind == Kind::Name;
    before_ = piece;
  }

  static bool endsOperand(const Piece &p) {
    return p.kind == Kind::Name || p.kind == Kind::Literal || p.is(")") || p.is("]") || p.is("?") || p.is("...") ||
           p.is("true") || p.is("false");
  }

  /// `elementwise*(x)` and `(exp | log)*(x)`, not `a * (b)` or `f32[m * (n)]`.
  bool isQuantifier(const Piece &a, const Piece &b, size_t index) const {
    bool heads = a.kind == Kind::Name || (a.is(")") && closed_.choice);
    if (!(b.is("*") || b.is("+")) || !heads || index + 1 >= pieces_.size())
      return false;
    if (!pieces_[index + 1].is("("))
      return false;
    auto touches = [&](size_t i) { return begins_[i] == begins_[i - 1] + pieces_[i - 1].text.size(); };
    bool inSizes = !open_.empty() && open_.back().square;
    return (leftSide_ && !inSizes) || (touches(index) && touches(index + 1));
  }

  bool tight(const Piece &a, const Piece &b, size_t index) {
    if (b.is(",") || b.is(";") || b.is(":") || b.is(".") || a.is(".") || b.is("::") || a.is("::"))
      return true;
    if (a.is("(") || a.is("[") || b.is(")") || b.is("]"))
      return true;
    if (b.is("}"))
      return !b.paddedBrace || a.is("{");
    if (a.is("{"))
      return !a.paddedBrace;
    if (b.is("{"))
      return decl_ == Decl::Pipeline && a.kind == Kind::Name;
    if (unary_)
      return true;
    if (isQuantifier(a, b, index)) {
      quantifier_ = true;
      return true;
    }
    if (b.is("?") || b.is("..."))
      return endsOperand(a);
    if (b.is(".."))
      return !a.is(",");
    if (a.is(".."))
      return !(versions_ && b.is("("));
    if (b.is("[") && a.is("as") && decl_ == Decl::Other && index > 1 && // `axes: tensor? as [int]`
        (pieces_[index - 2].is("?") || pieces_[index - 2].is("tensor") || pieces_[index - 2].is("]")))
      return false;
    return b.is("(") || b.is("[") ? tightBracket(a, b) : false;
  }

  bool tightBracket(const Piece &a, const Piece &b) {
    if (quantifier_) {
      quantifier_ = false;
      return true;
    }
    if (b.is("(") && testName_)
      return false;
    if (b.is("(") && versions_ && a.kind == Kind::Literal)
      return false;
    return endsOperand(a) || ((a.is("repeat") || (a.is("fastmath") && a.kind == Kind::Keyword)) && b.is("("));
  }

  std::string_view text_;
  std::vector<Piece> pieces_;
  std::vector<uint32_t> begins_;
  struct Open {          // a bracket
    bool padded = false; // of braces: `{ a }`
    bool square = false;
    bool choice = false; // a `|` stands directly in it
  };
  std::vector<Open> open_;
  Open closed_; // the last that was closed
  Piece before_{{}, Kind::Sign};
  Decl decl_ = Decl::Other;
  bool startOfStatement_ = true, leftSide_ = false, versions_ = false, named_ = false, set_ = false;
  bool unary_ = false, quantifier_ = false, testName_ = false;
};

} // namespace

std::vector<Piece> classify(std::string_view text, const std::vector<Lexeme> &lexemes) {
  return Classifier(text, lexemes).run();
}

} // namespace rw::format
