// Copies of ops, from one function to another or within one.
//
// In:  two functions over one context, what stands for the values that the copied ops read, and a way to make an op.
// Out: the copies, with all regions nested in them, and the map from values to their copies.
// Elsewhere: whole programs are copied by Program::clone, patterns copy through PatternRewriter.
//
//   OpCloner cloner(from, to);
//   cloner.map(from.params(from.body())[0], x.id);
//   for (Op op : from.ops(from.body()))
//     cloner.copy(op, [&](auto... parts) { return to.appendOp(to.body(), parts...); });
#pragma once

#include "rw/ir/function.h"

#include <unordered_map>

namespace rw {

class OpCloner {
public:
  /// `keepLocs`: ops of copied regions keep their location (those that `make` makes have what it gives them).
  OpCloner(Function &from, Function &to, bool keepLocs = false) : from_(from), to_(to), keepLocs_(keepLocs) {}

  /// `value` of `from` is `copy` in `to`.
  void map(ValueId value, ValueId copy) { map_[value.raw] = copy; }
  /// What stands for `value`; none if nothing does, or if it is none itself.
  ValueId mapped(ValueId value) const {
    auto it = value ? map_.find(value.raw) : map_.end();
    return it == map_.end() ? ValueId() : it->second;
  }

  /// A copy of `op` made by `make(kind, operands, attrs, resultTypes)`, its regions with it. Every value it reads, also
  /// through captures, must have been mapped or copied.
  template <class Make> Op copy(Op op, Make make) {
    InlineList<ValueId, 6> operands = operandsOf(op);
    InlineList<TypeId, 4> types = typesOf(op);
    Op copied = make(op.kind(), std::span<const ValueId>(operands), op.attrsId(), std::span<const TypeId>(types));
    note(op, copied);
    if (!op.regions().empty())
      copyRegions(op, copied);
    return copied;
  }

private:
  InlineList<ValueId, 6> operandsOf(Op) const;
  static InlineList<TypeId, 4> typesOf(Op);
  void note(Op op, Op copied);
  void copyRegions(Op op, Op copied);

  Function &from_, &to_;
  bool keepLocs_;
  std::unordered_map<uint32_t, ValueId> map_;
};

} // namespace rw
