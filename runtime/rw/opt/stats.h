// --stats: what a run did, as tables and as data.
//
// In:  ops before and after, records of the passes. Out: text, or one JSON object on one line.
// Elsewhere: counting ops is report.h, tables of passes and patterns rw/passes/pass_manager.h.
#pragma once

#include "rw/opt/check.h"
#include "rw/opt/report.h"
#include "rw/passes/pass_manager.h"

namespace rw::opt {

/// Totals leave constants out, "kinds" has them; "changed" says whether the bytes of the result are others than those
/// of the input, written as it is:
/// {"input", "pipeline", "changed", "ops": {"before", "after", "kinds": {NAME: [before, after]}}, "passes": [{"pass",
/// "function", "depth", "changed", "failed", "rewrites", "folds", "erased", "ops_before", "ops_after"}], "patterns":
/// [{"name", "applied", "tried"}], "remarks": [], "check": {"good", "functions": [{"function", "outcome": "agree" |
/// "differ" | "not evaluated" | "nothing to compare", "text", "inputs", "results", "not_compared": [], "sizes",
/// "largest_difference"}]}}; passes and patterns have "nanoseconds" too if times are asked for: they differ from run to
/// run. "check" is there if there was one.
std::string statisticsAsJson(const std::string &input, const std::string &pipeline, const OpHistogram &before,
                             const OpHistogram &after, const PassManagerResult &, const std::optional<CheckOutcome> &,
                             bool withTimes);

} // namespace rw::opt
