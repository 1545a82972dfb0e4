#include "frontend/check/check_context.h"

#include <fmt/format.h>

namespace rw::sema {

std::string CheckContext::textOf(SourceRange range) const {
  std::string_view text = sources.text(sources.fileOf(range.begin));
  size_t begin = sources.offsetOf(range.begin);
  return std::string(text.substr(begin, sources.offsetOf(range.end) - begin));
}

Report CheckContext::error(std::string tag, SourceRange range, std::string message) {
  ++errorsSeen;
  // One text, one error: the instances of a template would repeat it.
  std::string key = tag;
  for (const Expansion &e : expansions) // another use may go wrong in its own way
    key += fmt::format(" {}", e.range.begin.raw);
  if (range && !reported_.emplace(range.begin.raw, std::move(key)).second)
    return Report();
  if (substitutions && !substitutions->empty() && !firstInstance && ++instanceErrors > 1)
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

Report CheckContext::warning(std::string tag, SourceRange range, std::string message) {
  if (imported || !expansions.empty() || !reported_.emplace(range.begin.raw, tag).second)
    return Report();
  return Report(diags.warning(std::move(tag), range, std::move(message)));
}

bool CheckContext::trusts(FileId file) const {
  if (!trusted) // what another root uses is checked by itself
    return false;
  for (size_t i = 0; i < loaded.size(); ++i)
    if (module.files[i].id == file)
      return isTrusted(loaded[i].canonical, options);
  return false;
}

} // namespace rw::sema
