#include "rw/opt/first_wrong_step.h"

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

/// The steps of one run, and the passes that counted them.
struct Steps {
  std::vector<std::string> lines; // of rewrites by patterns and of folds
  std::string lastPass;           // that counted any
};

Steps stepsOf(const RunAnew &run, uint64_t limit, std::optional<Program> &program) {
  Steps steps;
  RewriteLog log;
  Rerun again{.limit = limit, .sink = &log};
  again.afterPass = [&](const PassRecord &record, Program &) {
    if (record.rewrites + record.folds)
      steps.lastPass = record.pass;
  };
  program.emplace(run(again));
  std::string text = log.take();
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    if (line.starts_with("changed ") || line.starts_with("folded "))
      steps.lines.emplace_back(line);
  }
  return steps;
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
  WrongStep step;
  step.number = bad;
  Steps before = stepsOf(run, good, step.before), after = stepsOf(run, bad, step.after);
  if (after.lines.size() == before.lines.size() + 1)
    step.text = after.lines.back();
  else // one step of a pass that moves many ops at once
    step.text = "a step of the pass " + after.lastPass;
  return step;
}

} // namespace rw::opt
