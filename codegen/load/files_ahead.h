// Files read, parsed and checked by several threads before loadPatterns goes through them one by one.
//
// In:  paths of .rw files.
// Out: their syntax trees, those of their imports, and the checked module of each file that has neither an error nor a
//      warning. Any other file loadPatterns parses and checks again on its own thread, so that messages and their order
//      do not depend on threads.
// Elsewhere: what follows for each file is loader.cpp.
//
//   FilesAhead ahead(threads);
//   ahead.parse(paths, options, sources);      // options.parsed has the trees
//   ahead.startChecks(paths, options, sources);
//   std::unique_ptr<sema::Module> module = ahead.takeModule(path); // or null; others are checked meanwhile
#pragma once

#include "frontend/check/check.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace rw {

class FilesAhead {
public:
  /// `threads`: how many may run beside each other; with 1 nothing is done ahead.
  explicit FilesAhead(unsigned threads);

  /// Reads the files and what they import, and parses them at the same time. It reports nothing: whoever needs a file
  /// that cannot be read, or an import that is not found, reports that.
  void parse(const std::vector<std::string> &paths, const sema::CheckOptions &, SourceManager &);

  /// Begins to check the files, each by itself. Passes, pipelines and labels of a file are known to those behind it, as
  /// they are when files are loaded one after the other; what a file imports is settled (check.h) where a file before
  /// it imports it, too.
  void startChecks(const std::vector<std::string> &paths, const sema::CheckOptions &, const SourceManager &);

  /// The checked module of a file, to be asked for once; null if the caller must check the file itself. Waits until the
  /// module is there, and checks other files meanwhile.
  std::unique_ptr<sema::Module> takeModule(const std::string &path);

  ~FilesAhead();

private:
  struct Root;
  class Checker;
  bool checkNext(Checker &); // false: none is left

  unsigned threads_;
  std::vector<Root> roots_;
  std::map<std::string, size_t> rootOf_; // by path
  std::atomic<size_t> next_{0};          // of roots_, to be checked
  std::unique_ptr<Checker> own_;         // of the thread that takes
  std::vector<std::jthread> others_;
};

} // namespace rw
