// Diagnostics: what every phase reports errors with.
//
// In:  a tag (stable, kebab-case), one line of text, the narrowest wrong range, notes, an optional fix-it.
// Out: text with carets on a terminal or file, or JSON, in source order; and the number of errors.
// Elsewhere: positions are source.h.
//
//   diags.error("undefined-op", range, "no op named `tranpose`")
//       .fixIt(range, "transpose")
//       .note(declaration, "`transpose` is declared here");
//   std::cerr << diags.renderText();     // what is collected, in source order:
//   if (diags.hasErrors()) return 1;
//
//   layout.rw:4:3: error: no op named `tranpose` [undefined-op]
//     tranpose(x, perm = p) => x
//     ^~~~~~~~
//     transpose
//   ops/tensor.rw:9:4: note: `transpose` is declared here
#pragma once

#include "rw/support/source.h"

#include <string>
#include <string_view>
#include <vector>

namespace rw {

enum class Severity : uint8_t { Error, Warning, Note };

struct Diagnostic {
  struct Note {
    SourceRange range; // may be empty: a note about no place
    std::string message;
  };
  struct FixIt {
    SourceRange range; // text to replace; begin == end inserts
    std::string replacement;
  };
  Severity severity = Severity::Error;
  std::string tag;
  SourceRange range; // may be empty: an error about no place (a command line, a binary file)
  std::string message;
  std::string file; // shown in place of a position when `range` is empty, e.g. "model.onnx"
  std::vector<Note> notes;
  std::vector<FixIt> fixIts;
};

class Diagnostics {
public:
  explicit Diagnostics(const SourceManager &sources) : sources_(sources) {}

  /// Fluent: `error(...)` returns a reference through which notes and fix-its are added.
  class Builder {
  public:
    Builder &note(SourceRange, std::string message);
    Builder &note(std::string message);
    Builder &fixIt(SourceRange, std::string replacement);

  private:
    friend class Diagnostics;
    Builder(Diagnostics &owner, size_t index) : owner_(owner), index_(index) {}
    Diagnostics &owner_;
    size_t index_;
  };

  Builder error(std::string tag, SourceRange, std::string message);
  Builder warning(std::string tag, SourceRange, std::string message);
  /// For input without text positions (binary files, command lines): `file` stands in place of a position.
  Builder errorInFile(std::string tag, std::string file, std::string message);
  Builder warningInFile(std::string tag, std::string file, std::string message);

  bool hasErrors() const { return errors_ != 0; }
  size_t errorCount() const { return errors_; }
  size_t warningCount() const { return warnings_; }
  const std::vector<Diagnostic> &all() const { return diagnostics_; }
  const SourceManager &sources() const { return sources_; }

  /// Everything reported since the last call, sorted by position (stable; places first by file in load order),
  /// as text with carets. At most `limit` errors and `limit` warnings are shown; then a line says how many more
  /// there are. Text from the input is shown with control characters and invalid bytes made visible.
  std::string renderText(bool color = false, size_t limit = 100);
  /// The same as a JSON array, one object per diagnostic: severity, tag, message, and where known file, line,
  /// column, endLine, endColumn, offset, length; notes and fixIts are arrays of such places.
  std::string renderJson();
  void clear();

private:
  Builder add(Diagnostic);
  /// What no render has given yet, in the order to show it; marks it as given.
  std::vector<const Diagnostic *> takeSorted();
  const SourceManager &sources_;
  std::vector<Diagnostic> diagnostics_;
  size_t errors_ = 0, warnings_ = 0;
  size_t rendered_ = 0; // how many of diagnostics_ a render has given
};

} // namespace rw
