// PassManager: runs a pipeline over a program, checks it, and tells what happened.
//
// In:  pipeline text or passes, a program, options.
// Out: the rewritten program, and one record per pass and function in the order they ran.
// Elsewhere: pipeline text is pipeline.h; passes are pass.h. A pass that fails is reported and rolled back, and the
//            next one runs; with `strict` everything stops there, the program as it was before the failing pass. One
//            that stops at its budget is a warning and does not run again on that function; with `strict` everything
//            stops there, too.
//
//   PassManager pm(registry);
//   if (!pm.parse("canonicalize,repeat(4){cse,dce}", sources, diags)) …
//   PassManagerResult result = pm.run(program, {.verifyEach = true});
//   fputs(renderStatistics(result).c_str(), stdout);
#pragma once

#include "rw/passes/knobs.h"
#include "rw/passes/late_overrides.h"
#include "rw/passes/pipeline.h"
#include "rw/trace/trace.h"

namespace rw {

/// What one run of a pass over one function did; behind the first ten thousand, all further ones of that pass on that
/// function with the same message.
struct PassRecord {
  std::string pass, function;
  unsigned depth = 0; // of repetitions around it
  bool changed = false, failed = false;
  std::string message; // why it failed and was rolled back, or a remark
  std::string stateOf; // PassResult::stateOf: of one function and state only the last message is kept
  uint64_t rewrites = 0, folds = 0, erased = 0;
  uint64_t nanoseconds = 0;
  uint64_t opsBefore = 0, opsAfter = 0;
  struct PatternUse {
    std::string name;
    PatternCounters counters;
  };
  std::vector<PatternUse> patterns; // those that were tried
  uint64_t runs = 1;

  /// Another run of the same pass on the same function, with the same message.
  void add(const PassRecord &);
};

/// How long one item of the pipeline took, over all rounds and functions.
struct PassTiming {
  std::string name; // of the pass, or "repeat(4)"
  unsigned depth = 0;
  uint64_t runs = 0, nanoseconds = 0;
};

struct PassManagerResult {
  bool changed = false;
  bool failed = false; // some pass failed
  // and `strict` stopped there, or at one that does not come to an end; or a pass does all or nothing
  bool stopped = false;
  std::vector<PassError> errors; // of such a pass
  std::string reproducerError;   // the reproducer could not be written
  std::vector<PassRecord> records;
  std::vector<std::string> remarks;   // repetitions that stopped at their bound, or went in a circle
  std::vector<PassWarning> warnings;  // of passes, each once
  std::vector<HeldBack> needFastmath; // patterns that might not run without, each once
  /// Counters of each pattern over all passes and functions: in the order of the passes that they first applied in and
  /// of the sets there.
  std::vector<PassRecord::PatternUse> patterns;
  std::vector<PassTiming> timing; // of the items in the order of the pipeline's text, those of a repetition after it
};

struct PassManagerOptions {
  GreedyRewriteConfig rewriteConfig; // for passes made of patterns
  bool verifyEach = false;           // verify after each pass that changed something
  bool strict = false;
  /// On how many threads functions are worked on, several of one program at once. What comes out is the same on any
  /// number, unless a bound of `makeFolder`'s folders is reached, each of which counts for one function. What watches
  /// the run (a listener, a trace, the hooks below, late overrides, a reproducer) and budgets that functions share keep
  /// it on one thread, and so do passes that look at more than a function.
  unsigned threads = 1;
  /// Makes a folder like `rewriteConfig.folder` for one more function; with none, a run with a folder is on one thread.
  std::function<std::unique_ptr<ConstantFolder>()> makeFolder;
  unsigned mostRounds = kMaxRepetitions; // of all repetitions together, and at least one of each
  /// Follows what the passes replace, and is taken back with a pass that is rolled back.
  LateOverrides *lateOverrides = nullptr;
  /// Called before each run of a pass, and after it with what it did.
  std::function<void(std::string_view pass, Function &)> beforePass;
  std::function<void(const PassRecord &, Function &)> afterPass;
  /// If not empty: before each pass the file is written that replays it (reproducer.h) with these settings. It stays
  /// if the process dies in a pass, strict stops at one, or, with the reason, for the first that fails; else it is
  /// removed.
  std::string reproducer;
  std::vector<std::pair<std::string, std::string>> reproducerSettings;
  /// Told of the run, beside the sink installed for the thread; and what its events say of the run. Graph, target and
  /// pipeline are filled in if they are empty.
  TraceSink *trace = nullptr;
  TraceRun traceRun;
  /// The run of which this is a part: events then go there, and it is left unfinished.
  ProgramTrace *within = nullptr;
};

class PassManager {
public:
  explicit PassManager(const Registry &registry, PipelineSettings settings = {})
      : registry_(registry), settings_(settings) {}

  /// Appends the passes of a pipeline text; `name` is what diagnostics call the text.
  bool parse(std::string_view text, SourceManager &, Diagnostics &, std::string name = "<pipeline>");
  void add(std::unique_ptr<FunctionPass> pass);
  const std::vector<PipelineItem> &items() const { return items_; }

  PassManagerResult run(Program &, const PassManagerOptions & = {});

private:
  const Registry &registry_;
  PipelineSettings settings_;
  std::vector<PipelineItem> items_;
};

/// The warnings as diagnostics of `file`; errors where `strict` stopped the run at one.
void reportWarnings(const PassManagerResult &, std::string_view file, Diagnostics &);
/// Tables for people: per pass and per pattern (only patterns that applied). Times only if asked: they differ from
/// run to run.
std::string renderStatistics(const PassManagerResult &, bool withTimes = false);
/// The timing as a tree: milliseconds, share of the whole, runs, item.
std::string renderTiming(const PassManagerResult &);

} // namespace rw
