// Attributes as values of C++: what one holds, and what an op's attribute of some name holds.
//
// In:  a Context and an AttrId, or an Op and the name of an attribute.
// Out: the value; nothing if there is no such attribute, or it is of another kind.
// Elsewhere: what attributes are made of is attributes.h; expr_helpers.h makes them of values (makeAttr).
//
//   int64_t axis = attrOr(op, "axis", 0);
//   if (auto perm = attrOf<std::span<const int64_t>>(op, "perm")) use(*perm);
#pragma once

#include "rw/ir/function.h"
#include "rw/support/inline_list.h"

#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rw {

/// Lists as generated code computes them.
template <class T> struct ListType {
  using type = std::conditional_t<std::is_trivially_copyable_v<T>, InlineList<T>, std::vector<T>>;
};
template <> struct ListType<Dim> { using type = Dims; };
template <class T> using ListOf = typename ListType<T>::type;

/// As expressions of .rw files read it: an int is a float where it is that number exactly, a symbol is a string, and
/// an empty list is one of any kind.
template <class T> std::optional<T> attrAs(Context &, AttrId);
template <> std::optional<int64_t> attrAs(Context &, AttrId);
template <> std::optional<double> attrAs(Context &, AttrId);
template <> std::optional<bool> attrAs(Context &, AttrId);
template <> std::optional<std::string_view> attrAs(Context &, AttrId);
template <> std::optional<DType> attrAs(Context &, AttrId);
template <> std::optional<Dim> attrAs(Context &, AttrId);
template <> std::optional<TypeId> attrAs(Context &, AttrId);
template <> std::optional<AttrId> attrAs(Context &, AttrId); ///< fails only if there is none
// permutations, axes, shapes
template <> std::optional<std::span<const int64_t>> attrAs(Context &, AttrId);
template <> std::optional<std::span<const double>> attrAs(Context &, AttrId);
template <> std::optional<std::span<const Dim>> attrAs(Context &, AttrId);
/// Of dims too, if none is a symbol.
template <> std::optional<std::vector<int64_t>> attrAs(Context &, AttrId);
template <> std::optional<InlineList<bool>> attrAs(Context &, AttrId);
template <> std::optional<InlineList<std::string_view>> attrAs(Context &, AttrId);
template <> std::optional<InlineList<DType>> attrAs(Context &, AttrId);
template <> std::optional<InlineList<TypeId>> attrAs(Context &, AttrId);
template <> std::optional<ListOf<Ints>> attrAs(Context &, AttrId);

/// Of no other kind: an int is no float here, and a symbol no string. For names that stand for the attribute itself.
template <class T> std::optional<T> attrOfKind(Context &ctx, AttrId id) { return attrAs<T>(ctx, id); }
template <> std::optional<double> attrOfKind(Context &, AttrId);
template <> std::optional<std::string_view> attrOfKind(Context &, AttrId);

/// What Op::attrNamed finds.
template <class T> std::optional<T> attrOf(Op op, std::string_view name) {
  return attrAs<T>(op.context(), op.attrNamed(name));
}
// A bool reads as 0 or 1, and an int as whether it is not 0: ONNX has no bools, and code that asks by name is for ops
// of several dialects.
template <> std::optional<int64_t> attrOf(Op, std::string_view name);
template <> std::optional<bool> attrOf(Op, std::string_view name);

/// attrOf, or `otherwise`, which also says the kind: true, 0, 0.0, "".
template <class T> auto attrOr(Op op, std::string_view name, const T &otherwise) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    return attrOf<int64_t>(op, name).value_or(int64_t(otherwise));
  else if constexpr (std::is_convertible_v<T, std::string_view>)
    return attrOf<std::string_view>(op, name).value_or(otherwise);
  else
    return attrOf<T>(op, name).value_or(otherwise);
}
/// The numbers of a list, and those of a list of pairs; empty if there is no such attribute.
std::vector<int64_t> intsOf(Op, std::string_view name);
std::vector<std::pair<int64_t, int64_t>> pairsOf(Op, std::string_view name);

} // namespace rw
