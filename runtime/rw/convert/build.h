// Ops built by name in lowerings that are written in C++: what right sides of patterns do, where a pattern cannot say
// how many ops there are.
//
// In:  a lowering's context, names of ops of any dialect, operands, attributes by name.
// Out: values; "none" once anything could not be built, and from then on, so that a lowering is written straight
// through and asked
//      at its end whether it holds.
// Elsewhere: what a region says of scalars, said of tensors, is scalar_region.h; ops of the target alone
// LoweringContext has.
//
//   Build b(ctx);
//   Value y = b.op("onnx.Concat", {x, z}, {{"axis", b.ctx.intAttr(0)}});
//   return b.ok() && ctx.bind(0, y);
#pragma once

#include "rw/ir/attr_values.h"
#include "rw/passes/lowering.h"
#include "rw/rewrite/match_helpers.h"
#include "rw/rewrite/named_builds.h"

namespace rw::convert {

/// A value's shape, where every dimension is a number; none else.
std::optional<std::vector<int64_t>> sizesOf(Value);

class Build {
public:
  explicit Build(LoweringContext &lowering) : lowering(lowering), rw(lowering.rewriter()), ctx(lowering.context()) {}

  LoweringContext &lowering;
  PatternRewriter &rw;
  Context &ctx;

  bool ok() const { return ok_; }
  /// Nothing can be built any more, since this does not hold.
  Value fail(std::string_view condition) {
    ok_ = false;
    lowering.fail(std::string(condition));
    return {};
  }

  /// The only result of a new op, in the version of its dialect that the program has. What is not inferred of its type
  /// is as `stated`.
  Value op(std::string_view name, std::span<const Value> operands, std::span<const NamedSetting> attrs = {},
           TypeId stated = {});
  Value op(std::string_view name, std::initializer_list<Value> operands, std::initializer_list<NamedSetting> attrs = {},
           TypeId stated = {}) {
    return op(name, std::span(operands.begin(), operands.size()), std::span(attrs.begin(), attrs.size()), stated);
  }
  /// A new op with several results.
  Op ops(std::string_view name, std::span<const Value> operands, std::span<const NamedSetting> attrs,
         std::span<const TypeId> stated);

  TypeId tensor(DType dtype, std::span<const Dim> dims) { return ctx.tensorType(dtype, dims); }
  TypeId tensor(DType dtype, std::initializer_list<Dim> dims) { return ctx.tensorType(dtype, dims); }
  /// The type of `v` with other dimensions, or another element type.
  TypeId shaped(Value v, std::span<const Dim> dims) { return ctx.tensorType(v.type().dtype, dims); }
  TypeId typed(Value v, DType dtype) { return ctx.tensorType(dtype, v.type().dims); }

  /// A list of whole numbers as a constant of dialect onnx.
  Value ints(std::span<const int64_t> list);
  Value ints(std::initializer_list<int64_t> list) { return ints(std::span(list.begin(), list.size())); }
  /// Whole numbers in a shape, as a constant of dialect onnx of i64.
  Value ints(std::span<const int64_t> list, std::span<const int64_t> shape);
  /// Bools in a shape, as a constant of dialect onnx.
  Value bools(const std::vector<bool> &list, std::span<const int64_t> shape);

  /// Elements start, start + step, ... before end along one dimension. An end below 0 counts from behind, kToEnd is
  /// all. The size is what comes out: of dimensions that are not known, too.
  static constexpr int64_t kToEnd = INT64_MAX;
  Value slice(Value x, size_t axis, int64_t start, int64_t end, int64_t step, Dim size);
  Value concat(std::span<const Value> parts, size_t axis, Dim size);
  Value transpose(Value x, std::span<const int64_t> perm);
  /// In another shape; 0 stands for the dimension of the same place.
  Value reshape(Value x, std::span<const int64_t> target, std::span<const Dim> dims);
  Value squeeze(Value x, size_t axis);
  Value unsqueeze(Value x, size_t axis);
  /// One element in the shape of `like`, whose elements may be of another type.
  Value spread(Value scalar, Value like);
  /// StableHLO's convert; the value itself if it is of that type.
  Value convert(Value x, DType to);
  /// `yes` where the condition holds.
  Value select(Value condition, Value yes, Value no) { return op("stablehlo.select", {condition, yes, no}); }

private:
  bool ok_ = true;
};

/// No values, since this does not hold.
inline std::vector<Value> nothing(Build &b, std::string_view condition) {
  b.fail(condition);
  return {};
}

/// A lowering by a function that gives a value for each result; none where it does not apply.
template <std::vector<Value> (*build)(Build &, Op)> bool lowerBy(LoweringContext &ctx) {
  Build b(ctx);
  std::vector<Value> values = build(b, ctx.op());
  if (!b.ok() || values.size() != ctx.op().resultCount())
    return ctx.fail("the op can be built of others");
  for (unsigned i = 0; i < values.size(); ++i)
    if (!ctx.bind(i, values[i]))
      return false;
  return true;
}

} // namespace rw::convert
