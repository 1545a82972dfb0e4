// Terms of integers as a question to a solver of whole numbers: integers that do not overflow.
//
// In:  two terms of Level::Plain, in which each op is what it was.
// Out: whether a solver finds them equal for all values at which no op of either has a result that its type cannot
//      hold. What is no function of whole numbers stands for any value of its type: the same wherever it is the same
//      term.
// Elsewhere: solver_questions.h asks the same of bits, which knows shifts and bitwise ops; the solver is solver.h.
#pragma once

#include "codegen/verify/terms.h"

#include <string>
#include <vector>

namespace rw::verify {

/// Asks the solver; a question that it answered goes to `answered`.
bool sameAsWholeNumbers(const TermTable &, Term, Term, std::vector<std::string> &answered);

} // namespace rw::verify
