// What rw-opt says of a run: ops before and after, pattern counts, a log of rewrites.
//
// In:  programs, pass records. Out: text.
// Elsewhere: when it is shown is opt_main.cpp.
#pragma once

#include "rw/ir/program.h"
#include "rw/trace/trace.h"

#include <map>
#include <string>
#include <utility>

namespace rw::opt {

/// Ops by full name, in all functions and nested regions, without terminators (`return`); `total` of them compute (passes/op_count.h), the
/// others are constants.
struct OpHistogram {
  std::map<std::string, size_t, std::less<>> kinds;
  size_t total = 0;
  friend bool operator==(const OpHistogram &, const OpHistogram &) = default;
};
OpHistogram countOps(Program &);

/// A table "op  before  after" of the rows that differ, then the totals, which leave constants out.
std::string describeChange(const OpHistogram &before, const OpHistogram &after);

/// One line per step, in order; values are named as in the text before the pass (passes/op_names.h):
///   changed tensor.transpose %3 by MergeTransposes_tensor at transpose.rw:34
///   folded tensor.add %2
///   erased tensor.transpose %1
class RewriteLog : public TraceSink {
public:
  void rewrite(const RewriteEvent &) override;
  bool wantsRewrites() const override { return true; }
  /// The lines since the last call.
  std::string take() { return std::exchange(text_, {}); }

private:
  std::string text_;
};

} // namespace rw::opt
