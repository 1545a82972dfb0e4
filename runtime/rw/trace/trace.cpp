#include "rw/trace/trace.h"

#include "rw/ir/printer.h"

#include <chrono>
#include <fmt/format.h>

namespace rw {
namespace {
/// The one piece of state outside objects: per thread, and set by guards only, so that no run can see another's.
thread_local TraceSink *installed = nullptr;
} // namespace

TraceSink *currentTraceSink() { return installed; }
TraceSinkGuard::TraceSinkGuard(TraceSink &sink) : previous_(installed) { installed = &sink; }
TraceSinkGuard::~TraceSinkGuard() { installed = previous_; }

void TraceSinks::beforeProgram(const ProgramEvent &e) {
  for (TraceSink *sink : sinks_)
    sink->beforeProgram(e);
}
void TraceSinks::afterProgram(const ProgramEvent &e) {
  for (TraceSink *sink : sinks_)
    sink->afterProgram(e);
}
void TraceSinks::beforeSpan(const SpanEvent &e) {
  for (TraceSink *sink : sinks_)
    sink->beforeSpan(e);
}
void TraceSinks::afterSpan(const SpanEvent &e) {
  for (TraceSink *sink : sinks_)
    sink->afterSpan(e);
}
void TraceSinks::beforePass(const PassEvent &e) {
  for (TraceSink *sink : sinks_)
    sink->beforePass(e);
}
void TraceSinks::afterPass(const PassEvent &e) {
  for (TraceSink *sink : sinks_)
    sink->afterPass(e);
}
void TraceSinks::rewrite(const RewriteEvent &e) {
  for (TraceSink *sink : sinks_)
    if (sink->wantsRewrites())
      sink->rewrite(e);
}
bool TraceSinks::wantsRewrites() const {
  for (TraceSink *sink : sinks_)
    if (sink->wantsRewrites())
      return true;
  return false;
}

ProgramTrace::ProgramTrace(TraceRun run, const Program &program, TraceSink *explicitSink, uint64_t start)
    : run_(std::move(run)), program_(program), start_(start) {
  sinks_.add(explicitSink);
  if (installed != explicitSink)
    sinks_.add(installed);
  if (sinks_.empty())
    return;
  if (run_.graph.empty())
    run_.graph = graphIdOf(program);
  if (run_.target.empty())
    run_.target = targetOf(program);
  if (run_.backend.empty())
    run_.backend = "none";
  sinks_.beforeProgram({.run = run_, .program = program_, .start = start_});
}

void ProgramTrace::record(Stage stage, uint64_t start, uint64_t end) {
  if (sinks_.empty())
    return;
  SpanEvent event{.run = run_, .kind = SpanEvent::Stage, .name = std::string(stageName(stage)), .start = start};
  sinks_.beforeSpan(event);
  event.nanoseconds = end - start;
  sinks_.afterSpan(event);
}

void ProgramTrace::finish(bool changed, bool failed) {
  if (finished_)
    return;
  finished_ = true;
  if (!sinks_.empty())
    sinks_.afterProgram({.run = run_,
                         .program = program_,
                         .start = start_,
                         .nanoseconds = traceClock() - start_,
                         .changed = changed,
                         .failed = failed});
}

SpanTrace::SpanTrace(TraceSink *sink, const TraceRun &run, SpanEvent::Kind kind, std::string name)
    : sink_(sink), event_{.run = run, .kind = kind, .name = std::move(name)} {
  if (!sink_)
    return;
  event_.start = traceClock();
  sink_->beforeSpan(event_);
}

SpanTrace::~SpanTrace() {
  if (!sink_)
    return;
  event_.nanoseconds = traceClock() - event_.start;
  sink_->afterSpan(event_);
}

uint64_t traceClock() {
  return uint64_t(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

std::string_view stageName(Stage stage) {
  static constexpr std::string_view kNames[] = {"build",        "optimize",        "late overrides",
                                                "infer shapes", "finalize shapes", "export"};
  return kNames[size_t(stage)];
}

std::string graphIdOf(const Program &program) {
  std::string text = printProgram(program);
  uint64_t hash = 0xcbf29ce484222325u; // FNV-1a: the same on every machine
  for (char c : text)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3u;
  return fmt::format("{:016x}", hash);
}

std::string targetOf(const Program &program) {
  if (program.functions().empty())
    return "";
  const Function &fn = program.functions().front();
  std::string text = "@" + fn.name();
  if (!fn.resultNames().empty())
    return text + " %" + std::string(fn.context().text(fn.resultNames().front()));
  OpId last = fn.data(fn.body()).lastOp;
  if (!last || fn.data(last).kind != kReturnKind || !fn.data(last).operandCount)
    return text;
  return text + " " + ValueNames(fn).text(fn.data(fn.data(last).firstOperand).value);
}

} // namespace rw
