// The shape of an Einsum, from its equation and the shapes of its operands.
//
// In:  the equation and the shapes; a shape that is not known is none.
// Out: the shape of the result; none if the equation does not fit the operands, or if the shape of one is not known.
// Elsewhere: the equation is read by rw/interp/einsum_equation.h; type_rules.cpp asks.
//
//   std::optional<Dims> dims = einsumShape("ij,jk->ik", std::array{a, b});
#pragma once

#include "rw/ir/expr_helpers.h"

#include <optional>
#include <span>
#include <string_view>

namespace rw {

std::optional<Dims> einsumShape(std::string_view equation, std::span<const std::optional<Dims>> operands);

} // namespace rw
