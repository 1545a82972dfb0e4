// How errors are worded and when they are left out.
#include "frontend/check/checker.h"

#include <fmt/format.h>

namespace rw::sema {

std::string Checker::textOf(SourceRange range) const {
  std::string_view text = sources.text(sources.fileOf(range.begin));
  size_t begin = sources.offsetOf(range.begin);
  return std::string(text.substr(begin, sources.offsetOf(range.end) - begin));
}

Report Checker::error(std::string tag, SourceRange range, std::string message) {
  ++errorsSeen;
  // One text, one error: the instances of a template would repeat it.
  std::string key = tag;
  for (const Expansion &e : expansions) // another use may go wrong in its own way
    key += fmt::format(" {}", e.range.begin.raw);
  if (range && !reported_.emplace(range.begin.raw, std::move(key)).second)
    return Report();
  if (substitutions && !substitutions->empty() && !firstInstance_ && ++instanceErrors_ > 1)
    return Report(); // most likely one mistake: an entry that does not fit
  Report report(diags.error(std::move(tag), range, std::move(message)));
  constexpr size_t kEnds = 4; // of a long way the two ends say enough
  for (size_t i = expansions.size(), all = i; i-- > 0;)
    if (i < kEnds || all - i <= kEnds)
      report.note(expansions[i].range, fmt::format("where `{}` is used here", expansions[i].name));
    else if (i == kEnds)
      report.note(fmt::format("and {} uses in between", all - 2 * kEnds));
  if (substitutions && !substitutions->empty()) {
    std::string where;
    for (const Substitution &s : *substitutions)
      where += fmt::format("{}{} = {}", where.empty() ? "" : ", ", s.name, textOf(s.value->range));
    report.note(substitutions->front().value->range, fmt::format("in `{}`, where {}", instanceName, where));
  }
  return report;
}

Report Checker::warning(std::string tag, SourceRange range, std::string message) {
  if (imported || !expansions.empty() || !reported_.emplace(range.begin.raw, tag).second)
    return Report();
  return Report(diags.warning(std::move(tag), range, std::move(message)));
}

std::string inBackticks(std::string_view name) { return fmt::format("`{}`", name); }

std::string listed(const std::vector<std::string> &names, std::string_view last) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i)
      out += i + 1 == names.size() ? fmt::format(" {} ", last) : ", ";
    out += inBackticks(names[i]);
  }
  return out;
}

std::string operandCount(const Op &op) {
  size_t least = 0;
  bool variadic = false;
  for (const Operand &operand : op.operands) {
    least += operand.arity == Arity::Single;
    variadic |= operand.arity == Arity::Variadic;
  }
  size_t most = op.operands.size();
  if (op.variadicGroups() > 1)
    return fmt::format("{}{} groups of one size", least ? counted(least, "operand") + " and " : "",
                       op.variadicGroups());
  if (variadic)
    return "at least " + counted(least, "operand");
  if (least == most)
    return counted(most, "operand");
  return fmt::format("{} {} {} operands", least, most == least + 1 ? "or" : "to", most);
}

std::string counted(size_t n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

} // namespace rw::sema
