// The equation of an Einsum: which letters each operand and the result have.
//
// In:  the equation as ONNX and StableHLO write it: "bhqd,bhkd->bhqk", "...ij,jk", spaces anywhere.
// Out: letters per operand and of the result; without an arrow, those that the specification gives it.
// Elsewhere: the kernel is kernels/einsum.cpp, the type of the result rw/onnx_infer/einsum_type.h.
//
//   Result<EinsumEquation> e = readEinsumEquation("ij,jk->ik");
//   if (e) { e->operands[1].letters; /* "jk" */ }
#pragma once

#include "rw/support/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rw {

struct EinsumEquation {
  struct Term {
    std::string letters;
    std::optional<size_t> ellipsis; // it stands in front of this letter; no value: there is none
  };
  std::vector<Term> operands;
  Term result;
};

/// Fails if the text is not an equation.
Result<EinsumEquation> readEinsumEquation(std::string_view text);

} // namespace rw
