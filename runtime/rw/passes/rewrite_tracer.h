// RewriteTracer: what the rewriter does, as events of a trace.
//
// In:  the listener's calls while one pass runs over one function. Out: RewriteEvents to a sink.
// Elsewhere: sinks and events are trace/trace.h; who attaches it is pass_manager.cpp.
#pragma once

#include "rw/passes/op_names.h"
#include "rw/rewrite/rewriter.h"
#include "rw/trace/trace.h"

namespace rw {

class RewriteTracer : public RewriteListener {
public:
  RewriteTracer(TraceSink &sink, const TraceRun &run) : sink_(sink), event_{.run = run} {}
  /// A pass is about to run over `fn`.
  void begin(std::string_view pass, const Function &fn);

  void created(Op) override;
  void erasing(Op) override;
  void patternBegin(const PatternInfo &, Op root) override;
  void patternEnd(const PatternInfo &, bool applied) override;
  void folding(Op) override;

private:
  void send(RewriteEvent::Kind);

  TraceSink &sink_;
  RewriteEvent event_;
  OpNames names_;
  std::vector<Op> created_; // since the last event
  OpId root_;
  bool inPattern_ = false, inFold_ = false;
};

} // namespace rw
