#include "editor/server/part.h"

#include "editor/server/words.h"

#include <algorithm>
#include <map>

namespace rw::editor {

/// The word that a line begins with.
static std::string_view firstWord(std::string_view line) {
  size_t end = 0;
  while (end < line.size() && ((line[end] >= 'a' && line[end] <= 'z') || line[end] == '_'))
    ++end;
  return line.substr(0, end);
}

std::vector<size_t> declarationStarts(std::string_view text) {
  std::vector<size_t> out{0};
  size_t docs = std::string_view::npos; // where comments begin that stand right above
  bool afterFor = false;                // `for f in s` stands above its pattern
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at), word = firstWord(line);
    if (line.starts_with("///")) {
      docs = std::min(docs, at);
      continue;
    }
    if (isDeclarationWord(word) || word == "for") {
      const size_t begin = std::min(docs, at);
      if (!(afterFor && (word == "pattern" || word == "for")) && begin != 0)
        out.push_back(begin);
      afterFor = word == "for" && line.find("pattern") == line.npos;
    }
    docs = std::string_view::npos;
  }
  return out;
}

namespace {
/// One declaration of a text.
struct Piece {
  size_t begin, end;
  bool kept = false;
};
} // namespace

/// The kind of a declaration and its name, as far as they can be read.
static std::pair<std::string_view, std::string_view> headOfPiece(std::string_view text) {
  std::string_view kind;
  for (const Word &word : words(text.substr(0, 4000))) {
    const std::string_view name = text.substr(word.begin, word.end - word.begin);
    if (word.kind == Word::Kind::Comment)
      continue;
    if (isDeclarationWord(name))
      kind = name;
    else if (!kind.empty() && kind != "private" && kind != "extern")
      return {kind, word.kind == Word::Kind::Name ? name : std::string_view()};
    else if (word.kind == Word::Kind::Sign && kind.empty() && name == "{")
      continue;
  }
  return {kind, {}};
}

bool isIn(const Spans &spans, size_t at) {
  return std::ranges::any_of(spans, [&](const auto &span) { return span.first <= at && at < span.second; });
}

Part partAround(std::string_view text, const Spans &edits) {
  const std::vector<size_t> starts = declarationStarts(text);
  std::vector<Piece> pieces;
  std::multimap<std::string_view, size_t> named;
  std::vector<size_t> open;
  for (size_t i = 0; i < starts.size(); ++i) {
    Piece piece{starts[i], i + 1 < starts.size() ? starts[i + 1] : text.size()};
    const auto [kind, name] = headOfPiece(text.substr(piece.begin, piece.end - piece.begin));
    const bool edited = std::ranges::any_of(
        edits, [&](const auto &edit) { return piece.begin <= edit.second && edit.first <= piece.end; });
    piece.kept = edited || kind == "import" || kind == "dialect";
    if (edited)
      open.push_back(i);
    if (!name.empty() && kind != "test" && kind != "expect" && kind != "import" && kind != "dialect")
      named.emplace(name, i);
    pieces.push_back(piece);
  }
  Part out;
  for (size_t i : open)
    out.edited.emplace_back(pieces[i].begin, pieces[i].end);
  while (!open.empty()) {
    const Piece &piece = pieces[open.back()];
    open.pop_back();
    const std::string_view whole = text.substr(piece.begin, piece.end - piece.begin);
    for (const Word &word : words(whole)) {
      if (word.kind != Word::Kind::Name)
        continue;
      for (auto [it, last] = named.equal_range(whole.substr(word.begin, word.end - word.begin)); it != last; ++it)
        if (!pieces[it->second].kept) {
          pieces[it->second].kept = true;
          open.push_back(it->second);
        }
    }
  }
  out.text = text;
  for (const Piece &piece : pieces) {
    if (piece.kept) {
      out.size += piece.end - piece.begin;
      continue;
    }
    for (size_t i = piece.begin; i < piece.end; ++i)
      if (out.text[i] != '\n' && out.text[i] != '\r')
        out.text[i] = ' ';
  }
  return out;
}

} // namespace rw::editor
