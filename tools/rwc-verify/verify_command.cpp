#include "verify_command.h"

#include "codegen/verify/verify_file.h"
#include "rw/builtin.h"
#include "rw/plugin/load_plugins.h"
#include "rw/support/atomic_file.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <map>

namespace rw {
namespace {

/// Writes the evidence of an answer, where --evidence asks for it; false with a diagnostic.
bool keepEvidence(const RwcOptions &options, const verify::Answer &answer, Diagnostics &diags) {
  if (options.evidenceDir.empty() || (answer.model.empty() && answer.questions.empty()))
    return true;
  if (std::error_code ec = llvm::sys::fs::create_directories(options.evidenceDir)) {
    diags.errorInFile("cannot-write", options.evidenceDir, "the folder cannot be made: " + ec.message());
    return false;
  }
  // The test imports the file, so that it runs as it is.
  llvm::SmallString<256> source(options.input);
  llvm::sys::fs::make_absolute(source);
  const std::string base = options.evidenceDir + "/" + answer.pattern;
  std::vector<std::pair<std::string, std::string>> files = {
      {base + ".rw",
       answer.test.empty() ? std::string() : fmt::format("import \"{}\";\n\n{}", source.str().str(), answer.test)},
      {base + ".rwir", answer.model}};
  for (size_t i = 0; i < answer.questions.size(); ++i)
    files.emplace_back(fmt::format("{}.{}.smt2", base, i + 1), answer.questions[i]);
  for (const auto &[path, text] : files)
    if (!text.empty())
      if (Result<WriteOutcome> written = writeFileIfChanged(path, text); !written) {
        diags.errorInFile("cannot-write", path, "cannot be written: " + written.error());
        return false;
      }
  return true;
}

/// Whether answers can be kept in the folder of --cache, which is made if it is not there; else a diagnostic.
bool makeCache(const RwcOptions &options, Diagnostics &diags) {
  if (options.cacheDir.empty())
    return true;
  std::error_code ec = llvm::sys::fs::create_directories(options.cacheDir);
  if (!ec)
    ec = llvm::sys::fs::access(options.cacheDir, llvm::sys::fs::AccessMode::Write);
  if (ec)
    diags.errorInFile("cannot-write", options.cacheDir, "--cache cannot keep answers there: " + ec.message());
  return !ec;
}

} // namespace

int verifyCommand(const RwcOptions &options, const std::string &text, SourceManager &sources, Diagnostics &diags) {
  if (!makeCache(options, diags))
    return report(options, diags);
  std::map<verify::Verdict, unsigned> counts;
  bool bad = false;
  Registry compiled;
  if (!options.plugins.empty()) {
    registerAll(compiled);
    if (!loadPlugins(options.plugins, compiled, diags) || !compiled.check(diags))
      return report(options, diags);
  }
  const verify::FileToVerify file{.path = options.input,
                                  .text = text,
                                  .importDirs = options.importDirs,
                                  .only = options.verifyOnly,
                                  .lines = {},
                                  .cacheDir = options.cacheDir,
                                  .programs = options.programs.value_or(verify::VerifyOptions().more),
                                  .compiled = options.plugins.empty() ? nullptr : &compiled};
  const std::optional<unsigned> total = verify::verifyFile(file, sources, diags, [&](const verify::Answer &answer) {
    llvm::outs() << (options.answersAsJson ? verify::jsonOf(answer) : verify::lineOf(answer)) << '\n';
    llvm::outs().flush();
    ++counts[answer.verdict];
    verify::reportUnexpected(answer, diags);
    const bool kept = keepEvidence(options, answer, diags);
    bad |= answer.bad() || !kept;
    return true;
  });
  if (!total)
    return std::max(1, report(options, diags));
  if (*total == 0)
    diags.errorInFile("nothing-to-verify", options.input,
                      options.verifyOnly.empty() ? "the file declares no pattern"
                                                 : "no pattern of the file has such a name: " + options.verifyOnly);
  if (!options.answersAsJson && *total) {
    std::string line;
    for (auto [verdict, count] : counts)
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, verify::name(verdict));
    llvm::outs() << line << '\n';
  }
  return std::max(report(options, diags), bad ? 1 : 0);
}

} // namespace rw
