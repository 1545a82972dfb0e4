// rwc-fuzz: odd .rw texts through the whole compiler, in this process: parse, format, check, plan, merge, emit. With
// --load as `rw-opt --patterns` takes them: loaded, and if they are good, their tests and all their patterns run on
// random programs over the ops they declare, and are asked why they do not match.
//
//   rwc-fuzz [--load] [--runs=N] [--first=N] [--seed=N] [--seconds=N] [--imports=DIR] [--grammar=DIR] [--keep=FILE]
//            FILE_OR_FOLDER…
//
// In:  the .rw files below the folders, and those that goldens hold (`==== file NAME.rw`); the folder with the grammar.
// Out: exit status 0 if the compiler, or what was loaded, survived. A crash ends the program, and so does a run of more
//      than 20 seconds of processor time or 1 GiB; FILE (--keep, default fuzz.rw) then holds the text. Run number N of
//      a seed is always the same text. After every 50,000 runs a line on standard error says how far it is.
#include "../../unit/support/random_program.h"
#include "codegen/emit/emit.h"
#include "codegen/plan/shared_tests.h"
#include "frontend/check/check.h"
#include "frontend/format/format.h"
#include "frontend/parse/parse.h"
#include "rw/infer/infer_shapes.h"
#include "rw/ir/printer.h"
#include "rw/load/load_patterns.h"
#include "rw/passes/pattern_pass.h"
#include "rw/testing/run_tests.h"
#include "texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

using namespace rw;

namespace {

/// A crash for whoever looks for one.
[[noreturn]] void found(const char *what) {
  fmt::print(stderr, "rwc-fuzz: {}\n", what);
  std::abort();
}

/// `rwc --format`: the same words, and nothing left to do the second time.
void format(FileId file, SourceManager &sources, Diagnostics &diags) {
  auto formatted = [&](FileId f, std::vector<std::string> &words) {
    std::string_view text = sources.text(f);
    std::vector<Lexeme> all = lexemes(f, sources, diags);
    for (const Lexeme &each : all)
      if (each.kind != Lexeme::Kind::Comment)
        words.emplace_back(text.substr(each.begin, each.end - each.begin));
    return formatText(text, all);
  };
  std::vector<std::string> words, again;
  std::string text = formatted(file, words);
  FileId second = sources.addText("formatted.rw", text);
  if (!second || formatted(second, again) != text)
    found("formatting what is formatted changes it");
  if (words != again)
    found("formatting changes the words of a text");
}

/// Everything rwc does with a file but writing.
void compile(const std::string &text, const std::vector<std::string> &imports) {
  SourceManager sources;
  Diagnostics diags(sources);
  FileId file = sources.addText("fuzz.rw", text);
  if (!file)
    return;
  std::unique_ptr<ast::Module> tree = parseModule(file, sources, diags);
  if (!diags.hasErrors())
    format(file, sources, diags);
  sema::CheckOptions options;
  options.importDirs = imports;
  options.parse = [&](FileId f) { return parseModule(f, sources, diags); };
  std::unique_ptr<sema::Module> module = sema::check(*tree, options, sources, diags);
  diags.renderText();
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

/// Counts what fires; asks for every reason, if wanted, so that the text of each is made.
struct Listener : RewriteListener {
  bool wantsReasons() const override { return reasons; }
  void noMatch(Op, const char *condition, unsigned) override { length += std::string_view(condition).size(); }
  void patternEnd(const PatternInfo &, bool applied) override { fired += applied; }
  bool reasons = false;
  size_t length = 0, fired = 0;
};

/// Why the pattern does not match at each op of its kinds, as --why-not asks.
void explain(const Function &fn, const NamedPattern &pattern) {
  std::vector<KindId> roots = pattern.pattern->roots(fn.context().ops());
  Listener listener;
  listener.reasons = true;
  std::optional<Function> scratch;
  for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
    const OpData &data = fn.data(OpId(i));
    if (data.flags & kErased || std::ranges::find(roots, data.kind) == roots.end())
      continue;
    if (!scratch)
      scratch.emplace(fn);
    PatternRewriter rewriter(*scratch, &listener);
    rewriter.setExplain(true);
    Op op = scratch->op(OpId(i));
    rewriter.begin(op);
    if (pattern.pattern->matchAndRewrite(op, rewriter) || rewriter.changed())
      scratch.reset();
  }
}

/// What came of the texts.
struct Counts {
  uint64_t good = 0, fired = 0, rewrites = 0;
};

/// What rw-opt does with the files of --patterns. The budgets are small: how long it takes must not depend on luck.
void load(const std::string &text, const std::vector<std::string> &imports, uint64_t seed, const Registry &core,
          Counts &counts) {
  Registry registry = core;
  SourceManager sources;
  Diagnostics diags(sources);
  // As rw-opt has it; now and then the patterns of imports take part, as in `rwc --test`.
  const LoadOptions options{.importDirs = imports, .wholeImports = seed % 4 == 0, .threads = 1};
  std::optional<LoadedPatterns> loaded = loadPatterns({{"fuzz.rw", text}}, options, sources, registry, diags);
  diags.renderText();
  if (!loaded && !diags.hasErrors())
    found("refused without an error");
  if (loaded && diags.hasErrors())
    found("loaded in spite of an error");
  if (!loaded)
    return;
  ++counts.good;
  for (size_t i = loaded->firstTest; i < std::min(registry.tests().size(), loaded->firstTest + 3); ++i)
    runTest(registry, registry.tests()[i]);
  std::vector<const PatternEntry *> entries;
  for (const PatternEntry &entry : registry.patterns.all())
    entries.push_back(&entry);
  if (registry.ops.size() <= size_t(kReturnKind.raw) + 1 || entries.empty() || entries.size() > 200)
    return;
  MadePass pass = makePatternPass(registry, "all", entries, {});
  Listener listener;
  for (uint64_t i = 0; pass && i < 2; ++i) {
    Program program(registry.ops);
    rw::test::RandomPrograms random(seed * 2 + i);
    Function &fn = random.addFunction(program, "main", {.ops = 12, .opaqueOps = false, .oddities = i == 1});
    if (i == 1)
      explain(fn, registry.patterns.make(*entries[seed % entries.size()], registry.ops));
    GreedyRewriteConfig config;
    config.maxIterations = 6;
    config.maxRewrites = 20;
    config.allowFastMath = true;
    config.merge = i == 0;
    listener.reasons = i == 1;
    config.listener = &listener;
    PassContext context{program, registry, config};
    (*pass)->run(fn, context);
    printProgram(program);
  }
  counts.fired += listener.fired > 0;
  counts.rewrites += listener.fired;
}

struct Options {
  bool load = false;
  uint64_t runs = 1000, first = 0, seed = 1, seconds = 0;
  std::string keep = "fuzz.rw", grammar = RW_GRAMMAR_DIR;
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
    else if (arg.starts_with("--grammar="))
      o.grammar = value;
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

/// A file that holds the text which is tried, so that it is there after a crash: written through memory, since a call
/// of the system for each text would cost as much as checking it. Line breaks fill it up.
class Kept {
public:
  explicit Kept(const std::string &path) : path_(path) {
    int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (file >= 0 && !ftruncate(file, kBytes))
      if (void *at = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0); at != MAP_FAILED)
        at_ = static_cast<char *>(at);
    if (file >= 0)
      close(file);
  }
  ~Kept() {
    if (at_)
      munmap(at_, kBytes);
  }
  Kept(const Kept &) = delete;
  Kept &operator=(const Kept &) = delete;

  bool good() const { return at_; }
  void operator=(const std::string &text) {
    const size_t size = std::min(text.size(), kBytes);
    std::copy_n(text.data(), size, at_);
    if (size < last_)
      std::fill(at_ + size, at_ + last_, '\n');
    last_ = size;
  }
  void remove() const { std::filesystem::remove(path_); }

private:
  static constexpr size_t kBytes = 1 << 20;
  std::string path_;
  char *at_ = nullptr;
  size_t last_ = kBytes;
};

/// The program ends, with SIGPROF, if it works for longer than this from now on; 0: no matter how long.
void limit(unsigned seconds) {
  const itimerval timer{{}, {time_t(seconds), 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

/// Of the texts of --load, this share are whole files: these bring all that they import.
constexpr unsigned kOneInWhole = 50;

int run(const Options &o, const fuzz::Sentences &sentences) {
  fuzz::Corpus corpus(o.paths, o.imports, o.load ? 3000 : 6000);
  if (corpus.empty()) {
    fmt::print(stderr, "rwc-fuzz: no .rw text to start from\n");
    return 2;
  }
  fuzz::Texts texts(corpus, sentences);
  Kept kept(o.keep);
  if (!kept.good()) {
    fmt::print(stderr, "rwc-fuzz: {} cannot be written\n", o.keep);
    return 2;
  }
  Registry core;
  registerCorePasses(core);
  registerInferencePasses(core);
  auto start = std::chrono::steady_clock::now();
  uint64_t run = o.first, slowest = 0;
  Counts counts;
  double longest = 0;
  for (; o.seconds || run < o.first + o.runs; ++run) {
    auto begin = std::chrono::steady_clock::now();
    if (o.seconds && begin - start > std::chrono::seconds(o.seconds))
      break;
    fuzz::Random random(o.seed * 1'000'003 + run);
    std::string text = fuzz::below(random, o.load ? kOneInWhole : 2) ? texts.likely(random) : texts.damaged(random);
    kept = text;
    limit(20);
    if (o.load)
      load(text, o.imports, run, core, counts);
    else
      compile(text, o.imports);
    limit(0);
    double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (took > longest)
      longest = took, slowest = run;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    if (usage.ru_maxrss > 1 << 20) {
      fmt::print(stderr, "rwc-fuzz: run {} of seed {} needs {} MiB; its text is in {}\n", run, o.seed,
                 usage.ru_maxrss >> 10, o.keep);
      return 1;
    }
    if (uint64_t done = run - o.first + 1; done % 50000 == 0)
      fmt::print(stderr, "{} runs in {:.0f} s\n", done,
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  kept.remove();
  fmt::print("{} runs from {} texts and {} declarations; the longest, {}, took {:.2f} s\n", run - o.first,
             corpus.texts(), corpus.declarations(), slowest, longest);
  if (o.load)
    fmt::print("{} were good and ran, {} of them rewrote the programs, {} rewrites\n", counts.good, counts.fired,
               counts.rewrites);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Options o;
  if (!read(argc, argv, o)) {
    fmt::print(stderr, "usage: rwc-fuzz [--load] [--runs=N] [--first=N] [--seed=N] [--seconds=N] [--imports=DIR] "
                       "[--grammar=DIR] [--keep=FILE] "
                       "FILE_OR_FOLDER…\n");
    return 2;
  }
  std::optional<fuzz::Sentences> sentences;
  try {
    sentences.emplace(o.grammar);
  } catch (const std::runtime_error &problem) {
    fmt::print(stderr, "rwc-fuzz: {}\n", problem.what());
    return 2;
  }
  return run(o, *sentences);
}
