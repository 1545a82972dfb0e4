#include "rw/opt/report.h"

#include "rw/passes/op_count.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <vector>

namespace rw::opt {

static constexpr size_t kSmall = 12, kShownKinds = 10, kShownPatterns = 10;

OpHistogram countOps(Program &program) {
  OpHistogram counts;
  for (Function &fn : program.functions())
    for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
      Op op = fn.op(OpId(i));
      if (op.isErased() || op.kind() == kReturnKind)
        continue;
      std::string name(op.fullName());
      ++counts.kinds[name];
      if (computes(op))
        ++counts.total;
      else
        counts.constants.insert(std::move(name));
    }
  return counts;
}

static bool hasConstants(const OpHistogram &counts) {
  size_t all = 0;
  for (const auto &[name, count] : counts.kinds)
    all += count;
  return all != counts.total;
}

std::string describeChange(const OpHistogram &before, const OpHistogram &after) {
  std::map<std::string, std::pair<size_t, size_t>> rows;
  size_t width = 5;
  for (const auto &[name, count] : before.kinds)
    rows[name].first = count;
  for (const auto &[name, count] : after.kinds)
    rows[name].second = count;
  for (const auto &[name, counts] : rows)
    width = std::max(width, name.size());
  std::string out = fmt::format("{:<{}}  {:>8}  {:>8}\n", "op", width, "before", "after");
  size_t same = 0;
  for (const auto &[name, counts] : rows)
    if (counts.first != counts.second)
      out += fmt::format("{:<{}}  {:>8}  {:>8}\n", name, width, counts.first, counts.second);
    else
      ++same;
  out += fmt::format("{:<{}}  {:>8}  {:>8}\n", "total", width, before.total, after.total);
  if (same)
    out += fmt::format("({} kinds of op unchanged)\n", same);
  if (hasConstants(before) || hasConstants(after))
    out += "(constants are not in the total)\n";
  return out;
}

bool isLarge(const OpHistogram &before) { return before.total > kSmall; }

/// The kinds that compute and are there more or less often than before, the greatest change first.
static std::string changedKinds(const OpHistogram &before, const OpHistogram &after) {
  std::map<std::string, std::pair<size_t, size_t>> counts;
  for (const auto &[name, count] : before.kinds)
    counts[name].first = count;
  for (const auto &[name, count] : after.kinds)
    counts[name].second = count;
  std::erase_if(counts, [&](const auto &row) {
    return row.second.first == row.second.second || before.constants.contains(row.first) ||
           after.constants.contains(row.first);
  });
  std::vector<std::pair<std::string, std::pair<size_t, size_t>>> rows(counts.begin(), counts.end());
  auto change = [](const auto &row) {
    return std::max(row.second.first, row.second.second) - std::min(row.second.first, row.second.second);
  };
  std::ranges::stable_sort(rows, std::greater(), change);
  std::string out = rows.empty() ? "" : fmt::format("  {:>7} {:>7}\n", "before", "after");
  // no line for one that is left out
  const size_t shown = rows.size() == kShownKinds + 1 ? rows.size() : std::min(rows.size(), kShownKinds);
  for (size_t i = 0; i < shown; ++i)
    out += fmt::format("  {:>7} {:>7}  {}\n", rows[i].second.first, rows[i].second.second, rows[i].first);
  if (shown < rows.size())
    out += fmt::format("  and {} kinds of op that changed less; --stats shows all\n", rows.size() - shown);
  return out;
}

std::string summarize(const OpHistogram &before, const OpHistogram &after, const PassManagerResult &result) {
  std::string text = fmt::format("{} op{}, {} after\n", before.total, before.total == 1 ? "" : "s", after.total);
  if (isLarge(before))
    text += changedKinds(before, after);
  std::vector<const PassRecord::PatternUse *> applied;
  for (const PassRecord::PatternUse &use : result.patterns)
    if (use.counters.applied)
      applied.push_back(&use);
  const size_t shown = applied.size() == kShownPatterns + 1 ? applied.size() : std::min(applied.size(), kShownPatterns);
  if (shown < applied.size()) // then those that did most
    std::ranges::stable_sort(applied, std::greater(),
                             [](const PassRecord::PatternUse *use) { return use->counters.applied; });
  for (size_t i = 0; i < shown; ++i)
    text += fmt::format("  {:>6} x {}\n", applied[i]->counters.applied, applied[i]->name);
  if (shown < applied.size())
    text += fmt::format("  and {} patterns that applied less often; --stats shows all\n", applied.size() - shown);
  if (uint64_t folds = 0; isLarge(before)) {
    for (const PassRecord &record : result.records)
      folds += record.folds;
    if (folds)
      text += fmt::format("  {:>6} x computed beforehand, as constants\n", folds);
  }
  return text;
}

static std::string sizeText(uint64_t bytes) {
  return bytes < 1024          ? fmt::format("{} bytes", bytes)
         : bytes < 1024 * 1024 ? fmt::format("{:.1f} KiB", double(bytes) / 1024)
                               : fmt::format("{:.1f} MiB", double(bytes) / (1024 * 1024));
}

std::string describeSizes(const std::string &output, const std::string &input) {
  std::error_code wrong;
  if (!std::filesystem::is_regular_file(output, wrong) || !std::filesystem::is_regular_file(input, wrong))
    return "";
  const uint64_t after = std::filesystem::file_size(output, wrong),
                 before = wrong ? 0 : std::filesystem::file_size(input, wrong);
  return wrong ? "" : fmt::format("{}: {}, before {}", output, sizeText(after), sizeText(before));
}

void RewriteLog::rewrite(const RewriteEvent &e) {
  switch (e.kind) {
  case RewriteEvent::Pattern:
    text_ += fmt::format("changed {} by {}", e.root, e.pattern);
    if (!e.file.empty())
      text_ += fmt::format(" at {}:{}", e.file, e.line);
    text_ += "\n";
    break;
  case RewriteEvent::Fold:
    text_ += fmt::format("folded {}\n", e.root);
    break;
  case RewriteEvent::Erase:
    text_ += fmt::format("erased {}\n", e.root);
    break;
  }
}

} // namespace rw::opt
