#include "rw/opt/opt_main.h"

#include "rw/interp/constant_folder.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"
#include "rw/opt/check.h"
#include "rw/opt/lists.h"
#include "rw/opt/model_file.h"
#include "rw/opt/options.h"
#include "rw/opt/report.h"
#include "rw/passes/pass_manager.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace rw {
namespace {
using namespace opt;

/// One run of the tool: its parts share sources, diagnostics and the streams.
class OptRun {
public:
  OptRun(const Options &options, const Registry &registry) : options_(options), registry_(registry) {}
  int run();

private:
  bool execute(ModelFile &model);
  void report(Program &, const OpHistogram &before, const PassManagerResult &);
  /// Where people read: standard output unless the program itself goes there.
  FILE *console() const { return programToStdout_ ? stderr : stdout; }
  void print(std::string_view text) const { fwrite(text.data(), 1, text.size(), console()); }
  int fail() {
    std::string text = diags_.renderText(isatty(STDERR_FILENO));
    fwrite(text.data(), 1, text.size(), stderr);
    return 1;
  }

  const Options &options_;
  const Registry &registry_;
  SourceManager sources_;
  Diagnostics diags_{sources_};
  bool programToStdout_ = false;
};

int OptRun::run() {
  if (options_.listsOnly()) {
    std::string text = describeRegistry(registry_, options_);
    fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  }
  std::unique_ptr<ModelFile> model = loadModel(options_.input, registry_.ops, sources_, diags_);
  if (!model || diags_.hasErrors())
    return fail();
  if (!canSave(*model, options_.output, diags_))
    return fail();
  bool quiet = options_.output.empty() && model->format() == "rwir";
  programToStdout_ = quiet || options_.output == "-";
  if (!verifyProgram(model->program(), diags_))
    return fail();
  if (!execute(*model))
    return fail();
  if (programToStdout_ || !options_.output.empty())
    if (!model->save(programToStdout_ ? "-" : options_.output, diags_))
      return fail();
  std::string warnings = diags_.renderText(isatty(STDERR_FILENO));
  fwrite(warnings.data(), 1, warnings.size(), stderr);
  return 0;
}

bool OptRun::execute(ModelFile &model) {
  Program &program = model.program();
  PassManager manager(registry_);
  std::string pipeline = options_.pipeline.value_or(std::string(model.defaultPipeline()));
  if (!manager.parse(pipeline, sources_, diags_, "--pipeline"))
    return false;
  PatternFilter filter{options_.disabledPatterns, options_.onlyPatterns};
  std::string reason;
  if (!checkFilter(filter, registry_, reason)) {
    diags_.errorInFile("unknown-pattern", "command line", reason);
    return false;
  }

  OpHistogram before = countOps(program);
  std::optional<Program> original;
  if (options_.check)
    original.emplace(program.clone());
  InterpreterFolder folder(model.opsetVersion());
  std::string log;
  RewriteLog rewriteLog(log);
  PassManagerOptions run;
  run.verifyEach = options_.verifyEach;
  run.strict = options_.strict;
  run.rewriteConfig.folder = &folder;
  run.rewriteConfig.filter = filter.empty() ? nullptr : &filter;
  run.rewriteConfig.allowFastMath = options_.fastmath;
  if (options_.expensiveChecks)
    run.rewriteConfig.expensiveChecks = *options_.expensiveChecks;
  uint64_t budget = options_.maxRewrites;
  if (budget)
    run.rewriteConfig.sharedBudget = &budget;
  if (options_.logRewrites)
    run.rewriteConfig.listener = &rewriteLog;
  run.afterPass = [&](const PassRecord &record, Function &fn) {
    print(log);
    log.clear();
    if (options_.printAfterChange && record.changed)
      print(fmt::format("// after {}\n{}", record.pass, printFunction(fn)));
  };
  PassManagerResult result = manager.run(program, run);
  for (const PassRecord &record : result.records)
    if (record.failed)
      diags_.warningInFile("pass-failed", options_.input,
                           fmt::format("{} failed in @{} and was undone: {}", record.pass, record.function, record.message));
  for (const std::string &remark : result.remarks)
    diags_.warningInFile("not-converged", options_.input, remark);
  if (result.stopped) {
    diags_.errorInFile("pass-failed", options_.input, "stopped at the failing pass, as --strict says; nothing was written");
    return false;
  }
  if (!verifyProgram(program, diags_))
    return false;
  report(program, before, result);
  return !original || checkAgreement(*original, program, options_, model.opsetVersion(), diags_, [&](std::string_view text) { print(text); });
}

void OptRun::report(Program &program, const OpHistogram &before, const PassManagerResult &result) {
  OpHistogram after = countOps(program);
  bool summary = !programToStdout_ || options_.stats;
  if (options_.stats)
    print(describeChange(before, after));
  if (options_.stats || options_.timing)
    print(renderStatistics(result, options_.timing));
  else if (summary) {
    std::string text = fmt::format("{} ops, {} after\n", totalOf(before), totalOf(after));
    for (const PassRecord::PatternUse &use : result.patterns)
      if (use.counters.applied)
        text += fmt::format("  {:>6} x {}\n", use.counters.applied, use.name);
    print(text);
  }
}
} // namespace

int optMain(int argc, char **argv, const Registry &registry) {
  Options options;
  if (std::optional<int> status = parseOptions(argc, argv, options))
    return *status;
  return OptRun(options, registry).run();
}

} // namespace rw
