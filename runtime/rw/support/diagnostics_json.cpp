#include "rw/support/diagnostics.h"

#include "rw/support/json.h"

namespace rw {
namespace {

void addPlace(Json &out, const SourceManager &sources, SourceRange range) {
  FileId file = sources.fileOf(range.begin);
  if (!file)
    return;
  Loc end = range.end > range.begin && sources.fileOf(range.end) == file ? range.end : range.begin;
  LineColumn from = sources.lineColumn(range.begin), to = sources.lineColumn(end);
  out["file"] = sources.name(file);
  out["line"] = from.line;
  out["column"] = from.column;
  out["endLine"] = to.line;
  out["endColumn"] = to.column;
  out["offset"] = sources.offsetOf(range.begin);
  out["length"] = end.raw - range.begin.raw;
}

const char *severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Note:
    break;
  }
  return "note";
}

} // namespace

std::string Diagnostics::renderJson() {
  Json list = Json::array();
  for (const Diagnostic *d : takeSorted()) {
    Json entry;
    entry["severity"] = severityName(d->severity);
    entry["tag"] = d->tag;
    entry["message"] = d->message;
    if (d->range)
      addPlace(entry, sources_, d->range);
    else if (!d->file.empty())
      entry["file"] = d->file;
    Json notes = Json::array(), fixIts = Json::array();
    for (const Diagnostic::Note &note : d->notes) {
      Json item;
      item["message"] = note.message;
      addPlace(item, sources_, note.range);
      notes.push_back(std::move(item));
    }
    for (const Diagnostic::FixIt &fix : d->fixIts) {
      Json item;
      item["replacement"] = fix.replacement;
      addPlace(item, sources_, fix.range);
      fixIts.push_back(std::move(item));
    }
    entry["notes"] = std::move(notes);
    entry["fixIts"] = std::move(fixIts);
    list.push_back(std::move(entry));
  }
  // Names from the input may hold any bytes; JSON may not.
  return jsonText(list, 2) + "\n";
}

} // namespace rw
