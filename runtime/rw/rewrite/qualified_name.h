// Names of patterns, passes and pipelines: full names, and what a name means where it is used.
//
// In:  a name as written, the place that uses it, and all declarations.
// Out: the declarations that are meant: one, none, or several, which is a clash and reported there.
//
// The full name of what a .rw file declares is the C++ namespace that the file is compiled in, the file's name without
// `.rw`, and its own name: `my::opt::fusion::Merge` of fusion.rw in rw_add_patterns(… NAMESPACE my::opt). Of what C++
// declares there is no file, of a file loaded at run time no namespace. A name may be written without the namespace or
// its beginning, without the file, or without both: `fusion::Merge`, `opt::Merge`, `my::opt::Merge`, `Merge`. With `::`
// in front nothing is left out.
//
// What is meant: what the asking file itself declares; else what its namespace does, then each namespace around that
// one; else what any does. Where that is several, the name is ambiguous. Command lines have no file and no namespace.
//
//   Declared mine{"my::opt", "fusion.rw", "Merge", 12}, theirs{"rw::builtin", "transpose.rw", "Merge", 20};
//   findMeant({"Merge"}, {"rw::builtin", "pipelines.rw"}, std::array{mine, theirs});   // theirs
//   findMeant({"Merge"}, {}, std::array{mine, theirs});                                // both: ambiguous
//   findMeant({"opt::Merge"}, {}, std::array{mine, theirs});                           // mine
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rw {

/// What a declaration's names are made of.
struct Declared {
  std::string_view space; // the C++ namespace; empty: none
  std::string_view file;  // "fusion.rw"; empty: declared in C++
  std::string_view name;
  unsigned line = 0;
};

/// A name where something declared is asked for: as it is written, or, with a place, one declaration and no other.
struct NameRef {
  std::string name;
  std::string file; // of the declaration, if that is known
  unsigned line = 0;

  NameRef(const char *name) : name(name) {}
  NameRef(std::string_view name) : name(name) {}
  NameRef(std::string name, std::string file = "", unsigned line = 0)
      : name(std::move(name)), file(std::move(file)), line(line) {}
  /// The same as static data, which compilers are quick with.
  struct Text {
    const char *name, *file = "";
    unsigned line = 0;
  };
  NameRef(const Text &text) : NameRef(text.name, text.file, text.line) {}
  bool operator==(const NameRef &) const = default;
};

/// Who asks; empty: a command line.
struct NameScope {
  std::string_view space, file;
};

/// "my::opt::fusion::Merge".
std::string fullName(const Declared &);
/// Whether this is a way to write its name. `*` and `?` stand for text, as in matchesGlob.
bool isNamed(const Declared &, std::string_view written);
/// Whether a name stands for all that it matches, and is no clash if that is several.
bool isGlob(std::string_view written);
/// The name behind the last `::`.
std::string_view shortName(std::string_view written);
/// Which of the declarations are meant, by index.
std::vector<uint32_t> findMeant(const NameRef &, const NameScope &, std::span<const Declared>);
/// The shortest of its names that none of the others has: `Merge`, `my::opt::Merge`, `fusion::Merge`, or the full name.
/// `others` may hold it, too.
std::string shownName(const Declared &, std::span<const Declared> others);
/// "fusion.rw:12", or "C++".
std::string placeOf(const Declared &);
/// "`Merge` is the name of 2 patterns: `my::opt::Merge` (fusion.rw:12), `rw::builtin::Merge` (transpose.rw:20); write
/// one of these names".
std::string describeClash(std::string_view written, std::string_view kind, std::span<const Declared> candidates);

} // namespace rw
