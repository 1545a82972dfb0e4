// Patterns run from their source: .rw files read, checked and registered while a program runs.
//
// In:  .rw files, or their text; a registry with the ops, patterns and passes that there are already.
// Out: everything the files declare, in the registry; or diagnostics, and the registry as it was.
// Elsewhere: the implementation is codegen/load, in a library of its own (rw::load): a program that does not load
//            patterns links neither the compiler nor ANTLR. The language is docs/language.md.
//
// Loaded files are untrusted. They read no file but what they import, run no native code, and what they compute at an
// op is limited; a pattern that goes beyond is given up. Their ops, patterns, passes, pipelines and tests are ordinary
// entries of the registry.
//
//   SourceManager sources;
//   Diagnostics diags(sources);
//   std::optional<LoadedPatterns> loaded = loadPatterns({{"my.rw"}}, {}, sources, registry, diags);
//   if (!loaded) std::cerr << diags.renderText();
#pragma once

#include "rw/passes/pass.h"
#include "rw/support/diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace rw {

/// A file, or a text that is taken for the file of that name.
struct PatternSource {
  std::string path;
  std::optional<std::string> text = {};
};

struct LoadOptions {
  std::vector<std::string> importDirs; // searched after a file's own folder; then the built-in patterns
  /// Whether all that imported files declare is registered, and not only what the files need: for programs without the
  /// built-in patterns.
  bool wholeImports = false;
  /// Leaves out what needs native code, instead of refusing the file: for measuring what loading costs.
  bool skipNatives = false;
  /// Whether tests of built-in files (those below builtinPatternDir()) are registered as well. Without them such files
  /// are taken to be right, as the build that they come with has found them: no warning is looked for in them.
  bool builtinTests = true;
  /// How many threads may work on it; 0: as many as there are processors, at most four. What comes out does not depend
  /// on it.
  unsigned threads = 0;
};

/// What the files themselves declare, imports not counted, in their order.
struct LoadedPatterns {
  std::vector<NameRef> patterns;
  std::vector<std::string> passes, pipelines;
  /// The tests are those of Registry::tests() from here on.
  size_t firstTest = 0;
};

/// Registers what the files declare and what they need of their imports: ops, patterns and functions that the registry
/// does not have yet. Files with native code are refused (`native-not-loadable`), as is all that rwc refuses. Nothing
/// is registered after an error.
std::optional<LoadedPatterns> loadPatterns(const std::vector<PatternSource> &, const LoadOptions &, SourceManager &,
                                           Registry &, Diagnostics &);

/// loadPatterns, for who takes it as an option.
using PatternLoader = std::optional<LoadedPatterns> (*)(const std::vector<PatternSource> &, const LoadOptions &,
                                                        SourceManager &, Registry &, Diagnostics &);

/// The folder of the built-in pattern files: of the installation or build that the running program belongs to. Empty if
/// there is none.
std::string builtinPatternDir();

} // namespace rw
