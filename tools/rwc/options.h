// The command line of rwc.
//
// In:  argc, argv.
// Out: Options, or an exit status when there is nothing more to do (--help, a wrong command line).
// Elsewhere: what is done with them is rwc.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rw {

enum class Dump { None, Tokens, Ast, Sema, Plan, Code, Cpp };
enum class Format { None, Print, Write, Check };

struct RwcOptions {
  std::string input, outDir, depfile, compiledFiles, cppNamespace;
  bool lineDirectives = false; // see emit::EmitOptions
  bool asData = false;         // patterns become data, not C++
  std::vector<std::string> importDirs, cppFiles;
  Dump dump = Dump::None;
  Format format = Format::None;
  bool check = false, list = false, docs = false, test = false, json = false;
  bool verify = false, answersAsJson = false; // --verify, --json
  std::string verifyOnly;                     // a glob of pattern names; empty: all
  std::string evidenceDir, cacheDir;
  std::optional<unsigned> programs; // --programs
  std::vector<std::string> plugins; // --plugin: libraries in which the file's patterns are compiled
};

/// Nothing if the program is to end with `exitStatus`.
std::optional<RwcOptions> parseOptions(int argc, char **argv, int &exitStatus);

} // namespace rw
