// Terms of integers, bools and floats as questions to a solver of bit vectors and floating-point numbers.
//
// In:  two terms.
// Out: whether a solver finds them equal for all values of what they are made of; the question as SMT-LIB, which any
//      other solver can be asked. An element of a parameter, and whatever else the solver has no function for, stands
//      for any value: the same value wherever it is the same term.
// Elsewhere: functions of floats are float_terms.h, integers without end whole_numbers.h; the solver is solver.h; laws
//            that need none are scalar_laws.h.
//
//   std::optional<std::string> question = smtQuestion(terms, a, b);
//   bool equal = question && isUnsatisfiable(*question);
#pragma once

#include "codegen/verify/terms.h"

#include <optional>
#include <string>
#include <vector>

namespace rw::verify {

/// Asks for values at which the two differ; nothing where a solver could not help: they are of other types, or too
/// large. `ofFloats`: whether functions of floats are part of the question, bit for bit, as only terms of Level::Exact
/// have them; if not, they stand for any value.
std::optional<std::string> smtQuestion(const TermTable &, Term, Term, bool ofFloats = false);

/// Asks the solver; a question that it answered goes to `answered`.
bool sameBySolver(const TermTable &, Term, Term, bool ofFloats, std::vector<std::string> &answered);

/// Likewise for all values at which no op of either overflows. Of terms of Level::Plain, in which each op is what it
/// was.
bool sameWithoutOverflow(const TermTable &, Term, Term, std::vector<std::string> &answered);

} // namespace rw::verify
