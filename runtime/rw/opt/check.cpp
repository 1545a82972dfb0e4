#include "rw/opt/check.h"

#include "rw/interp/function_evaluator.h"
#include "rw/opt/first_wrong_step.h"
#include "rw/opt/onnx_file.h"
#include "rw/passes/param_store.h"
#include "rw/support/failure.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>

namespace rw::opt {

/// The derived parameters that `fn` has gained, from the values of the others.
static Result<void> deriveInputs(Program &program, Function &fn, const EvalOptions &options,
                                 std::vector<Tensor> &inputs) {
  InterpreterEvaluator evaluator(options);
  ParamStore store(program, evaluator);
  size_t count = fn.params(fn.body()).size();
  for (unsigned i = 0; i < inputs.size() && i < count; ++i)
    if (uint64_t id = fn.paramInfo(i).stableId; id && inputs[i] && !inputs[i].isTuple())
      store.set(id, inputs[i].toAttr(fn.context()));
  for (unsigned i = unsigned(inputs.size()); i < count; ++i) {
    Result<AttrId> value = store.value(fn, i);
    if (!value)
      return value.failure();
    std::optional<Tensor> t = Tensor::fromAttr(fn.context(), *value);
    if (!t)
      return failure("parameter {} is no tensor that can be computed with", i);
    inputs.push_back(std::move(*t));
  }
  return {};
}

/// Leaves out the inputs of parameters that are gone. Passes keep the ids of values.
static void dropInputs(Function &before, Function &after, std::vector<Tensor> &inputs) {
  std::span<const ValueId> was = before.params(before.body()), is = after.params(after.body());
  for (size_t i = std::min(was.size(), inputs.size()); i-- > 0;)
    if (std::ranges::find(is, was[i]) == is.end())
      inputs.erase(inputs.begin() + ptrdiff_t(i));
}

namespace {
/// Tensors that stay in other files, each read once.
class StoredTensors {
public:
  explicit StoredTensors(const ModelFile &model) : model_(model) {}

  Result<Tensor> read(Op op) {
    auto at = read_.find(op.attrsId().raw);
    return at != read_.end() ? at->second : read_.emplace(op.attrsId().raw, tensorOf(op)).first->second;
  }

private:
  Result<Tensor> tensorOf(Op op) const {
    const TypeData &type = op.result().type();
    Shape shape;
    for (Dim d : type.dims)
      shape.push_back(d.isKnown() ? d.size() : -1);
    Result<std::string> bytes = model_.stored(op);
    if (!bytes)
      return bytes.failure();
    std::optional<Tensor> t =
        type.dtype == DType::String || std::ranges::count(shape, -1) ? std::nullopt : Tensor::make(type.dtype, shape);
    if (!t || bytes->size() != t->size() * dtypeBytes(type.dtype))
      return failure("an initializer is stored in a form that is not evaluated");
    if (!bytes->empty())
      std::memcpy(t->mutableData<std::byte>(), bytes->data(), bytes->size());
    return std::move(*t);
  }

  const ModelFile &model_;
  std::map<uint32_t, Result<Tensor>> read_; // by the attributes of the op
};
} // namespace

/// "out.onnx" and "before": "out.check-before.onnx"; as text, "out.check-before.rwir".
static std::string besideOutput(const std::string &output, const char *which, bool text) {
  size_t dot = output.rfind('.');
  return fmt::format("{}.check-{}{}", output.substr(0, dot), which, text ? ".rwir" : output.substr(dot));
}

/// The notes about the first wrong step, and the two programs.
static void blame(WrongStep &step, ModelFile &model, const Options &options, Diagnostics &diags,
                  Diagnostics::Builder &error) {
  if (step.number) {
    error.note(fmt::format("rewrite {} is the first wrong one: {}", step.number, step.text));
    error.note(
        fmt::format("--max-rewrites {} stops before it, --max-rewrites {} after it", step.number - 1, step.number));
  } else {
    error.note(fmt::format("no rewrite did it, but {}", step.text));
  }
  if (options.output.empty() || options.output == "-") {
    error.note("with -o FILE the programs before and after that step are written beside FILE");
    return;
  }
  auto save = [&](std::optional<Program> &program, const char *which) {
    if (!program)
      return std::string();
    model.program() = std::move(*program);
    // Amid a conversion it is of both dialects, and no format but text holds that.
    bool text = model.format() != "onnx" || !isOnnxName(options.output);
    std::string path = besideOutput(options.output, which, text);
    bool saved = text ? saveAsText(path, model.program(), diags) : model.save(path, diags);
    return saved ? path : std::string();
  };
  std::string before = save(step.before, "before"), after = save(step.after, "after");
  if (!before.empty())
    error.note(fmt::format("the program before that step is in {}", before));
  if (!after.empty())
    error.note(fmt::format("the program after it is in {}", after));
}

static std::string agreementText(const Comparison &c) {
  std::string which = c.notCompared.empty()
                          ? "outputs agree"
                          : fmt::format("{} of {} outputs agree", c.results - c.notCompared.size(), c.results);
  return fmt::format("{} on {} random input{}{} (largest relative difference {:.3g})", which, c.inputs,
                     c.inputs == 1 ? "" : "s", c.sizes.empty() ? "" : ", " + c.sizes, c.largestDifference);
}

/// What was not compared, and why; empty if all was.
static std::string gapText(const Comparison &c) {
  if (c.outcome == Comparison::NotEvaluated)
    return "could not be evaluated: " + c.text;
  if (c.notCompared.empty())
    return {};
  std::string text = c.outcome == Comparison::Vacuous ? "has no result that could be compared: "
                                                      : "has results that could not be compared: ";
  constexpr size_t kMost = 4;
  for (size_t i = 0; i < std::min(c.notCompared.size(), kMost); ++i)
    text += (i ? ", " : "") + c.notCompared[i];
  return text + (c.notCompared.size() > kMost ? fmt::format(" and {} more", c.notCompared.size() - kMost) : "");
}

std::string describeCheck(const CheckedFunction &checked) {
  const Comparison &c = checked.comparison;
  std::string gap = gapText(c);
  std::string text = c.outcome == Comparison::Differ  ? "before and after differ: " + c.text
                     : c.outcome == Comparison::Agree ? agreementText(c) + (gap.empty() ? "" : "; it " + gap)
                                                      : gap;
  return "@" + checked.name + ": " + text;
}

namespace {
/// One check of a run.
class RunCheck {
public:
  RunCheck(const CheckedRun &run, ModelFile &after, const Options &options, Diagnostics &diags, const CheckHooks &hooks)
      : run_(run), after_(after), options_(options), diags_(diags), hooks_(hooks), stored_(after),
        before_(run.original.clone()) {}

  CheckOutcome check() {
    if (run_.kept)
      run_.kept->restore(before_);
    CheckOutcome outcome;
    if (!fixShapes(before_, {run_.shapes.begin(), run_.shapes.end()}, options_.input, diags_))
      return {.good = false};
    for (Function &fn : before_.functions()) {
      if (before_.functions().size() > after_.program().functions().size() && !after_.program().function(fn.name())) {
        hooks_.print(fmt::format("@{}: its calls were put in; compared with what calls it\n", fn.name()));
        continue;
      }
      const Comparison c = compare(fn, after_.program());
      outcome.functions.push_back({std::string(fn.name()), c});
      if (c.outcome == Comparison::Differ) {
        outcome.good = false;
        reportDifference(fn, c);
        return outcome;
      }
      outcome.good &= reportAgreement(fn, c);
    }
    return outcome;
  }

private:
  /// Each function is compared on its own: both sides call the others as they were.
  Comparison compare(Function &fn, Program &after) {
    Function *now = after.function(fn.name());
    if (!now)
      return {.outcome = Comparison::Differ, .text = "it is gone"};
    EvalOptions evaluation{.opset = run_.opset, .program = &before_};
    evaluation.stored = [&](Op op) { return stored_.read(op); };
    if (hooks_.between)
      evaluation.observer = [&](Op, std::span<const Tensor>) { hooks_.between(); };
    return compareFunctions(fn, *now, options_.check, options_.checkTolerance, 1, evaluation,
                            [&](std::vector<Tensor> &inputs) {
                              dropInputs(fn, *now, inputs);
                              return deriveInputs(after, *now, evaluation, inputs);
                            });
  }

  /// The passes once more, on a copy of what they got.
  Program runAnew(Rerun &again) {
    Program copy = run_.original.clone();
    uint64_t left = again.limit;
    run_.optimizer.run(copy, [&](PassManagerOptions &options) {
      if (hooks_.beforeRerun)
        hooks_.beforeRerun(options);
      options.rewriteConfig.sharedBudget = &left;
      options.trace = again.sink;
      if (again.afterPass)
        options.afterPass = [&](const PassRecord &record, Function &) { again.afterPass(record, copy); };
    });
    again.done = again.limit - left;
    if (run_.kept)
      run_.kept->restore(copy);
    return copy;
  }

  void reportDifference(Function &fn, const Comparison &c) {
    Diagnostics::Builder error =
        diags_.errorInFile("check-failed", options_.input,
                           fmt::format("@{} before and after differ: {}; nothing was written", fn.name(), c.text));
    if (options_.maxRewrites) // someone searches already
      return;
    std::optional<WrongStep> step =
        findWrongStep([this](Rerun &again) { return runAnew(again); },
                      [&](Program &now) { return compare(fn, now).outcome != Comparison::Differ; });
    if (step)
      blame(*step, after_, options_, diags_, error);
    else
      error.note("when the passes run once more the outputs agree: what a pass does depends on more than the program");
  }

  /// What agrees, and what could not be compared; false if the latter is an error.
  bool reportAgreement(Function &fn, const Comparison &c) {
    if (c.outcome == Comparison::Agree)
      hooks_.print(fmt::format("@{}: {}\n", fn.name(), agreementText(c)));
    std::string gap = gapText(c);
    if (gap.empty())
      return true;
    const bool isChanged = std::ranges::any_of(
        run_.result.records, [&](const PassRecord &r) { return r.changed && r.function == fn.name(); });
    if (!isChanged) {
      if (c.outcome != Comparison::Agree)
        hooks_.print(
            fmt::format("@{}: {}; no pass changed it\n", fn.name(),
                        c.outcome == Comparison::Vacuous ? "no result could be compared" : "could not be evaluated"));
      return true;
    }
    if (options_.strict) {
      diags_.errorInFile("not-checked", options_.input, fmt::format("@{} {}; nothing was written", fn.name(), gap));
      return false;
    }
    diags_.warningInFile("not-checked", options_.input,
                         fmt::format("@{} {}; {} not checked, which --strict makes an error", fn.name(), gap,
                                     c.outcome == Comparison::Agree ? "they are" : "the result is"));
    return true;
  }

  const CheckedRun &run_;
  ModelFile &after_;
  const Options &options_;
  Diagnostics &diags_;
  const CheckHooks &hooks_;
  StoredTensors stored_;
  Program before_;
};
} // namespace

CheckOutcome checkRun(const CheckedRun &run, ModelFile &after, const Options &options, Diagnostics &diags,
                      const CheckHooks &hooks) {
  return RunCheck(run, after, options, diags, hooks).check();
}

} // namespace rw::opt
