#include "codegen/interpret/straight.h"

namespace rw::interpret {

StraightCode::StraightCode(const Bound &bound, const PatternCode &pattern) {
  if (pattern.registers > kRegisters || pattern.chainCount)
    return;
  std::vector<Step> steps;
  bool built = false; // from there on the machine cannot begin anew
  for (const Instr *pc = bound.code + pattern.entry; !pc->onFail;) {
    Step &s = steps.emplace_back();
    s.a = pc->a, s.b = pc->b, s.c = pc->c;
    const Instr *next = pc + partsOf(*pc);
    switch (pc->op) {
    case Opcode::Head:
      s.kind = Step::Head;
      s.nodes = bound.fused.nodes.data() + pc->d;
      s.loads = bound.fused.loads.data() + s.nodes->loads;
      break;
    case Opcode::OperandThere: s.kind = Step::OperandThere, s.number = pc->d; break;
    case Opcode::NoExtras: s.kind = Step::NoExtras; break;
    case Opcode::ResultAny:
      s.kind = Step::ResultAny, s.number = pc->d;
      if (pc->d < 0) // from the end
        return;
      break;
    case Opcode::Recall:
    case Opcode::RecallAttr:
      s.kind = pc->op == Opcode::Recall ? Step::Recall : Step::RecallAttr;
      s.place = pc;
      next = bound.code + pc->d;
      if (built)
        return;
      break;
    case Opcode::IsSplatInt: s.kind = Step::IsSplatInt, s.a = pc[1].a, s.number = pc->d; break;
    case Opcode::SameTypes: s.kind = Step::SameTypes, s.a = pc[0].b, s.b = pc[2].b; break;
    case Opcode::BuildValue:
      s.kind = Step::BuildValue, s.b = pc[1].a;
      s.build = &bound.builds[size_t(pc->d)];
      built = true;
      if (!s.build->isPlain)
        return;
      break;
    case Opcode::ReplaceByNew:
      s.kind = Step::ReplaceByNew;
      s.build = &bound.builds[size_t(pc->d)];
      if (s.build->schema)
        steps_ = std::move(steps);
      return;
    case Opcode::ReplaceEnd:
      s.kind = Step::ReplaceEnd;
      steps_ = std::move(steps);
      return;
    default: return;
    }
    pc = next;
  }
}

} // namespace rw::interpret
