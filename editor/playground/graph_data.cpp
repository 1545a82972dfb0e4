#include "editor/playground/graph_data.h"

#include "rw/opt/graph_piece.h"
#include "rw/passes/op_count.h"

#include <algorithm>
#include <fmt/format.h>

namespace rw::editor {
namespace {

enum Difference : uint8_t { Same, Other, ReadsOther };

/// Whether the other function has this op as it is here.
Difference differenceOf(Op op, Function *other) {
  if (!other || op.id.raw >= other->opCapacity())
    return Other;
  Op twin = other->op(op.id);
  if (twin.isErased() || twin.kind() != op.kind() || twin.attrsId() != op.attrsId() || twin.region() != op.region() ||
      twin.operandCount() != op.operandCount())
    return Other;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    if (op.operand(i).id != twin.operand(i).id)
      return ReadsOther;
  return Same;
}

struct Edge {
  size_t from, to;
};

class GraphData {
public:
  explicit GraphData(Function &fn, Function *other, Json &scopes)
      : fn_(fn), other_(other), names_(fn), scopes_(scopes) {}

  void function() { scope(fn_.body(), "@" + fn_.name()); }

private:
  /// The number of the scope.
  size_t scope(RegionId region, const std::string &name) {
    const size_t number = scopes_.size();
    scopes_.push_back(nullptr);
    std::vector<Json> nodes;
    std::vector<Difference> changed;
    std::vector<Edge> edges;
    std::map<uint32_t, size_t> params; // and what comes from outside, by value
    std::map<uint32_t, size_t> ops;
    auto add = [&](const opt::GraphPiece::Node &node, Difference differs) {
      Json out{{"t", node.title}};
      for (const auto &[key, text] : {std::pair("d", &node.details), {"v", &node.value}, {"y", &node.type}})
        if (!text->empty())
          out[key] = *text;
      if (node.boundary)
        out["b"] = 1;
      if (differs)
        out["s"] = int(differs);
      nodes.push_back(std::move(out));
      changed.push_back(differs);
      return nodes.size() - 1;
    };
    for (Op op : fn_.ops(region)) {
      if (op.kind() != kReturnKind && !computes(op))
        continue;
      const size_t node = add(opt::describeOp(op, names_), op.kind() == kReturnKind ? Same : differenceOf(op, other_));
      ops[op.id.raw] = node;
      for (unsigned i = 0; i < op.operandCount(); ++i) {
        Value value = op.operand(i);
        if (!value)
          continue;
        if (Op def = value.definingOp()) {
          if (auto known = ops.find(def.id.raw); known != ops.end()) {
            edges.push_back({known->second, node});
            continue;
          }
          if (!computes(def))
            continue;
        } else if (isWeight(value)) {
          continue;
        }
        auto [it, isNew] = params.try_emplace(value.id.raw, 0);
        if (isNew)
          it->second = add(opt::describeParam(value, names_), Same);
        edges.push_back({it->second, node});
      }
      Json inner = Json::array();
      for (unsigned i = 0; i < op.regions().size(); ++i)
        inner.push_back(scope(op.regions()[i], fmt::format("{} › {} {}", name, names_.of(op), i)));
      if (!inner.empty())
        nodes[node]["r"] = std::move(inner);
    }
    scopes_[number] = shown(name, nodes, changed, edges);
    return number;
  }

  bool isWeight(Value value) const {
    if (value.paramRegion() != fn_.body())
      return false;
    std::span<const ValueId> all = fn_.params(fn_.body());
    const auto at = std::ranges::find(all, value.id);
    return at != all.end() && fn_.paramInfo(unsigned(at - all.begin())).role == ParamRole::Param;
  }

  /// What of a graph is drawn: all, or what is next to changes, then what comes first.
  static Json shown(const std::string &name, std::vector<Json> &nodes, const std::vector<Difference> &changed,
                    std::vector<Edge> &edges) {
    std::vector<size_t> number(nodes.size(), SIZE_MAX), kept;
    auto keep = [&](size_t node) {
      if (number[node] != SIZE_MAX || kept.size() >= kMostDrawn)
        return;
      number[node] = 0;
      kept.push_back(node);
    };
    if (nodes.size() > kMostDrawn) {
      std::vector<std::vector<size_t>> next(nodes.size());
      for (const Edge &e : edges) {
        next[e.from].push_back(e.to);
        next[e.to].push_back(e.from);
      }
      for (size_t i = 0; i < nodes.size(); ++i)
        if (changed[i])
          keep(i);
      constexpr size_t kHub = 12; // what so many ops read leads everywhere
      for (size_t i = 0; i < kept.size(); ++i)
        if (next[kept[i]].size() <= kHub || changed[kept[i]])
          for (size_t other : next[kept[i]])
            keep(other);
    }
    for (size_t i = 0; i < nodes.size(); ++i)
      keep(i);
    std::ranges::sort(kept);
    Json outNodes = Json::array(), outEdges = Json::array();
    for (size_t i = 0; i < kept.size(); ++i) {
      number[kept[i]] = i;
      outNodes.push_back(std::move(nodes[kept[i]]));
    }
    for (const Edge &e : edges)
      if (number[e.from] != SIZE_MAX && number[e.to] != SIZE_MAX)
        outEdges.push_back({number[e.from], number[e.to]});
    return {{"name", name},
            {"nodes", std::move(outNodes)},
            {"edges", std::move(outEdges)},
            {"leftOut", nodes.size() - kept.size()}};
  }

  Function &fn_;
  Function *other_;
  OpNames names_;
  Json &scopes_;
};

} // namespace

Json graphData(Program &program, Program &other) {
  Json scopes = Json::array();
  for (Function &fn : program.functions())
    GraphData(fn, other.function(fn.name()), scopes).function();
  return {{"scopes", std::move(scopes)}};
}

} // namespace rw::editor
