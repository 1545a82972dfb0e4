// rw-opt whose built-in patterns are interpreted: the compiled ones of the same names are taken out of the registry,
// but for the few with native code. For comparisons of the two readers of a plan.
//
//   rw-opt-interpreted … as rw-opt; $RW_PATTERNS is the folder of the built-in patterns
//   rw-opt-interpreted --each FILE: a run for each line of FILE, a folder and arguments with tabs between. It runs in
//   the folder, where
//       `said` holds what it printed and `status` its exit status. So the patterns are read once for a thousand models.
#include "codegen/interpret/compiler.h"
#include "codegen/machine/loaded_unit.h"
#include "frontend/check/check.h"
#include "frontend/parse/parse.h"
#include "rw/builtin.h"
#include "rw/opt/opt_main.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

/// One line of --each, in a process of its own: what one run leaves behind in memory is not the next one's.
static bool runLine(const std::string &line, const rw::Registry &registry) {
  pid_t child = fork();
  if (child < 0)
    return false;
  if (child == 0) {
    std::vector<std::string> parts;
    for (size_t at = 0, end = 0; end != std::string::npos; at = end + 1)
      parts.push_back(line.substr(at, (end = line.find('\t', at)) - at));
    if (chdir(parts[0].c_str()) != 0 || !std::freopen("said", "w", stdout) || dup2(fileno(stdout), fileno(stderr)) < 0)
      _exit(2);
    parts[0] = "rw-opt";
    std::vector<char *> args;
    for (std::string &part : parts)
      args.push_back(part.data());
    std::exit(rw::optMain(int(args.size()), args.data(), registry));
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child)
    return false;
  std::ofstream(fs::path(line.substr(0, line.find('\t'))) / "status")
      << (WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return true;
}

static int runEach(const char *file, const rw::Registry &registry) {
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line))
    if (!runLine(line, registry)) {
      std::perror("rw-opt-interpreted");
      return 2;
    }
  return 0;
}

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
    rw::Result<std::shared_ptr<const rw::ast::Module>> tree = rw::sema::parseRoot(file, check, sources);
    if (!tree) {
      diags.errorInFile("cannot-read", file, "cannot be read: " + tree.error());
      continue;
    }
    std::unique_ptr<rw::sema::Module> module = rw::sema::check(**tree, check, sources, diags);
    rw::plan::Module plans = rw::plan::buildPlans(*module, sources, diags);
    patterns += rw::interpret::substitutePatterns(rw::interpret::compile(plans, sources, options, diags), registry);
    if (!diags.hasErrors())
      parsed.settle(*module);
  }
  if (diags.hasErrors() || patterns * 10 < registry.patterns.all().size() * 8) {
    std::fputs(diags.renderText().c_str(), stderr);
    std::fprintf(stderr, "rw-opt-interpreted: %zu of %zu patterns are interpreted\n", patterns,
                 registry.patterns.all().size());
    return 1;
  }
  if (argc == 3 && std::string_view(argv[1]) == "--each")
    return runEach(argv[2], registry);
  return rw::optMain(argc, argv, registry);
}
