// Random patterns, compiled and from their source: one meaning.
//
//   random_patterns FOLDER        the folder that generate.py has written
//
// In:  random_N.rw, of which this program has the compiled patterns; random_N.rwir.
// Out: for each program the pipeline of its set is run with the compiled patterns and with the same files loaded. What
//      comes out, which pattern fired where in which order, what is reported and why patterns do not match must be the
//      same; so must a run that tries patterns one by one, and one that nobody listens to. Differences go to standard
//      error, with exit status 1; FOLDER/fired.tsv says how often each pattern was applied.
#include "random_ops_register.h"
#include "random_sets_register.h"
#include "rw/infer/infer_shapes.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/load/load_patterns.h"
#include "rw/opt/why_not.h"
#include "rw/passes/pass_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

namespace fs = std::filesystem;
using namespace rw;

namespace {

/// What a run did, as text.
struct Log final : RewriteListener {
  std::string text;
  std::map<std::string, uint64_t> applied;
  std::string at;
  void patternBegin(const PatternInfo &, Op root) override { at = root.fullName(); }
  void patternEnd(const PatternInfo &pattern, bool fired) override {
    if (!fired)
      return;
    ++applied[std::string(pattern.name)];
    text += fmt::format("{} at {}\n", pattern.name, at);
  }
  void folding(Op op) override { text += fmt::format("fold {}\n", op.fullName()); }
};

struct Outcome {
  std::string program, log, report;
  bool operator==(const Outcome &) const = default;
};

struct Tester {
  Registry compiled, loaded;
  std::map<std::string, uint64_t> applied;
  uint64_t programs = 0, rewrites = 0, changed = 0, reasons = 0, differences = 0, unreadable = 0;

  std::unique_ptr<Program> read(const std::string &text, const Registry &registry, std::string &problem) {
    SourceManager sources;
    Diagnostics diags(sources);
    std::unique_ptr<Program> program =
        parseProgram(sources.addText("random.rwir", text), sources, diags, registry.ops, {.checkTypes = false});
    problem = diags.renderText();
    return program;
  }

  Outcome run(const std::string &text, const std::string &pipeline, const Registry &registry, bool listen, bool merge) {
    Outcome out;
    std::unique_ptr<Program> program = read(text, registry, out.report);
    if (!program)
      return out;
    SourceManager sources;
    Diagnostics diags(sources);
    PassManager manager(registry);
    if (!manager.parse(pipeline, sources, diags)) {
      out.report = diags.renderText();
      return out;
    }
    Log log;
    PassManagerOptions options;
    options.rewriteConfig.listener = listen ? &log : nullptr;
    options.rewriteConfig.merge = merge;
    PassManagerResult result = manager.run(*program, options);
    out.program = printProgram(*program);
    out.log = log.text;
    out.report = fmt::format("changed {}, failed {}\n{}", result.changed, result.failed, renderStatistics(result));
    for (const PassWarning &warning : result.warnings)
      out.report += warning.message + "\n";
    for (const PassRecord &record : result.records)
      out.report += record.message + "\n";
    for (const auto &[name, count] : log.applied)
      if (&registry == &compiled)
        applied[name] += count, rewrites += count;
    return out;
  }

  void compare(const std::string &what, const std::string &text, const std::string &a, const std::string &b) {
    if (a == b)
      return;
    if (++differences <= 20)
      std::cerr << fmt::format("---- {}\n{}\n-- compiled\n{}\n-- and\n{}\n", what, text, a, b);
  }

  std::string whyNot(const std::string &text, const std::string &pattern, const Registry &registry) {
    std::string out;
    std::unique_ptr<Program> program = read(text, registry, out);
    if (!program)
      return out;
    SourceManager sources;
    Diagnostics diags(sources);
    opt::Options options;
    options.whyNot = pattern;
    options.fastmath = rw::FastMath::every();
    opt::explainNoMatch(*program, registry, options, diags, [&](std::string_view line) { out += line; });
    return out + diags.renderText();
  }

  void test(const std::string &text, const std::string &set, const std::vector<std::string> &patterns) {
    std::string problem;
    if (!read(text, compiled, problem)) { // a type that does not follow
      ++unreadable;
      return;
    }
    ++programs;
    std::string pipeline = "run" + set;
    Outcome outcome = run(text, pipeline, compiled, true, true), other = run(text, pipeline, loaded, true, true);
    compare("rewrites of " + pipeline, text, outcome.log, other.log);
    compare("result of " + pipeline, text, outcome.program, other.program);
    compare("report of " + pipeline, text, outcome.report, other.report);
    changed += !outcome.log.empty();
    compare("result of " + pipeline + " without merging", text, outcome.program,
            run(text, pipeline, compiled, false, false).program);
    compare("result of " + pipeline + " without a listener", text, outcome.program,
            run(text, pipeline, loaded, false, true).program);
    for (size_t i = 0; i < patterns.size(); ++i)
      if ((i + programs) % 4 == 0) {
        std::string reason = whyNot(text, patterns[i], compiled);
        reasons += size_t(std::count(reason.begin(), reason.end(), '\n'));
        compare("reasons of " + patterns[i], text, reason, whyNot(text, patterns[i], loaded));
      }
  }
};

std::string contents(const fs::path &path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::cerr << "usage: random_patterns FOLDER [FILE]\n";
    return 2;
  }
  fs::path folder = argv[1];
  Tester tester;
  registerCorePasses(tester.compiled);
  registerCorePasses(tester.loaded);
  test::random_ops::register_random_ops(tester.compiled);
  test::random::register_random_sets(tester.compiled);
  std::vector<PatternSource> files;
  for (size_t i = 0; fs::exists(folder / fmt::format("random_{}.rw", i)); ++i)
    files.push_back({(folder / fmt::format("random_{}.rw", i)).string()});
  SourceManager sources;
  Diagnostics diags(sources);
  if (!loadPatterns(files, {.importDirs = {RW_RANDOM_OPS}, .wholeImports = true}, sources, tester.loaded, diags)) {
    std::cerr << diags.renderText();
    return 1;
  }
  std::map<std::string, std::vector<std::string>> patterns;
  for (const PassEntry &pass : tester.compiled.passes())
    if (pass.name.starts_with("set")) {
      std::vector<const PatternEntry *> entries = *tester.compiled.patternsOf(pass);
      for (const PatternEntry *entry : entries)
        patterns[pass.name.substr(3)].emplace_back(entry->info.name);
    }
  for (const PatternSource &file : files) {
    std::string text = contents(fs::path(file.path).replace_extension(".rwir"));
    for (size_t at = text.find("func @set"); at < text.size();) {
      size_t end = std::min(text.find("\nfunc @set", at), text.size());
      std::string one = text.substr(at, end - at);
      std::string name = one.substr(9, one.find('(') - 9), set = name.substr(0, name.rfind('_'));
      tester.test(one, set, patterns[set]);
      at = end + 1;
    }
  }
  std::ofstream fired(folder / "fired.tsv");
  for (const auto &[name, count] : tester.applied)
    fired << name << '\t' << count << '\n';
  std::cout << fmt::format(
      "{} programs, {} of them rewritten, {} rewrites, {} patterns fired, {} reasons, {} differences\n",
      tester.programs, tester.changed, tester.rewrites, tester.applied.size(), tester.reasons, tester.differences);
  return tester.differences || tester.programs < 10 * tester.unreadable || tester.changed * 3 < tester.programs;
}
