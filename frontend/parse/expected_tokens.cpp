#include "frontend/parse/expected_tokens.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::parse {
namespace {

using L = Lexer;

/// Ends or separates something: what an expression or match may also go on with is then not worth listing.
bool isSeparator(size_t type) {
  switch (type) {
  case L::COMMA:
  case L::SEMI:
  case L::RPAREN:
  case L::RBRACK:
  case L::RBRACE:
  case L::THEN:
  case L::ELSE:
  case L::IN:
  case L::LBRACE:
  case L::FATARROW:
  case L::WITH:
  case L::BAR:
  case L::CASE_BAR:
    return true;
  default:
    return false;
  }
}

std::string spelled(size_t type) {
  switch (type) {
  case Token::EOF:
    return "the end of the file";
  case L::IDENT:
    return "a name";
  case L::INT:
    return "a number";
  case L::FLOAT:
    return "a number";
  case L::STRING:
    return "a string";
  case L::NATIVE:
    return "C++ code in `[{ }]`";
  case L::SPLICED_NAME:
    return "a name";
  case L::CASE_BAR:
    return "`|`";
  default:
    break;
  }
  static const antlr4::dfa::Vocabulary &vocabulary = []() -> const antlr4::dfa::Vocabulary & {
    static antlr4::ANTLRInputStream none;
    static Lexer lexer(&none);
    return lexer.getVocabulary();
  }();
  std::string literal = vocabulary.getLiteralName(type); // in single quotes
  return literal.size() > 2 ? fmt::format("`{}`", literal.substr(1, literal.size() - 2)) : std::string();
}

} // namespace

std::string describeExpected(const antlr4::misc::IntervalSet &set) {
  std::vector<ssize_t> all = set.toList();
  auto has = [&](size_t type) { return set.contains(type); };
  auto drop = [&](std::initializer_list<size_t> types) {
    std::erase_if(all, [&](ssize_t t) { return std::find(types.begin(), types.end(), size_t(t)) != types.end(); });
  };
  std::vector<std::string> words;
  if (has(L::QUESTION) && has(L::ELLIPSIS) && has(L::INT)) {
    words.push_back("a dimension");
    drop({L::IF, L::LET, L::NOT, L::MINUS, L::INT, L::FLOAT, L::STRING, L::TRUE, L::FALSE, L::IDENT, L::LBRACK,
          L::LPAREN, L::UNDERSCORE, L::QUESTION, L::ELLIPSIS});
  } else if (has(L::IDENT) && has(L::REPEAT)) {
    words.push_back("a pass");
    drop({L::IDENT, L::REPEAT});
  } else if (has(L::IDENT) && has(L::UNDERSCORE) && has(L::SINGLE)) {
    words.push_back("an op or a value to match");
    drop({L::SINGLE, L::ORDERED, L::EACH, L::CONST, L::IDENT, L::NOT, L::UNDERSCORE, L::MINUS, L::INT, L::FLOAT,
          L::STRING, L::TRUE, L::FALSE, L::LBRACK, L::LPAREN});
  } else if (has(L::IDENT) && has(L::INT) && has(L::STRING)) {
    words.push_back("an expression");
    drop({L::IF, L::LET, L::NOT, L::MINUS, L::INT, L::FLOAT, L::STRING, L::TRUE, L::FALSE, L::IDENT, L::LBRACK,
          L::LPAREN, L::EACH, L::DOTDOT, L::REPLACE, L::UPDATE, L::ERASE, L::UNDERSCORE});
  } else if (has(L::IDENT) && has(L::UNDERSCORE) && has(L::LBRACK)) {
    words.push_back("a type");
    drop({L::IDENT, L::UNDERSCORE, L::LBRACK, L::LPAREN});
  } else if (has(L::IDENT) && has(L::LPAREN) && !has(L::DOT)) {
    words.push_back("a name");
    drop({L::IDENT, L::LPAREN});
  }
  bool separated = std::any_of(all.begin(), all.end(), [](ssize_t t) { return isSeparator(size_t(t)); });
  if (separated)
    std::erase_if(all, [](ssize_t t) { return !isSeparator(size_t(t)); });
  for (ssize_t type : all) {
    std::string word = spelled(size_t(type));
    if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end())
      words.push_back(word);
  }
  std::stable_partition(words.begin(), words.end(), [](const std::string &w) { return w == "`,`"; });
  if (words.size() > 5)
    words.resize(5);
  std::string out;
  for (size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return out;
}

} // namespace rw::parse
