#include "rw/opt/report.h"

#include "rw/passes/op_count.h"

#include <fmt/format.h>

namespace rw::opt {

OpHistogram countOps(Program &program) {
  OpHistogram counts;
  for (Function &fn : program.functions())
    for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
      Op op = fn.op(OpId(i));
      if (!op.isErased() && op.kind() != kReturnKind)
        ++counts.kinds[std::string(op.fullName())];
      counts.total += !op.isErased() && computes(op);
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
