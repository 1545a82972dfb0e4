#include "rw/passes/pattern_pass.h"
#include "rw/support/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace rw {

// Options ---------------------------------------------------------------------------------------------------------

bool checkOptionNames(const PassOptions &options, const std::vector<std::string_view> &known, std::string &error) {
  for (const auto &[name, value] : options) {
    if (std::find(known.begin(), known.end(), name) != known.end())
      continue;
    error = fmt::format("no option `{}`", name);
    if (std::string_view near = nearestName(name, known); !near.empty())
      error += fmt::format("; did you mean `{}`?", near);
    else
      error += known.empty() ? "; the pass has none" : fmt::format("; there are: {}", fmt::join(known, ", "));
    return false;
  }
  return true;
}

bool readOption(const PassOptions &options, std::string_view name, std::optional<uint64_t> &value, std::string &error) {
  auto it = options.find(std::string(name));
  if (it == options.end())
    return true;
  const std::string &text = it->second;
  uint64_t number = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size()) {
    error = fmt::format("option `{}` takes a number, not `{}`", name, text);
    return false;
  }
  value = number;
  return true;
}

bool readOption(const PassOptions &options, std::string_view name, std::optional<bool> &value, std::string &error) {
  auto it = options.find(std::string(name));
  if (it == options.end())
    return true;
  if (it->second != "true" && it->second != "false") {
    error = fmt::format("option `{}` is true or false, not `{}`", name, it->second);
    return false;
  }
  value = it->second == "true";
  return true;
}

static bool readFastMath(const PassOptions &options, std::optional<FastMath> &value, std::string &error) {
  auto it = options.find("fastmath");
  if (it == options.end())
    return true;
  std::string unknown;
  value = FastMath::read(it->second, unknown);
  if (value)
    return true;
  error = fmt::format("option `fastmath` is true, false or a list of freedoms, and `{}` is none", unknown);
  std::string_view near = nearestName(unknown, {std::begin(FastMath::kNames), std::end(FastMath::kNames)});
  error += near.empty() ? fmt::format(": {}; `true` gives all but `no_overflow`", FastMath::every().list())
                        : fmt::format("; did you mean `{}`?", near);
  return false;
}

bool readOptions(const PassOptions &options, PatternPassOptions &out, std::string &error) {
  if (!checkOptionNames(options, {"max-iterations", "max-rewrites", "max-growth", "order", "fold", "dce", "fastmath"},
                        error))
    return false;
  std::optional<uint64_t> iterations, growth;
  if (!readOption(options, "max-iterations", iterations, error) ||
      !readOption(options, "max-rewrites", out.maxRewrites, error) ||
      !readOption(options, "max-growth", growth, error) || !readOption(options, "fold", out.fold, error) ||
      !readOption(options, "dce", out.dce, error) || !readFastMath(options, out.fastmath, error))
    return false;
  if (iterations)
    out.maxIterations = unsigned(std::min<uint64_t>(*iterations, UINT32_MAX));
  if (growth)
    out.maxGrowth = unsigned(std::min<uint64_t>(*growth, UINT32_MAX));
  if (auto it = options.find("order"); it != options.end()) {
    if (it->second != "bottom-up" && it->second != "top-down") {
      error = fmt::format("option `order` is bottom-up or top-down, not `{}`", it->second);
      return false;
    }
    out.order = it->second == "top-down" ? RewriteOrder::TopDown : RewriteOrder::BottomUp;
  }
  return true;
}

// Passes ----------------------------------------------------------------------------------------------------------

std::unique_ptr<FunctionPass> makePatternPass(const Registry &registry, std::string name,
                                              std::span<const PatternEntry *const> patterns, const PassOptions &options,
                                              std::string &error, unsigned maxIterations) {
  PatternPassOptions passOptions;
  if (maxIterations)
    passOptions.maxIterations = maxIterations;
  if (!readOptions(options, passOptions, error))
    return nullptr;
  PatternSet set(registry.ops);
  for (const PatternEntry *pattern : patterns)
    set.add(registry.patterns.make(*pattern, registry.ops));
  return std::make_unique<PatternPass>(std::move(name), std::move(set).freeze(), passOptions);
}

std::unique_ptr<FunctionPass> makePatternPass(const Registry &registry, const PassEntry &entry,
                                              const PassOptions &options, std::string &error) {
  auto patterns = registry.patternsOf(entry, error);
  return patterns ? makePatternPass(registry, registry.shownName(entry), *patterns, options, error, entry.maxIterations)
                  : nullptr;
}

/// What a pass has to say that stopped at its budget, and what its patterns can do about it.
static PassWarning describeNoEnd(std::string_view pass, std::string_view function, const RewriteResult &run,
                                 const FrozenPatternSet &set) {
  PassWarning warning{PassWarning::NoEnd, fmt::format("{} in @{} {}", pass, function, describeNonConvergence(run)), {}};
  for (uint32_t index : run.cyclePatterns)
    if (const PatternInfo &info = set.info(index); !info.file.empty())
      warning.notes.push_back(fmt::format("{} is declared at {}:{}", info.shownName(), info.file, info.line));
  if (run.stop == RewriteStop::Growth)
    warning.notes.push_back(
        fmt::format("a condition (`where`) must fail on what the pattern itself has built; if it does come to an end, "
                    "`{}{{max-growth=0}}` in --pipeline sets no bound",
                    pass));
  else if (run.cycleRepeats)
    warning.notes.push_back(run.cyclePatterns.size() > 1
                                ? "a condition (`where`) of one of them must fail on what the others build"
                                : "a condition (`where`) must fail on what the pattern itself has built");
  else if (run.stop == RewriteStop::Visits)
    warning.notes.push_back(fmt::format(
        "if they come to an end, give them more: `max_iterations` of the pass, or `{}{{max-iterations=0}}` in "
        "--pipeline, which sets no bound",
        pass));
  else
    warning.notes.push_back(
        fmt::format("if they come to an end, give them more: `{}{{max-rewrites=N}}` in --pipeline", pass));
  return warning;
}

PassResult PatternPass::run(Function &fn, PassContext &context) {
  GreedyRewriteConfig config = context.rewriteConfig;
  if (options_.maxIterations)
    config.maxIterations = *options_.maxIterations;
  if (options_.maxRewrites)
    config.maxRewrites = *options_.maxRewrites;
  if (options_.maxGrowth)
    config.maxGrowth = *options_.maxGrowth;
  if (options_.order)
    config.order = *options_.order;
  if (options_.fold)
    config.enableFolding = *options_.fold;
  if (options_.fastmath)
    config.allowFastMath = *options_.fastmath & config.mostFastMath;
  if (options_.dce)
    config.enableDce = *options_.dce;
  PassResult result;
  result.rewrites = applyPatternsGreedily(fn, set_, config);
  result.changed = result.rewrites.changed;
  result.failed = !result.rewrites.checkFailure.empty();
  result.message = describeNonConvergence(result.rewrites);
  if (result.message.empty())
    result.message = result.rewrites.refusal;
  if (!result.rewrites.converged && !result.failed && result.rewrites.stop != RewriteStop::Asked)
    result.warnings.push_back(describeNoEnd(name_, fn.name(), result.rewrites, set_));
  if (!result.failed && !result.rewrites.refusal.empty())
    result.warnings.push_back(
        {PassWarning::RefusedEdit,
         fmt::format("{} in @{}: an edit was refused: {}", name_, fn.name(), result.rewrites.refusal),
         {}});
  for (size_t i = 0; i < set_.size(); ++i) {
    const Pattern &pattern = set_.pattern(i);
    const PatternInfo &info = set_.info(i);
    if (pattern.isGivenUp())
      result.warnings.push_back(
          {PassWarning::GivenUp,
           fmt::format("{} ({}:{}) was given up: again and again its conditions took millions of steps",
                       info.shownName(), info.file, info.line),
           {}});
    if (!config.allowFastMath.allows(info.fastmath) && (!config.filter || config.filter->allows(info)))
      result.needFastmath.push_back({std::string(info.shownName()), info.fastmath});
  }
  return result;
}

} // namespace rw
