// One line on a terminal that says what a long run is doing; nothing where standard error is no terminal.
//
// In:  events of a run. Out: "\r" and a line on standard error, taken away again at the end.
// Elsewhere: events are rw/trace/trace.h.
#pragma once

#include "rw/trace/trace.h"

namespace rw::opt {

class Progress : public TraceSink {
public:
  /// Silent for the first `seconds` since `start` (of traceClock()), and if standard error is no terminal.
  Progress(uint64_t start, double seconds);
  ~Progress() override { clear(); }

  void beforeSpan(const SpanEvent &) override;
  void beforePass(const PassEvent &) override;
  void say(std::string_view what);
  /// Takes the line away, before other text goes to the terminal.
  void clear();

private:
  bool terminal_;
  uint64_t quietUntil_, started_, last_ = 0;
  bool shown_ = false;
  unsigned passes_ = 0;
  std::string round_;
};

} // namespace rw::opt
