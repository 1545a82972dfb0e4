// Files that a tool writes: never over what it has read.
//
// In:  the paths that options name, what was read.
// Out: which of them are one file, under any of its names: links, other spellings, files that are not there yet.
//
//   const OutputFile outputs[] = {{"--depfile", "out/my.d"}};
//   if (!keepsSources(outputs, sources, diags)) return 1;      // says `written-over`
#pragma once

#include "rw/support/diagnostics.h"

#include <span>
#include <string>
#include <string_view>

namespace rw {

struct OutputFile {
  std::string_view option; // "--report"
  std::string path;        // empty: not asked for; "-": standard output
  bool isNamed() const { return !path.empty() && path != "-"; }
};

bool isSameFile(const std::string &a, const std::string &b);

/// Whether no output is one of the texts that were read, but for `mayTake`.
bool keepsSources(std::span<const OutputFile>, const SourceManager &, Diagnostics &, const std::string &mayTake = {});

} // namespace rw
