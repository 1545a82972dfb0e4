// Lexing: from text to a list of tokens, with everything that is wrong with the characters reported.
//
// In:  a text, or a slice of one (an expression inside a message).
// Out: TokenList: the tokens a parser sees, with byte offsets; doc comments apart; where lexical errors were.
// Elsewhere: which keywords are really names is keywords.h; brackets are brackets.h.
//
//   Lexed: `fn f(…)` gives FN IDENT LPAREN …; all offsets are bytes.
#pragma once

#include "frontend/ast/node.h"
#include "frontend/parse/token_stream.h"
#include "rw/support/diagnostics.h"

#include "RwLexer.h"
#include "RwParser.h"
#include "antlr4-runtime.h"

#include <vector>

namespace rw::parse {

using Lexer = antlr::RwLexer;

struct TokenList {
  struct DocComment {
    uint32_t before; // index of the token that follows
    uint32_t begin, end;
  };

  FileId file;
  std::string_view text;                         // of the whole file
  Loc base;                                      // of its first byte
  const char *endOfText = "the end of the file"; // what stands behind the last token, in words

  /// Start and stop index of each are byte offsets [begin, end) in `text`; the last is EOF.
  std::vector<SourceToken *> tokens;
  std::vector<DocComment> docs;
  std::vector<uint32_t> lexicalErrors; // index of the token at or after each, in the order reported: ascending

  size_t size() const { return tokens.size(); }
  /// Of a place before the first token or behind the last: EOF, and no text. What a message holds between braces is a
  /// list of its own, in front of which there is nothing to look at.
  size_t type(size_t i) const { return i < tokens.size() ? tokens[i]->getType() : Token::EOF; }
  uint32_t begin(size_t i) const { return uint32_t(tokens[i]->getStartIndex()); }
  uint32_t end(size_t i) const { return uint32_t(tokens[i]->getStopIndex()); }
  std::string_view textOf(const Token *t) const {
    return text.substr(t->getStartIndex(), t->getStopIndex() - t->getStartIndex());
  }
  std::string_view textOf(size_t i) const { return i < tokens.size() ? textOf(tokens[i]) : std::string_view(); }
  SourceRange rangeOf(size_t begin, size_t end) const {
    return {Loc{uint32_t(base.raw + begin)}, Loc{uint32_t(base.raw + end)}};
  }
  SourceRange rangeOf(const Token *t) const { return rangeOf(t->getStartIndex(), t->getStopIndex()); }
  SourceRange rangeOf(const Token *first, const Token *last) const {
    return rangeOf(first->getStartIndex(), last->getStopIndex());
  }
  /// Nothing but spaces stands before the token on its line.
  bool firstOnLine(size_t i) const;
  /// The token begins its line.
  bool inFirstColumn(size_t i) const { return begin(i) == 0 || text[begin(i) - 1] == '\n'; }
  bool lexicalErrorIn(size_t firstToken, size_t lastToken) const;

  void add(size_t type, size_t begin, size_t end) {
    if (owned_.empty() || owned_.back().size() == kBlock)
      addBlock();
    tokens.push_back(&owned_.back().emplace_back(type, begin, end, tokens.size()));
  }

private:
  void addBlock();
  static constexpr size_t kBlock = 512;
  std::vector<std::vector<SourceToken>> owned_; // of kBlock tokens each, which stay where they are
};

/// Any word: IDENT or a keyword, also one that is not meant as such.
bool isWord(size_t type);
bool isKeyword(size_t type);

/// False when the text cannot be worked with at all (not UTF-8, too large); that is reported.
/// Without `testBodies` nothing is read of what stands between the braces of a test, in a text that is right.
bool lex(FileId, const SourceManager &, Diagnostics &, TokenList &, bool testBodies = true);
/// The tokens of the bytes [begin, end) of the text that `whole` was made from.
void lexSlice(const TokenList &whole, size_t begin, size_t end, Diagnostics &, TokenList &);

} // namespace rw::parse
