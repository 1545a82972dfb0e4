// A run of patterns over a copy of a model, and what there is to say about it.
//
// In:  what a text declares, a model that stays as it is, a pipeline.
// Out: the model after the run, beside the one before: counts, rewrites drawn, differences, sizes, whether results
// agree. Elsewhere: loading texts and models is editor/trial; the same for a command line is rw/opt.
//
//   Rewriting rewriting(*loaded, model, {.pipeline = "loaded_patterns"});
//   if (!rewriting.run(diags)) return diags.renderText();
//   show(rewriting.after(), rewriting.statistics(""));
#pragma once

#include "editor/trial/trial.h"
#include "rw/opt/check.h"
#include "rw/opt/report.h"
#include "rw/opt/rewrite_recorder.h"
#include "rw/optimize/optimize.h"

#include <atomic>
#include <chrono>
#include <string>

namespace rw::editor {

/// The pass that --patterns makes of all patterns of its files has this name, too.
inline constexpr const char *kLoadedPatterns = "loaded_patterns";

/// Thrown out of a run that is to stop. No std::exception: passes take those for failures of their own.
struct Stopped {};

struct RewritingOptions {
  std::string pipeline; // "": the text's patterns until none matches; nothing if it has none
  bool fastmath = false;
  const std::atomic<bool> *stop = nullptr; // the run is given up when this is set
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

class Rewriting {
public:
  /// The patterns of the text become the pass kLoadedPatterns.
  Rewriting(Trial::Loaded &, Trial::Model &, RewritingOptions);
  ~Rewriting();

  /// False and diagnostics if the pipeline is wrong or the run was. Throws Stopped.
  bool run(Diagnostics &);
  Program &before() { return model_.file->program(); }
  Program &after() { return *after_; }
  const std::vector<opt::RecordedRewrite> &rewrites() const;
  size_t rewritesNotListed() const;
  /// One JSON object (rw/opt/stats.h).
  std::string statistics(const std::string &input) const;
  /// As rw-opt --diff says it, before against after; at most so many bytes.
  std::string difference(size_t most);
  /// "onnx", "mlir" or "rwir": the model's own format, or that of what it was converted to.
  std::string_view format();
  /// The model's bytes in that format; false and diagnostics if it cannot be written.
  bool bytes(std::string &out, Diagnostics &);
  /// Both on random inputs; the sentences that say what came of it.
  std::vector<std::string> check(unsigned inputs, bool &differs);

private:
  class Recorder;
  class AsBefore;
  bool shouldStop() const;
  void observe(PassManagerOptions &, Recorder *);

  Trial::Loaded &loaded_;
  Trial::Model &model_;
  RewritingOptions options_;
  std::optional<Optimizer> optimizer_;
  std::unique_ptr<Recorder> recorder_;
  std::optional<Program> after_;
  PassManagerResult result_;
  opt::OpHistogram countBefore_, countAfter_;
};

} // namespace rw::editor
