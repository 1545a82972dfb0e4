// The names that values get in a written model.
//
// In:  a function, the graph it was read from.
// Out: per value a name; per result of a region how it gets its name. Names of the interface (inputs, outputs) never
//      change; other values keep theirs unless two visible in one place have the same; new values get names that no
//      value of that graph has. The same function gives the same names.
// Elsewhere: messages are written by exporter.h.
//
//   NamePlan plan(fn, origin);
//   plan.enter(region, outputNames, byOp);    // then, in program order:
//   plan.define(value); … plan.leave();
#pragma once

#include "rw/onnx/proto.h"

#include <functional>
#include <unordered_set>

namespace rw::onnxio {

class NamePlan {
public:
  NamePlan(Function &fn, const onnx::GraphProto &origin) : fn_(fn), ctx_(fn.context()), origin_(origin) {}

  /// Starts a region. `outputs` are the names its results must have (`byOp`: whether an op of the model gave the output
  /// of that name its value); results beyond them get names of their own.
  void enter(RegionId, std::vector<StringId> outputs, const std::function<bool(StringId)> &byOp);
  void leave();
  /// Gives a value of the region its name, once. The name of an interface cannot change: `fixed`.
  StringId define(ValueId, bool fixed = false);
  StringId nameOf(ValueId v) const { return v.raw < names_.size() ? names_[v.raw] : StringId(); }
  /// A name that nothing in the graph has.
  StringId fresh();

  /// Results of the region that need an op of their own to get their names: source and name.
  struct Copy {
    ValueId from;
    StringId to;
  };
  const std::vector<Copy> &copies() const { return scopes_.back().copies; }
  /// Names of the region's results, in order.
  const std::vector<StringId> &outputs() const { return scopes_.back().outputs; }

private:
  struct Scope {
    RegionId region;
    std::vector<StringId> outputs;
    std::vector<Copy> copies;
    std::unordered_map<uint32_t, StringId> claimed; // by value: the output's name it takes
    std::unordered_set<StringId> reserved, defined; // names of outputs, names of values
    std::unordered_set<uint32_t> direct;            // values that are outputs under their own names
    std::function<bool(StringId)> byOp;
    std::vector<std::pair<StringId, ValueId>> shadowed;
  };
  bool canTakeName(ValueId, RegionId) const;
  bool usedInside(ValueId, RegionId);
  bool hides(StringId, RegionId, bool stranger);
  void collect(const onnx::GraphProto &);

  Function &fn_;
  Context &ctx_;
  const onnx::GraphProto &origin_;
  std::vector<StringId> names_;  // by value
  std::vector<ValueId> visible_; // by name
  std::vector<Scope> scopes_;
  std::unordered_set<uint32_t> strangers_; // values whose names stood elsewhere in the model, or nowhere
  std::unordered_set<StringId> taken_;     // filled at the first fresh name
  bool collected_ = false;
  size_t next_ = 0;
};

} // namespace rw::onnxio
