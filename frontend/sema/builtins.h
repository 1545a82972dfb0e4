// The functions every .rw file may call: one table, which the checker, the emitter and the documentation read.
//
// In:  -
// Out: name, signature and documentation per function.
// Elsewhere: helpers that can be written in .rw are (patterns/lib).
//
//   builtinInfo(Builtin::Reversed).signature == "(list: [T]) -> [T]"
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace rw::sema {

enum class Builtin : uint8_t {
  Len,
  All,
  Any,
  Sum,
  Product,
  MinOf,
  MaxOf,
  Min,
  Max,
  Abs,
  Reversed,
  Sorted,
  Argsort,
  IsSorted,
  IsUnique,
  IsPermutation,
  Contains,
  IndexOf,
  Count,
  Broadcast,
  BroadcastAll,
  OrUnknown,
  OrUnknowns,
  Holds,
  IsNumber,
  IsKnown,
  SingleElement,
  IsConst,
  OneUser,
  Has,
  IsFloat,
  IsInteger,
  IsSigned,
  IsComplex,
  Bits,
  BitLength,
  IsPowerOfTwo,
  Splat,
  Constant,
  Exactly,
  Zip,       // sources of comprehensions alone
  Enumerate, // likewise
};

struct BuiltinInfo {
  Builtin builtin;
  std::string_view name; // two may share a name and differ in the number of parameters
  /// T is any type, N is int, float or dim; each the same throughout. E is int, float, bool or any: an element.
  std::string_view signature;
  std::string_view doc;
};
std::span<const BuiltinInfo> builtins();
const BuiltinInfo &builtinInfo(Builtin);
bool isBuiltin(std::string_view name);

/// Names of the element types, as in rw/ir/dtype.h.
std::span<const std::string_view> dtypeNames();
/// What an element type of other frameworks is called here: `float32` is f32. Empty if it is none.
std::string_view dtypeOfOthers(std::string_view);
bool isDTypeName(std::string_view);
/// How a word of Python is spelled here: `True` is true. Empty if it is none.
std::string_view spellingOfOthers(std::string_view);
/// What a function of a Python module is called here: `prod` is product. Empty if there is none.
std::string_view functionOfOthers(std::string_view);
/// How what PDLL, match.pd, ISLE or onnxscript call so is written here: `ValueRange`, `HasOneUse`. Empty if none does.
std::string_view wordOfOthers(std::string_view);

} // namespace rw::sema
