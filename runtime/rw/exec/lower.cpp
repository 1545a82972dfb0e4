#include "rw/exec/lower.h"

#include "rw/interp/op_evaluator.h"
#include "rw/support/nearest_name.h"

#include <fmt/format.h>

namespace rw {
namespace {
class Lowering {
public:
  Lowering(ExecProgram &exec, const SymbolBounds &bounds)
      : exec_(exec), fn_(*exec.function), slots_(exec.function->valueCapacity(), kNoSlot) {
    for (const auto &[symbol, most] : bounds)
      bounds_.emplace_back(fn_.context().intern(symbol), most);
  }

  void run() {
    for (ValueId v : fn_.params(fn_.body())) {
      slots_[v.raw] = exec_.slots++;
      exec_.inputShapes.push_back(shapeOf(fn_.value(v)));
    }
    for (Op op : fn_.ops(fn_.body()))
      if (op.kind() == kReturnKind)
        exec_.results = slotsOf(op);
      else
        exec_.instructions.push_back(instruction(op));
    assignLastUse(exec_);
  }

private:
  ExecSlot slotOf(ValueId v) const { return v ? slots_[v.raw] : kNoSlot; }
  std::vector<ExecSlot> slotsOf(Op op) const {
    std::vector<ExecSlot> out;
    for (ValueId v : valuesReadBy(op))
      out.push_back(slotOf(v));
    return out;
  }

  ExecInstruction instruction(Op op) {
    ExecInstruction out;
    out.op = op.id;
    out.operands = op.operandCount();
    out.inputs = slotsOf(op);
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      Value result = op.result(i);
      out.outputs.push_back(slots_[result.id.raw] = exec_.slots++);
      out.outputShapes.push_back(shapeOf(result));
    }
    if (!out.outputShapes.empty())
      out.dtype = out.outputShapes[0].dtype;
    return out;
  }

  ExecShape shapeOf(Value v) const {
    ExecShape shape;
    const TypeData &type = v.type();
    shape.type = v.typeId();
    if (type.kind != TypeKind::Tensor)
      return shape;
    shape.dtype = type.dtype;
    shape.dims.assign(type.dims.begin(), type.dims.end());
    for (Dim d : shape.dims)
      shape.bounds.push_back(fn_.context().dims().upperBound(d, bounds_).value_or(ExecShape::kUnbounded));
    return shape;
  }

  ExecProgram &exec_;
  Function &fn_;
  std::vector<ExecSlot> slots_; // by ValueId
  std::vector<std::pair<StringId, int64_t>> bounds_;
};
} // namespace

void assignLastUse(ExecProgram &exec) {
  std::vector<bool> needed(exec.slots); // by what comes behind
  for (ExecSlot s : exec.results)
    if (s != kNoSlot)
      needed[s] = true;
  for (size_t at = exec.instructions.size(); at-- > 0;) {
    ExecInstruction &i = exec.instructions[at];
    i.lastUse.assign(i.inputs.size(), false);
    i.unused.assign(i.outputs.size(), false);
    for (size_t k = 0; k < i.outputs.size(); ++k)
      i.unused[k] = !needed[i.outputs[k]];
    for (size_t k = i.inputs.size(); k-- > 0;)
      if (ExecSlot s = i.inputs[k]; s != kNoSlot && !needed[s])
        needed[s] = i.lastUse[k] = true;
  }
  exec.unusedInputs.clear();
  for (size_t i = 0; i < exec.inputShapes.size(); ++i)
    exec.unusedInputs.push_back(!needed[i]);
}

std::optional<ExecProgram> lowerToExec(const Program &program, std::string_view function, Diagnostics &diags,
                                       const SymbolBounds &bounds) {
  for (const auto &[symbol, most] : bounds)
    if (most < 0) {
      diags.errorInFile("bad-bound", "bounds",
                        fmt::format("the bound {} of `{}` is negative: say its greatest size", most, symbol));
      return std::nullopt;
    }
  ExecProgram exec;
  exec.program = std::make_shared<Program>(program.clone());
  exec.function = exec.program->function(function);
  if (!exec.function) {
    std::vector<std::string_view> names;
    for (const Function &fn : program.functions())
      names.push_back(fn.name());
    std::string_view near = nearestName(function, names);
    diags.errorInFile("unknown-function", "program",
                      fmt::format("no function is named `{}`{}", function, didYouMean(near)));
    return std::nullopt;
  }
  Lowering(exec, bounds).run();
  return exec;
}

} // namespace rw
