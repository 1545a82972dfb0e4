// --check: the program before and after, on random inputs.
//
// In:  the program as read and as rewritten, which functions the passes changed; a way to run the passes anew.
// Out: whether they agree; what was compared, as text. If not: a diagnostic that names the first wrong step, and the
//      programs before and after that step in files beside the output ("out.onnx": "out.check-before.onnx" and
//      "out.check-after.onnx"), which itself stays as it was. Of a changed function that cannot be evaluated: a warning, with
//      --strict an error. Tensors in other files are read for this.
// Elsewhere: inputs and comparison are rw/interp/compare.h, the search is wrong_step.h.
#pragma once

#include "rw/opt/model_file.h"
#include "rw/opt/options.h"
#include "rw/opt/wrong_step.h"

namespace rw::opt {

struct CheckHooks {
  RunAnew runAnew;
  std::function<bool(std::string_view function)> isChanged;
  std::function<void(std::string_view)> print;
};

/// Whether the result may be written. On a difference `after` loses its program.
bool checkAgreement(Program &before, ModelFile &after, const Options &, int opsetVersion, Diagnostics &, const CheckHooks &);

} // namespace rw::opt
