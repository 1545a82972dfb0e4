#include "rw/passes/pass_manager.h"

#include "rw/ir/context_transfer.h"
#include "rw/ir/verifier.h"
#include "rw/passes/op_count.h"
#include "rw/passes/reproducer.h"
#include "rw/passes/rewrite_tracer.h"
#include "rw/passes/structure_digest.h"
#include "rw/rewrite/listeners.h"
#include "rw/support/atomic_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdio>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <span>
#include <thread>
#include <unordered_map>
#include <utility>

namespace rw {
namespace {

class Runner {
public:
  Runner(Program &program, const Registry &registry, const PassManagerOptions &options, ProgramTrace &trace)
      : program_(program), options_(options), config_(options.rewriteConfig), context_{program, registry, config_},
        trace_(trace) {
    listeners_.add(config_.listener);
    listeners_.add(options.lateOverrides);
    if (trace.sink() && trace.sink()->wantsRewrites())
      listeners_.add(&tracer_.emplace(*trace.sink(), trace.run()));
    config_.listener = listeners_.get();
  }

  void run(std::span<PipelineItem> items) {
    timingOf(items, 0);
    if (mayWorkApart())
      runApart(items);
    else
      runItems(items, 0);
    if (!options_.reproducer.empty() && !result_.failed && !result_.stopped && result_.reproducerError.empty())
      std::remove(options_.reproducer.c_str());
  }

  PassManagerResult take() {
    // How a pattern is tried depends on whether it is compiled, and merged with which others; when it first applied
    // does not.
    std::vector<PassRecord::PatternUse> sorted;
    for (size_t i : byFirstApplied())
      sorted.push_back(std::move(result_.patterns[i]));
    result_.patterns = std::move(sorted);
    dropOldStates();
    return std::move(result_);
  }

private:
  /// How a function stood before later runs of the same pass is of no use.
  void dropOldStates() {
    std::set<std::tuple<std::string_view, std::string_view, std::string_view>> said;
    for (PassRecord &record : std::views::reverse(result_.records))
      if (!record.stateOf.empty() && !said.emplace(record.pass, record.function, record.stateOf).second)
        record.message.clear();
  }

  std::vector<size_t> byFirstApplied() const {
    std::vector<size_t> order(result_.patterns.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::ranges::stable_sort(order, {}, [&](size_t i) { return firstApplied_[i]; });
    return order;
  }

  /// One row per item, in the order of the text.
  void timingOf(std::span<const PipelineItem> items, unsigned depth) {
    for (const PipelineItem &item : items) {
      timing_.emplace(&item, result_.timing.size());
      result_.timing.push_back({item.pass ? item.name : fmt::format("repeat({})", item.count), depth});
      timingOf(item.items, depth + 1);
    }
  }

  // Several functions at once ---------------------------------------------------------------------------------------

  /// Whether nobody watches the run, and functions share nothing but the registry.
  bool mayWorkApart() const {
    return options_.threads > 1 && program_.functions().size() > 1 && !config_.listener && !trace_.sink() &&
           !options_.beforePass && !options_.afterPass && options_.reproducer.empty() && !options_.lateOverrides &&
           !config_.sharedBudget && !config_.costModel && (!config_.folder || options_.makeFolder);
  }

  static bool worksOnFunctionsAlone(const PipelineItem &item) {
    return item.pass ? item.pass->worksOnFunctionsAlone() : std::ranges::all_of(item.items, worksOnFunctionsAlone);
  }

  /// The pipeline, its stretches of passes that look at one function alone on several threads.
  void runApart(std::span<PipelineItem> items) {
    while (!items.empty() && !result_.stopped) {
      const bool alone = worksOnFunctionsAlone(items.front());
      size_t end = 1;
      while (end < items.size() && worksOnFunctionsAlone(items[end]) == alone)
        ++end;
      if (alone && program_.functions().size() > 1)
        runOnThreads(items.first(end));
      else
        runItems(items.first(end), 0);
      items = items.subspan(end);
    }
  }

  /// What became of one function, in a program and context of its own.
  struct Part {
    std::optional<Program> program;
    PassManagerOptions options;
    std::unique_ptr<ConstantFolder> folder;
    std::optional<ProgramTrace> trace;
    std::unique_ptr<Runner> runner;
    std::exception_ptr thrown;
  };

  void runPart(Part &part, const Function &fn, std::span<PipelineItem> items) {
    part.program.emplace(program_.context().ops());
    part.program->functions().push_back(ContextTransfer(program_.context(), part.program->context()).copy(fn));
    part.options.rewriteConfig = config_;
    part.options.rewriteConfig.sweep = nullptr; // it looks at the whole program
    if (config_.folder) {
      part.folder = options_.makeFolder();
      part.options.rewriteConfig.folder = part.folder.get();
    }
    part.options.verifyEach = options_.verifyEach;
    part.options.strict = options_.strict;
    part.options.mostRounds = options_.mostRounds;
    part.trace.emplace(TraceRun{}, *part.program);
    part.runner = std::make_unique<Runner>(*part.program, context_.registry, part.options, *part.trace);
    part.runner->run(items);
  }

  void runOnThreads(std::span<PipelineItem> items) {
    std::deque<Function> &functions = program_.functions();
    std::vector<Part> parts(functions.size());
    std::atomic<size_t> next = 0;
    auto work = [&] {
      for (size_t i; (i = next++) < parts.size();)
        try {
          runPart(parts[i], functions[i], items);
        } catch (...) {
          parts[i].thrown = std::current_exception();
        }
    };
    {
      std::vector<std::jthread> threads(std::min<size_t>(options_.threads, parts.size()) - 1);
      for (std::jthread &thread : threads)
        thread = std::jthread(work);
      work();
    }
    for (size_t i = 0; i < parts.size() && !result_.stopped; ++i) {
      if (parts[i].thrown)
        std::rethrow_exception(parts[i].thrown);
      Program &part = *parts[i].program;
      functions[i] = ContextTransfer(part.context(), program_.context()).copy(part.functions().front());
      adopt(*parts[i].runner);
    }
  }

  /// What another runner did to one function, told as if it had been this one.
  void adopt(Runner &o) {
    auto append = [](auto &to, auto &from) {
      for (auto &item : from)
        if (std::ranges::find(to, item) == to.end())
          to.push_back(std::move(item));
    };
    append(result_.remarks, o.result_.remarks);
    append(result_.warnings, o.result_.warnings);
    for (HeldBack &held : o.result_.needFastmath)
      if (needFastmath_.insert(held.text()).second)
        result_.needFastmath.push_back(std::move(held));
    for (PassError &error : o.result_.errors)
      result_.errors.push_back(std::move(error));
    for (PassRecord &record : o.result_.records)
      keep(std::move(record));
    for (size_t i : o.byFirstApplied()) {
      PassRecord::PatternUse &use = o.result_.patterns[i];
      countPattern(use.name, use.counters);
    }
    for (const auto &[item, row] : o.timing_) {
      result_.timing[timing_.at(item)].nanoseconds += o.result_.timing[row].nanoseconds;
      result_.timing[timing_.at(item)].runs += o.result_.timing[row].runs;
    }
    result_.changed |= o.result_.changed;
    result_.failed |= o.result_.failed;
    result_.stopped |= o.result_.stopped;
    endless_.merge(o.endless_);
    sizes_.clear();
  }

  /// Whether anything changed.
  bool runItems(std::span<PipelineItem> items, unsigned depth) {
    bool changed = false;
    for (PipelineItem &item : items) {
      if (result_.stopped)
        break;
      uint64_t start = traceClock();
      changed |= item.pass ? runPass(item, depth) : repeat(item, depth);
      PassTiming &timing = result_.timing[timing_.at(&item)];
      timing.nanoseconds += traceClock() - start;
      ++timing.runs;
    }
    return changed;
  }

  bool repeat(PipelineItem &item, unsigned depth) {
    bool changed = false;
    std::vector<std::string> outer = std::exchange(changedIn_, {}); // what rounds around this one have changed so far
    auto leave = [&] { changedIn_ = std::move(outer); };
    Circle circle;
    for (unsigned round = 0; round < item.count && !result_.stopped; ++round) {
      changedIn_.clear();
      SpanTrace span(trace_.sink(), trace_.run(), SpanEvent::Round,
                     fmt::format("round {} of {}", round + 1, item.count));
      bool more = runItems(item.items, depth + 1);
      for (const std::string &name : changedIn_)
        noteChange(outer, name);
      changed |= more;
      if (!more)
        return leave(), changed;
      roundsLeft_ -= roundsLeft_ > 0;
      std::optional<unsigned> like = circle.closedBy(program_, round + 1);
      if (like || !roundsLeft_) {
        remark(like ? describeCircle(*like, round + 1) : describeTooMany());
        return leave(), changed;
      }
    }
    if (item.count > 1 && !result_.stopped)
      remark(describeBound(item));
    return leave(), changed;
  }

  /// Finds that the program is what it was some rounds before, so that the rounds would go on for ever. Looked for now
  /// and then, since digests cost as much as small passes: after 64, 128, 256, … rounds, in the next 64.
  class Circle {
  public:
    /// After which round the program was the same.
    std::optional<unsigned> closedBy(const Program &program, unsigned round) {
      if (round < kWindow)
        return std::nullopt;
      if (std::has_single_bit(round)) {
        at_ = round;
        was_ = structureOf(program);
      } else if (round - at_ <= kWindow && structureOf(program) == was_) {
        return at_;
      }
      return std::nullopt;
    }

  private:
    static constexpr unsigned kWindow = 64;
    unsigned at_ = 0;
    Digest was_;
  };

  static void noteChange(std::vector<std::string> &names, std::string name) {
    if (std::ranges::find(names, name) == names.end())
      names.push_back(std::move(name));
  }
  void remark(std::string text) {
    if (std::ranges::find(result_.remarks, text) == result_.remarks.end())
      result_.remarks.push_back(std::move(text));
  }
  /// The passes that changed something in the last round.
  std::string lastChanged() const {
    constexpr size_t kShown = 3;
    std::span<const std::string> names(changedIn_);
    std::string more = names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : "";
    return fmt::format("{}{}", fmt::join(names.first(std::min(names.size(), kShown)), ", "), more);
  }
  std::string describeBound(const PipelineItem &item) const {
    return fmt::format(
        "{} rounds were not enough: in the last one {} still changed something. The result is right; a second run, or "
        "repeat(n) with a greater n in --pipeline, goes on from there",
        item.count, lastChanged());
  }
  std::string describeCircle(unsigned like, unsigned round) const {
    return fmt::format("the rounds go in a circle: after round {} the program is what it was after round {}, though {} "
                       "changed it. The "
                       "repetition stopped there, and the result is right; patterns that undo each other belong in "
                       "different repetitions",
                       round, like, lastChanged());
  }
  std::string describeTooMany() const {
    return fmt::format("{} rounds in all were not enough: in the last one {} still changed something. The result is "
                       "right; repetitions inside "
                       "each other go no further in one run",
                       options_.mostRounds, lastChanged());
  }

  bool runPass(PipelineItem &item, unsigned depth) {
    if (item.pass->takesPrograms()) { // told of as of the function that stands for the program
      Function *main = program_.function("main");
      return !program_.functions().empty() && runOn(item, main ? *main : program_.functions().front(), depth);
    }
    bool changed = false;
    for (size_t i = 0; i < program_.functions().size() && !result_.stopped; ++i) // also those that the pass adds
      changed |= runOn(item, program_.functions()[i], depth);
    return changed;
  }

  bool runOn(PipelineItem &item, Function &fn, unsigned depth) {
    FunctionPass &pass = *item.pass;
    if (endless_.contains({std::string(pass.name()), std::string(fn.name())})) // again it would go on from there
      return false;
    PassRecord record;
    record.pass = pass.name();
    record.function = fn.name();
    record.depth = depth;
    auto size = sizes_.find(record.function);
    record.opsBefore = pass.takesPrograms() ? opsOfAll() : size != sizes_.end() ? size->second : computingOps(fn);
    bool mayFail = pass.mayFail() || options_.verifyEach || config_.expensiveChecks;
    size_t functions = program_.functions().size();
    std::optional<Function> saved;
    std::optional<Program> savedProgram;
    std::optional<Looks> looked;
    if (config_.expensiveChecks && !pass.patterns()) // patterns are checked one by one
      looked = looks();
    if (pass.takesPrograms())
      savedProgram.emplace(program_.clone());
    else if (mayFail)
      saved.emplace(fn);
    config_.sweep = mayFail ? nullptr : options_.rewriteConfig.sweep; // what is saved holds the old constants
    if (options_.lateOverrides)
      options_.lateOverrides->checkpoint();
    if (!options_.reproducer.empty() && !result_.failed)
      writeReproducer(item);
    if (options_.beforePass)
      options_.beforePass(pass.name(), fn);
    if (tracer_)
      tracer_->begin(pass.name(), fn);
    uint64_t start = traceClock();
    if (TraceSink *sink = trace_.sink())
      sink->beforePass(event(record, fn, start));

    auto takeBack = [&] {
      if (savedProgram)
        program_.functions() = std::move(savedProgram->functions());
      else if (saved)
        restore(fn, *saved, functions);
      if (options_.lateOverrides)
        options_.lateOverrides->rollBack();
    };
    PassResult done;
    try {
      done = pass.takesPrograms() ? pass.runOnProgram(program_, context_) : pass.run(fn, context_);
    } catch (const std::exception &e) {
      done = {};
      done.failed = true;
      done.message = fmt::format("it threw an exception: {}", e.what());
      if (!saved && !savedProgram) // nothing to go back to: a pass of ours that cannot fail, in want of memory
        throw;
    } catch (...) { // whoever threw it knows what it means; the program is as it was before the pass
      takeBack();
      throw;
    }
    record.nanoseconds = traceClock() - start;
    if (looked && !done.failed && done.errors.empty())
      checkChanged(*looked, done);
    for (PassError &error : done.errors)
      result_.errors.push_back(std::move(error));
    result_.stopped |= !done.errors.empty();

    record.changed = done.changed;
    record.failed = done.failed;
    record.message = std::move(done.message);
    if (!done.failed)
      record.stateOf = std::move(done.stateOf);
    for (PassWarning &warning : done.warnings) {
      if (warning.kind == PassWarning::NoEnd) {
        endless_.emplace(record.pass, record.function);
        result_.stopped |= options_.strict;
      }
      if (std::ranges::find(result_.warnings, warning) == result_.warnings.end())
        result_.warnings.push_back(std::move(warning));
    }
    for (HeldBack &held : done.needFastmath)
      if (needFastmath_.insert(held.text()).second)
        result_.needFastmath.push_back(std::move(held));
    record.rewrites = done.rewrites.rewrites;
    record.folds = done.rewrites.folds;
    record.erased = done.rewrites.erased;
    countPatterns(pass, done.rewrites, record);
    if (savedProgram)
      return finishOnProgram(done.failed, *savedProgram, std::move(record), start);
    if (!record.failed && options_.verifyEach && record.changed)
      verify(fn, record);
    if (record.failed && saved) {
      restore(fn, *saved, functions);
      if (options_.lateOverrides)
        options_.lateOverrides->rollBack();
      record.changed = false;
    }
    if (record.failed && !options_.reproducer.empty() && !result_.failed)
      writeReproducer(item, fmt::format("{} in @{}: {}", record.pass, record.function, record.message));
    if (record.changed)
      noteChange(changedIn_, record.pass), sizes_.clear(); // also of functions that the pass reached from this one
    record.opsAfter =
        sizes_.emplace(record.function, record.changed ? computingOps(fn) : record.opsBefore).first->second;
    result_.changed |= record.changed;
    result_.failed |= record.failed;
    result_.stopped |= record.failed && options_.strict;
    if (TraceSink *sink = trace_.sink())
      sink->afterPass(event(record, fn, start));
    if (options_.afterPass)
      options_.afterPass(record, fn);
    bool changed = record.changed;
    keep(std::move(record));
    return changed;
  }

  /// What the program's text says, without the text: that would hold all weights.
  struct Looks {
    Digest structure;
    std::vector<StringId> names; // of inner values and ops, which the structure leaves out
    bool operator==(const Looks &) const = default;
  };

  Looks looks() {
    Looks out{structureOf(program_), {}};
    for (Function &fn : program_.functions())
      addNames(fn, fn.body(), out.names);
    return out;
  }

  static void addNames(Function &fn, RegionId region, std::vector<StringId> &names) {
    for (ValueId param : fn.params(region))
      names.push_back(fn.valueName(param));
    for (Op op : fn.ops(region)) {
      names.push_back(fn.opName(op.id));
      for (unsigned i = 0; i < op.resultCount(); ++i)
        names.push_back(fn.valueName(op.result(i).id));
      for (RegionId inner : op.regions())
        addNames(fn, inner, names);
    }
  }

  /// A pass that fails here is undone, as one whose pattern says what is not so.
  void checkChanged(const Looks &before, PassResult &done) {
    const bool same = looks() == before;
    if (same != done.changed)
      return;
    done.failed = true;
    done.message = same ? "it reports a change but changed nothing" : "it reports no change but changed the program";
  }

  /// The function as it was, and no more functions than there were.
  void restore(Function &fn, Function &saved, size_t functions) {
    fn = std::move(saved);
    while (program_.functions().size() > functions) // added by the pass
      program_.functions().pop_back();
  }

  uint64_t opsOfAll() {
    uint64_t sum = 0;
    for (Function &fn : program_.functions())
      sum += computingOps(fn);
    return sum;
  }

  /// Behind a pass that takes programs: functions may have come and gone.
  bool finishOnProgram(bool failed, Program &before, PassRecord record, uint64_t start) {
    for (Function &fn : program_.functions())
      if (!failed && options_.verifyEach && record.changed && !record.failed)
        verify(fn, record);
    if (record.failed) {
      program_.functions() = std::move(before.functions());
      record.changed = false;
      if (options_.lateOverrides)
        options_.lateOverrides->rollBack();
    }
    Function *main = program_.function(record.function);
    Function &fn = main ? *main : program_.functions().front();
    sizes_.clear();
    if (record.changed)
      noteChange(changedIn_, record.pass);
    record.opsAfter = opsOfAll();
    result_.changed |= record.changed;
    result_.failed |= record.failed;
    result_.stopped |= record.failed && options_.strict;
    if (TraceSink *sink = trace_.sink())
      sink->afterPass(event(record, fn, start));
    if (options_.afterPass)
      options_.afterPass(record, fn);
    bool changed = record.changed;
    keep(std::move(record));
    return changed;
  }

  /// A record for each run; of very many, one for all further runs of a pass on a function that say the same.
  void keep(PassRecord record) {
    constexpr size_t kMostRecords = 10'000;
    if (result_.records.size() >= kMostRecords) {
      auto [it, isNew] = further_.try_emplace({record.pass, record.function, record.message}, result_.records.size());
      if (!isNew) {
        result_.records[it->second].add(record);
        return;
      }
    }
    result_.records.push_back(std::move(record));
  }

  /// The program is as it is before the pass.
  void writeReproducer(const PipelineItem &item, std::string failure = "") {
    Reproducer reproducer{printPipeline(item), options_.reproducerSettings, std::move(failure)};
    if (config_.sharedBudget)
      reproducer.settings.emplace_back("max-rewrites", std::to_string(*config_.sharedBudget));
    if (Result<void> written = writeFile(options_.reproducer, printReproducer(reproducer, program_)); !written)
      result_.reproducerError = written.error();
  }

  PassEvent event(const PassRecord &r, const Function &fn, uint64_t start) {
    return {.run = trace_.run(),
            .function = fn,
            .pass = r.pass,
            .depth = r.depth,
            .start = start,
            .nanoseconds = r.nanoseconds,
            .changed = r.changed,
            .failed = r.failed,
            .message = r.message,
            .rewrites = r.rewrites,
            .folds = r.folds,
            .erased = r.erased,
            .opsBefore = r.opsBefore,
            .opsAfter = r.opsAfter};
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
      std::string name(set->info(i).shownName());
      countPattern(name, counters);
      record.patterns.push_back({std::move(name), counters});
    }
  }

  void countPattern(const std::string &name, const PatternCounters &counters) {
    auto [it, fresh] = patternIndex_.try_emplace(name, result_.patterns.size());
    if (fresh) {
      result_.patterns.push_back({name, {}});
      firstApplied_.push_back(SIZE_MAX);
    }
    if (counters.applied && firstApplied_[it->second] == SIZE_MAX)
      firstApplied_[it->second] = applied_++;
    result_.patterns[it->second].counters.add(counters);
  }

  Program &program_;
  const PassManagerOptions &options_;
  GreedyRewriteConfig config_; // the tool's, with the tracer listening as well
  PassContext context_;
  ProgramTrace &trace_;
  RewriteListeners listeners_;
  std::optional<RewriteTracer> tracer_;
  PassManagerResult result_;
  std::unordered_map<std::string, size_t> sizes_;           // of functions, by name: as the last pass left them
  std::unordered_map<const PipelineItem *, size_t> timing_; // rows of result_.timing
  std::unordered_map<std::string, size_t> patternIndex_;
  std::set<std::pair<std::string, std::string>> endless_; // passes that stopped at a budget, and in which function
  std::set<std::string> needFastmath_;
  std::vector<std::string> changedIn_; // the round at hand: passes
  unsigned roundsLeft_ = options_.mostRounds;
  // records that stand for all further runs: by pass, function and message
  std::map<std::array<std::string, 3>, size_t> further_;
  // of each pattern, as a place in the order of first application; SIZE_MAX: it has not applied
  std::vector<size_t> firstApplied_;
  size_t applied_ = 0;
};

} // namespace

void PassRecord::add(const PassRecord &o) {
  ++runs;
  changed |= o.changed;
  failed |= o.failed;
  rewrites += o.rewrites;
  folds += o.folds;
  erased += o.erased;
  nanoseconds += o.nanoseconds;
  opsAfter = o.opsAfter;
  for (const PatternUse &use : o.patterns) {
    auto known = std::ranges::find(patterns, use.name, &PatternUse::name);
    if (known == patterns.end())
      patterns.push_back(use);
    else
      known->counters.add(use.counters);
  }
}

bool PassManager::parse(std::string_view text, SourceManager &sources, Diagnostics &diags, std::string name) {
  if (!registry_.check(diags)) // an op that has two meanings has none
    return false;
  FileId file = sources.addText(std::move(name), std::string(text));
  if (!file) {
    diags.errorInFile("pipeline-size", "pipeline", "no room for the text of the pipeline");
    return false;
  }
  return parsePipeline(file, sources, diags, registry_, items_, settings_);
}

void reportWarnings(const PassManagerResult &result, std::string_view file, Diagnostics &diags) {
  std::string where(file);
  auto tell = [&](const PassWarning &warning) {
    switch (warning.kind) {
    case PassWarning::GivenUp:
      return diags.warningInFile("given-up", where, warning.message);
    case PassWarning::RefusedEdit:
      return diags.warningInFile("refused-edit", where, warning.message);
    case PassWarning::NoEnd:
      break;
    }
    return result.stopped ? diags.errorInFile("no-end", where, warning.message)
                          : diags.warningInFile("no-end", where, warning.message);
  };
  for (const PassWarning &warning : result.warnings) {
    auto told = tell(warning);
    for (const std::string &note : warning.notes)
      told.note(note);
    if (warning.kind == PassWarning::NoEnd && result.stopped)
      told.note("`strict` makes an error of it, and nothing is written; without, the program as it was when the pass "
                "stopped is the result");
  }
}

void PassManager::add(std::unique_ptr<FunctionPass> pass) {
  PipelineItem item;
  item.name = pass->name();
  item.pass = std::move(pass);
  items_.push_back(std::move(item));
}

PassManagerResult PassManager::run(Program &program, const PassManagerOptions &options) {
  std::optional<ProgramTrace> own;
  if (!options.within) {
    TraceRun run = options.traceRun;
    if (run.pipeline.empty())
      run.pipeline = printPipeline(items_);
    own.emplace(std::move(run), program, options.trace);
  }
  Runner runner(program, registry_, options, own ? *own : *options.within);
  runner.run(items_);
  PassManagerResult result = runner.take();
  if (own)
    own->finish(result.changed, result.failed);
  return result;
}

} // namespace rw
