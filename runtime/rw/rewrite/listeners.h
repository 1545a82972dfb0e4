// RewriteListeners: several listeners as one, called in order.
//
// In:  listeners, each of which may be null. Out: all events to each of them.
// Elsewhere: what the events are is rewriter.h.
//
//   RewriteListeners all;
//   all.add(&log);
//   all.add(config.listener);
//   config.listener = all.get();              // null if there are no listeners: then rewriting costs nothing extra
#pragma once

#include "rw/rewrite/rewriter.h"

namespace rw {

class RewriteListeners final : public RewriteListener {
public:
  void add(RewriteListener *listener) {
    if (listener)
      listeners_.push_back(listener);
  }
  RewriteListener *get() { return listeners_.empty() ? nullptr : listeners_.size() == 1 ? listeners_.front() : this; }

  void created(Op op) override {
    for (RewriteListener *l : listeners_)
      l->created(op);
  }
  void erasing(Op op) override {
    for (RewriteListener *l : listeners_)
      l->erasing(op);
  }
  void modified(Op op) override {
    for (RewriteListener *l : listeners_)
      l->modified(op);
  }
  void replacing(Value from, Value to) override {
    for (RewriteListener *l : listeners_)
      l->replacing(from, to);
  }
  void continued(Op from, Op as) override {
    for (RewriteListener *l : listeners_)
      l->continued(from, as);
  }
  void useRemoved(Value value) override {
    for (RewriteListener *l : listeners_)
      l->useRemoved(value);
  }
  void patternBegin(const PatternInfo &pattern, Op root) override {
    for (RewriteListener *l : listeners_)
      l->patternBegin(pattern, root);
  }
  void patternEnd(const PatternInfo &pattern, bool applied) override {
    for (RewriteListener *l : listeners_)
      l->patternEnd(pattern, applied);
  }
  void folding(Op op) override {
    for (RewriteListener *l : listeners_)
      l->folding(op);
  }
  bool wantsReasons() const override {
    for (const RewriteListener *l : listeners_)
      if (l->wantsReasons())
        return true;
    return false;
  }
  void noMatch(Op at, const char *condition, unsigned line) override {
    for (RewriteListener *l : listeners_)
      if (l->wantsReasons())
        l->noMatch(at, condition, line);
  }

private:
  std::vector<RewriteListener *> listeners_;
};

} // namespace rw
