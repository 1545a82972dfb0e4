// --report: one page about a run, for people: counts, patterns, each rewrite drawn before and after, near misses.
//
// In:  what happened. Out: the text of an HTML page that needs nothing else (no network, no scripts) and is well-formed
//      XML. Identical input gives identical bytes: there are no times in it.
// Elsewhere: recording is rewrite_recorder.h, drawing svg_drawing.h, near misses near_misses.h; the same counts as data
//            are stats.h.
#pragma once

#include "rw/opt/check.h"
#include "rw/opt/near_misses.h"
#include "rw/opt/report.h"
#include "rw/opt/rewrite_recorder.h"
#include "rw/passes/pass_manager.h"

namespace rw::opt {

struct ReportContents {
  std::string input, pipeline;
  const OpHistogram &before, &after;
  const PassManagerResult &result;
  const RewriteRecorder &recorder;
  const NearMisses &nearMisses;
  const std::optional<CheckOutcome> &checked;
};

std::string renderReport(const ReportContents &);

} // namespace rw::opt
