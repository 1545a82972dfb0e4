// `rwc --test FILE.rw`: the tests of a file, built and run.
//
// In:  a checked module; the options; the CMake package that lies beside the program (PREFIX/lib/cmake/rw), in an
//      installed tree as in a build folder.
// Out: what the tests print, on standard output; what hinders them, as diagnostics.
// Elsewhere: what a test does is runtime/rw/testing/run_tests.h; projects of their own have rw_add_patterns(… TESTS).
//
//   TestFile run(module, options, diags);
//   int status = run();   // 0: there were tests, and all passed
//
// It writes a CMake project for the file and what it imports into a folder (-o, or one that is removed at the end), and
// a main() that registers them and runs the file's own tests.
#pragma once

#include "options.h"

#include "frontend/sema/module.h"
#include "rw/support/diagnostics.h"

namespace rw {

class TestFile {
public:
  TestFile(const sema::Module &module, const RwcOptions &options, Diagnostics &diags)
      : module_(module), options_(options), diags_(diags) {}
  /// The exit status; with 1 there are diagnostics, or the tests have said what failed.
  int operator()();
  /// What the C++ compiler says of the file, if it is to blame.
  const std::string &compilersWords() const { return said_; }

private:
  bool findPackage();
  bool checkFile();
  bool writeProject(const std::string &folder);
  bool build(const std::string &folder);
  bool isBuiltin(const sema::File &) const;
  std::vector<const sema::File *> ownFiles() const;
  std::string mainText(const std::string &base) const;
  std::string cmakeText(const std::string &base) const;
  bool put(const std::string &path, const std::string &text);
  /// Runs a program, its output into `log` or, without, to where ours goes. Its exit status, or nothing after a report.
  std::optional<int> execute(const std::string &program, const std::vector<std::string> &args, const std::string &log);

  const sema::Module &module_;
  const RwcOptions &options_;
  Diagnostics &diags_;
  std::string packageDir_, patternDir_, cmake_, said_;
  bool usesBuiltin_ = false;
};

} // namespace rw
