#include "rw/opt/check.h"

#include "rw/interp/compare.h"
#include "rw/interp/function_evaluator.h"
#include "rw/passes/param_store.h"

#include <fmt/format.h>

namespace rw::opt {

/// The derived parameters that `fn` has gained, from the values of the others.
static bool deriveInputs(Program &program, Function &fn, const EvalOptions &options, std::vector<Tensor> &inputs, std::string &error) {
  InterpreterEvaluator evaluator(options);
  ParamStore store(program, evaluator);
  size_t count = fn.params(fn.body()).size();
  for (unsigned i = 0; i < inputs.size() && i < count; ++i)
    if (uint64_t id = fn.paramInfo(i).stableId; id && inputs[i])
      store.set(id, inputs[i].toAttr(fn.context()));
  for (unsigned i = unsigned(inputs.size()); i < count; ++i) {
    AttrId value = store.value(fn, i, error);
    std::optional<Tensor> t = value ? Tensor::fromAttr(fn.context(), value) : std::nullopt;
    if (!t)
      return false;
    inputs.push_back(std::move(*t));
  }
  return true;
}

bool checkAgreement(Program &before, Program &after, const Options &options, int opsetVersion, Diagnostics &diags,
                    const std::function<void(std::string_view)> &print) {
  for (Function &fn : before.functions()) {
    Function *now = after.function(fn.name());
    if (!now) {
      diags.errorInFile("check-failed", options.input, fmt::format("function @{} is gone; nothing was written", fn.name()));
      return false;
    }
    // Each function is compared on its own: both sides call the others as they were.
    EvalOptions evaluation{.opset = opsetVersion, .program = &before};
    Comparison c = compareFunctions(fn, *now, options.check, options.checkTolerance, 1, evaluation,
                                    [&](std::vector<Tensor> &inputs, std::string &error) { return deriveInputs(after, *now, evaluation, inputs, error); });
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
