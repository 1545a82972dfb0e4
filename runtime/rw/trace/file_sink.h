// FileTraceSink: one folder of files per run of a program, for looking at later.
//
// In:  events. Out: below the given folder, for each run, in `run-0001`, `run-0002`, … (the first free number):
//        input.rwir      the program before
//        program.rwir    the program after
//        program.json    the same as data (program_json.h)
//        meta.json       graph, target, backend, pipeline, plan_cache_hit, duration_ns, changed, failed
//        stats.json      each stage, round and pass in order with its counters and time
//        rewrites.jsonl  one object a line: each rewrite with its pattern, place, ops in and ops out
// Elsewhere: events are trace.h.
//
//   FileTraceSink files("dumps");
//   TraceSinkGuard guard(files);
//   …
//   if (!files.error().empty()) …             // the first thing that could not be written
#pragma once

#include "rw/trace/trace.h"

namespace rw {

class FileTraceSink : public TraceSink {
public:
  explicit FileTraceSink(std::string folder) : folder_(std::move(folder)) {}

  void beforeProgram(const ProgramEvent &) override;
  void afterProgram(const ProgramEvent &) override;
  void afterSpan(const SpanEvent &) override;
  void afterPass(const PassEvent &) override;
  void rewrite(const RewriteEvent &) override;
  bool wantsRewrites() const override { return true; }

  const std::string &error() const { return error_; }

private:
  struct Run {
    std::string folder;
    std::string steps;    // of stats.json: objects
    std::string rewrites; // of rewrites.jsonl
    uint64_t rewriteCount = 0, foldCount = 0, erasedCount = 0;
  };
  void step(std::string object);
  void write(const std::string &path, std::string_view text);
  bool makeRunFolder(std::string &path);

  std::string folder_, error_;
  unsigned nextRun_ = 1;
  std::vector<Run> runs_; // those that have begun and not ended: the last is the innermost
};

} // namespace rw
