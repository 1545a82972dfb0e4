// A text parsed for a test: its tree and what was reported.
#pragma once

#include "frontend/parse/parse.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

/// Lists of strings, shown when a check fails.
template <> struct doctest::StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string> &list) {
    std::string out;
    for (const std::string &s : list)
      out += "\n    " + s;
    return out.c_str();
  }
};

namespace rw {

struct Parsed {
  SourceManager sources;
  FileId file;
  Diagnostics diags{sources};
  std::unique_ptr<ast::Module> module;

  explicit Parsed(std::string text) : file(sources.addText("t.rw", std::move(text))) {
    module = parseModule(file, sources, diags);
  }

  std::string dump() const {
    std::string out;
    ast::dump(*module, sources, out);
    return out;
  }

  /// "line:column tag: message" of every error, in the order of reporting.
  std::vector<std::string> errors() const {
    std::vector<std::string> out;
    for (const Diagnostic &d : diags.all()) {
      LineColumn at = sources.lineColumn(d.range.begin);
      out.push_back(std::to_string(at.line) + ":" + std::to_string(at.column) + " " + d.tag + ": " + d.message);
    }
    return out;
  }

  /// The tree of the only declaration of the text.
  template <class T> const T &only() const { return module->decls.at(0)->template get<T>(); }
};

} // namespace rw
