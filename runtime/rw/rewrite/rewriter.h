// PatternRewriter: the only way patterns and passes edit the IR.
//
// In:  edits. Out: the edited function, and events to a listener (the driver's worklist, logs, traces).
// Elsewhere: the storage edited is ir/function.h; ops are created with inferred types as in ir/builder.h.
//
// New ops go before the insertion point: the root while a pattern runs. An op that replaces a root takes over its name,
// location and result names. A pattern that returns false must have changed nothing; one that created ops and then
// found that they do not fit returns `rw.abandon()`, which removes them again.
//
//   Op t = rw.create(tensor::TransposeOp::schema(), {x}, {perm});
//   return rw.replaceOp(root, t);
#pragma once

#include "rw/rewrite/pattern.h"

namespace rw {

/// Told of every edit, in order. All are optional.
class RewriteListener {
public:
  virtual ~RewriteListener() = default;
  virtual void created(Op) {}
  /// Before the op is unlinked; its operands can still be read.
  virtual void erasing(Op) {}
  /// Operands, attributes or kind changed in place.
  virtual void modified(Op) {}
  /// Before all uses of `from` become uses of `to`.
  virtual void replacing(Value from, Value to) { (void)from, (void)to; }
  /// A value lost a use (an operand was changed or its op erased).
  virtual void useRemoved(Value) {}
  virtual void patternBegin(const Pattern &, Op root) { (void)root; }
  virtual void patternEnd(const Pattern &, bool applied) { (void)applied; }
  /// Why the running pattern does not match at `at`: the condition that failed.
  virtual void noMatch(Op at, const char *condition, unsigned line) { (void)at, (void)condition, (void)line; }
};

class PatternRewriter {
public:
  explicit PatternRewriter(Function &fn, RewriteListener *listener = nullptr) : fn_(fn), listener_(listener) {}

  Function &function() { return fn_; }
  Context &context() { return fn_.context(); }

  // Where new ops go.
  void setInsertionPoint(Op before) { before_ = before.id; }
  void setInsertionPointToEnd(RegionId region) { before_ = OpId(), region_ = region; }

  // Creation. Types are inferred; what inference cannot tell is unknown.
  Op create(const OpSchema &, std::span<const ValueId> operands, AttrsId, unsigned resultCount = 1);
  Op create(const OpSchema &s, std::initializer_list<Value> operands, std::initializer_list<AttrId> attrs = {});
  Op createTyped(KindId, std::span<const ValueId> operands, AttrsId, std::span<const TypeId> types);
  /// The same kind, attributes and nested regions as `model` on other operands, types inferred anew.
  Op cloneWithOperands(Op model, std::span<const ValueId> operands);
  /// A constant through the constant op of the dialect of `like`; none if the dialect has none.
  Value materializeConstant(Op like, AttrId value, TypeId type);

  // Replacement. All of these return true, so that a pattern can end with `return rw.replaceOp(…)`.
  /// Whether a value of `type` may stand in for `old`: no known part of the types differs.
  bool canReplace(Value old, TypeId type) { return context().compatible(old.typeId(), type); }
  bool canReplace(Value old, Value with) { return canReplace(old, with.typeId()); }
  bool replaceOp(Op op, std::span<const ValueId> values);
  bool replaceOp(Op op, Value value);
  /// By the results of an op that this pattern created.
  bool replaceOp(Op op, Op by);
  bool replaceAllUses(Value from, Value to);

  // In-place edits.
  bool setOperand(Op, unsigned index, Value);
  bool setAttr(Op, unsigned index, AttrId);
  bool setAttrs(Op, AttrsId);
  /// Erases an op whose results are unused. Refused (false) while used: `users of` tells who.
  bool erase(Op);

  /// Records why the pattern does not match (for "why not" reports) and returns false.
  bool noMatch(Op at, const char *condition, unsigned line = 0) {
    if (listener_ && explain_) [[unlikely]]
      listener_->noMatch(at, condition, line);
    return false;
  }

  // Used by drivers around each pattern.
  void begin(const Pattern &, Op root);
  void end(const Pattern &, bool applied);
  /// Removes the ops created since begin() and returns false. They must not have been used by others yet.
  bool abandon();
  void setExplain(bool on) { explain_ = on; }
  void setListener(RewriteListener *listener) { listener_ = listener; }
  /// Whether anything was edited since begin().
  bool changed() const { return edits_ != 0; }

private:
  Op finish(Op);
  Function &fn_;
  RewriteListener *listener_;
  OpId before_;
  RegionId region_{0};
  Loc loc_;
  bool explain_ = false;
  uint32_t edits_ = 0;
  std::vector<OpId> created_; // since begin()
};

} // namespace rw
