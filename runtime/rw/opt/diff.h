// rw-opt --diff A B: what one model has that the other has not.
//
// In:  two programs of either format; each has a context of its own.
// Out: text, empty if nothing differs: what the files say of themselves (operator sets, metadata, …), functions,
//      interface, constants and initializers, ops, and ops by kind.
// Elsewhere: whether two programs compute the same is --check.
//
// Ops are paired by their name, else by the name of their first named result, else by their place among the unpaired
// ones of their kind; ops in regions by the op around them as well. Order in the file makes no difference.
#pragma once

#include "rw/opt/model_file.h"

namespace rw::opt {

std::string describeDifference(ModelFile &a, ModelFile &b);

} // namespace rw::opt
