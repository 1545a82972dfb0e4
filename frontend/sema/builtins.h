// The functions that every .rw file can call: one table with name, signature and documentation.
//
//   for (const BuiltinInfo &b : builtins()) document(b.signature, b.doc);
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace rw::sema {

enum class Builtin : uint8_t {
  Len, Sum, Product, Min, Max, Abs, Contains, Reversed, Argsort, IsSorted, IsPermutation, Broadcast,
  Shape, Rank, DTypeOf, TypeOf, Ints, ElementCount, IsConstant, SingleElement, IsAbsent,
  TensorShape, TensorDType, TensorRank, TypeShape, TypeRank, TypeDType,
};

struct BuiltinInfo {
  Builtin builtin;
  std::string_view name;
  std::string_view signature; // "len(list: [T]) -> int"; members: "value.shape -> [dim]"
  bool member = false;        // written after a dot
  std::string_view doc;
};

std::span<const BuiltinInfo> builtins();
const BuiltinInfo &info(Builtin);

} // namespace rw::sema
