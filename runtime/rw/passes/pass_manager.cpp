#include "rw/passes/pass_manager.h"

#include "rw/ir/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>

namespace rw {
namespace {

class Runner {
public:
  Runner(Program &program, const Registry &registry, const PassManagerOptions &options)
      : program_(program), options_(options), context_{program, registry, options.rewriteConfig} {}

  /// Whether anything changed.
  bool runItems(std::vector<PipelineItem> &items, unsigned depth) {
    bool changed = false;
    for (PipelineItem &item : items) {
      if (result_.stopped)
        break;
      changed |= item.pass ? runPass(*item.pass, depth) : repeat(item, depth);
    }
    return changed;
  }

  PassManagerResult take() { return std::move(result_); }

private:
  bool repeat(PipelineItem &item, unsigned depth) {
    bool changed = false;
    for (unsigned round = 0; round < item.count && !result_.stopped; ++round) {
      if (!runItems(item.items, depth + 1))
        return changed;
      changed = true;
    }
    if (item.count > 1 && !result_.stopped)
      result_.remarks.push_back(
          fmt::format("repeat({}){{{}}} was still changing something when it stopped", item.count, printPipeline(item.items)));
    return changed;
  }

  bool runPass(FunctionPass &pass, unsigned depth) {
    bool changed = false;
    for (Function &fn : program_.functions()) {
      changed |= runOn(pass, fn, depth);
      if (result_.stopped)
        break;
    }
    return changed;
  }

  bool runOn(FunctionPass &pass, Function &fn, unsigned depth) {
    PassRecord record;
    record.pass = pass.name();
    record.function = fn.name();
    record.depth = depth;
    record.opsBefore = fn.liveOps();
    bool mayFail = pass.mayFail() || options_.verifyEach || options_.rewriteConfig.expensiveChecks;
    std::optional<Function> saved;
    if (mayFail)
      saved.emplace(fn);
    if (options_.beforePass)
      options_.beforePass(pass.name(), fn);

    auto start = std::chrono::steady_clock::now();
    PassResult done = pass.run(fn, context_);
    record.nanoseconds = uint64_t((std::chrono::steady_clock::now() - start) / std::chrono::nanoseconds(1));

    record.changed = done.changed;
    record.failed = done.failed;
    record.message = std::move(done.message);
    record.rewrites = done.rewrites.rewrites;
    record.folds = done.rewrites.folds;
    record.erased = done.rewrites.erased;
    countPatterns(pass, done.rewrites, record);
    if (!record.failed && options_.verifyEach && record.changed)
      verify(fn, record);
    if (record.failed && saved) {
      fn = std::move(*saved);
      record.changed = false;
    }
    record.opsAfter = fn.liveOps();
    result_.changed |= record.changed;
    result_.failed |= record.failed;
    result_.stopped |= record.failed && options_.strict;
    if (options_.afterPass)
      options_.afterPass(record, fn);
    bool changed = record.changed;
    result_.records.push_back(std::move(record));
    return changed;
  }

  void verify(Function &fn, PassRecord &record) {
    SourceManager sources;
    Diagnostics diags(sources);
    if (verifyFunction(fn, diags))
      return;
    record.failed = true;
    record.message = "the result does not verify";
    if (!diags.all().empty())
      record.message += ": " + diags.all().front().message;
  }

  void countPatterns(FunctionPass &pass, const RewriteResult &rewrites, PassRecord &record) {
    const FrozenPatternSet *set = pass.patterns();
    if (!set)
      return;
    for (size_t i = 0; i < set->size() && i < rewrites.patterns.size(); ++i) {
      const PatternCounters &counters = rewrites.patterns[i];
      if (!counters.tried)
        continue;
      std::string name(set->pattern(i).info().name);
      auto [it, fresh] = patternIndex_.try_emplace(name, result_.patterns.size());
      if (fresh)
        result_.patterns.push_back({name, {}});
      PatternCounters &total = result_.patterns[it->second].counters;
      total.tried += counters.tried;
      total.applied += counters.applied;
      total.nanoseconds += counters.nanoseconds;
      record.patterns.push_back({std::move(name), counters});
    }
  }

  Program &program_;
  const PassManagerOptions &options_;
  PassContext context_;
  PassManagerResult result_;
  std::unordered_map<std::string, size_t> patternIndex_;
};

} // namespace

bool PassManager::parse(std::string_view text, SourceManager &sources, Diagnostics &diags, std::string name) {
  FileId file = sources.addText(std::move(name), std::string(text));
  if (!file) {
    diags.errorInFile("pipeline-size", "pipeline", "no room for the text of the pipeline");
    return false;
  }
  return parsePipeline(file, sources, diags, registry_, items_);
}

void PassManager::add(std::unique_ptr<FunctionPass> pass) {
  PipelineItem item;
  item.name = pass->name();
  item.pass = std::move(pass);
  items_.push_back(std::move(item));
}

PassManagerResult PassManager::run(Program &program, const PassManagerOptions &options) {
  Runner runner(program, registry_, options);
  runner.runItems(items_, 0);
  return runner.take();
}

std::string renderStatistics(const PassManagerResult &result, bool withTimes) {
  std::string text = fmt::format("{:<24} {:<16} {:>8} {:>8} {:>8} {:>10} {:>10}{}\n", "pass", "function", "rewrites",
                                 "folds", "erased", "ops before", "ops after", withTimes ? "         ms" : "");
  for (const PassRecord &r : result.records) {
    text += fmt::format("{:<24} {:<16} {:>8} {:>8} {:>8} {:>10} {:>10}", std::string(2 * r.depth, ' ') + r.pass,
                        r.function, r.rewrites, r.folds, r.erased, r.opsBefore, r.opsAfter);
    if (withTimes)
      text += fmt::format(" {:>10.3f}", double(r.nanoseconds) / 1e6);
    if (r.failed)
      text += "  failed, rolled back";
    if (!r.message.empty())
      text += (r.failed ? ": " : "  ") + r.message;
    text += "\n";
  }
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
  for (const std::string &remark : result.remarks)
    text += "remark: " + remark + "\n";
  return text;
}

} // namespace rw
