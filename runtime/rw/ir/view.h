// OpView: the base of the typed wrappers that rwc generates, one per op declaration.
//
// In:  an Op.
// Out: named access to operands, attributes and results. A view is an Op with a better interface: two words, no
//      ownership; a default-made view is "none".
// Elsewhere: the generated classes add the names; what attributes hold is attr_values.h, patterns over views
//            are rewrite/pattern.h.
//
//   if (auto t = definedBy<tensor::TransposeOp>(x)) use(t.perm());
#pragma once

#include "rw/ir/builder.h"

namespace rw {

class OpView {
public:
  OpView() = default;
  explicit OpView(Op op) : op_(op) {}
  explicit operator bool() const { return bool(op_); }
  Op op() const { return op_; }
  OpId id() const { return op_.id; }
  operator Op() const { return op_; }
  Context &context() const { return op_.context(); }
  Loc loc() const { return op_.loc(); }

protected:
  Op op_;
};

/// The view of one kind of op: what generated views derive from, those of ops with the same operands, results and
/// attributes through one class with the names of these.
template <const OpSchema &Schema> class ViewOf : public OpView {
public:
  using OpView::OpView;
  static constexpr const OpSchema &schema() { return Schema; }
};

// Inline wherever they are called: patterns ask this of every op, and a call costs more than the answer.
/// The op as a view of type V, or a none view if it is of another kind.
template <class V> [[gnu::always_inline]] inline V dynCast(Op op) { return op && op.is(V::schema()) ? V(op) : V(); }
/// The op that defines `value` as a view of type V, or a none view.
template <class V> [[gnu::always_inline]] inline V definedBy(Value value) {
  return value ? dynCast<V>(value.definingOp()) : V();
}

} // namespace rw
