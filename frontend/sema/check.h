// Checks a parsed .rw file and everything it imports: the one way into frontend/sema.
//
// In:  the root's syntax tree, a function that parses further files, folders to search for imports.
// Out: a sema::Module, complete if no error was reported; and diagnostics, all independent errors in one run.
// Elsewhere: what comes out is module.h; parsing is frontend/parse.
//
//   CheckOptions options{.importDirs = {"patterns"}};
//   options.parse = [&](FileId f) { return parseModule(f, sources, diags); };
//   std::unique_ptr<sema::Module> module = sema::check(*tree, options, sources, diags);
//   if (diags.hasErrors()) return 1;
#pragma once

#include "frontend/ast/ast.h"
#include "frontend/sema/module.h"
#include "rw/support/diagnostics.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace rw::sema {

/// Imported files by canonical path, for who checks several files that import the same: each is read and parsed once.
struct ParsedFiles {
  struct File {
    FileId id;
    std::shared_ptr<const ast::Module> tree;
  };
  std::map<std::string, File> byPath;
};

struct CheckOptions {
  std::vector<std::string> importDirs; // searched after the importing file's own folder
  /// A project's folder and, if that is not empty, all of its files that are compiled, as canonical paths: an import of
  /// another one below the folder is an error, since code generated from it will be asked for.
  std::string project;
  std::set<std::string> compiledFiles;
  /// Makes the syntax tree of an imported file; what is wrong with its text it reports itself.
  std::function<std::unique_ptr<ast::Module>(FileId)> parse;
  ParsedFiles *parsed = nullptr; // looked up and added to
  /// Whether patterns are told of that nothing in the file runs.
  bool warnOfUnnamed = false;
  std::vector<std::string> externalPasses = {"canonicalize", "cse", "dce", "hoist_params"};
};

/// Never null. `root` may come from a text with syntax errors: what could be read is checked.
std::unique_ptr<Module> check(const ast::Module &root, const CheckOptions &, SourceManager &, Diagnostics &);

} // namespace rw::sema
