// Results that a model cannot have as they are, copied: then the program has the ops that the model will have.
//
// In:  a program. Out: the program with an Identity for each result of a region that is an input, an initializer or a
//      value of the region around it under another name, or that another result is already. Small constants are left:
//      they are written once more instead.
// Elsewhere: which names results get is name_plan.h.
//
//   addResultCopies(model.program);    // exporting it adds no ops now
#pragma once

#include "rw/ir/program.h"

namespace rw {

/// How many copies were added.
size_t addResultCopies(Program &);

} // namespace rw
