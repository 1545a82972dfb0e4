// Derived parameters: parameters of a function whose value follows from those of other parameters.
//
// In:  a function. Out: which of its parameters another function computes, and which result of it that is.
// Elsewhere: pass hoist_params makes them (passes/hoist_params.h), passes/param_store.h evaluates them.
//
// A derived parameter is a `param` whose default names the function that computes it, and the number of the result.
// That function's parameters are those parameters of this one, derived or not, that have the same ids:
//
//   func @main(%x: f32[2, 3], %w: param(7) f32[4, 3], %t: param(77) f32[3, 4] = [@main_params, 0]) -> f32[2, 4] { … }
//   func @main_params(%w: param(7) f32[4, 3]) -> f32[3, 4] {
//     %t = tensor.transpose(%w) {perm = [1, 0]} : f32[3, 4]
//     return %t
//   }
#pragma once

#include "rw/ir/program.h"

#include <optional>
#include <string_view>

namespace rw {

struct Derivation {
  std::string_view function;
  unsigned result = 0;
};
/// How parameter `index` is derived; nothing if it is not.
std::optional<Derivation> derivationOf(const Function &, unsigned index);
/// What makes a parameter derived: for ParamInfo::defaultValue.
AttrId derivationAttr(Context &, std::string_view function, unsigned result);

} // namespace rw
