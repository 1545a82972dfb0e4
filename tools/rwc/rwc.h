// rwc as a function: .rw files to C++, or to what --dump, --list, --docs and --format ask for.
//
// In:  a command line, and the two commands that need more than the compiler.
// Out: the exit status: 0 done, 1 the input is wrong (a diagnostic says where), 2 wrong usage.
// Elsewhere: the flags are options.h; --verify is verify_command.cpp, --test is test_command.cpp and test_file.cpp.
//
// rwc has both commands. rwc-bootstrap has neither, and compiles the built-in patterns while the project is built: so
// nobody who wants rw-opt waits for the prover.
//
//   return rwcMain(argc, argv, {.verify = verifyCommand, .test = testCommand});
#pragma once

#include "options.h"

#include "rw/support/diagnostics.h"

namespace rw {

struct RwcCommands {
  /// `--verify` of a file with this text, which has been parsed without an error; the exit status.
  int (*verify)(const RwcOptions &, const std::string &text, SourceManager &, Diagnostics &) = nullptr;
  /// `--test` without a C++ compiler; nothing if the file needs one.
  std::optional<int> (*test)(const RwcOptions &, const std::string &text) = nullptr;
};

int rwcMain(int argc, char **argv, const RwcCommands &);

/// Prints what was reported, as the options have it; the exit status.
int report(const RwcOptions &, Diagnostics &);

int verifyCommand(const RwcOptions &, const std::string &text, SourceManager &, Diagnostics &);
std::optional<int> testCommand(const RwcOptions &, const std::string &text);

} // namespace rw
