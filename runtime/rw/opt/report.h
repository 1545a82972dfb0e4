// What rw-opt says of a run: ops before and after, pattern counts, a log of rewrites.
//
// In:  programs, pass records. Out: text.
// Elsewhere: when it is shown is opt_main.cpp.
#pragma once

#include "rw/ir/program.h"
#include "rw/rewrite/rewriter.h"

#include <map>
#include <string>

namespace rw::opt {

/// Ops by full name, in all functions and nested regions; terminators (`return`) are not counted here.
using OpHistogram = std::map<std::string, size_t, std::less<>>;
OpHistogram countOps(Program &);
size_t totalOf(const OpHistogram &);

/// A table "op  before  after" of the rows that differ, then the totals.
std::string describeChange(const OpHistogram &before, const OpHistogram &after);

/// One line per rewrite, fold and erased op, in order:
///   changed tensor.transpose %3 by MergeTransposes_tensor at patterns/layout/transpose.rw:34
///   folded tensor.add %2
///   erased tensor.transpose %1
/// Values are named as the printer names them when the run starts, ops without results by their name alone.
class RewriteLog : public RewriteListener {
public:
  explicit RewriteLog(std::string &out) : out_(out) {}
  void erasing(Op) override;
  void patternBegin(const Pattern &, Op root) override;
  void patternEnd(const Pattern &, bool applied) override;
  void folding(Op) override;

private:
  std::string &out_;
  std::string root_;
  std::string pending_; // of the running pattern: shown only if it applies
  bool inPattern_ = false;
};

} // namespace rw::opt
