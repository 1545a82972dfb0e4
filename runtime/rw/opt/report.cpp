#include "rw/opt/report.h"

#include <fmt/format.h>

namespace rw::opt {

OpHistogram countOps(Program &program) {
  OpHistogram counts;
  for (Function &fn : program.functions())
    for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
      Op op = fn.op(OpId(i));
      if (!op.isErased() && op.kind() != kReturnKind)
        ++counts[std::string(op.fullName())];
    }
  return counts;
}

size_t totalOf(const OpHistogram &counts) {
  size_t total = 0;
  for (const auto &[name, count] : counts)
    total += count;
  return total;
}

std::string describeChange(const OpHistogram &before, const OpHistogram &after) {
  std::map<std::string, std::pair<size_t, size_t>> rows;
  size_t width = 5;
  for (const auto &[name, count] : before)
    rows[name].first = count;
  for (const auto &[name, count] : after)
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
  out += fmt::format("{:<{}}  {:>8}  {:>8}\n", "total", width, totalOf(before), totalOf(after));
  if (same)
    out += fmt::format("({} kinds of op unchanged)\n", same);
  return out;
}

static std::string nameOf(Op op) {
  std::string out(op.fullName());
  if (op.resultCount() == 0)
    return out;
  StringId name = op.fn->valueName(op.result().id);
  return out + (name ? fmt::format(" %{}", op.context().text(name)) : fmt::format(" #{}", op.id.raw));
}

void RewriteLog::patternBegin(const Pattern &, Op root) {
  root_ = nameOf(root);
  pending_.clear();
  inPattern_ = true;
}

void RewriteLog::patternEnd(const Pattern &pattern, bool applied) {
  inPattern_ = false;
  if (!applied)
    return;
  const PatternInfo &info = pattern.info();
  out_ += fmt::format("changed {} by {}", root_, info.name);
  if (!info.file.empty())
    out_ += fmt::format(" at {}:{}", info.file, info.line);
  out_ += "\n" + pending_;
}

void RewriteLog::erasing(Op op) { (inPattern_ ? pending_ : out_) += fmt::format("erased {}\n", nameOf(op)); }
void RewriteLog::folding(Op op) { out_ += fmt::format("folded {}\n", nameOf(op)); }

} // namespace rw::opt
