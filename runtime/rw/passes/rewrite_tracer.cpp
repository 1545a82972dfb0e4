#include "rw/passes/rewrite_tracer.h"

#include <algorithm>

namespace rw {

void RewriteTracer::begin(std::string_view pass, const Function &fn) {
  event_.pass = pass;
  event_.function = fn.name();
  names_ = OpNames(fn);
  created_.clear();
  inPattern_ = inFold_ = false;
}

void RewriteTracer::send(RewriteEvent::Kind kind) {
  event_.kind = kind;
  event_.out.clear();
  for (Op op : created_)
    if (!op.isErased())
      event_.out.push_back(names_.of(op));
  created_.clear();
  sink_.rewrite(event_);
  event_.in.clear();
}

void RewriteTracer::created(Op op) { created_.push_back(op); }

void RewriteTracer::erasing(Op op) {
  auto made = std::find(created_.begin(), created_.end(), op);
  if (inPattern_) {
    if (op.id != root_ && made == created_.end())
      event_.in.push_back(names_.of(op));
    return;
  }
  if (made != created_.end()) { // a constant that a fold made and did not need
    created_.erase(made);
    return;
  }
  if (inFold_ && op.id == root_) { // the fold is done: it ends with its op
    inFold_ = false;
    return send(RewriteEvent::Fold);
  }
  event_.root = names_.of(op);
  event_.in = {event_.root};
  event_.pattern.clear(), event_.file.clear(), event_.line = 0;
  send(RewriteEvent::Erase);
}

void RewriteTracer::patternBegin(const PatternInfo &info, Op root) {
  inPattern_ = true;
  root_ = root.id;
  created_.clear();
  event_.pattern = info.shownName();
  event_.file = info.file;
  event_.line = info.line;
  event_.root = names_.of(root);
  event_.in = {event_.root};
}

void RewriteTracer::patternEnd(const PatternInfo &, bool applied) {
  inPattern_ = false;
  if (applied)
    send(RewriteEvent::Pattern);
  created_.clear();
  event_.in.clear();
}

void RewriteTracer::folding(Op op) {
  inFold_ = true;
  root_ = op.id;
  event_.pattern.clear(), event_.file.clear(), event_.line = 0;
  event_.root = names_.of(op);
  event_.in = {event_.root};
}

} // namespace rw
