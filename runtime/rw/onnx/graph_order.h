// What must be known of a graph before its ops can be created: that every name is defined once, an order in which
// definitions come before uses, and which names come from the graphs around it.
//
// In:  a graph with all graphs inside it.
// Out: per graph an order of its ops and its free names; or one diagnostic: onnx-duplicate-name, onnx-undefined-value,
//      onnx-cycle (naming the cycle), onnx-nesting.
// Elsewhere: the ops are created by importer.h.
//
//   GraphOrder order(ctx, path, diags);
//   if (order.analyze(model.graph())) for (int i : order.of(model.graph())) … graph.node(i) …
#pragma once

#include "rw/onnx/proto.h"

namespace rw::onnxio {

class GraphOrder {
public:
  /// `where` stands in front of each message.
  GraphOrder(Context &ctx, std::string path, Diagnostics &diags, std::string where = "")
      : ctx_(ctx), path_(std::move(path)), where_(std::move(where)), diags_(diags) {}

  bool analyze(const onnx::GraphProto &main);
  /// Indexes of the graph's ops: as given where that is possible, else the first that can come next comes next.
  const std::vector<int> &of(const onnx::GraphProto &g) const { return facts_.at(&g).order; }

private:
  struct Free {
    StringId name;
    const onnx::NodeProto *reader; // null: it is an output of the graph
    int index;
  };
  struct Facts {
    std::vector<int> order;
    std::vector<Free> free;
  };
  struct Edges { // between ops of one graph, by index: those that `from` must precede
    std::vector<std::pair<int, int>> list;
    bool sorted = true;
  };
  class Definitions;

  bool analyze(const onnx::GraphProto &, unsigned depth);
  bool define(const onnx::GraphProto &, Definitions &);
  bool nested(const onnx::NodeProto &, int index, unsigned depth);
  void read(const onnx::GraphProto &, const Definitions &, Facts &, Edges &);
  bool sort(const onnx::GraphProto &, const Edges &, Facts &);
  void reportCycle(const onnx::GraphProto &, const Edges &, const std::vector<int> &pending);
  bool error(const char *tag, std::string message);

  Context &ctx_;
  std::string path_, where_;
  Diagnostics &diags_;
  std::unordered_map<const onnx::GraphProto *, Facts> facts_;
};

/// The graphs an op holds, each with the index of its attribute.
template <class Visit> bool forEachGraph(const onnx::NodeProto &node, Visit visit) {
  for (int a = 0; a < node.attribute_size(); ++a) {
    const onnx::AttributeProto &attribute = node.attribute(a);
    if (!holdsGraphs(attribute))
      continue;
    switch (kindOf(attribute)) {
    case onnx::AttributeProto::GRAPH:
      if (!visit(a, attribute.g()))
        return false;
      break;
    case onnx::AttributeProto::GRAPHS:
      for (const onnx::GraphProto &g : attribute.graphs())
        if (!visit(a, g))
          return false;
      break;
    default:
      break;
    }
  }
  return true;
}

} // namespace rw::onnxio
