// Patterns that merged matchers hold too: the lead in the class, and what comes after it as a function that both call.
#include "codegen/emit/pattern_emitter.h"

#include <algorithm>

namespace rw::emit {

using plan::SlotKind;
using plan::Step;
using plan::StepKind;

/// What the rest calls the slots that the lead sets; empty for others.
std::vector<std::string> PatternEmitter::nameSlots(const plan::Lead &split, NameScope &scope) const {
  std::vector<std::string> names(plan_.slots.size());
  std::vector<const plan::OpSet *> ops(plan_.slots.size(), nullptr);
  for (const Step &s : split.lead)
    if (s.kind == StepKind::Def)
      ops[s.out] = &s.ops;
  for (plan::Slot slot = 1; slot < plan_.slots.size(); ++slot)
    if (split.slots[slot]) {
      bool attr = plan_.slots[slot].kind == SlotKind::Attr;
      std::string hint = slotHint(slot, ops[slot] ? opHint(*ops[slot]) : attr ? "attr" : "operand");
      names[slot] = scope.unique(attr ? hint + "Attr" : hint);
    }
  return names;
}

/// Of a pattern that merged matchers hold too: the lead here, and what comes after it as a function that both call.
void PatternEmitter::leadAndRest(RestCall &call) {
  plan::Lead split = plan::splitPlan(plan_);
  PatternEmitter behind(refs_, plan_, sources_, w_);
  Writer rest;
  rest.setDepth(2);
  behind.e_.setOut(rest);
  behind.slots_[0] = slots_[0];
  std::vector<std::string> names = nameSlots(split, behind.names_);
  for (plan::Slot slot = 1; slot < names.size(); ++slot)
    if (!names[slot].empty())
      behind.slots_[slot] = names[slot];
  behind.deferring_ = true;
  behind.steps(split.rest, 0, [&] { behind.rewrite(); });
  std::string text = behind.settle(rest.take()), params;
  const std::string code = namesOnly(text);
  for (plan::Slot slot = 1; slot < plan_.slots.size(); ++slot)
    if (!names[slot].empty() && mentions(code, names[slot])) {
      call.slots.push_back(slot);
      SlotKind kind = plan_.slots[slot].kind;
      params += fmt::format(", {} {}", kind == SlotKind::Attr ? "AttrId" : kind == SlotKind::Op ? "Op" : "Value", names[slot]);
    }

  std::erase_if(split.lead, [](const Step &s) { return s.kind == StepKind::Splat; }); // the rest asks
  steps(split.lead, 0, [&] {
    std::string args;
    for (plan::Slot slot : call.slots)
      args += ", " + slots_[slot];
    out().line("return rest(op{}, rw);", args);
  });
  w_.close("}");
  w_.blank();
  w_.text("/// Behind the tests that other patterns may share.");
  w_.open(fmt::format("static bool rest({} op{}, PatternRewriter &rw) {{", call.view.empty() ? "Op" : call.view, params));
  w_.text("[[maybe_unused]] Context &ctx = rw.context();");
  w_.raw(text);
}

} // namespace rw::emit
