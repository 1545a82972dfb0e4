// --check: the program before and after, on random inputs.
//
// In:  the program as read and as rewritten, which functions the passes changed; a way to run the passes anew.
// Out: whether they agree; what was compared, as text. If not: a diagnostic that names the first wrong step, and the
//      programs before and after that step in files beside the output ("out.onnx": "out.check-before.onnx" and
//      "out.check-after.onnx"), which itself stays as it was. Of a changed function that cannot be evaluated, or of
//      which a result was empty or without a finite number on all inputs: a warning, with --strict an error. Tensors in
//      other files are read for this.
// Elsewhere: inputs and comparison are rw/interp/compare.h, the search is wrong_step.h.
#pragma once

#include "rw/interp/compare.h"
#include "rw/opt/model_file.h"
#include "rw/opt/options.h"
#include "rw/opt/wrong_step.h"

namespace rw::opt {

struct CheckHooks {
  RunAnew runAnew;
  std::function<bool(std::string_view function)> isChanged;
  std::function<void(std::string_view)> print;
  // if set, called after each op that is evaluated; what it throws ends the check
  std::function<void()> between = nullptr;
};

struct CheckedFunction {
  std::string name;
  Comparison comparison;
};
struct CheckOutcome {
  bool good = true;                       // the result may be written
  std::vector<CheckedFunction> functions; // up to the first one that differs
};

/// On a difference `after` loses its program.
CheckOutcome checkAgreement(Program &before, ModelFile &after, const Options &, int opsetVersion, Diagnostics &,
                            const CheckHooks &);

/// "@main: outputs agree on 3 random inputs, B = 2, 3, 1 (largest relative difference 0)", and what was not compared.
std::string describeCheck(const CheckedFunction &);

} // namespace rw::opt
