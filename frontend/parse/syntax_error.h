// What is said when the text does not follow the grammar.
//
// In:  the state in which ANTLR's parser got stuck: rule, expected tokens, the token found.
// Out: one diagnostic in our own words, with a note that teaches and a fix-it where there is one.
// Elsewhere: when to report and how to go on is recovery.h.
//
//   layout.rw:3:3: error: a pattern's sides are separated by `=>`; `->` states a type [syntax]
#pragma once

#include "frontend/parse/brackets.h"

namespace rw::parse {

class SyntaxErrors {
public:
  SyntaxErrors(const TokenList &tokens, const Outline &outline, Diagnostics &diags)
      : tokens_(tokens), outline_(outline), diags_(diags) {}

  /// The parser cannot take its current token.
  void report(antlr4::Parser &);
  /// A `;` is missing behind the token before `found`.
  void missingSemicolon(size_t found);
  /// `found` begins no clause of an op.
  void unknownClause(size_t found);
  /// `found` begins no declaration. False if nothing was said: what is wrong with its characters was.
  bool unknownDeclaration(size_t found);

private:
  struct Stuck { // where and how
    size_t rule;
    size_t outerRule; // the rule that called it
    size_t at;        // index of the token found
    size_t type;      // its type
    size_t previous;  // type of the token before
    antlr4::misc::IntervalSet expected;
    bool expects(size_t t) const { return expected.contains(t); }
  };
  Diagnostics::Builder error(const char *tag, size_t token, std::string message);
  /// Errors behind a lexical error in the same declaration are most likely its consequences.
  bool isConsequence(size_t token) const;
  std::string found(size_t token) const;

  bool unmatchedBracket(const Stuck &);
  bool reservedName(const Stuck &);
  // syntax_habits.cpp
  bool habits(const Stuck &);
  bool behindWhere(size_t at) const;
  bool inStatedType(const Stuck &);
  bool inDeclarationHabit(const Stuck &);
  bool inPatternHabit(const Stuck &);
  bool inRewriteHabit(const Stuck &);
  bool inBorrowedMatch(const Stuck &);
  bool inBorrowedValue(const Stuck &);
  bool inAngleBrackets(const Stuck &);
  bool behindArrow(size_t at) const;
  bool inNumberHabit(const Stuck &);
  bool inListHabit(const Stuck &);
  // syntax_borrowed.cpp
  bool inForeignSpelling(const Stuck &);
  bool inForeignDeclaration(const Stuck &);
  bool inForeignPattern(const Stuck &);
  bool inForeignRightSide(const Stuck &);
  bool inForeignExpression(const Stuck &);
  std::string textBetween(size_t first, size_t end) const;
  SourceRange rangeBetween(size_t first, size_t end) const;
  bool adjoinsNext(size_t at) const;
  size_t operandBefore(size_t at) const;
  size_t behindOperand(size_t at) const;
  bool wrongEquals(const Stuck &);
  bool inPattern(const Stuck &);
  bool inMatch(const Stuck &);
  bool endsTypedName(size_t at) const;
  bool inExpression(const Stuck &);
  bool inDeclaration(const Stuck &);
  bool anywhere(const Stuck &);
  void expected(const Stuck &);

  const TokenList &tokens_;
  const Outline &outline_;
  Diagnostics &diags_;
};

} // namespace rw::parse
