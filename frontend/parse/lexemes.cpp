#include "frontend/parse/keywords.h"
#include "frontend/parse/parse.h"

namespace rw {
namespace {
using parse::Lexer;

Lexeme::Kind kindOf(size_t type) {
  switch (type) {
  case Lexer::IDENT:
  case Lexer::SPLICED_NAME:
  case Lexer::UNDERSCORE:
    return Lexeme::Kind::Name;
  case Lexer::INT:
  case Lexer::FLOAT:
  case Lexer::STRING:
    return Lexeme::Kind::Literal;
  case Lexer::NATIVE:
    return Lexeme::Kind::Native;
  default:
    return parse::isKeyword(type) ? Lexeme::Kind::Keyword : Lexeme::Kind::Sign;
  }
}

/// The comments between two tokens: the lexer has seen to it that nothing else but space is there.
void addComments(std::string_view text, size_t begin, size_t end, std::vector<Lexeme> &out) {
  while (begin < end) {
    size_t at = text.find('/', begin);
    if (at >= end)
      return;
    size_t stop = text[at + 1] == '/' ? text.find_first_of("\r\n", at) : text.find("*/", at + 2) + 2;
    begin = std::min(stop, end);
    out.push_back({Lexeme::Kind::Comment, uint32_t(at), uint32_t(begin)});
  }
}
} // namespace

std::vector<Lexeme> lexemes(FileId file, const SourceManager &sources, Diagnostics &diags) {
  std::vector<Lexeme> out;
  parse::TokenList tokens;
  if (!parse::lex(file, sources, diags, tokens) || !tokens.lexicalErrors.empty())
    return out;
  parse::resolveKeywords(tokens);
  size_t at = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    bool last = i + 1 == tokens.size();
    addComments(tokens.text, at, last ? tokens.text.size() : tokens.begin(i), out);
    if (last)
      break;
    out.push_back({kindOf(tokens.type(i)), tokens.begin(i), tokens.end(i)});
    at = tokens.end(i);
  }
  return out;
}

} // namespace rw
