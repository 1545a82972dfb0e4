// The patterns of one file verified: read, checked, loaded and put to the verifier.
//
// In:  a .rw file by path and text, folders for imports.
// Out: an answer for each pattern that the file itself declares, as it is found.
// Elsewhere: what an answer claims is verify.h.
//
//   verifyFile({.path = "my.rw", .text = text}, sources, diags,
//              [](const Answer &a) { puts(lineOf(a).c_str()); return true; });
#pragma once

#include "codegen/verify/verify.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace rw::verify {

struct FileToVerify {
  std::string path, text;
  std::vector<std::string> importDirs;
  std::string only;                         // a glob for names of patterns; empty: all
  std::set<unsigned> lines;                 // that their names stand in; empty: all
  std::string cacheDir;                     // answers of earlier runs (answer_cache.h); empty: none
  unsigned programs = VerifyOptions().more; // VerifyOptions::more
  /// Where the file's patterns are compiled, native code and all, with its ops; null: they run from the source.
  const Registry *compiled = nullptr;
};

/// Of a verdict that is not the expected one: an error where the file expects it.
void reportUnexpected(const Answer &, Diagnostics &);

/// How many answers there were; nothing if the file has errors, which are in `diags`. Ends early where `answered`
/// returns false.
std::optional<unsigned> verifyFile(const FileToVerify &, SourceManager &, Diagnostics &,
                                   const std::function<bool(const Answer &)> &answered);

} // namespace rw::verify
