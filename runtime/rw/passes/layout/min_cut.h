// MinCut: labels nodes `source` or `sink` so that the arcs from source to sink cost least.
//
// In:  nodes, arcs with capacities, costs of each node for either label.
// Out: the labels of the cheapest cut with the fewest `source` nodes, part by part of the graph.
// Elsewhere: what nodes and costs mean is move_regions.cpp.
//
// Each connected part is solved by itself with augmenting paths. Capacities are small numbers (a few per op that is
// saved), so the work of a part is at most its arcs times what it saves; a part that takes more than `maxWork` steps
// per arc stays all `sink`.
//
//   MinCut cut;
//   uint32_t a = cut.addNode(), b = cut.addNode();
//   cut.addCost(a, 1, 0); cut.addArc(a, b, 1); cut.addCost(b, 0, 2);
//   cut.solve();  cut.isSource(a)
#pragma once

#include <cstdint>
#include <vector>

namespace rw {

class MinCut {
public:
  static constexpr uint32_t kAlways = 1u << 30; // an arc that is never cut
  uint32_t addNode();
  /// What it costs to label the node `sink`, and `source`.
  void addCost(uint32_t node, uint32_t asSink, uint32_t asSource);
  /// What it costs if `from` is source and `to` is sink.
  void addArc(uint32_t from, uint32_t to, uint32_t capacity);
  /// Returns how much cheaper the labels are than all `sink`.
  uint64_t solve(unsigned maxWork = 4096);
  bool isSource(uint32_t node) const { return source_[node]; }

private:
  struct Arc {
    uint32_t to, capacity, next;
  };
  uint32_t find(uint32_t node);
  uint32_t augment(const std::vector<uint32_t> &part, uint64_t &work);
  void label(const std::vector<uint32_t> &part);

  std::vector<Arc> arcs_; // an arc and its reverse side by side
  std::vector<uint32_t> first_, fromSource_, toSink_, group_, via_, queue_, seen_;
  std::vector<bool> source_;
  uint32_t round_ = 0;
};

} // namespace rw
