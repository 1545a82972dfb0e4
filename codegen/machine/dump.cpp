// Code as text (`rwc --dump=code`).
#include "codegen/machine/fuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

namespace rw::interpret {

/// What holds where the code of a pattern begins, and the registers that it finds set: the net has asked it.
static std::string textOfOpening(const PatternCode &p) {
  std::string out;
  for (const TestRow &row : std::span(p.tests).first(std::min<size_t>(p.opening, p.tests.size()))) {
    const SharedTest &t = row.test;
    std::string what = row.why;
    if (t.kind == SharedTest::Commute)
      what = fmt::format("operands 0 and 1 of r{} in either order; also r{}", t.in, t.out + 1);
    else if (what.empty() && (t.kind == SharedTest::Operand || t.kind == SharedTest::OperandAtEnd))
      what = fmt::format("operand {}{} of r{}", t.index, t.kind == SharedTest::Operand ? "" : " from the end", t.in);
    out += fmt::format("\n  opening {:>4}  {}", setsSlot(t.kind) ? fmt::format("r{}", t.out) : "", what);
  }
  return out;
}

std::string dump(const Unit &unit) {
  std::map<uint32_t, std::string> begins;
  for (const PatternCode &p : unit.patterns)
    begins[p.entry] =
        fmt::format("pattern {} (line {}, {} registers){}", p.name, p.line, p.registers, textOfOpening(p));
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
