// ChromeTraceSink: a time line of runs, stages, rounds and passes as a Chrome trace file.
//
// In:  events. Out: JSON that chrome://tracing and Perfetto load: each run holds its stages, rounds and passes.
// Elsewhere: events are trace.h.
//
//   ChromeTraceSink chrome;
//   { TraceSinkGuard guard(chrome); manager.run(program); }
//   return chrome.write("out.json");
#pragma once

#include "rw/support/result.h"
#include "rw/trace/trace.h"

namespace rw {

class ChromeTraceSink : public TraceSink {
public:
  void afterProgram(const ProgramEvent &) override;
  void afterSpan(const SpanEvent &) override;
  void afterPass(const PassEvent &) override;

  std::string json() const;
  Result<void> write(const std::string &path) const;

private:
  struct Entry {
    std::string name, category;
    uint64_t start, nanoseconds;
    std::string args; // a JSON object
  };
  std::vector<Entry> entries_;
};

} // namespace rw
