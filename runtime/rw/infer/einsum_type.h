// The shape of an Einsum, from its equation and the shapes of its operands.
//
// In:  the equation as ONNX writes it ("bhqd,bhkd->bhqk", "...ij,jk", spaces anywhere) and shapes; one that is not
//      known is none.
// Out: the shape of the result; none if the equation does not fit, or says nothing without what is not known. Source:
//      the ONNX specification of Einsum.
// Elsewhere: type_rules.h asks; the evaluator has a reading of its own (interp/einsum.cpp), which computes.
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
