// rw-opt whose built-in patterns are interpreted: the compiled ones of the same names are taken out of the registry, but for
// the few with native code. For comparisons of the two readers of a plan.
//
//   rw-opt-interpreted … as rw-opt; $RW_PATTERNS is the folder of the built-in patterns
#include "codegen/interpret/compiler.h"
#include "codegen/machine/loaded_unit.h"
#include "frontend/parse/parse.h"
#include "frontend/sema/check.h"
#include "rw/builtin.h"
#include "rw/opt/opt_main.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;

int main(int argc, char **argv) {
  rw::Registry registry;
  rw::registerAll(registry);
  const char *dir = std::getenv("RW_PATTERNS");
  if (!dir) {
    std::fputs("rw-opt-interpreted: RW_PATTERNS names no folder\n", stderr);
    return 2;
  }
  std::vector<std::string> files;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(dir))
    if (entry.path().extension() == ".rw")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  rw::SourceManager sources;
  rw::Diagnostics diags(sources);
  auto parse = [&](rw::FileId f) { return rw::parseModule(f, sources, diags); };
  rw::interpret::CompileOptions options{.besideCpp = true};
  size_t patterns = 0;
  rw::sema::ParsedFiles parsed;
  for (const std::string &file : files) {
    const rw::sema::CheckOptions check{.importDirs = {dir}, .parse = parse, .parsed = &parsed};
    std::string reason;
    std::shared_ptr<const rw::ast::Module> tree = rw::sema::parseRoot(file, check, sources, reason);
    if (!tree) {
      diags.errorInFile("cannot-read", file, "cannot be read: " + reason);
      continue;
    }
    std::unique_ptr<rw::sema::Module> module = rw::sema::check(*tree, check, sources, diags);
    rw::plan::Module plans = rw::plan::buildPlans(*module, sources, diags);
    patterns += rw::interpret::substitutePatterns(rw::interpret::compile(plans, sources, options, diags), registry);
    if (!diags.hasErrors())
      parsed.settle(*module);
  }
  if (diags.hasErrors() || patterns * 10 < registry.patterns.all().size() * 8) {
    std::fputs(diags.renderText().c_str(), stderr);
    std::fprintf(stderr, "rw-opt-interpreted: %zu of %zu patterns are interpreted\n", patterns, registry.patterns.all().size());
    return 1;
  }
  return rw::optMain(argc, argv, registry);
}
