// rwc-check-texts: what `rwc --check` says of many texts that stand in the place of one file, in one process: imports
// are parsed and checked once.
//
//   rwc-check-texts FILE < TEXTS
//
// In:  a .rw file, right as it is, whose folder imports are looked up in; texts, each behind a line with its size in
//      bytes.
// Out: for the file itself and then for each text a line "ERRORS WARNINGS PLACED": how many there are, and whether some
//      error says where it is.
#include "frontend/check/check.h"
#include "frontend/parse/parse.h"
#include "rw/load/load_patterns.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

using namespace rw;

namespace {

/// Checks texts as if they stood in one file. It keeps all that it has read, so after many texts there is a new one.
class Checker {
public:
  explicit Checker(std::string path) : path_(std::move(path)) {}

  /// The module as well, for who wants its imports to be taken for right.
  std::unique_ptr<sema::Module> check(const std::string &text, std::string &verdict) {
    Diagnostics diags(sources_);
    FileId file = sources_.addText(path_, text);
    std::unique_ptr<ast::Module> tree = parseModule(file, sources_, diags);
    sema::CheckOptions options;
    options.builtinDir = builtinPatternDir();
    options.parse = [&](FileId f) { return parseModule(f, sources_, diags); };
    options.warnOfUnnamed = true;
    options.parsed = &parsed_;
    std::unique_ptr<sema::Module> module = sema::check(*tree, options, sources_, diags);
    auto isPlaced = [](const Diagnostic &d) { return d.severity == Severity::Error && d.range; };
    bool placed = std::ranges::any_of(diags.all(), isPlaced);
    verdict = std::to_string(diags.errorCount()) + " " + std::to_string(diags.warningCount()) + (placed ? " 1" : " 0");
    trees_.push_back(std::move(tree)); // modules refer to it
    return module;
  }
  void settle(const sema::Module &module) { parsed_.settle(module); }

private:
  std::string path_;
  SourceManager sources_;
  sema::ParsedFiles parsed_;
  std::vector<std::unique_ptr<ast::Module>> trees_;
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: rwc-check-texts FILE < TEXTS\n";
    return 2;
  }
  std::string path = argv[1], verdict;
  SourceManager files;
  Result<FileId> file = files.addFile(path);
  if (!file) {
    std::cerr << path << " cannot be read: " << file.error() << "\n";
    return 2;
  }
  const std::string right(files.text(*file));
  constexpr size_t kMostTexts = 500;
  std::optional<Checker> checker;
  for (size_t n = 0;; ++n) {
    if (n % kMostTexts == 0) {
      checker.emplace(path);
      checker->settle(*checker->check(right, verdict));
      if (n == 0)
        std::cout << verdict << '\n';
    }
    std::string size;
    if (!std::getline(std::cin, size))
      break;
    std::string text(std::stoull(size), '\0');
    if (!std::cin.read(text.data(), std::streamsize(text.size()))) {
      std::cerr << "a text is shorter than it says\n";
      return 2;
    }
    checker->check(text, verdict);
    std::cout << verdict << '\n';
  }
  return 0;
}
