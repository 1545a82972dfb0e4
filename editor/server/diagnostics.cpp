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
    if (edits.empty())
      continue;
    for (char &c : shown)
      if (c == '\n')
        c = ' ';
    const size_t from = a_->offset(d.range.begin),
                 to = from + (d.range.end > d.range.begin ? d.range.end.raw - d.range.begin.raw : 0);
    if (from <= end && begin <= to)
      out.push_back({{"title", "rw: " + shown},
                     {"kind", "quickfix"},
                     {"diagnostics", Json::array({asJson(*this, d)})},
                     {"isPreferred", true},
                     {"edit", {{"changes", {{uri, edits}}}}}});
  }
  return out;
}

} // namespace rw::editor
