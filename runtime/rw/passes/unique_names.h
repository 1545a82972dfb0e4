// Names that stand for one value each.
//
// In:  a function. Out: the function in which a name that several values had is the first one's; the others have none,
//      and get one of their own where a name is needed (the printer numbers them, rw/onnx/name_plan.h makes names).
//      Parameters and results keep theirs.
//
//   rw-opt model.onnx --pipeline unique_names -o out.onnx
#pragma once

#include "rw/passes/pass.h"

namespace rw {

MadePass makeUniqueNames(const Registry &, const PassOptions &);

} // namespace rw
