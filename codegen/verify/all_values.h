// Terms at all values: two terms that are made of few bits, compared at every value of these.
//
// In:  two terms of Level::Exact.
// Out: whether they are equal at every value of what they are made of. What is no function that is known here, such as
//      an element of a parameter, stands for any value of its type.
// Elsewhere: terms of more bits are asked of a solver (solver_questions.h, float_terms.h).
//
// Two bytes are few enough: one float of 16 bits, or two integers of 8, with a truth beside them. Floats are computed
// as the evaluator's kernels compute them: in the type that a kernel computes in, rounded to the type of the result.
//
//   sameAtAllValues(t, floorOfNegated, negatedCeil)   // of f16: 65,536 values
#pragma once

#include "codegen/verify/terms.h"

namespace rw::verify {

bool sameAtAllValues(const TermTable &, Term, Term);

enum class Sameness : uint8_t { Unknown, Same, Different };

/// The two with floats of 8 bits in place of all floats: 4 bits of exponent and 3 of significand, rounded as IEEE 754
/// says. That is no proof for other widths. Two terms that differ there are not worth a question to a solver.
Sameness compareAtEightBits(const TermTable &, Term, Term);

} // namespace rw::verify
