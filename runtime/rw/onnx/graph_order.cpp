#include "rw/onnx/graph_order.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

#include <algorithm>
#include <queue>

namespace rw::onnxio {

/// Where each name of one graph is defined.
class GraphOrder::Definitions {
public:
  enum : int { kInput = -1, kInitializer = -2, kNowhere = -3 };
  /// The previous definition, or kNowhere.
  int add(StringId name, int where) {
    auto [it, added] = where_.try_emplace(name.raw, where);
    return added ? int(kNowhere) : it->second;
  }
  int of(StringId name) const {
    auto it = where_.find(name.raw);
    return it == where_.end() ? int(kNowhere) : it->second;
  }

private:
  llvm::DenseMap<uint32_t, int> where_;
};

bool GraphOrder::error(const char *tag, std::string message) {
  diags_.errorInFile(tag, path_, where_ + message);
  return false;
}

bool GraphOrder::analyze(const onnx::GraphProto &main) {
  if (!analyze(main, 0))
    return false;
  const Facts &facts = facts_.at(&main);
  if (facts.free.empty())
    return true;
  const Free &f = facts.free.front();
  std::string name = inBackticks(ctx_.text(f.name));
  return error("onnx-undefined-value", f.reader
                                           ? describe(*f.reader, f.index) + " reads " + name + ", which nothing defines"
                                           : "the output " + name + " is defined by nothing");
}

bool GraphOrder::analyze(const onnx::GraphProto &g, unsigned depth) {
  if (depth > kMaxDepth)
    return error("onnx-nesting", "graphs are nested more than " + std::to_string(kMaxDepth) + " deep");
  Definitions definitions;
  if (!define(g, definitions))
    return false;
  for (int i = 0; i < g.node_size(); ++i)
    if (!nested(g.node(i), i, depth))
      return false;
  Facts facts;
  Edges edges;
  read(g, definitions, facts, edges);
  if (!sort(g, edges, facts))
    return false;
  facts_[&g] = std::move(facts);
  return true;
}

bool GraphOrder::define(const onnx::GraphProto &g, Definitions &definitions) {
  for (const onnx::ValueInfoProto &input : g.input()) {
    if (input.name().empty())
      return error("onnx-parse", "an input of the graph " + inBackticks(g.name()) + " has no name");
    if (definitions.add(ctx_.intern(input.name()), Definitions::kInput) != Definitions::kNowhere)
      return error("onnx-duplicate-name", "two inputs of a graph are named " + inBackticks(input.name()));
  }
  llvm::DenseSet<uint32_t> stored; // an input may be, too: that is its default
  auto add = [&](const std::string &name, bool again) {
    if (name.empty())
      return error("onnx-parse", "an initializer of the graph " + inBackticks(g.name()) + " has no name");
    StringId id = ctx_.intern(name);
    definitions.add(id, Definitions::kInitializer);
    return stored.insert(id.raw).second || again ||
           error("onnx-duplicate-name",
                 "two initializers of a graph are named " + inBackticks(name) + ", one of them sparse");
  };
  for (const onnx::TensorProto &t : g.initializer()) // of two with one name engines take the last
    if (!add(t.name(), true))
      return false;
  for (const onnx::SparseTensorProto &t : g.sparse_initializer())
    if (!add(t.values().name(), false))
      return false;
  for (int i = 0; i < g.node_size(); ++i)
    for (const std::string &output : g.node(i).output())
      if (!output.empty() && definitions.add(ctx_.intern(output), i) != Definitions::kNowhere)
        return error("onnx-duplicate-name",
                     describe(g.node(i), i) + " defines " + inBackticks(output) + ", which is defined already");
  for (const onnx::ValueInfoProto &output : g.output())
    if (output.name().empty())
      return error("onnx-parse", "an output of the graph " + inBackticks(g.name()) + " has no name");
  return true;
}

bool GraphOrder::nested(const onnx::NodeProto &node, int index, unsigned depth) {
  if (node.op_type().empty())
    return error("onnx-op", describe(node, index) + " does not say what op it is");
  return forEachGraph(node, [&](int, const onnx::GraphProto &g) { return analyze(g, depth + 1); });
}

/// Who reads whom: edges between the graph's own ops, and names that come from outside.
void GraphOrder::read(const onnx::GraphProto &g, const Definitions &definitions, Facts &facts, Edges &edges) {
  llvm::DenseSet<uint32_t> seen;
  auto use = [&](StringId name, int reader, Free free) {
    int where = definitions.of(name);
    if (where == Definitions::kNowhere) {
      if (seen.insert(name.raw).second)
        facts.free.push_back(free);
    } else if (where >= 0 && reader >= 0) {
      edges.list.emplace_back(where, reader);
      edges.sorted &= where < reader;
    }
  };
  for (int i = 0; i < g.node_size(); ++i) {
    const onnx::NodeProto &node = g.node(i);
    for (const std::string &input : node.input())
      if (!input.empty())
        use(ctx_.intern(input), i, {ctx_.intern(input), &node, i});
    forEachGraph(node, [&](int, const onnx::GraphProto &inner) {
      for (const Free &f : facts_.at(&inner).free)
        use(f.name, i, f.reader ? f : Free{f.name, &node, i});
      return true;
    });
  }
  for (const onnx::ValueInfoProto &output : g.output())
    use(ctx_.intern(output.name()), -1, {ctx_.intern(output.name()), nullptr, 0});
}

bool GraphOrder::sort(const onnx::GraphProto &g, const Edges &edges, Facts &facts) {
  int count = g.node_size();
  facts.order.reserve(size_t(count));
  if (edges.sorted) {
    for (int i = 0; i < count; ++i)
      facts.order.push_back(i);
    return true;
  }
  std::vector<int> pending(size_t(count), 0); // operands not yet there
  std::vector<std::vector<int>> readers{size_t(count)};
  for (auto [from, to] : edges.list) {
    readers[size_t(from)].push_back(to);
    ++pending[size_t(to)];
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < count; ++i)
    if (!pending[size_t(i)])
      ready.push(i);
  while (!ready.empty()) {
    int i = ready.top();
    ready.pop();
    facts.order.push_back(i);
    for (int reader : readers[size_t(i)])
      if (--pending[size_t(reader)] == 0)
        ready.push(reader);
  }
  if (facts.order.size() == size_t(count))
    return true;
  reportCycle(g, edges, pending);
  return false;
}

/// From any op that waits, going back to one that it waits for must come round.
void GraphOrder::reportCycle(const onnx::GraphProto &g, const Edges &edges, const std::vector<int> &pending) {
  std::vector<int> waitsFor(pending.size(), -1), position(pending.size(), -1), path;
  for (auto [from, to] : edges.list)
    if (pending[size_t(from)] && pending[size_t(to)] && waitsFor[size_t(to)] < 0)
      waitsFor[size_t(to)] = from;
  int at = int(std::find_if(pending.begin(), pending.end(), [](int p) { return p != 0; }) - pending.begin());
  for (; position[size_t(at)] < 0; at = waitsFor[size_t(at)]) {
    position[size_t(at)] = int(path.size());
    path.push_back(at);
  }
  path.erase(path.begin(), path.begin() + position[size_t(at)]);
  std::reverse(path.begin(), path.end());
  constexpr size_t kShown = 8;
  std::string text;
  for (size_t i = 0; i < path.size() && i < kShown; ++i)
    text += describe(g.node(path[i]), path[i]) + " -> ";
  if (path.size() > kShown)
    text += std::to_string(path.size() - kShown) + " more -> ";
  text += describe(g.node(path[0]), path[0]);
  error("onnx-cycle", "the ops of the graph form a cycle: " + text);
}

} // namespace rw::onnxio
