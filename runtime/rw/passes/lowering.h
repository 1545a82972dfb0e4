// Lowerings in C++: how one op becomes ops of another dialect, where that takes more than a pattern can say.
//
// In:  an op that a conversion finds, in a LoweringContext.
// Out: for every result of the op a value, bound once. The op goes, and the values stand in its place.
// Elsewhere: conversions are conversion.h; lowerings are patterns wherever .rw can say them; the ones for StableHLO and
//      the helpers for ONNX's ops are in rw/convert.
//
//   bool lowerNegate(LoweringContext &ctx) {
//     return ctx.bind(0, ctx.make("Neg", {ctx.get(0)}));
//   }
//   registry.addLowering({.op = "stablehlo.negate", .to = "onnx", .lower = lowerNegate});
//
// A lowering that does not apply returns ctx.fail("why"): what it has built is taken away, and conversions say why
// nothing took the op. The same happens where a result is bound twice, or to a value of another type, or is left
// without one, or where the target has no op of a name in the version that is built; the reason names the lowering and
// the result.
#pragma once

#include "rw/passes/pass.h"
#include "rw/rewrite/rewriter.h"

#include <string>
#include <utility>
#include <vector>

namespace rw {

class LoweringContext {
public:
  using Attrs = std::initializer_list<std::pair<std::string_view, AttrId>>;

  /// `version` of the dialect `to`; 0: any.
  LoweringContext(PatternRewriter &, Op op, std::string_view to, int version);

  Op op() const { return op_; }
  Function &function() { return *op_.fn; }
  Context &context() { return op_.context(); }
  PatternRewriter &rewriter() { return rw_; }
  int version() const { return version_; }

  /// What operand `i` has become; none, and a failure, if there is no such operand.
  Value get(unsigned i);
  /// What result `i` has become; none as long as it is not bound.
  Value bound(unsigned i) const { return i < bound_.size() ? bound_[i] : Value(); }
  /// `value` is what result `i` becomes. False, and a failure, if it is one already, if there is no such result, or if
  /// the types contradict each other; a value that is none is the failure of whoever made it.
  bool bind(unsigned i, Value value);

  /// A new op of the target's dialect, or, with a `.` in its name, of another one, which others lower in turn. Its
  /// types are inferred, or stated. None, and a failure, if the target has no such op or attribute in the version that
  /// is built.
  Op emit(std::string_view name, std::span<const Value> operands, Attrs attrs = {}, std::span<const TypeId> types = {});
  /// The result of one that has one.
  Value make(std::string_view name, std::initializer_list<Value> operands, Attrs attrs = {}, TypeId type = {});
  /// An op of the target that holds regions, without these: openRegion and closeRegion add them, in the order of its
  /// declaration.
  void openRegion(Op holder);
  Value addParam(TypeId);
  void closeRegion(std::span<const Value> results);

  /// A constant, where the next op goes; of equal ones that a lowering asks for there is one. (Those of several
  /// lowerings become one by the pass `cse`, which pipelines run behind a conversion.)
  Value constant(AttrId dense);
  Value ints(std::span<const int64_t>); ///< i64, one dimension
  Value ints(std::initializer_list<int64_t> list) { return ints(std::span(list.begin(), list.size())); }
  /// A name that no value of the function has: `hint`, or that with a number.
  StringId freshName(std::string_view hint);

  /// Records why the lowering does not apply, the first reason counting, and returns false.
  bool fail(std::string why);
  const std::string &failure() const { return failure_; }
  /// Whether every result is bound; else a failure that names one. Unused ones need not be.
  bool finish();

private:
  PatternRewriter &rw_;
  Op op_;
  std::string to_;
  int version_;
  std::vector<Value> bound_;
  std::string failure_;
  std::vector<std::pair<OpId, RegionId>> open_; // holders, and where they are filled
  struct Known {
    AttrId dense;
    Value value;
    size_t depth; // of how many regions that are open it is inside
  };
  std::vector<Known> constants_;
};

/// The pattern that a lowering is in a set.
PatternPtr makeLoweringPattern(const OpRegistry &, const LoweringEntry &);

} // namespace rw
