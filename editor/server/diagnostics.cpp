// Diagnostics and the cures that they name, for the editor.
#include "editor/server/view.h"

#include <algorithm>

namespace rw::editor {

/// Of a diagnostic: its places in the document, as the client shows them.
static Json asJson(const View &view, const Diagnostic &d) {
  const Analysis &a = view.analysis();
  Json out, related = Json::array();
  std::string message = d.message;
  for (const Diagnostic::Note &note : d.notes)
    if (note.range && a.sources.fileOf(note.range.begin))
      related.push_back({{"location", view.location(note.range)}, {"message", note.message}});
    else
      message += "\n" + note.message;
  SourceRange range = d.range;
  if (range && range.end <= range.begin) { // one character, so that there is something to underline
    const size_t at = a.offset(range.begin);
    range.end.raw = range.begin.raw + (at < a.text.str().size() && a.text.str()[at] != '\n' ? 1 : 0);
  }
  out["range"] = range ? view.range(range) : view.range(0, 0);
  out["severity"] = d.severity == Severity::Error ? 1 : d.severity == Severity::Warning ? 2 : 3;
  out["code"] = d.tag;
  out["source"] = "rw";
  out["message"] = message;
  if (!related.empty())
    out["relatedInformation"] = std::move(related);
  if (d.tag.starts_with("unused"))
    out["tags"] = {1}; // shown faded
  return out;
}

Json View::diagnostics() const {
  Json out = Json::array();
  std::vector<const Diagnostic *> own;
  for (const Diagnostic &d : a_->diags.all())
    if (!d.range || a_->isInRoot(d.range))
      own.push_back(&d);
  std::ranges::stable_sort(own, {}, [](const Diagnostic *d) { return d->range.begin; });
  for (const Diagnostic *d : own)
    out.push_back(asJson(*this, *d));
  // What is wrong in an import stands at the import.
  std::map<std::string, std::pair<size_t, std::string>> wrong;
  for (const Diagnostic &d : a_->diags.all())
    if (d.severity == Severity::Error && d.range && !a_->isInRoot(d.range))
      if (auto &[errors, first] = wrong[std::string(a_->sources.name(a_->sources.fileOf(d.range.begin)))];
          errors++ == 0)
        first = a_->sources.describe(d.range.begin) + ": " + d.message;
  auto add = [&](SourceRange at, size_t errors, const std::string &first) {
    out.push_back(
        {{"range", range(at)},
         {"severity", 1},
         {"code", "import-wrong"},
         {"source", "rw"},
         {"message", "what is imported has " +
                         (errors == 1 ? std::string("an error") : std::to_string(errors) + " errors") + "\n" + first}});
  };
  for (const Analysis::WrongImport &import : a_->wrongImports)
    add(import.import, import.errors, import.message);
  for (const auto &[path, what] : wrong) {
    const ast::Decl *at = nullptr;
    for (const ast::DeclPtr &decl : a_->tree().decls)
      if (decl->kind == ast::DeclKind::Import && (!at || path.ends_with(decl->name.text)) &&
          (!at || !path.ends_with(at->name.text)))
        at = decl.get();
    if (at)
      add(at->name.range ? at->name.range : at->range, what.first, what.second);
  }
  return out;
}

/// `import "onnx/onnx.rw";` if a note says that this would help.
static std::string importIn(const Diagnostic &d) {
  for (const Diagnostic::Note &note : d.notes) {
    size_t begin = note.message.find("`import \""),
           end = begin == std::string::npos ? begin : note.message.find("\";`", begin);
    if (end != std::string::npos)
      return note.message.substr(begin + 1, end + 2 - begin - 1);
  }
  return {};
}

namespace {
/// What a note says in words, as edits.
struct Worded {
  std::string title;
  struct Change {
    size_t begin, end;
    std::string text;
  };
  std::vector<Change> changes;
};

/// `x` of "write `x` for this one", if the note begins so.
std::string quoted(std::string_view note, std::string_view begin) {
  if (!note.starts_with(begin) || note.substr(begin.size(), 1) != "`")
    return {};
  const size_t end = note.find('`', begin.size() + 1);
  return end == note.npos ? std::string() : std::string(note.substr(begin.size() + 1, end - begin.size() - 1));
}

/// Where the parentheses that open behind a place close; npos if they do not.
size_t closing(std::string_view text, const std::vector<Word> &all, size_t from) {
  int depth = 0;
  for (const Word &word : all) {
    if (word.begin < from || word.kind != Word::Kind::Sign)
      continue;
    const char sign = text[word.begin];
    depth += sign == '(' ? 1 : sign == ')' ? -1 : 0;
    if (depth == 0)
      return sign == ')' ? word.begin : text.npos;
  }
  return text.npos;
}

/// Takes a condition out of its list, with the comma or the word that leads to it.
Worded::Change withoutCondition(std::string_view text, size_t begin, size_t end) {
  constexpr std::string_view kBlank = " \t\r\n", kWhere = "where";
  const size_t next = text.find_first_not_of(kBlank, end);
  if (next != text.npos && text[next] == ',')
    return {begin, std::min(text.find_first_not_of(kBlank, next + 1), text.size()), ""};
  const size_t last = begin ? text.find_last_not_of(kBlank, begin - 1) : text.npos;
  if (last != text.npos && text[last] == ',')
    return {last, end, ""};
  if (last != text.npos && last + 1 >= kWhere.size() && text.substr(last + 1 - kWhere.size(), kWhere.size()) == kWhere)
    return {last + 1 - kWhere.size(), std::min(text.find_first_not_of(kBlank, end), text.size()), ""};
  return {begin, begin, ""};
}

/// The cures that a diagnostic names in words alone.
std::vector<Worded> wordedCures(const Diagnostic &d, std::string_view text, const std::vector<Word> &all, size_t begin,
                                size_t end) {
  std::vector<Worded> out;
  for (const Diagnostic::Note &note : d.notes) {
    const std::string_view said = note.message;
    if (d.tag == "unused-name" && said.starts_with("leave it out, or begin its name with `_`")) {
      out.push_back({"begin its name with `_`", {{begin, begin, "_"}}});
    } else if (d.tag == "unused-name" && said.starts_with("leave out the name and the colon")) {
      const size_t colon = text.find_first_not_of(" \t", end);
      if (colon != text.npos && text[colon] == ':')
        out.push_back({"leave out the name", {{begin, text.find_first_not_of(" \t", colon + 1), ""}}});
    } else if (d.tag == "unused-name" && said.starts_with("write `_` for what may be anything")) {
      out.push_back({"write `_`", {{begin, end, "_"}}});
    } else if (d.tag == "matches-itself" && said.find("the tag `recursive` says that it is meant") != said.npos) {
      out.push_back({"it is meant: add `recursive`", {{end, end, " recursive"}}});
    } else if (said == "a list of one element is written in brackets") {
      out.push_back({"put it in brackets", {{begin, begin, "["}, {end, end, "]"}}});
    } else if (d.tag == "misplaced-doc" && said.starts_with("an ordinary comment begins with `//`") &&
               text.substr(begin, 3) == "///") {
      out.push_back({"make it an ordinary comment", {{begin, begin + 3, "//"}}});
    } else if (d.tag == "empty-condition" && said.starts_with("leave it out")) {
      if (Worded::Change change = withoutCondition(text, begin, end); change.begin != change.end)
        out.push_back({"leave the condition out", {change}});
    } else if (const std::string name = quoted(said, "write ");
               d.tag == "ambiguous-name" && said.ends_with(" for this one")) {
      out.push_back({"write `" + name + "`", {{begin, end, name}}});
    } else if (d.tag == "missing-attribute" && !name.empty() && said.find(" if it may be anything") != said.npos) {
      const size_t close = closing(text, all, end);
      if (close != text.npos) {
        const bool isEmpty = text[text.find_last_not_of(" \t\r\n", close - 1)] == '(';
        out.push_back({"add `" + name + "`", {{close, close, (isEmpty ? "" : ", ") + name}}});
      }
    }
  }
  return out;
}
} // namespace

Json View::codeActions(size_t begin, size_t end) const {
  Json out = Json::array(), all = Json::array();
  const std::string uri = uriOfPath(a_->files[0].path);
  for (const Diagnostic &d : a_->diags.all()) {
    if (!a_->isInRoot(d.range))
      continue;
    Json edits = Json::array();
    std::string shown;
    for (const Diagnostic::FixIt &fix : d.fixIts) {
      if (!a_->isInRoot(fix.range)) {
        edits = Json::array(); // one that changes another file as well
        break;
      }
      edits.push_back({{"range", range(fix.range)}, {"newText", fix.replacement}});
      if (!shown.empty())
        shown += ", ";
      const std::string old(a_->written(fix.range));
      shown += old.empty()               ? "insert `" + fix.replacement + "`"
               : fix.replacement.empty() ? "remove `" + old + "`"
                                         : "write `" + fix.replacement + "`";
    }
    if (edits.empty())
      if (std::string import = importIn(d); !import.empty()) {
        // Behind the last import, or at the beginning.
        size_t at = 0;
        bool behind = false;
        for (const ast::DeclPtr &decl : a_->tree().decls)
          if (decl->kind == ast::DeclKind::Import)
            at = a_->offset(decl->range.end), behind = true;
        edits.push_back({{"range", range(at, at)}, {"newText", behind ? "\n" + import : import + "\n"}});
        shown = "add `" + import + "`";
      }
    const size_t from = a_->offset(d.range.begin),
                 to = from + (d.range.end > d.range.begin ? d.range.end.raw - d.range.begin.raw : 0);
    if (from > end || begin > to)
      continue;
    auto add = [&](std::string title, Json changes, bool isPreferred) {
      std::ranges::replace(title, '\n', ' ');
      out.push_back({{"title", "rw: " + title},
                     {"kind", "quickfix"},
                     {"diagnostics", Json::array({asJson(*this, d)})},
                     {"isPreferred", isPreferred},
                     {"edit", {{"changes", {{uri, std::move(changes)}}}}}});
    };
    if (!edits.empty()) {
      add(shown, std::move(edits), true);
      continue;
    }
    const std::vector<Worded> cures = wordedCures(d, a_->text.str(), a_->words, from, to);
    for (const Worded &cure : cures) {
      Json changes = Json::array();
      for (const Worded::Change &change : cure.changes)
        changes.push_back({{"range", range(change.begin, change.end)}, {"newText", change.text}});
      add(cure.title, std::move(changes), cures.size() == 1);
    }
  }
  return out;
}

} // namespace rw::editor
