// A solver for questions in SMT-LIB: Z3, where its library is there.
//
// In:  a question without commands that answer anything but (check-sat).
// Out: whether nothing satisfies it; false as well where the solver is not there, or gave up after a fixed amount of
//      work.
//
// The library is loaded when the first question is asked, so that programs which ask none do without it. Answers are
// kept for as long as the program runs: of many instances of one pattern the question is mostly the same.
#pragma once

#include <string>

namespace rw::verify {

bool isUnsatisfiable(const std::string &question);
/// Whether there is a solver.
bool hasSolver();

} // namespace rw::verify
