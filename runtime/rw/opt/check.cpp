#include "rw/opt/check.h"

#include "rw/interp/compare.h"

#include <fmt/format.h>

namespace rw::opt {

bool checkAgreement(Program &before, Program &after, const Options &options, int opsetVersion, Diagnostics &diags,
                    const std::function<void(std::string_view)> &print) {
  for (Function &fn : before.functions()) {
    Function *now = after.function(fn.name());
    if (!now) {
      diags.errorInFile("check-failed", options.input, fmt::format("function @{} is gone; nothing was written", fn.name()));
      return false;
    }
    Comparison c = compareFunctions(fn, *now, options.check, options.checkTolerance, 1, {.opset = opsetVersion});
    switch (c.outcome) {
    case Comparison::Agree:
      print(fmt::format("@{}: outputs agree on {} random input{} (largest relative difference {:.3g})\n", fn.name(), c.inputs,
                        c.inputs == 1 ? "" : "s", c.largestDifference));
      break;
    case Comparison::Differ:
      diags.errorInFile("check-failed", options.input, fmt::format("@{} before and after differ: {}; nothing was written", fn.name(), c.text));
      return false;
    case Comparison::NotEvaluated:
      diags.warningInFile("not-checked", options.input, fmt::format("@{} could not be evaluated: {}", fn.name(), c.text));
      break;
    }
  }
  return true;
}

} // namespace rw::opt
