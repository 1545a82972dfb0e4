// One graph while it is written; for exporter*.cpp alone.
//
// In:  the message it was read from, if there is one. Out: that message's ops by the names of their outputs.
// Elsewhere: exporter.h.
#pragma once

#include "rw/onnx/exporter.h"

#include <string_view>

namespace rw::onnxio {

struct Exporter::Graph {
  Graph(const onnx::GraphProto *origin, onnx::GraphProto &out) : origin(origin), out(out) {
    if (!origin)
      return;
    for (int i = 0; i < origin->node_size(); ++i)
      for (const std::string &name : origin->node(i).output())
        if (!name.empty())
          producers.emplace(name, i);
  }

  const onnx::GraphProto *origin; // null: the graph is new
  onnx::GraphProto &out;
  RegionId region;
  bool top = false;
  std::unordered_map<std::string_view, int> producers; // in `origin`
  std::unordered_map<uint32_t, ValueId> values;        // of the region, by name
};

/// Copies the fields that are set, except those numbered.
void copyFieldsExcept(const google::protobuf::Message &from, google::protobuf::Message &to,
                      std::initializer_list<int> except);

template <class T> void Exporter::lend(google::protobuf::RepeatedPtrField<T> &to, const T &message) {
  to.UnsafeArenaAddAllocated(const_cast<T *>(&message)); // read only until it is taken back
  lent_.insert(&message);
  if (!lentTo_.insert(&to).second)
    return;
  takeBack_.push_back([this, &to] {
    while (!to.empty())
      if (T *last = to.UnsafeArenaReleaseLast(); !lent_.count(last))
        released_.emplace_back(last);
  });
}

} // namespace rw::onnxio
