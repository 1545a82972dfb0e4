// What the rest of a pattern calls what its lead has found.
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

} // namespace rw::emit
