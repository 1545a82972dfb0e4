// rwc as a function: .rw files to C++, or to what --dump, --list, --docs, --test and --format ask for.
//
// In:  a command line.
// Out: the exit status: 0 done, 1 the input is wrong (a diagnostic says where), 2 wrong usage.
// Elsewhere: the flags are options.h; --test is test_command.cpp and test_file.cpp. --verify is tools/rwc-verify, a
// program that rwc executes, because the prover is a good part of what there is to build.
//
//   return rwcMain(argc, argv);
#pragma once

#include "options.h"

#include "rw/support/diagnostics.h"

namespace rw {

/// `--verify` of a file with this text, which has been parsed without an error; the exit status.
using VerifyCommand = int (*)(const RwcOptions &, const std::string &text, SourceManager &, Diagnostics &);

/// Without `verify`, `--verify` is done by the program rwc-verify.
int rwcMain(int argc, char **argv, VerifyCommand verify = nullptr);

/// `--test` without a C++ compiler; the exit status, or nothing if the file needs one.
std::optional<int> testCommand(const RwcOptions &, const std::string &text);

/// Prints what was reported, as the options have it; the exit status.
int report(const RwcOptions &, Diagnostics &);

} // namespace rw
