// Elementwise functions of floats as SMT-LIB writes them.
//
// In:  a term that is a function of floats, or has a float as its result; what its arguments are called.
// Out: the same in the theory of floating-point numbers; nothing where a kernel rounds in another way than once, to
//      nearest, ties to even, or gives the engine a choice (exponentials, sums of many, casts of floats to integers).
// Elsewhere: the whole question is solver_questions.h.
//
// SMT-LIB's `=` of floats is what is asked here: it tells zeros of two signs apart, and has one NaN.
//
//   floatSort(DType::F16)   // (_ FloatingPoint 5 11)
#pragma once

#include "codegen/verify/terms.h"

#include <functional>
#include <string>

namespace rw::verify {

/// Whether it is a float of IEEE 754, as f16, bf16, f32 and f64 are.
bool isFloatOfSolver(DType);
std::string floatSort(DType);
/// The number as the type holds it.
std::string floatNumber(DType, double);

/// `write` gives the name of an argument.
std::string floatExpression(const TermTable &, const TermNode &, const std::function<std::string(Term)> &write);

} // namespace rw::verify
