// Code as text (`rwc --dump=code`).
#include "codegen/machine/fuse.h"

#include <fmt/format.h>

#include <map>

namespace rw::interpret {

std::string dump(const Unit &unit) {
  std::map<uint32_t, std::string> begins;
  for (const PatternCode &p : unit.patterns)
    begins[p.entry] = fmt::format("pattern {} (line {}, {} registers)", p.name, p.line, p.registers);
  for (size_t i = 0; i < unit.fns.size(); ++i)
    begins[unit.fns[i].entry] =
        fmt::format("function {} ({} registers, gives r{})", i, unit.fns[i].registers, unit.fns[i].result);
  auto clause = [&](const std::string &what, const ClauseCode &code) {
    if (code)
      begins[code.entry] = fmt::format("{} (gives r{})", what, code.result);
  };
  for (const OpCode &op : unit.ops) {
    std::string name = op.dialect + "." + op.name;
    for (const OpCode::Attribute &attr : op.attrs)
      clause(fmt::format("default of {} of {}", attr.name, name), attr.byDefault);
    for (const OpCode::TypeRule &rule : op.types) {
      clause("type of " + name, rule.value);
      clause("dimensions of " + name, rule.dims);
    }
    for (const OpCode::Requirement &r : op.requirements)
      clause("requirement of " + name, r.condition);
    for (const OpCode::Fold &fold : op.folds) {
      clause("condition of a fold of " + name, fold.condition);
      clause("fold of " + name, fold.value);
    }
  }
  for (const TestCode &test : unit.tests) {
    clause("test " + test.name + ", before", test.before);
    clause("test " + test.name + ", after", test.after);
  }
  std::string out;
  const FusedCode fused = fuse(unit);
  size_t fusedEnd = 0;
  for (size_t at = 1; at < unit.code.size(); ++at) {
    if (auto it = begins.find(uint32_t(at)); it != begins.end())
      out += it->second + "\n";
    const Instr &s = unit.code[at];
    if (at >= fusedEnd && fused.code[at].op != s.op) {
      fusedEnd = at + partsOf(fused.code[at]);
      out += fmt::format("        {} of {} to {}:\n", name(fused.code[at].op), at, fusedEnd - 1);
    }
    out += fmt::format("  {:4}  {:<18}", at, name(s.op));
    for (Reg r : {s.a, s.b, s.c})
      out += r == kNoReg ? fmt::format("{:>7}", "-") : fmt::format("{:>7}", fmt::format("r{}", r));
    out += fmt::format("{:>7}", s.d);
    if (s.onFail)
      out += fmt::format("  else {}", s.onFail);
    if (uint32_t reason = at < unit.reasonOf.size() ? unit.reasonOf[at] : 0)
      out += "  // " + unit.reasons[reason].text;
    while (out.ends_with(' '))
      out.pop_back();
    out += '\n';
  }
  return out;
}

} // namespace rw::interpret
