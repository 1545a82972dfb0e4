// The recipe "optimise a program": what happens between reading a program and writing it, whoever asks for it.
//
// In:  a program, a registry, options; the pipeline, if options name none.
// Out: the program after the passes, its types inferred anew and verified; or diagnostics.
// Elsewhere: an ONNX file to another one is rw/onnx/optimize.h; the command line around it rw/opt.
//
// The whole in one call:
//
//   Registry registry;
//   registerAll(registry);
//   std::optional<PassManagerResult> done = optimizeProgram(program, registry, {.pipeline = "default"}, diags);
//   for (const auto &use : done->patterns) print(use.name, use.counters.applied);
//
// Or its steps, for who does something in between, as rw-opt does:
//
//   Optimizer optimizer(registry, options);
//   if (!optimizer.readPipeline(sources, diags)) return;           // before the program is there
//   if (!optimizer.readDefault("onnx", sources, diags)) return;    // what runs if options name no pipeline
//   optimizer.measure(program, opset);
//   PassManagerResult result = optimizer.run(program);
//   if (reportRun(result, file, "", diags)) finishProgram(program, result.changed, overrides, trace, file, diags);
#pragma once

#include "rw/passes/late_overrides.h"
#include "rw/passes/pass_manager.h"

namespace rw {

struct OptimizeOptions {
  std::optional<std::string> pipeline; // none: what is usual for the program's format
  PipelineSettings settings;           // rounds of loops, a backend
  /// Names, globs, `label:NAME`. Without a pipeline, those of `only` that no pass of the usual one holds run, too.
  PatternFilter filter;
  std::string_view askedIn = "command line"; // what diagnostics call the place of the names of `filter`
  /// Patterns that are right over the reals alone, and take no more than this, may run in every pass, and in no pass
  /// those that take more.
  /// None: those that a pass of the pipeline allows.
  std::optional<FastMath> fastmath;
  bool strict = false;     // stop at a pass that fails, instead of going on without it
  bool verifyEach = false; // after each pass
  unsigned threads = 1;    // that work on functions at once (PassManagerOptions::threads)
  bool merge = true;       // patterns of a set are tried together
  std::optional<bool> expensiveChecks;
  std::optional<uint64_t> maxRewrites;  // in all
  std::optional<uint64_t> maxFoldBytes; // no constant that is larger is computed; 0: nothing is folded
};

class Optimizer {
public:
  Optimizer(const Registry &registry, OptimizeOptions options);

  /// Reads the options' pipeline, if there is one, and looks their names up. False and diagnostics if something is not
  /// known or not clear; then isAmbiguous says which of the two.
  bool readPipeline(SourceManager &, Diagnostics &);
  /// The passes that run if the options name none.
  bool readDefault(std::string_view text, SourceManager &, Diagnostics &);
  bool isAmbiguous() const { return ambiguous_; }
  const std::vector<PipelineItem> &items() const { return manager_.items(); }

  /// Says how constants may be folded: by which version of ONNX's operator set (0: none), and how much larger they may
  /// make the program. Once, before it is changed.
  void measure(Program &, int opset);
  /// Runs the passes. `observe` may change what they are given: listeners, traces, a sweep. Each run is the same: on a
  /// copy of the program it does what it did on the first.
  PassManagerResult run(Program &, const std::function<void(PassManagerOptions &)> &observe = {});

private:
  void warnOfNothing(Diagnostics &) const;

  const Registry &registry_;
  OptimizeOptions options_;
  PassManager manager_;
  bool ambiguous_ = false;
  int opset_ = 0;
  uint64_t growth_ = 0;
};

/// Diagnostics of what went wrong in the passes; false if nothing may be written. `reproducer`: the file that replays a
/// failure, or empty.
bool reportRun(const PassManagerResult &, std::string_view file, std::string_view reproducer, Diagnostics &);
/// What follows the passes, as stages of the trace: late overrides, types anew where something changed, verifying for
/// good. False if the program does not verify.
bool finishProgram(Program &, bool changed, LateOverrides &, ProgramTrace &, std::string_view file, Diagnostics &);

/// All of it. `opset` as of Optimizer::measure, `file` what diagnostics call the program, `observe` as of
/// Optimizer::run.
std::optional<PassManagerResult> optimizeProgram(Program &, const Registry &, const OptimizeOptions &, Diagnostics &,
                                                 int opset = 0, std::string_view usualPipeline = "default",
                                                 std::string_view file = "",
                                                 const std::function<void(PassManagerOptions &)> &observe = {});

} // namespace rw
