// rwc-fuzz: damaged .rw files through the whole compiler, in this process: parse, check, plan, merge, emit, format. With --load
// as `rw-opt --patterns` takes them: loaded, and if they are good, their tests and all their patterns run on random programs over
// the ops they declare.
//
//   rwc-fuzz [--load] [--runs=N] [--first=N] [--seed=N] [--seconds=N] [--imports=DIR] [--keep=FILE] FILE_OR_FOLDER…
//
// In:  the .rw files below the folders, and those that goldens hold (`==== file NAME.rw`).
// Out: exit status 0 if the compiler, or what was loaded, survived. A crash ends the program, and so does a run of more than 20 seconds or 1 GiB; FILE
//      (--keep, default fuzz.rw) then holds the text. Run number N of a seed is always the same text.
#include "codegen/emit/emit.h"
#include "codegen/plan/shared_tests.h"
#include "frontend/parse/parse.h"
#include "frontend/sema/check.h"
#include "rw/infer/infer_shapes.h"
#include "rw/ir/printer.h"
#include "rw/load/load_patterns.h"
#include "rw/passes/pattern_pass.h"
#include "rw/testing/run_tests.h"
#include "../../unit/support/random_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace rw;
using Random = std::mt19937_64;
using Tokens = std::vector<std::string>;

namespace {

size_t below(Random &random, size_t n) { return n ? random() % n : 0; }

/// Words, numbers, strings, spaces and single signs, in order; together they are the text.
Tokens split(const std::string &text) {
  Tokens out;
  auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (isWord(text[i]))
      while (end < text.size() && isWord(text[end]))
        ++end;
    else if (text[i] == '"')
      end = std::min(text.find_first_of("\"\n", end), text.size() - 1) + 1;
    out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

void addFile(const fs::path &path, std::vector<Tokens> &corpus) {
  std::ifstream in(path);
  std::stringstream stream;
  stream << in.rdbuf();
  std::string text = stream.str();
  if (path.extension() == ".rw")
    return corpus.push_back(split(text));
  for (size_t at = 0; (at = text.find("==== file ", at)) != std::string::npos;) {
    size_t line = text.find('\n', at), end = std::min(text.find("\n==== ", line), text.size());
    if (line != std::string::npos && text.substr(at, line - at).ends_with(".rw"))
      corpus.push_back(split(text.substr(line + 1, end - line)));
    at = end;
  }
}

std::vector<Tokens> collect(const std::vector<std::string> &paths, size_t most) {
  std::vector<fs::path> files;
  for (const std::string &path : paths)
    if (fs::is_directory(path))
      for (const auto &entry : fs::recursive_directory_iterator(path)) {
        if (entry.path().extension() == ".rw" || entry.path().extension() == ".golden")
          files.push_back(entry.path());
      }
    else
      files.push_back(path);
  std::ranges::sort(files); // the same runs on every machine
  std::vector<Tokens> corpus;
  for (const fs::path &file : files)
    addFile(file, corpus);
  std::erase_if(corpus, [&](const Tokens &t) { return t.empty() || t.size() > most; });
  return corpus;
}

/// What can stand where the token stands, roughly.
int kindOf(const std::string &token) {
  unsigned char c = static_cast<unsigned char>(token[0]);
  return std::isdigit(c) ? 1 : std::isalpha(c) || c == '_' ? 2 : c == '"' ? 3 : std::isspace(c) ? 4 : std::string_view("+-*/%<>").find(token[0]) != std::string_view::npos ? 5 : 6;
}

/// A few tokens exchanged for others of their kind: most texts stay good.
std::string varied(const std::vector<Tokens> &corpus, Random &random) {
  static const char *const numbers[] = {"0", "1", "2", "9223372036854775807", "65536", "1e400", "0.0", "1000000"};
  Tokens t = corpus[below(random, corpus.size())];
  bool words = below(random, 3) == 0;
  for (size_t edits = below(random, 3), tries = 0; edits > 0 && tries < 200; ++tries) {
    size_t at = below(random, t.size()), from = below(random, t.size());
    int kind = kindOf(t[at]);
    if (kind == 4 || kind == 6 || (kind == 2 && !words) || kindOf(t[from]) != kind || t[at] == t[from])
      continue;
    t[at] = kind == 1 && below(random, 2) ? numbers[below(random, std::size(numbers))] : t[from];
    --edits;
  }
  std::string text;
  for (const std::string &token : t)
    text += token;
  return text;
}

std::string damaged(const std::vector<Tokens> &corpus, Random &random) {
  static const char *const extremes[] = {"0", "-1", "9223372036854775807", "9223372036854775808", "1e400", "0.0", "\"\"", "[]", "[[]]", "?", "_",
                                         "...", "==", "=>", "where", "each", "single", "ordered", "private", "<<", ">>", "&", "|", "^", "fastmath(", "is", "not", "*", "+", "x", "tensor", "constant", "for"};
  Tokens t = corpus[below(random, corpus.size())];
  for (size_t edits = 1 + below(random, 6); edits > 0 && !t.empty(); --edits) {
    size_t at = below(random, t.size()), length = 1 + below(random, below(random, 4) ? 4 : 60);
    auto first = t.begin() + long(at), last = t.begin() + long(std::min(at + length, t.size()));
    const Tokens &other = below(random, 2) ? t : corpus[below(random, corpus.size())];
    size_t from = below(random, other.size());
    Tokens piece(other.begin() + long(from), other.begin() + long(std::min(from + length, other.size())));
    switch (below(random, 7)) {
    case 0: t.erase(first, last); break;
    case 1: t.insert(first, piece.begin(), piece.end()); break;
    case 2: std::ranges::copy(piece.begin(), piece.begin() + std::min(last - first, long(piece.size())), first); break;
    case 3: std::swap(t[at], t[below(random, t.size())]); break;
    case 4: *first = extremes[below(random, std::size(extremes))]; break;
    case 5: { // one name becomes another everywhere
      std::string name = t[at], with = t[below(random, t.size())];
      std::ranges::replace(t, name, with);
      break;
    }
    default: // nested, to find what grows with depth
      for (size_t n = below(random, 3) ? 3 : 300; n > 0 && t.size() < 20000; --n)
        t.insert(t.begin() + long(at), piece.begin(), piece.begin() + long(std::min<size_t>(piece.size(), 8)));
    }
  }
  std::string text;
  for (const std::string &token : t)
    text += token;
  return text;
}

/// Everything rwc does with a file but writing.
void compile(const std::string &text, const std::vector<std::string> &imports) {
  SourceManager sources;
  Diagnostics diags(sources);
  FileId file = sources.addText("fuzz.rw", text);
  if (!file)
    return;
  std::unique_ptr<ast::Module> tree = parseModule(file, sources, diags);
  sema::CheckOptions options;
  options.importDirs = imports;
  options.parse = [&](FileId f) { return parseModule(f, sources, diags); };
  std::unique_ptr<sema::Module> module = sema::check(*tree, options, sources, diags);
  if (diags.hasErrors())
    return;
  plan::Module plans = plan::buildPlans(*module, sources, diags);
  if (diags.hasErrors())
    return;
  plan::dump(plans);
  for (const plan::MatchPlan &plan : plans.plans)
    plan::sharedTests(plan, *plans.source);
  for (bool lineDirectives : {false, true}) {
    emit::EmitOptions emitOptions;
    emitOptions.importDirs = imports;
    emitOptions.lineDirectives = lineDirectives;
    emit::emitCpp(plans, sources, emitOptions, diags);
  }
}

/// Asks for every reason, so that the text of each is made.
struct Reasons : RewriteListener {
  bool wantsReasons() const override { return true; }
  void noMatch(Op, const char *condition, unsigned) override { length += std::string_view(condition).size(); }
  size_t length = 0;
};

/// What rw-opt does with the files of --patterns. The budgets are small: how long it takes must not depend on luck. Whether the
/// file was good.
bool load(const std::string &text, const std::vector<std::string> &imports, uint64_t seed) {
  Registry registry;
  registerCorePasses(registry);
  registerInferencePasses(registry);
  SourceManager sources;
  Diagnostics diags(sources);
  std::optional<LoadedPatterns> loaded = loadPatterns({{"fuzz.rw", text}}, {.importDirs = imports, .wholeImports = true}, sources, registry, diags);
  if (!loaded) {
    diags.renderText();
    if (!diags.hasErrors()) {
      fmt::print(stderr, "rwc-fuzz: refused without an error\n");
      std::abort();
    }
    return false;
  }
  for (size_t i = loaded->firstTest; i < std::min(registry.tests().size(), loaded->firstTest + 2); ++i)
    runTest(registry, registry.tests()[i]);
  std::vector<const PatternEntry *> entries;
  for (const PatternEntry &entry : registry.patterns.all())
    entries.push_back(&entry);
  if (registry.ops.size() <= size_t(kReturnKind.raw) + 1 || entries.empty() || entries.size() > 200)
    return true;
  std::string error;
  std::unique_ptr<FunctionPass> pass = makePatternPass(registry, "all", entries, {}, error);
  for (uint64_t i = 0; pass && i < 2; ++i) {
    Program program(registry.ops);
    rw::test::RandomPrograms random(seed * 2 + i);
    Function &fn = random.addFunction(program, "main", {.ops = 15, .opaqueOps = false, .oddities = i == 1});
    Reasons reasons;
    GreedyRewriteConfig config;
    config.maxIterations = 10;
    config.maxRewrites = 30;
    config.allowFastMath = true;
    config.merge = i == 0;
    config.listener = i == 1 ? &reasons : nullptr;
    PassContext context{program, registry, config};
    pass->run(fn, context);
    printProgram(program);
  }
  return true;
}

struct Options {
  bool load = false;
  uint64_t runs = 1000, first = 0, seed = 1, seconds = 0;
  std::string keep = "fuzz.rw";
  std::vector<std::string> imports;
  std::vector<std::string> paths;
};

bool read(int argc, char **argv, Options &o) {
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    size_t equals = arg.find('=');
    std::string value = equals == std::string::npos ? "" : arg.substr(equals + 1);
    if (!arg.starts_with("--"))
      o.paths.push_back(arg);
    else if (arg == "--load")
      o.load = true;
    else if (arg.starts_with("--imports="))
      o.imports.push_back(value);
    else if (arg.starts_with("--keep="))
      o.keep = value;
    else if (uint64_t *number = arg.starts_with("--runs=")      ? &o.runs
                                : arg.starts_with("--first=")   ? &o.first
                                : arg.starts_with("--seed=")    ? &o.seed
                                : arg.starts_with("--seconds=") ? &o.seconds
                                                                : nullptr)
      *number = std::strtoull(value.c_str(), nullptr, 10);
    else
      return false;
  }
  return !o.paths.empty();
}

} // namespace

int main(int argc, char **argv) {
  Options o;
  if (!read(argc, argv, o)) {
    fmt::print(stderr, "usage: rwc-fuzz [--load] [--runs=N] [--first=N] [--seed=N] [--seconds=N] [--imports=DIR] [--keep=FILE] FILE_OR_FOLDER…\n");
    return 2;
  }
  std::vector<Tokens> corpus = collect(o.paths, o.load ? 3000 : 6000);
  if (corpus.empty()) {
    fmt::print(stderr, "rwc-fuzz: no .rw text to start from\n");
    return 2;
  }
  auto start = std::chrono::steady_clock::now();
  uint64_t run = o.first, slowest = 0, good = 0;
  double longest = 0;
  for (; o.seconds || run < o.first + o.runs; ++run) {
    auto begin = std::chrono::steady_clock::now();
    if (o.seconds && begin - start > std::chrono::seconds(o.seconds))
      break;
    Random random(o.seed * 1'000'003 + run);
    std::string text = o.load && below(random, 3) ? varied(corpus, random) : damaged(corpus, random);
    std::ofstream(o.keep) << text;
    alarm(20); // ends the program
    if (o.load)
      good += load(text, o.imports, run);
    else
      compile(text, o.imports);
    alarm(0);
    double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (took > longest)
      longest = took, slowest = run;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    if (usage.ru_maxrss > 1 << 20) {
      fmt::print(stderr, "rwc-fuzz: run {} of seed {} needs {} MiB; its text is in {}\n", run, o.seed, usage.ru_maxrss >> 10, o.keep);
      return 1;
    }
  }
  fs::remove(o.keep);
  fmt::print("{} runs from {} texts; the longest, {}, took {:.2f} s\n", run - o.first, corpus.size(), slowest, longest);
  if (o.load)
    fmt::print("{} files were good and ran\n", good);
}
