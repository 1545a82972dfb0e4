#include "rw/passes/pass_manager.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace rw {

std::string renderStatistics(const PassManagerResult &result, bool withTimes) {
  std::string text = fmt::format("{:<24} {:<16} {:>8} {:>8} {:>8} {:>10} {:>10}{}\n", "pass", "function", "rewrites",
                                 "folds", "erased", "ops before", "ops after", withTimes ? "         ms" : "");
  size_t idle = 0;
  for (const PassRecord &r : result.records) {
    if (!withTimes && !r.changed && !r.failed && r.message.empty() && r.rewrites + r.folds + r.erased == 0) {
      idle += r.runs;
      continue;
    }
    text += fmt::format("{:<24} {:<16} {:>8} {:>8} {:>8} {:>10} {:>10}", std::string(2 * r.depth, ' ') + r.pass,
                        r.function, r.rewrites, r.folds, r.erased, r.opsBefore, r.opsAfter);
    if (withTimes)
      text += fmt::format(" {:>10.3f}", double(r.nanoseconds) / 1e6);
    if (r.runs > 1)
      text += fmt::format("  in {} runs", r.runs);
    if (r.failed)
      text += "  failed, rolled back";
    if (!r.message.empty())
      text += (r.failed ? ": " : "  ") + r.message;
    text += "\n";
  }
  if (idle)
    text += fmt::format("({} run{} of passes that changed nothing)\n", idle, idle == 1 ? "" : "s");
  bool any = false;
  for (const PassRecord::PatternUse &p : result.patterns) {
    if (!p.counters.applied)
      continue;
    if (!any)
      text += fmt::format("\n{:<40} {:>8} {:>8}{}\n", "pattern", "applied", "tried", withTimes ? "         ms" : "");
    any = true;
    text += fmt::format("{:<40} {:>8} {:>8}", p.name, p.counters.applied, p.counters.tried);
    if (withTimes)
      text += fmt::format(" {:>10.3f}", double(p.counters.nanoseconds) / 1e6);
    text += "\n";
  }
  if (const std::vector<HeldBack> &held = result.needFastmath; !held.empty()) {
    constexpr size_t kShown = 3;
    std::vector<std::string> first;
    for (size_t i = 0; i < std::min(held.size(), kShown); ++i)
      first.push_back(held[i].text());
    text += fmt::format("\nnot run without --fastmath: {}{}\n", fmt::join(first, ", "),
                        held.size() > kShown ? fmt::format(" and {} more", held.size() - kShown) : "");
  }
  for (const PassWarning &warning : result.warnings)
    text += "remark: " + warning.message + "\n";
  for (const std::string &remark : result.remarks)
    text += "remark: " + remark + "\n";
  return text;
}

std::string renderTiming(const PassManagerResult &result) {
  uint64_t all = 0;
  for (const PassTiming &t : result.timing)
    if (t.depth == 0)
      all += t.nanoseconds;
  std::string text = fmt::format("{:>12} {:>7} {:>6}  {}\n", "ms", "share", "runs", "pass");
  auto row = [&](uint64_t nanoseconds, uint64_t runs, unsigned depth, std::string_view name) {
    text += fmt::format("{:>12.3f} {:>6.1f}% {:>6}  {}{}\n", double(nanoseconds) / 1e6,
                        all ? 100 * double(nanoseconds) / double(all) : 0.0, runs, std::string(2 * depth, ' '), name);
  };
  row(all, 1, 0, "pipeline");
  for (const PassTiming &t : result.timing)
    row(t.nanoseconds, t.runs, t.depth + 1, t.name);
  return text;
}

} // namespace rw
