// Tracing: events that a tool gets while programs are optimised or run.
//
// In:  events from the pass manager, the plan cache and whoever else runs programs.
// Out: calls of a TraceSink, the explicit one of a run and the one installed for the thread.
// Elsewhere: file_sink.h writes dumps, chrome_sink.h a time line; passes/rewrite_tracer.h makes the rewrite events.
//
// A run of a program is bracketed by beforeProgram and afterProgram; stages, repetitions and passes nest in it, and
// every event names its run. Strings of an event live as long as the call. Sinks need no locks: each thread has its
// own installed sink, and a run calls its sinks from the thread it runs on. A sink shared by threads must lock itself.
//
//   struct Printer : TraceSink {
//     void afterPass(const PassEvent &e) override { printf("%s %lu ns\n", e.pass.c_str(), e.nanoseconds); }
//   } printer;
//   TraceSinkGuard guard(printer);          // until the end of the scope; then the previous sink is back
//   manager.run(program);
#pragma once

#include "rw/ir/program.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rw {

/// What all events of one run of a program share.
struct TraceRun {
  std::string graph;                // id of the graph: graphIdOf, or a plan's signature
  std::string target;               // the value it is run for: "@main %y"
  std::string backend;              // the target; "none" if none was given
  std::string pipeline;             // as text
  std::optional<bool> planCacheHit; // none: no plan cache was asked
};

struct ProgramEvent {
  const TraceRun &run;
  const Program &program;   // as it is at the time of the event
  uint64_t start = 0;       // traceClock() when it began
  uint64_t nanoseconds = 0; // of an after event
  bool changed = false, failed = false;
};

struct PassEvent {
  const TraceRun &run;
  const Function &function; // as it is at the time of the event
  std::string pass;
  unsigned depth = 0; // of repetitions around it
  uint64_t start = 0, nanoseconds = 0;
  // Of an after event:
  bool changed = false, failed = false;
  std::string message; // why it failed and was rolled back, or a remark
  uint64_t rewrites = 0, folds = 0, erased = 0;
  uint64_t opsBefore = 0, opsAfter = 0;
};

/// The stages of a conversion, in order.
enum class Stage : uint8_t { Build, Optimize, LateOverrides, InferShapes, FinalizeShapes, Export };
std::string_view stageName(Stage); ///< "late overrides"

/// A part of a run that holds others: a stage of a conversion, a round of a repetition.
struct SpanEvent {
  const TraceRun &run;
  enum Kind : uint8_t { Stage, Round } kind = Stage;
  std::string name;
  uint64_t start = 0, nanoseconds = 0;
  uint64_t skipped = 0; // of the stage of late overrides: entries whose op is gone
};

/// One step of a rewriting pass. Ops are named as "tensor.transpose %3".
struct RewriteEvent {
  const TraceRun &run;
  enum Kind : uint8_t { Pattern, Fold, Erase } kind = Pattern;
  std::string pass, function;
  std::string pattern, file; // of a pattern: its name and where it is written
  unsigned line = 0;
  std::string root;
  std::vector<std::string> in;  // the root and every op that went with it
  std::vector<std::string> out; // ops that were made and stayed
};

/// Told of runs. All are optional.
class TraceSink {
public:
  virtual ~TraceSink() = default;
  virtual void beforeProgram(const ProgramEvent &) {}
  virtual void afterProgram(const ProgramEvent &) {}
  virtual void beforeSpan(const SpanEvent &) {}
  virtual void afterSpan(const SpanEvent &) {}
  virtual void beforePass(const PassEvent &) {}
  virtual void afterPass(const PassEvent &) {}
  virtual void rewrite(const RewriteEvent &) {}
  /// Whether rewrite() is wanted: making these events costs a pass some time.
  virtual bool wantsRewrites() const { return false; }
};

/// Hands every event on to several sinks, in order.
class TraceSinks : public TraceSink {
public:
  void add(TraceSink *sink) {
    if (sink)
      sinks_.push_back(sink);
  }
  bool empty() const { return sinks_.empty(); }
  void beforeProgram(const ProgramEvent &) override;
  void afterProgram(const ProgramEvent &) override;
  void beforeSpan(const SpanEvent &) override;
  void afterSpan(const SpanEvent &) override;
  void beforePass(const PassEvent &) override;
  void afterPass(const PassEvent &) override;
  void rewrite(const RewriteEvent &) override;
  bool wantsRewrites() const override;

private:
  std::vector<TraceSink *> sinks_;
};

/// Nanoseconds of a clock that never goes back.
uint64_t traceClock();

/// The sink installed for this thread; null if none is.
TraceSink *currentTraceSink();

/// Installs a sink for this thread while it lives, then the one that was installed before. Guards nest.
class TraceSinkGuard {
public:
  explicit TraceSinkGuard(TraceSink &);
  ~TraceSinkGuard();
  TraceSinkGuard(const TraceSinkGuard &) = delete;
  TraceSinkGuard &operator=(const TraceSinkGuard &) = delete;

private:
  TraceSink *previous_;
};

/// Brackets a run of a program: beforeProgram now, afterProgram when it goes, to `explicitSink` and the installed one.
///
///   TraceRun run{.graph = signature, .target = "@main %y", .backend = "cpu", .planCacheHit = true};
///   ProgramTrace trace(run, program);
///   …
///   trace.finish(changed, failed);
class ProgramTrace {
public:
  /// Fills in graph, target and backend where they are empty, if anybody listens. `start` if the run began before now.
  ProgramTrace(TraceRun run, const Program &program, TraceSink *explicitSink = nullptr, uint64_t start = traceClock());
  ~ProgramTrace() { finish(false, true); }
  ProgramTrace(const ProgramTrace &) = delete;
  ProgramTrace &operator=(const ProgramTrace &) = delete;
  void finish(bool changed, bool failed);

  /// A stage that is over by now.
  void record(Stage, uint64_t start, uint64_t end);
  /// Null if there is no listener.
  TraceSink *sink() { return sinks_.empty() ? nullptr : &sinks_; }
  const TraceRun &run() const { return run_; }

private:
  TraceSinks sinks_;
  TraceRun run_;
  const Program &program_;
  uint64_t start_ = 0;
  bool finished_ = false;
};

/// Brackets a stage or a round.
class SpanTrace {
public:
  SpanTrace(TraceSink *sink, const TraceRun &run, SpanEvent::Kind kind, std::string name);
  ~SpanTrace();
  SpanTrace(ProgramTrace &trace, Stage stage)
      : SpanTrace(trace.sink(), trace.run(), SpanEvent::Stage, std::string(stageName(stage))) {}
  SpanTrace(const SpanTrace &) = delete;
  SpanTrace &operator=(const SpanTrace &) = delete;
  void setSkipped(uint64_t skipped) { event_.skipped = skipped; }

private:
  TraceSink *sink_;
  SpanEvent event_;
};

/// Sixteen hex digits that are the same for programs of equal text.
std::string graphIdOf(const Program &);
/// "@main %y": the first result of the first function.
std::string targetOf(const Program &);

} // namespace rw
