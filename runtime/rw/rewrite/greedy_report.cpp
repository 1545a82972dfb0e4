#include "rw/rewrite/greedy_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace rw {

/// Finds the shortest run of patterns that the record of the last rewrites repeats.
void GreedyDriver::describeCycle() {
  size_t count = std::min<uint64_t>(events_, kRecent);
  std::vector<uint32_t> last; // oldest first
  for (uint64_t i = events_ - count; i < events_; ++i)
    last.push_back(recent_[i % kRecent]);
  auto name = [&](uint32_t event) {
    return event == kFoldEvent ? std::string("(fold)") : std::string(set_.info(event).shownName());
  };
  auto add = [&](uint32_t event) {
    result_.cycle.push_back(name(event));
    if (event != kFoldEvent && std::ranges::find(result_.cyclePatterns, event) == result_.cyclePatterns.end())
      result_.cyclePatterns.push_back(event);
  };
  for (size_t period = 1; period * 3 <= count; ++period) {
    bool repeats = true;
    for (size_t i = count - 1; repeats && i >= count - 2 * period; --i)
      repeats = last[i] == last[i - period];
    if (!repeats)
      continue;
    for (size_t i = count - period; i < count; ++i)
      add(last[i]);
    result_.cycleRepeats = true;
    return;
  }
  std::vector<uint32_t> seen;
  for (uint32_t event : last)
    if (std::ranges::find(seen, event) == seen.end()) {
      seen.push_back(event);
      add(event);
    }
}

bool expensiveChecksByDefault() { return RW_EXPENSIVE_CHECKS_DEFAULT; }

bool matchesGlob(std::string_view glob, std::string_view name) {
  size_t g = 0, n = 0, star = std::string_view::npos, starName = 0;
  while (n < name.size()) {
    if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n]) && glob[g] != '*') {
      ++g, ++n;
    } else if (g < glob.size() && glob[g] == '*') {
      star = g++;
      starName = n;
    } else if (star != std::string_view::npos) { // let the last star take one character more
      g = star + 1;
      n = ++starName;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*')
    ++g;
  return g == glob.size();
}

bool PatternFilter::allows(const PatternInfo &pattern) const {
  auto matches = [&](std::string_view glob) {
    if (!glob.starts_with(kLabelPrefix))
      return isNamed(pattern.declared(), glob);
    glob.remove_prefix(kLabelPrefix.size());
    return std::any_of(pattern.labels.begin(), pattern.labels.end(),
                       [&](std::string_view l) { return matchesGlob(glob, l); });
  };
  auto named = [&](const std::vector<std::string> &globs) { return std::any_of(globs.begin(), globs.end(), matches); };
  return (only.empty() || named(only)) && !named(disabled);
}

bool isTooNew(const PatternInfo &pattern, const Context &ctx) {
  if (ctx.dialectVersions().empty())
    return false;
  return std::ranges::any_of(pattern.labels, [&](std::string_view label) {
    size_t digits = label.find_last_not_of("0123456789") + 1;
    int64_t made = 0;
    if (digits == 0 || std::from_chars(label.data() + digits, label.data() + label.size(), made).ec != std::errc())
      return false;
    int64_t written = ctx.dialectVersion(label.substr(0, digits));
    return written > 0 && made > written;
  });
}

std::string describeNonConvergence(const RewriteResult &result) {
  if (result.converged)
    return "";
  if (!result.checkFailure.empty())
    return result.checkFailure;
  constexpr size_t kShown = 12;
  std::vector<std::string_view> once;
  for (const std::string &name : result.cycle)
    if (std::ranges::find(once, name) == once.end())
      once.push_back(name);
  std::string names;
  for (size_t i = 0; i < std::min(once.size(), kShown); ++i)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", once[i]);
  if (once.size() > kShown)
    names += fmt::format(" and {} more", once.size() - kShown);
  if (names.empty())
    return "the budget ran out before anything was rewritten";
  if (result.stop == RewriteStop::Growth)
    return fmt::format(
        "did not converge: it was growing without end, from {} op{} to {} in {} rewrites; the last were by {}",
        result.opsBefore, result.opsBefore == 1 ? "" : "s", result.opsAfter, result.rewrites, names);
  if (result.cycleRepeats && once.size() > 1)
    return fmt::format("did not converge: after {} rewrites these patterns still undo each other: {}", result.rewrites,
                       names);
  if (result.cycleRepeats)
    return fmt::format("did not converge: after {} rewrites {} still applies to its own result", result.rewrites,
                       names);
  return fmt::format("did not converge within the budget: {} rewrites; the last were by {}", result.rewrites, names);
}

} // namespace rw
