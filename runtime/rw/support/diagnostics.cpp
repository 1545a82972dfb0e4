#include "rw/support/diagnostics.h"

#include "rw/support/snippet.h"
#include "rw/support/utf8.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace rw {

Diagnostics::Builder &Diagnostics::Builder::note(SourceRange range, std::string message) {
  owner_.diagnostics_[index_].notes.push_back({range, std::move(message)});
  return *this;
}

Diagnostics::Builder &Diagnostics::Builder::note(std::string message) { return note({}, std::move(message)); }

Diagnostics::Builder &Diagnostics::Builder::fixIt(SourceRange range, std::string replacement) {
  owner_.diagnostics_[index_].fixIts.push_back({range, std::move(replacement)});
  return *this;
}

Diagnostics::Builder Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Error)
    ++errors_;
  else if (diagnostic.severity == Severity::Warning)
    ++warnings_;
  diagnostics_.push_back(std::move(diagnostic));
  return {*this, diagnostics_.size() - 1};
}

static Diagnostic make(Severity severity, std::string tag, SourceRange range, std::string file, std::string message) {
  Diagnostic d;
  d.severity = severity;
  d.tag = std::move(tag);
  d.range = range;
  d.file = std::move(file);
  d.message = std::move(message);
  return d;
}

Diagnostics::Builder Diagnostics::error(std::string tag, SourceRange range, std::string message) {
  return add(make(Severity::Error, std::move(tag), range, {}, std::move(message)));
}

Diagnostics::Builder Diagnostics::warning(std::string tag, SourceRange range, std::string message) {
  return add(make(Severity::Warning, std::move(tag), range, {}, std::move(message)));
}

Diagnostics::Builder Diagnostics::errorInFile(std::string tag, std::string file, std::string message) {
  return add(make(Severity::Error, std::move(tag), {}, std::move(file), std::move(message)));
}

Diagnostics::Builder Diagnostics::warningInFile(std::string tag, std::string file, std::string message) {
  return add(make(Severity::Warning, std::move(tag), {}, std::move(file), std::move(message)));
}

void Diagnostics::clear() {
  diagnostics_.clear();
  errors_ = warnings_ = rendered_ = 0;
}

std::vector<const Diagnostic *> Diagnostics::takeSorted() {
  std::vector<const Diagnostic *> list;
  for (; rendered_ < diagnostics_.size(); ++rendered_)
    list.push_back(&diagnostics_[rendered_]);
  auto key = [](const Diagnostic *d) { return d->range ? d->range.begin.raw : UINT32_MAX; };
  std::stable_sort(list.begin(), list.end(), [&](const Diagnostic *a, const Diagnostic *b) { return key(a) < key(b); });
  return list;
}

namespace {

class TextRenderer {
public:
  TextRenderer(const SourceManager &sources, bool color) : sources_(sources), color_(color) {}

  void render(const Diagnostic &d) {
    head(d.range, d.file, d.severity, d.message, d.tag);
    if (d.range)
      snippet(d);
    for (const Diagnostic::FixIt &fix : d.fixIts)
      if (!d.range || !onSameLine(fix.range.begin, d.range.begin))
        head(fix.range, {}, Severity::Note,
             fix.replacement.empty() ? "remove this" : "write `" + fix.replacement + "` here", {});
    for (const Diagnostic::Note &note : d.notes)
      head(note.range, {}, Severity::Note, note.message, {});
  }

  void more(size_t hidden, const char *what) {
    if (hidden != 0)
      fmt::format_to(std::back_inserter(out), "{} more {}{}\n", hidden, what, hidden == 1 ? "" : "s");
  }

  std::string out;

private:
  static constexpr const char *kBold = "\033[1m", *kGreen = "\033[1;32m", *kPlain = "\033[0m";

  void colored(const char *code, std::string_view text) {
    if (color_)
      out += code;
    out += text;
    if (color_)
      out += kPlain;
  }

  void head(SourceRange range, std::string_view file, Severity severity, std::string_view message,
            std::string_view tag) {
    if (range)
      colored(kBold, sources_.describe(range.begin) + ": ");
    else if (!file.empty())
      colored(kBold, utf8::safe(file) + ": ");
    switch (severity) {
    case Severity::Error:
      colored("\033[1;31m", "error: ");
      break;
    case Severity::Warning:
      colored("\033[1;35m", "warning: ");
      break;
    case Severity::Note:
      colored("\033[1;36m", "note: ");
      break;
    }
    colored(kBold, utf8::safe(message));
    if (!tag.empty())
      fmt::format_to(std::back_inserter(out), " [{}]", utf8::safe(tag));
    out += '\n';
  }

  bool onSameLine(Loc a, Loc b) const {
    return sources_.fileOf(a) == sources_.fileOf(b) && sources_.lineText(a).data() == sources_.lineText(b).data();
  }

  void snippet(const Diagnostic &d) {
    std::string_view line = sources_.lineText(d.range.begin);
    std::string_view text = sources_.text(sources_.fileOf(d.range.begin));
    size_t lineStart = static_cast<size_t>(line.data() - text.data());
    auto column = [&](Loc loc) { return std::min(sources_.offsetOf(loc) - lineStart, line.size()); };
    // What reaches over the line's end is underlined to the end of the line.
    auto end = [&](SourceRange range) {
      bool inside = range.end > range.begin && onSameLine(range.end, range.begin);
      return inside ? column(range.end) : range.end > range.begin ? line.size() : column(range.begin);
    };
    Snippet shown(line, column(d.range.begin), end(d.range));
    out += shown.sourceLine() + "\n";
    colored(kGreen, shown.caretLine());
    out += '\n';
    for (const Diagnostic::FixIt &fix : d.fixIts)
      if (onSameLine(fix.range.begin, d.range.begin))
        shown.addFixIt(column(fix.range.begin), end(fix.range), fix.replacement);
    for (const std::string &fix : shown.fixItLines()) {
      colored(kGreen, fix);
      out += '\n';
    }
  }

  const SourceManager &sources_;
  bool color_;
};

} // namespace

std::string Diagnostics::renderText(bool color, size_t limit) {
  TextRenderer renderer(sources_, color);
  size_t errors = 0, warnings = 0;
  for (const Diagnostic *d : takeSorted()) {
    size_t &seen = d->severity == Severity::Error ? errors : warnings;
    if (seen++ < limit)
      renderer.render(*d);
  }
  renderer.more(errors > limit ? errors - limit : 0, "error");
  renderer.more(warnings > limit ? warnings - limit : 0, "warning");
  return std::move(renderer.out);
}

} // namespace rw
