// A dialect for tests of the IR: small, by hand, with every arity, attribute type, trait and region there is.
//
// In:  a registry. Out: the ops `t.…` in it. Elsewhere: real dialects are generated from patterns/.
//
//   OpRegistry ops;
//   test::registerOps(ops);
#pragma once

#include "rw/ir/attr_values.h"
#include "rw/ir/builder.h"
#include "rw/ir/verifier.h"
#include "rw/ir/view.h"

namespace rw::test {

inline constexpr OperandSchema kX[] = {{"x"}};
inline constexpr OperandSchema kXY[] = {{"x"}, {"y"}};
inline constexpr OperandSchema kXs[] = {{"xs", Arity::Variadic}};
inline constexpr OperandSchema kOptional[] = {{"x"}, {"bias", Arity::Optional}, {"scale", Arity::Optional}};
inline constexpr OperandSchema kMiddle[] = {{"x"}, {"maybe", Arity::Optional}, {"y"}, {"rest", Arity::Variadic}};
inline constexpr ResultSchema kOne[] = {{"result"}};
inline constexpr ResultSchema kMany[] = {{"results", Arity::Variadic}};
inline constexpr AttrSchema kPerm[] = {{"perm", AttrType::Ints, false, true}};
inline constexpr AttrSchema kAxis[] = {{"axis", AttrType::Int}};
inline constexpr AttrSchema kValue[] = {{"value", AttrType::Tensor}};
inline constexpr AttrSchema kAll[] = {
    {"i", AttrType::Int, false},      {"f", AttrType::Float, false},  {"b", AttrType::Bool, false},
    {"s", AttrType::String, false},   {"dt", AttrType::DType, false}, {"ty", AttrType::Type, false},
    {"sym", AttrType::Symbol, false}, {"d", AttrType::Dim, false},    {"is", AttrType::Ints, false},
    {"fs", AttrType::Floats, false},  {"bs", AttrType::Bools, false}, {"ss", AttrType::Strings, false},
    {"ds", AttrType::Dims, false},    {"t", AttrType::Tensor, false}, {"any", AttrType::Any, false}};
inline constexpr std::string_view kThenElse[] = {"then", "else"};
inline constexpr std::string_view kBody[] = {"body"};

inline bool sameAsFirst(const OpInputs &in, std::span<TypeId> types) {
  types[0] = in.operand(0).typeId();
  return true;
}
inline bool sameTypes(const OpInputs &in, CheckSink &sink) {
  if (in.context().compatible(in.operand(0).typeId(), in.operand(1).typeId()))
    return true;
  sink.fail("x and y have different types");
  return false;
}
/// perm, or the axes reversed.
inline AttrId reversedAxes(const OpInputs &in, unsigned) {
  const TypeData &t = in.operand(0).type();
  if (!t.ranked)
    return AttrId();
  Ints perm;
  for (size_t i = t.dims.size(); i-- > 0;)
    perm.push_back(int64_t(i));
  return in.context().intsAttr({perm.data(), perm.size()});
}
inline bool isPermutation(std::span<const int64_t> perm, size_t rank) {
  uint64_t seen = 0;
  for (int64_t p : perm) {
    if (p < 0 || size_t(p) >= rank || p > 63 || (seen >> p & 1))
      return false;
    seen |= uint64_t(1) << p;
  }
  return perm.size() == rank;
}
inline bool transposeCheck(const OpInputs &in, CheckSink &sink) {
  const TypeData &t = in.operand(0).type();
  std::optional<std::span<const int64_t>> perm = attrAs<std::span<const int64_t>>(in.context(), in.attrOrDefault(0));
  if (!t.ranked || !perm || isPermutation(*perm, t.dims.size()))
    return true;
  sink.fail("perm is no permutation of the axes");
  return false;
}
inline bool transposeType(const OpInputs &in, std::span<TypeId> types) {
  const TypeData &t = in.operand(0).type();
  std::optional<std::span<const int64_t>> perm = attrAs<std::span<const int64_t>>(in.context(), in.attrOrDefault(0));
  if (!t.ranked || !perm || !isPermutation(*perm, t.dims.size()))
    return false;
  Dims dims;
  for (int64_t p : *perm)
    dims.push_back(t.dims[size_t(p)]);
  types[0] = in.context().tensorType(t.dtype, {dims.data(), dims.size()});
  return true;
}
inline bool constantType(const OpInputs &in, std::span<TypeId> types) {
  types[0] = in.context().attr(in.attr(0)).dense->type;
  return true;
}

inline constexpr OpSchema kRelu{.dialect = "t",
                                .name = "relu",
                                .operands = kX,
                                .results = kOne,
                                .traits = Trait::Pure | Trait::Elementwise,
                                .inferTypes = sameAsFirst};
inline constexpr OpSchema kAdd{.dialect = "t",
                               .name = "add",
                               .operands = kXY,
                               .results = kOne,
                               .traits = Trait::Pure | Trait::Commutative,
                               .inferTypes = sameAsFirst,
                               .check = sameTypes};
inline constexpr OpSchema kTranspose{.dialect = "t",
                                     .name = "transpose",
                                     .operands = kX,
                                     .results = kOne,
                                     .attrs = kPerm,
                                     .traits = Traits(Trait::Pure),
                                     .inferTypes = transposeType,
                                     .check = transposeCheck,
                                     .defaultAttr = reversedAxes};
inline constexpr OpSchema kConst{.dialect = "t",
                                 .name = "const",
                                 .results = kOne,
                                 .attrs = kValue,
                                 .traits = Trait::Pure | Trait::Constant,
                                 .inferTypes = constantType};
inline constexpr OpSchema kConcat{
    .dialect = "t", .name = "concat", .operands = kXs, .results = kOne, .attrs = kAxis, .traits = Traits(Trait::Pure)};
inline constexpr OpSchema kSplit{
    .dialect = "t", .name = "split", .operands = kX, .results = kMany, .attrs = kAxis, .traits = Traits(Trait::Pure)};
inline constexpr OpSchema kScale{.dialect = "t",
                                 .name = "scale",
                                 .operands = kOptional,
                                 .results = kOne,
                                 .traits = Traits(Trait::Pure),
                                 .inferTypes = sameAsFirst};
inline constexpr OpSchema kMixed{.dialect = "t", .name = "mixed", .operands = kMiddle, .results = kOne};
inline constexpr OpSchema kAttrs{.dialect = "t", .name = "attrs", .results = kOne, .attrs = kAll};
inline constexpr OpSchema kPrint{.dialect = "t", .name = "print", .operands = kX, .traits = Traits(Trait::EffectState)};
inline constexpr OpSchema kCond{.dialect = "t", .name = "cond", .operands = kX, .results = kMany, .regions = kThenElse};
inline constexpr OpSchema kLoop{.dialect = "t", .name = "loop", .operands = kXs, .results = kMany, .regions = kBody};
inline constexpr OpSchema kOld{
    .dialect = "t", .name = "versioned", .operands = kX, .results = kOne, .since = 1, .until = 12};
inline constexpr OpSchema kNew{.dialect = "t", .name = "versioned", .operands = kX, .results = kOne, .since = 13};

inline void registerOps(OpRegistry &ops) {
  for (const OpSchema *s : {&kRelu, &kAdd, &kTranspose, &kConst, &kConcat, &kSplit, &kScale, &kMixed, &kAttrs, &kPrint,
                            &kCond, &kLoop, &kOld, &kNew})
    ops.add(*s);
}

/// A registry with the ops of this dialect.
struct Registry : OpRegistry {
  Registry() { registerOps(*this); }
};

} // namespace rw::test
