// Whether a space stands between two neighbouring words or signs of a line, and what the braces and operators are.
//
// In:  the lexemes of a text. Out: per lexeme, what the layout needs to know of it.
// Elsewhere: line breaks and indentation are format.cpp.
//
//   std::vector<Piece> pieces = classify(text, lexemes);      pieces[3].spaceBefore
#pragma once

#include "frontend/parse/parse.h"

namespace rw::format {

/// What a declaration begins with decides how its block is laid out.
enum class Decl : uint8_t { Other, Pattern, Test, Pass, Pipeline };

struct Piece {
  std::string_view text;
  Lexeme::Kind kind;
  Decl decl = Decl::Other;
  bool spaceBefore = false; // when it stays on the line of the piece before
  bool startsStatement = false;
  bool paddedBrace = false;  // `{ a }`, not `{a}`
  uint32_t breaksBefore = 0; // line breaks in front of it in the source

  bool is(std::string_view s) const { return text == s && kind != Lexeme::Kind::Literal; }
  bool isComment() const { return kind == Lexeme::Kind::Comment; }
  bool isLineComment() const { return isComment() && text.starts_with("//"); }
  bool opens() const { return is("(") || is("[") || is("{"); }
  bool closes() const { return is(")") || is("]") || is("}"); }
};

std::vector<Piece> classify(std::string_view text, const std::vector<Lexeme> &);

} // namespace rw::format
