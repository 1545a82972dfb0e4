#include "rw/onnx/name_plan.h"

#include "rw/onnx/graph_order.h"

namespace rw::onnxio {

/// An op's result may take an output's name; what stands for itself (inputs, initializers, captured values) may not.
bool NamePlan::canTakeName(ValueId v, RegionId region) const {
  Op op = fn_.value(v).definingOp();
  if (!op || op.region() != region)
    return false;
  std::string_view name = op.fullName();
  return name != kInitializer && name != kKeptInitializer;
}

/// Results that already have their outputs' names keep them; of the others the first output that can gives its name,
/// and each one that cannot needs a copy.
void NamePlan::enter(RegionId region, std::vector<StringId> outputs, const std::function<bool(StringId)> &byOp) {
  Scope &scope = scopes_.emplace_back();
  scope.region = region;
  scope.byOp = byOp;
  scope.outputs = std::move(outputs);
  Op end = fn_.terminator(region);
  unsigned count = end ? end.operandCount() : 0;
  scope.outputs.resize(count);
  for (unsigned i = 0; i < count; ++i)
    if (ValueId v = end.operand(i).id; v && scope.outputs[i] && fn_.valueName(v) == scope.outputs[i] &&
                                       canTakeName(v, region) && !hides(scope.outputs[i], region, false))
      scope.claimed.emplace(v.raw, scope.outputs[i]);
  for (unsigned i = 0; i < count; ++i) {
    ValueId v = end.operand(i).id;
    if (!v)
      continue;
    bool own = canTakeName(v, region), known = bool(scope.outputs[i]);
    StringId &name = scope.outputs[i];
    StringId current = nameOf(v) ? nameOf(v) : fn_.valueName(v);
    if (!known) // nobody outside knows it: the value's own name will do, once
      name = own && !scope.claimed.count(v.raw) ? current : StringId();
    const bool isInput = fn_.value(v).isParam() && fn_.value(v).paramRegion() == region;
    if (known && !own && current == name && (isInput || !byOp(name))) {
      // An input, an initializer or a captured value is this output from the start.
      scope.reserved.insert(name);
      scope.direct.insert(v.raw);
      continue;
    }
    // Outputs of nested graphs are known by their place: a name that means something else in there is not needed.
    if (!name || hides(name, region, false) || (!known && scope.reserved.count(name)))
      name = fresh();
    scope.reserved.insert(name);
    if (!own || scope.claimed.try_emplace(v.raw, name).first->second != name)
      scope.copies.push_back({v, name});
  }
}

void NamePlan::leave() {
  Scope &scope = scopes_.back();
  for (auto it = scope.shadowed.rbegin(); it != scope.shadowed.rend(); ++it)
    visible_[it->first.raw] = it->second;
  scopes_.pop_back();
}

/// Whether the value is read in the region or in one inside it.
bool NamePlan::usedInside(ValueId v, RegionId region) {
  for (Use use : fn_.value(v).uses())
    for (RegionId at = use.owner.region();; at = fn_.data(fn_.data(at).parent).region) {
      if (at == region)
        return true;
      if (!fn_.data(at).parent)
        break;
    }
  return false;
}

/// Whether a value of that name in the region would stand in the way of one outside. Models may use a name again in a
/// nested graph (ONNX's checker minds it for results of ops, runtimes do not): where one did, that stays.
bool NamePlan::hides(StringId name, RegionId region, bool stranger) {
  ValueId outside = name.raw < visible_.size() ? visible_[name.raw] : ValueId();
  return outside && (stranger || strangers_.count(outside.raw) || usedInside(outside, region));
}

StringId NamePlan::define(ValueId v, bool fixed) {
  if (StringId name = nameOf(v))
    return name;
  Scope &scope = scopes_.back();
  StringId name = fn_.valueName(v);
  bool stranger = canTakeName(v, scope.region) && !scope.byOp(name);
  if (auto claim = scope.claimed.find(v.raw); claim != scope.claimed.end()) {
    name = claim->second;
  } else if (name && !fixed) {
    bool reserved = scope.reserved.count(name) && !scope.direct.count(v.raw);
    if (reserved || scope.defined.count(name) || hides(name, scope.region, stranger))
      name = StringId();
  }
  if (!name) {
    if (!fixed && !fn_.value(v).hasUses())
      return name; // whoever writes it decides whether it needs one
    name = fresh();
  }
  if (v.raw >= names_.size())
    names_.resize(fn_.valueCapacity());
  names_[v.raw] = name;
  if (name.raw >= visible_.size())
    visible_.resize(name.raw + name.raw / 2 + 64);
  if (stranger)
    strangers_.insert(v.raw);
  scope.defined.insert(name);
  scope.shadowed.emplace_back(name, visible_[name.raw]);
  visible_[name.raw] = v;
  return name;
}

void NamePlan::collect(const onnx::GraphProto &g) {
  auto add = [&](const std::string &name) { taken_.insert(ctx_.intern(name)); };
  for (const auto *list : {&g.input(), &g.output(), &g.value_info()})
    for (const onnx::ValueInfoProto &v : *list)
      add(v.name());
  for (const onnx::TensorProto &t : g.initializer())
    add(t.name());
  for (const onnx::SparseTensorProto &t : g.sparse_initializer())
    add(t.values().name());
  for (const onnx::NodeProto &node : g.node()) {
    for (const std::string &output : node.output())
      add(output);
    forEachGraph(node, [&](int, const onnx::GraphProto &inner) {
      collect(inner);
      return true;
    });
  }
}

StringId NamePlan::fresh() {
  if (!collected_) {
    collected_ = true;
    collect(origin_);
    for (uint32_t v = 0; v < fn_.valueCapacity(); ++v)
      taken_.insert(fn_.valueName(ValueId(v)));
    for (StringId name : fn_.resultNames())
      taken_.insert(name);
  }
  for (;;) {
    StringId name = ctx_.intern("rw_" + std::to_string(next_++));
    if (taken_.insert(name).second)
      return name;
  }
}

} // namespace rw::onnxio
