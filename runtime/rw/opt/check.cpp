#include "rw/opt/check.h"

#include "rw/interp/compare.h"
#include "rw/interp/function_evaluator.h"
#include "rw/passes/param_store.h"

#include <algorithm>
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

/// Leaves out the inputs of parameters that are gone. Passes keep the ids of values.
static void dropInputs(Function &before, Function &after, std::vector<Tensor> &inputs) {
  std::span<const ValueId> was = before.params(before.body()), is = after.params(after.body());
  for (size_t i = std::min(was.size(), inputs.size()); i-- > 0;)
    if (std::ranges::find(is, was[i]) == is.end())
      inputs.erase(inputs.begin() + ptrdiff_t(i));
}

/// Each function is compared on its own: both sides call the others as they were.
static Comparison compare(Program &before, Function &fn, Program &after, const Options &options, int opsetVersion) {
  Function *now = after.function(fn.name());
  if (!now)
    return {.outcome = Comparison::Differ, .text = "it is gone"};
  EvalOptions evaluation{.opset = opsetVersion, .program = &before};
  return compareFunctions(fn, *now, options.check, options.checkTolerance, 1, evaluation, [&](std::vector<Tensor> &inputs, std::string &error) {
    dropInputs(fn, *now, inputs);
    return deriveInputs(after, *now, evaluation, inputs, error);
  });
}

/// "out.onnx" and "before": "out.check-before.onnx".
static std::string besideOutput(const std::string &output, const char *which) {
  size_t dot = output.rfind('.');
  return fmt::format("{}.check-{}{}", output.substr(0, dot), which, output.substr(dot));
}

/// The notes about the first wrong step, and the two programs.
static void blame(WrongStep &step, ModelFile &model, const Options &options, Diagnostics &diags, Diagnostics::Builder &error) {
  if (step.number) {
    error.note(fmt::format("rewrite {} is the first wrong one: {}", step.number, step.text));
    error.note(fmt::format("--max-rewrites {} stops before it, --max-rewrites {} after it", step.number - 1, step.number));
  } else {
    error.note(fmt::format("no rewrite did it, but {}", step.text));
  }
  if (options.output.empty() || options.output == "-")
    return;
  auto save = [&](std::optional<Program> &program, const char *which) {
    if (!program)
      return std::string();
    model.program() = std::move(*program);
    std::string path = besideOutput(options.output, which);
    return model.save(path, diags) ? path : std::string();
  };
  std::string before = save(step.before, "before"), after = save(step.after, "after");
  if (!before.empty())
    error.note(fmt::format("the program before that step is in {}", before));
  if (!after.empty())
    error.note(fmt::format("the program after it is in {}", after));
}

bool checkAgreement(Program &before, ModelFile &after, const Options &options, int opsetVersion, Diagnostics &diags, const RunAnew &runAnew,
                    const std::function<void(std::string_view)> &print) {
  for (Function &fn : before.functions()) {
    Comparison c = compare(before, fn, after.program(), options, opsetVersion);
    switch (c.outcome) {
    case Comparison::Agree:
      print(fmt::format("@{}: outputs agree on {} random input{}{} (largest relative difference {:.3g})\n", fn.name(), c.inputs,
                        c.inputs == 1 ? "" : "s", c.sizes.empty() ? "" : ", " + c.sizes, c.largestDifference));
      break;
    case Comparison::Differ: {
      Diagnostics::Builder error = diags.errorInFile(
          "check-failed", options.input, fmt::format("@{} before and after differ: {}; nothing was written", fn.name(), c.text));
      if (options.maxRewrites) // someone searches already
        return false;
      std::optional<WrongStep> step = findWrongStep(
          runAnew, [&](Program &now) { return compare(before, fn, now, options, opsetVersion).outcome != Comparison::Differ; });
      if (step)
        blame(*step, after, options, diags, error);
      else
        error.note("when the passes run once more the outputs agree: what a pass does depends on more than the program");
      return false;
    }
    case Comparison::NotEvaluated:
      diags.warningInFile("not-checked", options.input, fmt::format("@{} could not be evaluated: {}", fn.name(), c.text));
      break;
    }
  }
  return true;
}

} // namespace rw::opt
