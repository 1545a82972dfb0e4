// Colours by meaning, and types that are not written.
#include "editor/server/view.h"

#include "frontend/sema/builtins.h"

#include <algorithm>

namespace rw::editor {

std::vector<std::string_view> semanticTokenTypes() {
  return {"namespace", "type",       "class",   "function", "macro",  "parameter", "variable",
          "property",  "enumMember", "keyword", "number",   "string", "comment",   "method"};
}

Json View::semanticTokensLegend() {
  return {{"tokenTypes", semanticTokenTypes()}, {"tokenModifiers", {"declaration", "defaultLibrary"}}};
}

static int tokenTypeOf(NameKind kind) {
  switch (kind) {
  case NameKind::Dialect:
    return 0;
  case NameKind::DType:
    return 1;
  case NameKind::Pattern:
  case NameKind::Pass:
  case NameKind::Pipeline:
    return 2;
  case NameKind::Fn:
  case NameKind::Builtin:
    return 3;
  case NameKind::Native:
  case NameKind::Matcher:
  case NameKind::Rewrite:
    return 4;
  case NameKind::Param:
  case NameKind::Operand:
    return 5;
  case NameKind::Variable:
    return 6;
  case NameKind::Attribute:
  case NameKind::Property:
  case NameKind::Result:
  case NameKind::Region:
    return 7;
  case NameKind::Group:
  case NameKind::Trait:
    return 8;
  case NameKind::Op:
    return 13;
  case NameKind::Label:
  case NameKind::Import:
    return 11;
  }
  return 6;
}

Json View::semanticTokens(size_t begin, size_t end) const {
  struct Token {
    size_t begin, end;
    int type, modifiers;
  };
  std::vector<Token> tokens;
  const std::string_view text = a_->text.str();
  size_t next = 0;
  for (const Word &word : a_->words) {
    if (word.end <= begin || word.begin >= end)
      continue;
    while (next < names().size() && a_->offset(names()[next].range.begin) < word.begin)
      ++next;
    const bool named = next < names().size() && a_->offset(names()[next].range.begin) == word.begin;
    const std::string_view spelled = text.substr(word.begin, word.end - word.begin);
    if (word.kind == Word::Kind::Name && named)
      tokens.push_back({word.begin, word.end, tokenTypeOf(names()[next].kind),
                        names()[next].declares | (names()[next].kind == NameKind::Builtin) << 1});
    else if (word.kind == Word::Kind::Name && (!keywordDoc(spelled).empty() || isDeclarationWord(spelled)))
      tokens.push_back({word.begin, word.end, 9, 0});
    else if (word.kind == Word::Kind::Number)
      tokens.push_back({word.begin, word.end, 10, 0});
    else if (word.kind == Word::Kind::String)
      tokens.push_back({word.begin, word.end, 11, 0});
    else if (word.kind == Word::Kind::Comment)
      tokens.push_back({word.begin, word.end, 12, 0});
  }
  Json data = Json::array();
  Position last;
  for (const Token &token : tokens) {
    const Position from = a_->text.position(token.begin, encoding_), to = a_->text.position(token.end, encoding_);
    if (from.line != to.line)
      continue;
    data.push_back(from.line - last.line);
    data.push_back(from.line == last.line ? from.character - last.character : from.character);
    data.push_back(to.character - from.character);
    data.push_back(token.type);
    data.push_back(token.modifiers);
    last = from;
  }
  return {{"data", std::move(data)}};
}

Json View::inlayHints(size_t begin, size_t end) const {
  Json out = Json::array();
  for (const Occurrence &name : names()) {
    if (!name.declares || name.kind != NameKind::Variable)
      continue;
    const size_t at = a_->offset(name.range.end);
    if (at < begin || at > end)
      continue;
    // What is written need not be said, and that a name stands for a value is what one expects.
    size_t behind = at;
    while (behind < a_->text.str().size() && a_->text.str()[behind] == ' ')
      ++behind;
    if (behind < a_->text.str().size() && a_->text.str()[behind] == ':')
      continue;
    const std::string type = typeOfLocal(name.binding);
    if (type.empty() || type == "value" || type == "op")
      continue;
    out.push_back({{"position", range(at, at)["start"]}, {"label", ": " + type}, {"kind", 1}, {"paddingLeft", false}});
  }
  return out;
}

} // namespace rw::editor
