// The files that an editor works on: what is open stands in for what is on disk.
//
// In:  texts of open documents, folders of imports.
// Out: an Analysis of a document: its tree, what it and its imports declare, its checked module, and diagnostics.
// Elsewhere: which name means what is names.h; answers to the editor are answers.h.
//
// Built-in files are read once; other imports anew when one of them changes, so that nothing grows with the number of
// edits.
//
//   Project project({.builtinDir = builtinPatternDir()});
//   project.open("/w/my.rw", "import \"onnx/onnx.rw\"; ...");
//   std::shared_ptr<const Analysis> now = project.analyse("/w/my.rw");
#pragma once

#include "editor/server/text.h"
#include "editor/server/words.h"
#include "frontend/check/check.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rw::editor {

/// A declaration that a file sees.
struct Declared {
  const ast::Decl *decl;
  std::string name;    // as spelled, of an op without the dialect
  std::string dialect; // of an op
  uint32_t file;       // of Analysis::files
  std::string fullName() const { return dialect.empty() ? name : dialect + "." + name; }
};

/// What is known of one document at one moment.
struct Analysis {
  explicit Analysis(SourceManager known) : sources(std::move(known)), diags(sources) {}

  struct File {
    FileId id;
    std::string path; // without links and dots
    std::shared_ptr<const ast::Module> tree;
    std::vector<uint32_t> imports; // of files
  };
  SourceManager sources;
  Diagnostics diags;
  Text text;
  std::vector<Word> words;
  std::vector<File> files;                                  // the document first
  std::vector<Declared> declared;                           // those of the document first
  std::multimap<std::string, uint32_t, std::less<>> byName; // of declared
  std::vector<std::string> dialects;                        // that can be written in front of an op, sorted
  std::unique_ptr<sema::Module> module;                     // null if it was not checked
  bool readable = false;                                    // it has no syntax error
  /// Imports that have errors, each once: where they are imported, and the first message.
  struct WrongImport {
    SourceRange import;
    std::string path, message;
    size_t errors = 0;
  };
  std::vector<WrongImport> wrongImports;

  FileId root() const { return files.front().id; }
  const ast::Module &tree() const { return *files.front().tree; }
  bool isInRoot(SourceRange range) const { return range && sources.fileOf(range.begin) == root(); }
  /// Byte offset of a place in the document.
  size_t offset(Loc loc) const { return sources.offsetOf(loc); }
  std::string_view written(SourceRange) const;
  /// The declaration of the document in which a byte lies, or null.
  const ast::Decl *declAt(size_t offset) const;
};

struct ProjectOptions {
  std::vector<std::string> importDirs;
  std::string builtinDir;
};

class Project {
public:
  explicit Project(ProjectOptions options);
  Project(const Project &) = delete;
  Project &operator=(const Project &) = delete;

  void configure(ProjectOptions);
  const ProjectOptions &options() const { return options_; }

  /// Takes the text for that of the file from now on.
  void open(const std::string &path, std::string text);
  /// What an edit came to: the bytes [begin, end) of the text before it have become `length` others.
  struct Edit {
    size_t begin, end, length;
  };
  Edit edit(const std::string &path, std::optional<std::pair<Position, Position>> range, std::string_view with,
            Encoding);
  void close(const std::string &path);
  /// Files may be different on disk now.
  void filesChanged();

  const Text *document(const std::string &path) const;
  std::vector<std::string> documents() const;
  /// Whether an analysis of the document, which somebody still has, is of its text and imports as they are now.
  bool isCurrent(const std::string &path) const;
  /// Never null for a document that is open, nor for a file that can be read. `namesOnly`: of a file that is not open,
  /// without checking it.
  std::shared_ptr<const Analysis> analyse(const std::string &path, bool namesOnly = false);
  /// The text as it is, with what was known of its declarations at the last analysis, for what goes by words. Null if
  /// there was none.
  std::shared_ptr<const Analysis> analyseWords(const std::string &path) const;
  /// Checks a text in the place of the document's, which stays as it is. Null if it cannot be read.
  std::shared_ptr<Analysis> check(const std::string &path, std::string text, bool namesOnly = false);
  /// Open documents that import the file, directly or not, as far as they have been analysed.
  std::vector<std::string> importersOf(const std::string &path) const;
  bool isBuiltin(const std::string &path) const;

private:
  /// Texts and trees of imports. `trees` of files that are wrong have messages.
  struct Known {
    SourceManager sources;
    sema::ParsedFiles parsed;
    std::map<std::string, std::pair<size_t, std::string>> wrong; // errors and the first message, by path
  };
  struct Document {
    Text text;
    std::shared_ptr<const Analysis> analysis;
    bool current = false;
  };

  sema::CheckOptions checkOptions(sema::ParsedFiles &) const;
  /// Reads and parses what a file in the folder imports and is not read yet: into `builtin_` the built-in files,
  /// else the others.
  void readImports(const std::vector<std::string> &imports, const std::string &folder, Known &into);
  void readFile(const std::string &path, const std::string &canonical, Known &into);
  void readAllImports(const std::vector<std::string> &imports, const std::string &folder);
  bool isReadOnce(const std::string &canonical) const {
    return isBuiltin(canonical) && !documents_.contains(canonical);
  }
  void addWrongImports(Analysis &, const sema::CheckOptions &) const;
  void collect(Analysis &, const sema::ParsedFiles &, const sema::CheckOptions &) const;
  void dropImports();

  ProjectOptions options_;
  std::string builtinCanonical_;
  std::map<std::string, Document> documents_;
  Known builtin_;              // built-in files alone
  std::unique_ptr<Known> all_; // and the other imports; null: to be read
  size_t builtinFiles_ = 0;    // of builtin_, that all_ was made with
};

} // namespace rw::editor
