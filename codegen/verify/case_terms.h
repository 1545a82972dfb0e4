// Terms decided by cases: what a select chooses by, and bits.
//
// In:  two terms.
// Out: whether they are equal for all values of what they are made of; false also where that was not decided.
//
// By cases: each truth that a select or a choice asks for is taken to hold, then not to hold, and what is left must be
// equal in every combination. By fractions: real numbers that are quotients are brought to one denominator.
// By bits: `and`, `or`, `xor` and `not` work on each bit by itself, so that a table of truth decides them, of integers
// and of bools.
#pragma once

#include "codegen/verify/terms.h"

namespace rw::verify {

bool sameByCases(TermTable &, Term, Term);
bool sameByBits(TermTable &, Term, Term);
/// Of real numbers: whether the difference is 0 when all that it is divided by is multiplied out.
bool sameByFractions(TermTable &, Term, Term);

} // namespace rw::verify
