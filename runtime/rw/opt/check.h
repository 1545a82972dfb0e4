// --check: the program before and after, on random inputs.
//
// In:  the program as read and as rewritten; a way to run the passes anew.
// Out: whether they agree; what was compared, as text. If not: a diagnostic that names the first wrong step, and the
//      programs before and after that step in files beside the output ("out.onnx": "out.check-before.onnx" and
//      "out.check-after.onnx"), which itself stays as it was.
// Elsewhere: inputs and comparison are rw/interp/compare.h, the search is wrong_step.h.
#pragma once

#include "rw/opt/model_file.h"
#include "rw/opt/options.h"
#include "rw/opt/wrong_step.h"

namespace rw::opt {

/// On a difference `after` loses its program.
bool checkAgreement(Program &before, ModelFile &after, const Options &, int opsetVersion, Diagnostics &, const RunAnew &,
                    const std::function<void(std::string_view)> &print);

} // namespace rw::opt
