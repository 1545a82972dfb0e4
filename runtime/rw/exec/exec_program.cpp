#include "rw/exec/exec_program.h"

#include "rw/ir/printer.h"

#include <algorithm>
#include <fmt/format.h>

namespace rw {

bool ExecShape::isBounded() const {
  return dtype != DType::Unknown && bounds.size() == dims.size() &&
         std::ranges::find(bounds, kUnbounded) == bounds.end();
}

// Checks --------------------------------------------------------------------------------------------------------------

namespace {
class Checker {
public:
  explicit Checker(const ExecProgram &exec) : exec_(exec), states_(exec.slots) {}

  std::string run() {
    for (size_t i = 0; i < exec_.inputShapes.size(); ++i)
      write("the entry", ExecSlot(i));
    if (exec_.unusedInputs.size() != exec_.inputShapes.size())
      complain("the entry", "needs one flag `unused` each");
    for (size_t i = 0; i < exec_.unusedInputs.size(); ++i)
      if (exec_.unusedInputs[i])
        free("the entry", ExecSlot(i));
    for (size_t i = 0; i < exec_.instructions.size(); ++i)
      instruction(fmt::format("instruction {}", i), exec_.instructions[i]);
    std::vector<bool> result(exec_.slots);
    for (ExecSlot s : exec_.results)
      if (s != kNoSlot && read("the return", s))
        result[s] = true;
    for (ExecSlot s = 0; s < exec_.slots; ++s)
      if (states_[s] == Live && !result[s])
        complain(fmt::format("slot {}", s), "is never freed and no result");
      else if (states_[s] == Empty)
        complain(fmt::format("slot {}", s), "is never written");
    return complaint_;
  }

private:
  enum State : uint8_t { Empty, Live, Freed };

  void instruction(const std::string &name, const ExecInstruction &i) {
    if (i.lastUse.size() != i.inputs.size() || i.unused.size() != i.outputs.size() ||
        i.outputShapes.size() != i.outputs.size() || i.operands > i.inputs.size())
      return complain(name, "needs one flag for each input and output, and a shape for each output");
    for (ExecSlot s : i.inputs)
      if (s != kNoSlot)
        read(name, s);
    for (ExecSlot s : i.outputs)
      write(name, s);
    for (size_t k = 0; k < i.inputs.size(); ++k)
      if (i.lastUse[k])
        free(name, i.inputs[k]);
    for (size_t k = 0; k < i.outputs.size(); ++k)
      if (i.unused[k])
        free(name, i.outputs[k]);
  }

  bool read(const std::string &who, ExecSlot s) {
    if (s < exec_.slots && states_[s] == Live)
      return true;
    complain(who, fmt::format("reads slot {}, which {}", s,
                              s >= exec_.slots      ? "there is none of"
                              : states_[s] == Freed ? "is freed already"
                                                    : "holds nothing yet"));
    return false;
  }
  void write(const std::string &who, ExecSlot s) {
    if (s >= exec_.slots || states_[s] != Empty)
      return complain(who, fmt::format("writes slot {}, which {}", s,
                                       s >= exec_.slots ? "there is none of" : "is written already"));
    states_[s] = Live;
  }
  void free(const std::string &who, ExecSlot s) {
    if (s >= exec_.slots || states_[s] != Live)
      return complain(who, fmt::format("frees slot {}, which holds nothing", s));
    states_[s] = Freed;
  }
  void complain(const std::string &who, const std::string &what) {
    if (complaint_.empty())
      complaint_ = who + " " + what;
  }

  const ExecProgram &exec_;
  std::vector<State> states_;
  std::string complaint_;
};
} // namespace

std::string checkExec(const ExecProgram &exec) { return Checker(exec).run(); }

// Text ----------------------------------------------------------------------------------------------------------------

static std::string slotList(const std::vector<ExecSlot> &slots) {
  std::string out;
  for (ExecSlot s : slots)
    out += (out.empty() ? "" : ", ") + (s == kNoSlot ? "_" : fmt::format("%s{}", s));
  return out;
}

/// "%s2 at most [8, 4]": where it says more than the type does.
static std::string boundsText(ExecSlot slot, const ExecShape &shape) {
  std::string out;
  bool more = false;
  for (size_t i = 0; i < shape.bounds.size(); ++i) {
    out += (i ? ", " : "") + (shape.bounds[i] == ExecShape::kUnbounded ? "?" : std::to_string(shape.bounds[i]));
    more |= !shape.dims[i].isKnown() && shape.bounds[i] != ExecShape::kUnbounded;
  }
  return more ? fmt::format("%s{} at most [{}]", slot, out) : "";
}

static std::string remark(const std::vector<std::string> &bounds, const std::vector<ExecSlot> &freed) {
  std::string out;
  for (const std::string &text : bounds)
    if (!text.empty())
      out += (out.empty() ? "" : ", ") + text;
  if (!freed.empty())
    out += (out.empty() ? "free " : "; free ") + slotList(freed);
  return out.empty() ? out : "  // " + out;
}

std::string printExec(const ExecProgram &exec) {
  // A copy whose values are called by their slots, so that ops are written as everywhere else.
  Function fn = *exec.function;
  Context &ctx = fn.context();
  for (ExecSlot s = 0; s < exec.inputShapes.size(); ++s)
    fn.setValueName(fn.params(fn.body())[s], ctx.intern(fmt::format("s{}", s)));
  for (const ExecInstruction &i : exec.instructions)
    for (unsigned k = 0; k < i.outputs.size(); ++k)
      fn.setValueName(fn.op(i.op).result(k).id, ctx.intern(fmt::format("s{}", i.outputs[k])));
  ValueNames names(fn);

  std::string params;
  std::vector<std::string> bounds;
  std::vector<ExecSlot> freed;
  for (ExecSlot s = 0; s < exec.inputShapes.size(); ++s) {
    params += fmt::format("{}%s{}: {}", s ? ", " : "", s, ctx.typeToString(exec.inputShapes[s].type));
    bounds.push_back(boundsText(s, exec.inputShapes[s]));
    if (exec.unusedInputs[s])
      freed.push_back(s);
  }
  std::string out = fmt::format("exec @{}({}) {{{}\n", fn.name(), params, remark(bounds, freed));
  for (const ExecInstruction &i : exec.instructions) {
    bounds.clear();
    freed.clear();
    for (size_t k = 0; k < i.outputs.size(); ++k)
      bounds.push_back(boundsText(i.outputs[k], i.outputShapes[k]));
    for (size_t k = 0; k < i.inputs.size(); ++k)
      if (i.lastUse[k])
        freed.push_back(i.inputs[k]);
    for (size_t k = 0; k < i.outputs.size(); ++k)
      if (i.unused[k])
        freed.push_back(i.outputs[k]);
    out += "  " + printOp(fn.op(i.op), names) + remark(bounds, freed) + "\n";
  }
  return out + "  return" + (exec.results.empty() ? "" : " ") + slotList(exec.results) + "\n}\n";
}

} // namespace rw
