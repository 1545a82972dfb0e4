// PassManager: runs a pipeline over a program, checks it, and tells what happened.
//
// In:  pipeline text or passes, a program, options.
// Out: the rewritten program, and one record per pass and function in the order they ran.
// Elsewhere: pipeline text is pipeline.h; passes are pass.h. A pass that fails is reported and rolled back, and the
//            next one runs; with `strict` everything stops there, the program as it was before the failing pass.
//
//   PassManager pm(registry);
//   if (!pm.parse("canonicalize,repeat(4){cse,dce}", sources, diags)) …
//   PassManagerResult result = pm.run(program, {.verifyEach = true});
//   fputs(renderStatistics(result).c_str(), stdout);
#pragma once

#include "rw/passes/pipeline.h"

namespace rw {

/// What one run of a pass over one function did.
struct PassRecord {
  std::string pass, function;
  unsigned depth = 0; // of repetitions around it
  bool changed = false, failed = false;
  std::string message; // why it failed and was rolled back, or a remark
  uint64_t rewrites = 0, folds = 0, erased = 0;
  uint64_t nanoseconds = 0;
  uint64_t opsBefore = 0, opsAfter = 0;
  struct PatternUse {
    std::string name;
    PatternCounters counters;
  };
  std::vector<PatternUse> patterns; // those that were tried
};

struct PassManagerResult {
  bool changed = false;
  bool failed = false;  // some pass failed
  bool stopped = false; // and `strict` stopped there
  std::vector<PassRecord> records;
  std::vector<std::string> remarks; // repetitions that stopped at their bound
  /// Counters of each pattern over all passes and functions, in the order they were first tried.
  std::vector<PassRecord::PatternUse> patterns;
};

struct PassManagerOptions {
  GreedyRewriteConfig rewriteConfig; // for passes made of patterns
  bool verifyEach = false;           // verify after each pass that changed something
  bool strict = false;
  /// Called before each run of a pass, and after it with what it did.
  std::function<void(std::string_view pass, Function &)> beforePass;
  std::function<void(const PassRecord &, Function &)> afterPass;
};

class PassManager {
public:
  explicit PassManager(const Registry &registry) : registry_(registry) {}

  /// Appends the passes of a pipeline text; `name` is what diagnostics call the text.
  bool parse(std::string_view text, SourceManager &, Diagnostics &, std::string name = "<pipeline>");
  void add(std::unique_ptr<FunctionPass> pass);
  const std::vector<PipelineItem> &items() const { return items_; }

  PassManagerResult run(Program &, const PassManagerOptions & = {});

private:
  const Registry &registry_;
  std::vector<PipelineItem> items_;
};

/// Tables for people: per pass and per pattern (only patterns that applied). Times only if asked: they differ from
/// run to run.
std::string renderStatistics(const PassManagerResult &, bool withTimes = false);

} // namespace rw
