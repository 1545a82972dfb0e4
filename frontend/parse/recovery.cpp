#include "frontend/parse/recovery.h"

namespace rw::parse {
namespace {

using L = Lexer;
using P = antlr::RwParser;

bool isClause(size_t type) { return type >= L::ATTR && type <= L::REGION; }

bool expectsSemicolon(antlr4::Parser *parser) {
  const auto &transitions = parser->getATN().states[parser->getState()]->transitions;
  return transitions.size() == 1 && !transitions[0]->isEpsilon() && transitions[0]->label().contains(size_t(L::SEMI));
}

} // namespace

bool Recovery::isNew(size_t token) {
  ++errorCount_;
  if (lastError_ == token)
    return false;
  lastError_ = token;
  return true;
}

Token *Recovery::recoverInline(antlr4::Parser *parser) {
  size_t at = parser->getTokenStream()->index();
  size_t found = tokens_.type(at);
  bool goesOn = found == L::RBRACE || found == Token::EOF || outline_.startsAt(at) || tokens_.firstOnLine(at);
  // Only where the bracket before is closed: else the `;` is not what is missing.
  if (at > 0 && goesOn && expectsSemicolon(parser)) {
    if (isNew(at))
      errors_.missingSemicolon(at);
    ++semicolons_;
    semicolonAt_ = at;
    // A word that begins no clause either is an error of its own.
    if (parser->getContext()->getRuleIndex() == P::RuleOpClause && found == L::IDENT)
      lastError_ = SIZE_MAX;
    return tokens_.tokens[at - 1];
  }
  throw antlr4::InputMismatchException(parser);
}

void Recovery::reportError(antlr4::Parser *parser, const antlr4::RecognitionException &) {
  if (givingUp_)
    return;
  givingUp_ = true;
  if (isNew(parser->getTokenStream()->index()))
    errors_.report(*parser);
}

void Recovery::recover(antlr4::Parser *parser, std::exception_ptr e) {
  antlr4::ParserRuleContext *context = parser->getContext();
  size_t rule = context->getRuleIndex();
  if (rule == P::RuleOpClause || rule == P::RulePassItem || rule == P::RuleConversionClause || rule == P::RuleStatement)
    // A statement's `;` belongs to the block around it; the only statement of a right side has none.
    if (outline_.enclosing(context->start->getTokenIndex()) != Outline::kNone &&
        skipToEnd(parser, context->start->getTokenIndex(), rule != P::RuleStatement)) {
      givingUp_ = false;
      wentOnAt_ = parser->getTokenStream()->index();
      return;
    }
  std::rethrow_exception(e);
}

/// To the `;` that ends what began at `begin`, or the `}` around it; false if the brackets leave that open.
bool Recovery::skipToEnd(antlr4::Parser *parser, size_t begin, bool consumeEnd) {
  antlr4::TokenStream *stream = parser->getTokenStream();
  for (size_t at = stream->index();; ++at) {
    size_t type = tokens_.type(at);
    uint32_t partner = outline_.partner(at);
    bool isOpen = type == L::LPAREN || type == L::LBRACK || type == L::LBRACE;
    bool isClose = type == L::RPAREN || type == L::RBRACK || type == L::RBRACE;
    if (type == Token::EOF || outline_.startsAt(at))
      return false;
    if (isOpen) {
      if (partner == Outline::kNone)
        return false;
      at = partner;
    } else if (isClose) {
      if (partner == Outline::kNone)
        return false;
      if (partner < begin) {
        stream->seek(at);
        return type == L::RBRACE;
      }
    } else if (type == L::SEMI) {
      stream->seek(consumeEnd ? at + 1 : at);
      return true;
    } else if (consumeEnd && at > begin && isClause(type) && tokens_.firstOnLine(at)) {
      stream->seek(at);
      return true;
    }
  }
}

/// A word in an op's braces that begins no clause: report it and look behind the next `;`.
void Recovery::sync(antlr4::Parser *parser) {
  if (parser->getContext()->getRuleIndex() != P::RuleOpDecl)
    return;
  antlr4::TokenStream *stream = parser->getTokenStream();
  while (true) {
    size_t at = stream->index();
    size_t type = tokens_.type(at);
    size_t previous = at ? tokens_.type(at - 1) : size_t(Token::EOF);
    bool begins = previous == L::LBRACE || previous == L::SEMI || semicolonAt_ == at || wentOnAt_ == at;
    if (!begins || isClause(type) || type == L::RBRACE || type == Token::EOF || outline_.startsAt(at))
      return;
    // What is left of a clause that was given up is no mistake of its own.
    bool rest = wentOnAt_ == at && !tokens_.firstOnLine(at);
    if (isNew(at) && !rest)
      errors_.unknownClause(at);
    if (!skipToEnd(parser, at, true)) {
      givingUp_ = true;
      throw antlr4::InputMismatchException(parser);
    }
    if (rest)
      wentOnAt_ = stream->index();
  }
}

} // namespace rw::parse
