#include "frontend/parse/broken_declarations.h"

namespace rw::parse {
namespace {

using L = Lexer;

std::optional<ast::DeclKind> kindOf(size_t type) {
  switch (type) {
  case L::DIALECT:
    return ast::DeclKind::Dialect;
  case L::IMPORT:
    return ast::DeclKind::Import;
  case L::OP:
    return ast::DeclKind::Op;
  case L::FN:
    return ast::DeclKind::Fn;
  case L::MATCH:
    return ast::DeclKind::Matcher;
  case L::SET:
  case L::TRAIT:
    return ast::DeclKind::Group;
  case L::EXTERN:
  case L::CONSTRAINT:
  case L::REWRITE:
    return ast::DeclKind::Native;
  case L::PASS:
    return ast::DeclKind::Pass;
  case L::PIPELINE:
    return ast::DeclKind::Pipeline;
  case L::CONVERSION:
    return ast::DeclKind::Conversion;
  case L::TEST:
    return ast::DeclKind::Test;
  case L::EXPECT:
    return ast::DeclKind::Expect;
  case L::FOR:
  case L::PATTERN:
    return ast::DeclKind::Pattern;
  default:
    return std::nullopt;
  }
}

bool endsHeader(size_t type) {
  switch (type) {
  case L::LPAREN:
  case L::LBRACE:
  case L::ASSIGN:
  case L::SEMI:
  case L::FATARROW:
  case L::NATIVE:
  case L::COLON:
    return true;
  default:
    return false;
  }
}

bool isName(size_t type) { return isWord(type) || type == L::SPLICED_NAME; }

/// The word of a keyword, also where it is not meant as one: they are names then.
bool spellsKeyword(std::string_view text) {
  for (std::string_view word :
       {"dialect", "op", "fn", "pattern", "match", "set", "trait", "constraint", "rewrite", "pass", "pipeline",
        "conversion", "benefit", "fastmath", "recursive", "assume_same_type", "label"})
    if (text == word)
      return true;
  return false;
}

} // namespace

void addDamaged(const TokenList &tokens, size_t start, size_t end, bool known, ast::Module &module) {
  if (known && tokens.type(start) == L::PRIVATE && start + 1 < end)
    ++start;
  std::optional<ast::DeclKind> kind = known ? kindOf(tokens.type(start)) : std::nullopt;
  auto add = [&](size_t at) {
    module.damaged.push_back({kind, {std::string(tokens.textOf(at)), tokens.rangeOf(tokens.tokens[at])}});
  };
  size_t at = known ? start + 1 : start;
  if (known && (tokens.type(start) == L::EXTERN || tokens.type(start) == L::FOR))
    while (at < end && tokens.textOf(at - 1) != "pattern" && tokens.type(at - 1) != L::CONSTRAINT &&
           tokens.type(at - 1) != L::REWRITE)
      ++at;
  if (kind == ast::DeclKind::Import) {
    if (at < end && tokens.type(at) == L::STRING)
      add(at);
    else
      module.damaged.push_back({kind, {}});
    return;
  }
  size_t before = module.damaged.size();
  for (size_t first = at; at < end && !endsHeader(tokens.type(at)); ++at) {
    if (!isName(tokens.type(at)))
      continue;
    // A doubled keyword is the name as long as no other follows.
    if (at > first && known && module.damaged.size() > before && !spellsKeyword(module.damaged.back().name.text))
      break;
    add(at);
  }
  // The name itself may be wrong, or be missing.
  bool guessed = module.damaged.size() > before && !spellsKeyword(module.damaged.back().name.text);
  bool parameters = at + 1 < end &&
                    (tokens.type(at) == L::COLON || (tokens.type(at) == L::LPAREN && tokens.type(at + 1) == L::COLON));
  if (known && (!guessed || (parameters && module.damaged.size() == before + 1)))
    module.damaged.push_back({kind, {}});
}

void addSkipped(const TokenList &tokens, size_t begin, size_t end, ast::Module &module) {
  auto add = [&](size_t at) {
    SourceRange range = tokens.rangeOf(tokens.tokens[at]);
    bool known =
        !module.damaged.empty() && module.damaged.back().name && module.damaged.back().name.range.begin == range.begin;
    if (!known)
      module.damaged.push_back({std::nullopt, {std::string(tokens.textOf(at)), range}});
  };
  for (size_t at = begin; at + 1 < end; ++at) {
    if (!isName(tokens.type(at)))
      continue;
    bool signature = tokens.type(at + 1) == L::LPAREN && at + 3 < end && isWord(tokens.type(at + 2)) &&
                     tokens.type(at + 3) == L::COLON;
    if (signature)
      add(at);
    else if (spellsKeyword(tokens.textOf(at)))
      add(isName(tokens.type(at + 1)) || at + 2 == end ? at + 1 : at + 2);
  }
}

} // namespace rw::parse
