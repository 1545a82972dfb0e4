// --check: the program before and after, on random inputs.
//
// In:  the program as the passes got it and as they left it, and what they did.
// Out: whether they agree; what was compared, as text. If not: a diagnostic that names the first wrong step, and the
//      programs before and after that step in files beside the output ("out.onnx": "out.check-before.onnx" and
//      "out.check-after.onnx"), which itself stays as it was. Of a changed function that cannot be evaluated, or of
//      which a result was empty or without a finite number on all inputs: a warning, with --strict an error. Tensors in
//      other files are read for this.
// Elsewhere: inputs and comparison are rw/interp/compare.h, the search is first_wrong_step.h.
#pragma once

#include "rw/interp/compare.h"
#include "rw/opt/model_file.h"
#include "rw/opt/options.h"
#include "rw/optimize/interface.h"
#include "rw/optimize/optimize.h"

namespace rw::opt {

/// A run of the passes.
struct CheckedRun {
  Optimizer &optimizer;
  const Program &original; // what the passes got
  const PassManagerResult &result;
  const KeptOps *kept = nullptr;           // ops that are hidden in `original`
  std::span<const InputShape> shapes = {}; // of inputs to compare on, where the program leaves them open
  int opset = 0;
};

struct CheckHooks {
  std::function<void(std::string_view)> print = [](std::string_view) {};
  /// If set, called after each op that is evaluated; what it throws ends the check.
  std::function<void()> between = nullptr;
  /// If set, called before each run of the passes that searches for the wrong step.
  std::function<void(PassManagerOptions &)> beforeRerun = nullptr;
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
CheckOutcome checkRun(const CheckedRun &, ModelFile &after, const Options &, Diagnostics &, const CheckHooks & = {});

/// "@main: outputs agree on 3 random inputs, B = 2, 3, 1 (largest relative difference 0)", and what was not compared.
std::string describeCheck(const CheckedFunction &);

} // namespace rw::opt
