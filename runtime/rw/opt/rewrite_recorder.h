// What each rewrite did to its place in the graph.
//
// In:  as a TraceSink which pass runs, as a RewriteListener what the rewriter does.
// Out: rewrites in order, the first of each pattern with the ops around them before and after. A pass that is rolled
//      back leaves nothing.
// Elsewhere: pieces of graphs are graph_piece.h; the page is html_report.h.
//
// Before a pattern is tried it is not known what it will change, so while drawings are left a generous piece around its
// root is taken, and cut down to what was touched when it has applied.
#pragma once

#include "rw/opt/graph_piece.h"
#include "rw/rewrite/rewriter.h"
#include "rw/trace/trace.h"

namespace rw::opt {

struct RecordedRewrite {
  std::string pattern, file; // empty: a fold, or a shape that is known
  unsigned line = 0;
  std::string pass, function, root;
  bool drawn = false;
  GraphPiece before, after;
};

class RewriteRecorder : public TraceSink, public RewriteListener {
public:
  /// Drawn are the first so many of each pattern, and so many in all; listed are so many in all.
  static constexpr size_t kDrawnPerPattern = 3, kDrawn = 150, kListed = 5000;

  const std::vector<RecordedRewrite> &rewrites() const { return rewrites_; }
  size_t notListed() const { return notListed_; }

  void beforePass(const PassEvent &) override;
  void afterPass(const PassEvent &) override;
  void patternBegin(const PatternInfo &, Op root) override;
  void patternEnd(const PatternInfo &, bool applied) override;
  void folding(Op) override;
  void created(Op) override;
  void erasing(Op) override;
  void modified(Op) override;
  void replacing(Value from, Value to) override;
  void useRemoved(Value) override;

private:
  void add(RecordedRewrite);
  bool startDrawing(std::string_view pattern, Op root);
  void finish(RecordedRewrite);
  void finishFold();
  GraphPiece pieceAfter() const;

  std::vector<RecordedRewrite> rewrites_;
  size_t notListed_ = 0, drawn_ = 0;
  std::map<std::string, size_t, std::less<>> drawnOf_; // by pattern
  struct Mark {
    size_t rewrites, notListed, drawn;
    std::map<std::string, size_t, std::less<>> drawnOf;
  } mark_{}; // as it was before the pass

  std::string pass_, function_;
  OpNames names_;
  bool inFold_ = false, drawing_ = false;
  Op root_;
  std::string rootName_;
  GraphPiece around_;
  std::set<uint32_t> touched_; // ops of `around_`
  std::vector<Op> made_;       // created or changed
};

} // namespace rw::opt
