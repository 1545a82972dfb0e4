#include "rw/exec/run.h"

#include "rw/interp/op_evaluator.h"

#include <algorithm>
#include <fmt/format.h>

namespace rw {
namespace {
class Runner {
public:
  Runner(const ExecProgram &exec, const EvalOptions &options, ExecResult &result)
      : exec_(exec), result_(result), ops_(*exec.function, options), slots_(exec.slots), states_(exec.slots) {}

  bool run(std::span<const Tensor> given) {
    std::vector<Tensor> inputs;
    if (!ops_.start(given, inputs))
      return failed();
    for (size_t i = 0; i < exec_.inputShapes.size(); ++i)
      if (!write(ExecSlot(i), std::move(inputs[i])))
        return false;
    inputs.clear();
    for (size_t i = 0; i < exec_.unusedInputs.size(); ++i)
      if (exec_.unusedInputs[i])
        free(ExecSlot(i));
    for (at_ = 0; at_ < exec_.instructions.size(); ++at_)
      if (!step(exec_.instructions[at_]))
        return false;
    at_ = SIZE_MAX;
    for (ExecSlot s : exec_.results) {
      if (s != kNoSlot && !canRead(s))
        return false;
      result_.values.push_back(s == kNoSlot ? Tensor() : slots_[s]);
    }
    slots_.clear();
    result_.bytesAtEnd = ops_.bytesHeld();
    return true;
  }

private:
  enum State : uint8_t { Empty, Live, Freed };

  bool step(const ExecInstruction &i) {
    Op op = exec_.function->op(i.op);
    std::vector<ValueId> reads = valuesReadBy(op);
    if (reads.size() != i.inputs.size() || op.resultCount() != i.outputs.size())
      return fail("has other inputs or outputs than its op");
    std::vector<Tensor> operands, results;
    for (ExecSlot s : i.inputs) {
      if (s != kNoSlot && !canRead(s))
        return false;
      operands.push_back(s == kNoSlot ? Tensor() : slots_[s]);
    }
    if (!ops_.run(op, reads, operands, results))
      return failed();
    operands.clear();
    for (size_t k = 0; k < i.outputs.size(); ++k)
      if (!write(i.outputs[k], std::move(results[k])))
        return false;
    result_.peakBytes = std::max(result_.peakBytes, ops_.bytesHeld());
    for (size_t k = 0; k < i.inputs.size(); ++k)
      if (i.lastUse[k])
        free(i.inputs[k]);
    for (size_t k = 0; k < i.outputs.size(); ++k)
      if (i.unused[k])
        free(i.outputs[k]);
    return true;
  }

  bool canRead(ExecSlot s) {
    if (s >= slots_.size())
      return fail(fmt::format("reads slot {}, which there is none of", s));
    if (states_[s] == Freed)
      return fail(fmt::format("reads slot {}, which was freed before", s));
    return states_[s] == Live || fail(fmt::format("reads slot {}, which nothing was written to", s));
  }
  bool write(ExecSlot s, Tensor value) {
    if (s >= slots_.size() || states_[s] != Empty)
      return fail(
          fmt::format("writes slot {}, which {}", s, s >= slots_.size() ? "there is none of" : "was written before"));
    slots_[s] = std::move(value);
    states_[s] = Live;
    return true;
  }
  void free(ExecSlot s) {
    if (s >= slots_.size())
      return;
    slots_[s] = Tensor();
    states_[s] = Freed;
  }

  bool fail(std::string why) {
    result_.ok = false;
    result_.instruction = at_;
    if (at_ < exec_.instructions.size()) {
      Op op = exec_.function->op(exec_.instructions[at_].op);
      result_.op = op.id;
      result_.opName = std::string(op.fullName());
    }
    result_.error = std::move(why);
    return false;
  }
  bool failed() {
    const EvalResult &outcome = ops_.outcome();
    static_cast<EvalResult &>(result_) = outcome;
    result_.instruction = at_;
    return false;
  }

  const ExecProgram &exec_;
  ExecResult &result_;
  OpEvaluator ops_;
  std::vector<Tensor> slots_;
  std::vector<State> states_;
  size_t at_ = SIZE_MAX;
};
} // namespace

ExecResult runExec(const ExecProgram &exec, std::span<const Tensor> inputs, const EvalOptions &given) {
  EvalOptions options = given;
  if (!options.program)
    options.program = exec.program.get();
  ExecResult result;
  if (!Runner(exec, options, result).run(inputs))
    result.values.clear();
  return result;
}

} // namespace rw
