// rw-opt whose built-in patterns are compiled, or interpreted: then the compiled ones of the same names are taken out
// of the registry, but for the few with native code. For comparisons of the two readers of a plan.
//
//   rw-opt-variant --save UNITS DIR reads the .rw files below DIR and writes their code to UNITS.
//   rw-opt-variant [--interpret UNITS] … as rw-opt. The patterns are read from their text once for some thousand runs.
//   rw-opt-variant [--interpret UNITS] --each FILE: a run for each line of FILE, a folder and arguments with tabs
//   between. It runs in the folder, where `said` holds what it printed and `status` its exit status.
#include "codegen/interpret/compiler.h"
#include "codegen/machine/loaded_unit.h"
#include "codegen/machine/unit_bytes.h"
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
      std::perror("rw-opt-variant");
      return 2;
    }
  return 0;
}

/// Writes the code of all pattern files below `dir`: of each its size, on a line, and its bytes. Gives an exit status.
static int save(const char *dir, const char *path) {
  std::vector<std::string> files;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(dir))
    if (entry.path().extension() == ".rw")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  rw::SourceManager sources;
  rw::Diagnostics diags(sources);
  auto parse = [&](rw::FileId f) { return rw::parseModule(f, sources, diags); };
  rw::interpret::CompileOptions options{.besideCpp = true};
  rw::sema::ParsedFiles parsed;
  std::ofstream out(path, std::ios::binary);
  for (const std::string &file : files) {
    const rw::sema::CheckOptions check{.importDirs = {dir}, .parse = parse, .parsed = &parsed};
    rw::Result<std::shared_ptr<const rw::ast::Module>> tree = rw::sema::parseRoot(file, check, sources);
    if (!tree) {
      diags.errorInFile("cannot-read", file, "cannot be read: " + tree.error());
      continue;
    }
    std::unique_ptr<rw::sema::Module> module = rw::sema::check(**tree, check, sources, diags);
    rw::plan::Module plans = rw::plan::buildPlans(*module, sources, diags);
    const std::string bytes = rw::interpret::toBytes(rw::interpret::compile(plans, sources, options, diags));
    out << bytes.size() << '\n' << bytes;
    if (!diags.hasErrors())
      parsed.settle(*module);
  }
  std::fputs(diags.renderText().c_str(), stderr);
  return !diags.hasErrors() && out.flush() ? 0 : 1;
}

/// Puts the patterns that save() has written in the place of the compiled ones. False after a report.
static bool substituteAll(const char *path, rw::Registry &registry) {
  std::ifstream in(path, std::ios::binary);
  size_t patterns = 0, size = 0;
  std::string bytes;
  while (in >> size && in.get() == '\n') {
    bytes.resize(size);
    in.read(bytes.data(), std::streamsize(size));
    rw::Result<rw::interpret::Unit> unit = rw::interpret::fromBytes(bytes);
    if (!unit) {
      std::fprintf(stderr, "rw-opt-variant: %s: %s\n", path, unit.error().c_str());
      return false;
    }
    patterns += rw::interpret::substitutePatterns(*std::move(unit), registry);
  }
  if (patterns * 10 >= registry.patterns.all().size() * 8)
    return true;
  std::fprintf(stderr, "rw-opt-variant: %zu of %zu patterns are interpreted\n", patterns,
               registry.patterns.all().size());
  return false;
}

int main(int argc, char **argv) {
  auto isFirst = [&](std::string_view flag) { return argc >= 3 && argv[1] == flag; };
  if (isFirst("--save") && argc == 4)
    return save(argv[3], argv[2]);
  rw::Registry registry;
  rw::registerAll(registry);
  if (isFirst("--interpret")) {
    if (!substituteAll(argv[2], registry))
      return 2;
    argv[2] = argv[0];
    argc -= 2, argv += 2;
  }
  if (isFirst("--each") && argc == 3)
    return runEach(argv[2], registry);
  return rw::optMain(argc, argv, registry);
}
