// Checks a parsed .rw file and everything it imports: the one way into frontend/check.
//
// In:  the root's syntax tree, a function that parses further files, folders to search for imports.
// Out: a sema::Module, complete if no error was reported; and diagnostics, all independent errors in one run.
// Elsewhere: what comes out is sema/module.h; parsing is frontend/parse; the phases are check.cpp.
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
#include <vector>

namespace rw::sema {

class CheckedBodies;

/// Files by canonical path, for who checks several that import the same: each is read and parsed once, and what is
/// known to be right is not checked again in every file that imports it.
struct ParsedFiles {
  struct File {
    FileId id;
    std::shared_ptr<const ast::Module> tree; // null: it was read, and is not parsed yet
    bool settled = false;
  };
  std::map<std::string, File> byPath;
  /// Paths without links and dots, by path.
  std::map<std::string, std::string> canonical;
  /// What an import was found to be: by the folder of the importing file and the path as it is written, the path that
  /// is opened and the canonical one. Asking the file system costs as much as checking what uses the import.
  std::map<std::string, std::map<std::string, std::pair<std::string, std::string>>> found;
  /// What the files of import folders declare, by name, and the file that does; read when first needed
  /// (missing_imports.cpp).
  std::map<std::vector<std::string>, std::map<std::string, std::string>> libraries;

  /// The ops, passes and labels that texts of `byPath` declare, by name, and the paths of those texts
  /// of which texts that is known.
  struct Declared {
    std::set<std::string> lookedThrough;
    std::map<std::string, std::set<std::string>> paths;
  } declared;

  /// What bodies came to that settled imports have, for who checks several files; null: each file checks those that it
  /// needs.
  std::shared_ptr<CheckedBodies> bodies;

  /// The files of a module are right, and their own declarations are not needed again: as imports they have signatures
  /// from now on, and bodies where what is checked refers to them, by a name or through another body.
  void settle(const Module &);
};

/// What checks take, counted: the same on every machine (tests/unit/load bounds it).
struct Work {
  uint64_t bodies = 0; // of functions, ops and patterns that were checked
  uint64_t steps = 0;  // of proofs that types are the same: terms made and looked through
  uint64_t texts = 0;  // looked through for passes and labels that another file declares
};

struct CheckOptions {
  std::vector<std::string> importDirs; // searched after the importing file's own folder
  std::string builtinDir;              // searched last: the files that come with rw; empty: none
  /// A project's folder and, if that is not empty, all of its files that are compiled, as canonical paths: an import of
  /// another one below the folder is an error, since code generated from it will be asked for.
  std::string project;
  std::set<std::string> compiledFiles;
  /// Makes the syntax tree of an imported file; what is wrong with its text it reports itself.
  std::function<std::unique_ptr<ast::Module>(FileId)> parse;
  ParsedFiles *parsed = nullptr; // looked up and added to
  /// Whether all patterns of imports will run, too.
  bool wholeImports = false;
  /// Whether patterns that nothing in the file runs are reported.
  bool warnOfUnnamed = false;
  /// A root below `builtinDir` is taken to be right: the build that it comes with has checked it. Nothing that changes
  /// no plan is looked at, so there are no warnings, and tests and `expect` declarations are left out of the module.
  /// Other files below the folder are right as well where such a root imports them. Bodies are there of what the root
  /// adds to what is settled: of its patterns, of those that its passes name, of the ops of files that are not settled,
  /// with what they mean and canonicalize by; and of what these refer to.
  bool trustBuiltin = false;
  Work *work = nullptr; // added to
  /// So many may prove types beside each other, where a file has many patterns. What comes out does not depend on it.
  unsigned threads = 1;
  /// Labels, passes and pipelines that files may name without importing who declares them: those in C++, and what a
  /// tool has.
  std::vector<std::string> externalLabels;
  std::vector<std::string> externalPasses = {
      "canonicalize",     "cse",          "dce",          "expand_meanings", "hoist_params", "lift_constants",
      "move_regions",     "prune_inputs", "run_patterns", "inline_if",       "infer_shapes", "fold_shapes",
      "drop_dead_results"};
};

/// What a file's import means.
struct FoundImport {
  std::string path, canonical;    // of the file; empty: there is none
  std::string directory;          // or a folder that stands where the file was looked for
  std::vector<std::string> tried; // where it was looked for
};
/// Asks the file system, or `parsed`, which remembers it. `folder`: of the importing file.
FoundImport findImport(const std::string &folder, const std::string &text, const CheckOptions &);

/// Whether the file at a canonical path is one of those that are taken to be right (CheckOptions::trustBuiltin).
bool isTrusted(const std::string &canonical, const CheckOptions &);

/// A path without links and dots, as ParsedFiles has it. Asks the file system, or `parsed`, which remembers it.
std::string canonicalPath(const std::string &, const CheckOptions &);

/// The tree of the file at a path: parsed now, unless `parsed` has it as somebody's import. Fails if the file cannot be
/// read.
Result<std::shared_ptr<const ast::Module>> parseRoot(const std::string &path, const CheckOptions &, SourceManager &);

/// For ParsedFiles::bodies.
std::shared_ptr<CheckedBodies> keepBodies();

/// Never null. `root` may come from a text with syntax errors: what could be read is checked.
std::unique_ptr<Module> check(const ast::Module &root, const CheckOptions &, SourceManager &, Diagnostics &);

} // namespace rw::sema
