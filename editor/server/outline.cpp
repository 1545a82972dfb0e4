// The shape of a document: symbols, folding, selections, links.
#include "editor/server/view.h"

#include "frontend/check/check.h"

#include <algorithm>
#include <filesystem>

namespace rw::editor {

/// As the protocol numbers kinds of symbols.
static int symbolKind(const ast::Decl &decl) {
  switch (decl.kind) {
  case ast::DeclKind::Dialect:
    return 3; // namespace
  case ast::DeclKind::Import:
    return 4; // package
  case ast::DeclKind::Op:
    return 11; // interface
  case ast::DeclKind::Fn:
  case ast::DeclKind::Native:
  case ast::DeclKind::Matcher:
  case ast::DeclKind::Rewrite:
    return 12; // function
  case ast::DeclKind::Pattern:
    return 5; // class
  case ast::DeclKind::Group:
    return 10; // enumeration
  case ast::DeclKind::Pass:
  case ast::DeclKind::Conversion:
  case ast::DeclKind::Pipeline:
    return 2; // module
  case ast::DeclKind::Test:
  case ast::DeclKind::Expect:
    return 6; // method
  }
  return 13;
}

Json View::symbol(const ast::Decl &decl) const {
  Json out;
  std::string name = decl.name.text;
  if (decl.kind == ast::DeclKind::Test)
    name = "test " + name;
  if (const auto *expect = decl.as<ast::ExpectDecl>())
    name = "expect " + expect->verdict.text + " " + name;
  out["name"] = name.empty() ? "?" : name;
  out["kind"] = symbolKind(decl);
  out["range"] =
      range(decl.docRange && decl.docRange.begin < decl.range.begin ? SourceRange{decl.docRange.begin, decl.range.end}
                                                                    : decl.range);
  out["selectionRange"] = range(decl.name.range ? decl.name.range : decl.range);
  out["detail"] = ast::declKindName(decl.kind);
  if (const auto *op = decl.as<ast::OpDecl>()) {
    Json children = Json::array();
    auto child = [&](const ast::Name &part, SourceRange whole, int kind, std::string_view detail) {
      if (part && whole.begin <= part.range.begin && part.range.end <= whole.end)
        children.push_back({{"name", part.text},
                            {"kind", kind},
                            {"range", range(whole)},
                            {"selectionRange", range(part.range)},
                            {"detail", detail}});
    };
    for (const ast::Param &operand : op->operands)
      child(operand.name, operand.range, 13, "operand");
    for (const ast::AttrDecl &attr : op->attrs)
      child(attr.name, attr.range, 7, "attr");
    for (const ast::Name &region : op->regions)
      child(region, region.range, 12, "region");
    if (!children.empty())
      out["children"] = std::move(children);
  }
  return out;
}

Json View::documentSymbols() const {
  Json out = Json::array();
  for (const ast::DeclPtr &decl : a_->tree().decls)
    if (decl->kind != ast::DeclKind::Import)
      out.push_back(symbol(*decl));
  return out;
}

void View::workspaceSymbols(std::string_view query, Json &out) const {
  auto sameLetter = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (const Declared &declared : a_->declared) {
    if (declared.file != 0)
      continue;
    const std::string name = declared.fullName();
    size_t at = 0;
    for (char c : name)
      at += at < query.size() && sameLetter(c, query[at]);
    if (at == query.size())
      out.push_back({{"name", name}, {"kind", symbolKind(*declared.decl)}, {"location", location(placeOf(declared))}});
  }
}

Json View::folding() const {
  Json out = Json::array();
  auto fold = [&](size_t begin, size_t end, const char *kind) {
    const size_t from = a_->text.lineAt(begin), to = a_->text.lineAt(end);
    if (to <= from)
      return;
    Json one{{"startLine", from}, {"endLine", to}};
    if (*kind)
      one["kind"] = kind;
    out.push_back(std::move(one));
  };
  // By words, so that what cannot be read folds as well.
  const std::string &text = a_->text.str();
  std::vector<size_t> open;
  size_t comments = 0, imports = 0;
  for (size_t i = 0; i < a_->words.size(); ++i) {
    const Word &word = a_->words[i];
    const std::string_view sign = std::string_view(text).substr(word.begin, word.end - word.begin);
    if (word.kind == Word::Kind::Comment) {
      if (comments == 0 || a_->text.lineAt(a_->words[i - 1].begin) + 1 != a_->text.lineAt(word.begin))
        comments = 0;
      ++comments;
      const bool last = i + 1 == a_->words.size() || a_->words[i + 1].kind != Word::Kind::Comment ||
                        a_->text.lineAt(a_->words[i + 1].begin) != a_->text.lineAt(word.begin) + 1;
      if (last && comments > 1)
        fold(a_->words[i + 1 - comments].begin, word.begin, "comment");
      if (last)
        comments = 0;
      continue;
    }
    comments = 0;
    if (word.kind == Word::Kind::Native)
      fold(word.begin, word.end, "");
    if (word.kind != Word::Kind::Sign)
      continue;
    if (sign == "{" || sign == "(" || sign == "[")
      open.push_back(word.begin);
    else if ((sign == "}" || sign == ")" || sign == "]") && !open.empty()) {
      // The line of the closing bracket stays.
      const size_t line = a_->text.lineAt(word.begin);
      if (line > a_->text.lineAt(open.back()) + 1)
        fold(open.back(), a_->text.lineStart(line) - 1, "");
      open.pop_back();
    }
  }
  size_t first = 0, last = 0;
  for (const ast::DeclPtr &decl : a_->tree().decls)
    if (decl->kind == ast::DeclKind::Import) {
      if (imports++ == 0)
        first = a_->offset(decl->range.begin);
      last = a_->offset(decl->range.end);
    }
  if (imports > 1)
    fold(first, last, "imports");
  return out;
}

Json View::selection(Position at) const {
  const size_t where = offset(at);
  const std::string &text = a_->text.str();
  std::vector<std::pair<size_t, size_t>> around{{0, text.size()}};
  auto add = [&](size_t begin, size_t end) {
    if (begin <= where && where <= end && begin < end &&
        std::ranges::find(around, std::pair(begin, end)) == around.end())
      around.emplace_back(begin, end);
  };
  if (const ast::Decl *decl = a_->declAt(where)) {
    if (decl->docRange)
      add(a_->offset(decl->docRange.begin), a_->offset(decl->range.end));
    add(a_->offset(decl->range.begin), a_->offset(decl->range.end));
  }
  std::vector<size_t> open;
  std::vector<size_t> parts; // where an element of the innermost bracket begins
  for (const Word &word : a_->words) {
    if (word.kind == Word::Kind::Name || word.kind == Word::Kind::Number || word.kind == Word::Kind::String ||
        word.kind == Word::Kind::Comment)
      add(word.begin, word.end);
    if (word.kind != Word::Kind::Sign)
      continue;
    const std::string_view sign = std::string_view(text).substr(word.begin, word.end - word.begin);
    auto part = [&](size_t end) {
      size_t begin = parts.back();
      while (begin < end && std::isspace(static_cast<unsigned char>(text[begin])))
        ++begin;
      while (end > begin && std::isspace(static_cast<unsigned char>(text[end - 1])))
        --end;
      add(begin, end);
    };
    if (sign == "{" || sign == "(" || sign == "[") {
      open.push_back(word.begin);
      parts.push_back(word.end);
    } else if ((sign == "," || sign == ";") && !open.empty()) {
      part(word.begin);
      parts.back() = word.end;
    } else if ((sign == "}" || sign == ")" || sign == "]") && !open.empty()) {
      part(word.begin);
      add(open.back() + 1, word.begin);
      add(open.back(), word.end);
      open.pop_back();
      parts.pop_back();
    }
  }
  for (const Occurrence &name : names())
    add(a_->offset(name.range.begin), a_->offset(name.range.end));
  std::ranges::sort(around, [](auto a, auto b) { return a.second - a.first > b.second - b.first; });
  Json out;
  size_t begin = 0, end = SIZE_MAX;
  for (auto [from, to] : around) {
    if (from < begin || to > end)
      continue; // crosses what is around it
    Json one{{"range", range(from, to)}};
    if (!out.is_null())
      one["parent"] = std::move(out);
    out = std::move(one);
    begin = from, end = to;
  }
  return out;
}

Json View::links() const {
  Json out = Json::array();
  for (const ast::DeclPtr &decl : a_->tree().decls) {
    if (decl->kind != ast::DeclKind::Import || !decl->name.range)
      continue;
    for (uint32_t i : a_->files[0].imports)
      if (a_->files[i].path.ends_with("/" +
                                      std::filesystem::path(decl->name.text).lexically_normal().filename().string()) &&
          (a_->files[i].path.ends_with(decl->name.text) || decl->name.text.find("..") != std::string::npos)) {
        out.push_back({{"range", range(decl->name.range)}, {"target", uriOfPath(a_->files[i].path)}});
        break;
      }
  }
  return out;
}

} // namespace rw::editor
