// Symbols for unknown dimensions, while a pass looks at a function.
//
// In:  a function. Out: types in which each unknown dimension has a symbol that occurs nowhere else, and types without
//      these.
// Elsewhere: what sizes are good for is infer_shapes.cpp.
//
//   LocalSymbols names(fn);
//   fn.setType(v, names.named(type));     // f32[B, ?] gives f32[B, ?0]
//   fn.setType(v, names.without(type));   // and back
//   names.forget();                       // so of all values; no value has the symbols then
#pragma once

#include "rw/ir/function.h"

#include <unordered_set>

namespace rw {

class LocalSymbols {
public:
  explicit LocalSymbols(Function &fn) : fn_(fn) {}

  bool empty() const { return own_.empty(); }
  TypeId named(TypeId);
  /// Dimensions that depend on such a symbol are unknown again.
  TypeId without(TypeId) const;
  /// Whether the dimension is unknown or depends on such a symbol: then it says nothing outside.
  bool isOpen(Dim) const;
  /// Takes the symbols out of the types of all values of the function.
  void forget();

private:
  Dim fresh();

  Function &fn_;
  uint64_t next_ = 0;
  std::unordered_set<StringId> taken_; // the function's own symbols, once there is an unknown dimension
  std::unordered_set<StringId> own_;
};

} // namespace rw
