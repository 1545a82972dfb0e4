#include "rw/passes/layout/min_cut.h"

#include <algorithm>

namespace rw {

static constexpr uint32_t kNone = UINT32_MAX;

uint32_t MinCut::addNode() {
  uint32_t node = uint32_t(first_.size());
  first_.push_back(kNone);
  fromSource_.push_back(0);
  toSink_.push_back(0);
  group_.push_back(node);
  return node;
}

void MinCut::addCost(uint32_t node, uint32_t asSink, uint32_t asSource) {
  fromSource_[node] = std::min(kAlways, fromSource_[node] + asSink);
  toSink_[node] = std::min(kAlways, toSink_[node] + asSource);
}

void MinCut::addArc(uint32_t from, uint32_t to, uint32_t capacity) {
  arcs_.push_back({to, capacity, first_[from]});
  first_[from] = uint32_t(arcs_.size() - 1);
  arcs_.push_back({from, 0, first_[to]});
  first_[to] = uint32_t(arcs_.size() - 1);
  group_[find(from)] = find(to);
}

uint32_t MinCut::find(uint32_t node) {
  while (group_[node] != node)
    node = group_[node] = group_[group_[node]];
  return node;
}

/// As much as goes along a shortest path from the source to the sink within a part; 0: there is none.
uint32_t MinCut::augment(const std::vector<uint32_t> &part, uint64_t &work) {
  ++round_;
  queue_.clear();
  for (uint32_t n : part)
    if (fromSource_[n]) {
      queue_.push_back(n);
      seen_[n] = round_;
      via_[n] = kNone;
    }
  for (size_t i = 0; i < queue_.size(); ++i) {
    uint32_t n = queue_[i];
    if (toSink_[n]) {
      uint32_t end = n, flow = toSink_[n];
      for (; via_[n] != kNone; n = arcs_[via_[n] ^ 1].to)
        flow = std::min(flow, arcs_[via_[n]].capacity);
      flow = std::min(flow, fromSource_[n]);
      fromSource_[n] -= flow;
      toSink_[end] -= flow;
      for (n = end; via_[n] != kNone; n = arcs_[via_[n] ^ 1].to) {
        arcs_[via_[n]].capacity -= flow;
        arcs_[via_[n] ^ 1].capacity += flow;
      }
      return flow;
    }
    for (uint32_t a = first_[n]; a != kNone; a = arcs_[a].next, ++work)
      if (uint32_t to = arcs_[a].to; arcs_[a].capacity && seen_[to] != round_) {
        seen_[to] = round_;
        via_[to] = a;
        queue_.push_back(to);
      }
  }
  return 0;
}

/// After the last augment: what can still be reached from the source is on its side.
void MinCut::label(const std::vector<uint32_t> &part) {
  for (uint32_t n : part)
    source_[n] = seen_[n] == round_;
}

uint64_t MinCut::solve(unsigned maxWork) {
  size_t count = first_.size();
  source_.assign(count, false);
  via_.assign(count, kNone);
  seen_.assign(count, 0);
  std::vector<uint32_t> order(count);
  for (uint32_t n = 0; n < count; ++n)
    order[n] = n;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return find(a) < find(b); });
  uint64_t saved = 0;
  for (size_t begin = 0, end; begin < count; begin = end) {
    end = begin;
    uint64_t before = 0, flow = 0, work = 0;
    std::vector<uint32_t> part;
    for (; end < count && find(order[end]) == find(order[begin]); ++end) {
      part.push_back(order[end]);
      before += fromSource_[order[end]];
    }
    uint64_t limit = uint64_t(maxWork) * (part.size() + 16);
    bool ended = false;
    while (work <= limit && !ended) {
      uint32_t more = augment(part, work);
      ended = more == 0;
      flow += more;
    }
    if (!ended || flow == before)
      continue;
    label(part);
    saved += before - flow;
  }
  return saved;
}

} // namespace rw
