// The texts that rwc-fuzz starts from: .rw files as they are, and small texts made of single declarations of theirs.
//
// In:  folders with .rw files and goldens (`==== file NAME.rw`), folders that imports are looked up in.
// Out: tokens, which together are a text. A small text has some declarations of one file and all that they name,
//      wherever it is declared, and imports nothing: it is loaded in a fraction of a millisecond, and has so few ops
//      that random programs over them look like what its patterns match.
//
//   Corpus corpus({"patterns", "tests/golden"}, {"patterns"}, 3000);
//   Tokens text = corpus.small(random);
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace rw::fuzz {

using Random = std::mt19937_64;
using Tokens = std::vector<std::string>;

size_t below(Random &, size_t n);
template <class T> const T &pick(Random &random, const std::vector<T> &from) {
  return from[below(random, from.size())];
}

/// Words, numbers, strings, comments, spaces and single signs, in order; together they are the text.
Tokens split(std::string_view text);
std::string join(const Tokens &);

class Corpus {
public:
  /// Texts of more than `most` tokens are left out as wholes.
  Corpus(const std::vector<std::string> &paths, const std::vector<std::string> &importDirs, size_t most);

  bool empty() const { return wholes_.empty() || all_.empty(); }
  size_t texts() const { return wholes_.size(); }
  size_t declarations() const { return all_.size(); }

  /// A file as it stands.
  const Tokens &whole(Random &) const;
  /// A few declarations and what they name.
  Tokens small(Random &);

private:
  struct Ref {
    uint32_t file, decl;
    auto operator<=>(const Ref &) const = default;
  };
  struct Decl {
    Tokens tokens;
    std::string_view kind, name;          // of its tokens; `Merge_` of `Merge_{f}`
    uint32_t dialect = 0;                 // of dialects_
    std::optional<std::vector<Ref>> uses; // worked out when asked for
  };
  struct File {
    std::vector<Decl> decls;
    std::multimap<std::string_view, uint32_t> byName; // into decls
    std::multimap<std::string_view, uint32_t> tests;  // of what they test
    std::vector<uint32_t> imports;                    // and theirs
    std::vector<std::string> importTexts;
  };

  uint32_t add(const std::string &path, const std::string &text);
  void resolve(uint32_t file, const std::string &path, const std::vector<std::string> &importDirs);
  const std::vector<Ref> &uses(Ref);

  std::deque<File> files_; // declarations are referred to
  std::map<std::string, uint32_t> byPath_;
  std::vector<Tokens> dialects_; // `dialect d "e";`, the first empty
  std::vector<Tokens> wholes_;
  std::vector<Ref> all_; // of the files below the paths
};

} // namespace rw::fuzz
