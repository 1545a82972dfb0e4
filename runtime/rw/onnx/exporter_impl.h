// One graph while it is written; for exporter*.cpp alone.
//
// In:  the message it was read from, if there is one. Out: that message's ops by the names of their outputs.
// Elsewhere: exporter.h.
#pragma once

#include "rw/onnx/exporter.h"

#include <string_view>

namespace rw::onnxio {

struct Exporter::Graph {
  /// `nodes`: where the ops go, if not into `out`.
  Graph(const onnx::GraphProto *origin, onnx::GraphProto &out,
        google::protobuf::RepeatedPtrField<onnx::NodeProto> *nodes = nullptr)
      : origin(origin), out(out), nodes(nodes ? *nodes : *out.mutable_node()) {
    if (!origin)
      return;
    for (int i = 0; i < origin->node_size(); ++i)
      for (const std::string &name : origin->node(i).output())
        if (!name.empty())
          producers.emplace(name, i);
    for (const onnx::TensorProto &t : origin->initializer())
      initializers.insert(t.name());
  }

  const onnx::GraphProto *origin; // null: the graph is new
  onnx::GraphProto &out;
  google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes;
  bool functionBody = false; // constants are ops
  RegionId region;
  bool top = false;
  std::unordered_map<std::string_view, int> producers; // in `origin`
  std::unordered_set<std::string_view> initializers;   // of `origin`
  std::unordered_map<uint32_t, ValueId> values;        // of the region, by name
};

/// Copies the fields that are set, except those numbered.
void copyFieldsExcept(const google::protobuf::Message &from, google::protobuf::Message &to,
                      std::initializer_list<int> except);

} // namespace rw::onnxio
