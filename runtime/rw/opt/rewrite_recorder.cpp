#include "rw/opt/rewrite_recorder.h"

#include <algorithm>
#include <utility>

namespace rw::opt {

constexpr unsigned kDepth = 4;   // how far the piece around a root reaches
constexpr size_t kGenerous = 48; // and how many ops it holds at most

void RewriteRecorder::beforePass(const PassEvent &e) {
  pass_ = e.pass;
  function_ = e.function.name();
  names_ = OpNames(e.function);
  mark_ = {rewrites_.size(), notListed_, drawn_, drawnOf_};
}

void RewriteRecorder::afterPass(const PassEvent &e) {
  finishFold();
  if (!e.failed)
    return;
  rewrites_.resize(mark_.rewrites);
  notListed_ = mark_.notListed;
  drawn_ = mark_.drawn;
  drawnOf_ = mark_.drawnOf;
}

void RewriteRecorder::add(RecordedRewrite rewrite) {
  if (rewrites_.size() == kListed) {
    ++notListed_;
    return;
  }
  rewrite.pass = pass_;
  rewrite.function = function_;
  rewrites_.push_back(std::move(rewrite));
}

/// Whether what happens now is to be drawn; then the piece around the root is taken.
bool RewriteRecorder::startDrawing(std::string_view pattern, Op root) {
  auto seen = drawnOf_.find(pattern);
  drawing_ =
      drawn_ < kDrawn && rewrites_.size() < kListed && (seen == drawnOf_.end() || seen->second < kDrawnPerPattern);
  if (drawing_) {
    around_ = pieceAround(root, kDepth, kGenerous, names_);
    touched_ = {root.id.raw};
    made_.clear();
  }
  return drawing_;
}

void RewriteRecorder::finish(RecordedRewrite rewrite) {
  rewrite.root = rootName_;
  if (drawing_) {
    rewrite.drawn = true;
    rewrite.before = restrictedTo(around_, touched_);
    rewrite.after = pieceAfter();
    ++drawn_;
    ++drawnOf_[rewrite.pattern];
  }
  drawing_ = false;
  add(std::move(rewrite));
}

void RewriteRecorder::patternBegin(const PatternInfo &pattern, Op root) {
  finishFold();
  root_ = root;
  rootName_ = names_.of(root);
  startDrawing(pattern.shownName(), root);
}

void RewriteRecorder::patternEnd(const PatternInfo &info, bool applied) {
  if (applied)
    finish({.pattern = std::string(info.shownName()), .file = std::string(info.file), .line = info.line});
  drawing_ = false;
}

/// What was made or changed and is still there, and what reads it.
GraphPiece RewriteRecorder::pieceAfter() const {
  std::vector<Op> ops;
  for (Op op : made_)
    if (!op.isErased() && std::find(ops.begin(), ops.end(), op) == ops.end())
      ops.push_back(op);
  return pieceOf(ops, names_);
}

/// A fold is told when it begins; it has ended when something else does.
void RewriteRecorder::folding(Op op) {
  finishFold();
  inFold_ = true;
  rootName_ = names_.of(op);
  startDrawing("", op);
}

void RewriteRecorder::finishFold() {
  if (std::exchange(inFold_, false))
    finish({});
}

void RewriteRecorder::created(Op op) {
  if (drawing_)
    made_.push_back(op);
}

void RewriteRecorder::erasing(Op op) {
  if (drawing_)
    touched_.insert(op.id.raw);
}

void RewriteRecorder::modified(Op op) {
  if (!drawing_)
    return;
  touched_.insert(op.id.raw);
  made_.push_back(op);
}

void RewriteRecorder::replacing(Value from, Value to) {
  if (!drawing_)
    return;
  if (Op def = from.definingOp())
    touched_.insert(def.id.raw);
  if (to.definingOp())
    made_.push_back(to.definingOp());
  else // of a parameter there is only what reads it from now on
    for (Use use : from.uses())
      if (made_.size() < kMostNodes)
        made_.push_back(use.owner);
}

void RewriteRecorder::useRemoved(Value value) {
  if (drawing_ && value.definingOp())
    touched_.insert(value.definingOp().id.raw);
}

} // namespace rw::opt
