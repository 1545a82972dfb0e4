#include "rw/opt/wrong_step.h"

#include "rw/opt/report.h"

#include <fmt/format.h>

namespace rw::opt {
namespace {

/// Without any rewrite the results differ: a pass edits the program itself.
WrongStep wrongPass(const RunAnew &run, const std::function<bool(Program &)> &agrees) {
  WrongStep step;
  Rerun again{.limit = 0};
  again.afterPass = [&](const PassRecord &record, Program &program) {
    if (step.after)
      return;
    if (record.changed && !agrees(program)) {
      step.text = fmt::format("the pass {} in @{}", record.pass, record.function);
      step.after.emplace(program.clone());
    } else {
      step.before.emplace(program.clone());
    }
  };
  Program last = run(again);
  if (!step.after) { // what is wrong shows only at the end
    step.text = "what follows the last pass";
    step.after.emplace(std::move(last));
  }
  return step;
}

/// The last line that counts as a rewrite.
std::string lastRewrite(const std::string &log) {
  std::string last;
  for (size_t at = 0, end; at < log.size(); at = end + 1) {
    end = std::min(log.find('\n', at), log.size());
    std::string_view line = std::string_view(log).substr(at, end - at);
    if (line.starts_with("changed ") || line.starts_with("folded "))
      last = line;
  }
  return last;
}

} // namespace

std::optional<WrongStep> findWrongStep(const RunAnew &run, const std::function<bool(Program &)> &agrees) {
  auto agreesAfter = [&](uint64_t limit) {
    Rerun again{.limit = limit};
    Program program = run(again);
    return agrees(program);
  };
  Rerun whole;
  Program last = run(whole);
  if (agrees(last))
    return std::nullopt;
  if (!agreesAfter(0))
    return wrongPass(run, agrees);
  uint64_t good = 0, bad = whole.done;
  while (bad - good > 1) {
    uint64_t middle = good + (bad - good) / 2;
    (agreesAfter(middle) ? good : bad) = middle;
  }
  RewriteLog log;
  Rerun before{.limit = good}, after{.limit = bad, .sink = &log};
  WrongStep step;
  step.number = bad;
  step.before.emplace(run(before));
  step.after.emplace(run(after));
  step.text = lastRewrite(log.take());
  return step;
}

} // namespace rw::opt
