// What rw-opt says of a run: ops before and after, pattern counts, a log of rewrites.
//
// In:  programs, pass records. Out: text.
// Elsewhere: when it is shown is opt_main.cpp.
#pragma once

#include "rw/ir/program.h"
#include "rw/passes/pass_manager.h"
#include "rw/trace/trace.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace rw::opt {

/// Ops by full name, in all functions and nested regions, without terminators (`return`); `total` of them compute
/// (passes/op_count.h), the others are constants.
struct OpHistogram {
  std::map<std::string, size_t, std::less<>> kinds;
  std::set<std::string, std::less<>> constants; ///< the kinds that do not compute
  size_t total = 0;
  friend bool operator==(const OpHistogram &a, const OpHistogram &b) {
    return a.kinds == b.kinds && a.total == b.total;
  }
};
OpHistogram countOps(Program &);

/// A table "op  before  after" of the rows that differ, then the totals, which leave constants out.
std::string describeChange(const OpHistogram &before, const OpHistogram &after);

/// What a run prints by default, at most a screen: ops in all; unless the program is small, the kinds of op
/// whose number changed most; how often which patterns applied.
///
///   1534 ops, 263 after
///      before   after
///         268       0  onnx.Unsqueeze
///          25      17  onnx.MatMul
///         8 x SlicesAsSplit
std::string summarize(const OpHistogram &before, const OpHistogram &after, const PassManagerResult &);
/// "out.onnx: 1.2 MiB, before 1.9 MiB" of two files; empty if one of them is none, as standard input is.
std::string describeSizes(const std::string &output, const std::string &input);
/// Whether a program has so many ops that its kinds and its file's size are shown unasked.
bool isLarge(const OpHistogram &before);

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
