// What generated code calls to look at the regions of an op and into tuples.
//
// In:  what is known of an op; a type.
// Out: parameters and results of a region, the elements of a tuple's type; nothing where they are not there, which is
//      how expressions of .rw files fail.
// Elsewhere: all other helpers are expr_helpers.h.
//
//   std::optional<ListOf<Value>> params = regionParams(in, 0);     // `body.params` of the first region
#pragma once

#include "rw/ir/expr_helpers.h"

namespace rw {

inline std::optional<ListOf<Value>> regionParams(const OpInputs &in, unsigned region) {
  if (region >= in.regions().size())
    return std::nullopt; // about to be made: its regions come later
  ListOf<Value> out;
  for (ValueId v : in.function().params(in.regions()[region]))
    out.push_back(in.function().value(v));
  return out;
}

inline std::optional<ListOf<Value>> regionResults(const OpInputs &in, unsigned region) {
  Op end = region < in.regions().size() ? in.function().terminator(in.regions()[region]) : Op();
  if (!end)
    return std::nullopt;
  return operandsOf(end, 0, end.operandCount());
}

inline std::optional<std::span<const TypeId>> tupleElements(Context &ctx, TypeId type) {
  if (!type || ctx.type(type).kind != TypeKind::Tuple)
    return std::nullopt;
  return ctx.type(type).elements;
}

/// Tuples in tuples have their types stated: inferred ones could grow without bound in a few ops.
inline std::optional<TypeId> tupleTypeOf(Context &ctx, const std::optional<ListOf<TypeId>> &elements) {
  for (size_t i = 0; elements && i < elements->size(); ++i)
    if (!(*elements)[i] || ctx.type((*elements)[i]).kind == TypeKind::Tuple)
      return std::nullopt;
  if (!elements)
    return std::nullopt;
  return ctx.tupleType(std::span<const TypeId>(elements->begin(), elements->size()));
}

} // namespace rw
