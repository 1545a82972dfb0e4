// Patterns that merged matchers hold too: the lead in the class, and what comes after it as a function that both call.
#include "codegen/emit/pattern_emitter.h"

#include <algorithm>
#include <cctype>

namespace rw::emit {

using plan::SlotKind;
using plan::Step;
using plan::StepKind;

static bool mentions(std::string_view text, std::string_view name) {
  auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = 0; (at = text.find(name, at)) != std::string_view::npos; at += name.size())
    if ((at == 0 || (!isWord(text[at - 1]) && text[at - 1] != '.')) &&
        (at + name.size() == text.size() || !isWord(text[at + name.size()])))
      return true;
  return false;
}

/// Code without what stands in quotes and in comments.
static std::string namesOnly(std::string_view code) {
  std::string out;
  for (size_t i = 0; i < code.size(); ++i) {
    if (code.substr(i).starts_with("//")) {
      i = std::min(code.find('\n', i), code.size() - 1);
    } else if (code[i] == '"') {
      for (++i; i < code.size() && code[i] != '"'; ++i)
        i += code[i] == '\\';
    }
    if (i < code.size())
      out += code[i];
  }
  return out;
}

/// Of a pattern that merged matchers hold too: the lead here, and what comes after it as a function that both call.
void PatternEmitter::leadAndRest(RestCall &call) {
  plan::Lead split = plan::splitPlan(plan_);
  PatternEmitter behind(refs_, plan_, sources_, w_);
  Writer rest;
  rest.setDepth(2);
  behind.e_.setOut(rest);
  behind.slots_[0] = slots_[0];
  std::vector<std::string> names(plan_.slots.size());
  std::vector<const plan::OpSet *> ops(plan_.slots.size(), nullptr);
  for (const Step &s : split.lead)
    if (s.kind == StepKind::Def)
      ops[s.out] = &s.ops;
  for (plan::Slot slot = 1; slot < plan_.slots.size(); ++slot)
    if (split.slots[slot]) {
      bool attr = plan_.slots[slot].kind == SlotKind::Attr;
      std::string hint = slotHint(slot, ops[slot] ? opHint(*ops[slot]) : attr ? "attr" : "operand");
      behind.slots_[slot] = names[slot] = behind.names_.unique(attr ? hint + "Attr" : hint);
    }
  behind.steps(split.rest, 0, [&] { behind.rewrite(); });
  std::string text = rest.take(), params;
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
