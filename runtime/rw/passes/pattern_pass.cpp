#include "rw/passes/pattern_pass.h"
#include "rw/support/diagnostics.h"
#include "rw/support/failure.h"
#include "rw/support/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace rw {

// Options ---------------------------------------------------------------------------------------------------------

Result<void> checkOptionNames(const PassOptions &options, const std::vector<std::string_view> &known) {
  for (const auto &[name, value] : options) {
    if (std::find(known.begin(), known.end(), name) != known.end())
      continue;
    if (std::string_view near = nearestName(name, known); !near.empty())
      return failure("no option `{}`; did you mean `{}`?", name, near);
    if (known.empty())
      return failure("no option `{}`; the pass has none", name);
    return failure("no option `{}`; there are: {}", name, fmt::join(known, ", "));
  }
  return {};
}

Result<std::optional<uint64_t>> readNumber(const PassOptions &options, std::string_view name) {
  auto it = options.find(std::string(name));
  if (it == options.end())
    return std::nullopt;
  const std::string &text = it->second;
  uint64_t number = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size())
    return failure("option `{}` takes a number, not `{}`", name, text);
  return number;
}

Result<std::optional<bool>> readFlag(const PassOptions &options, std::string_view name) {
  auto it = options.find(std::string(name));
  if (it == options.end())
    return std::nullopt;
  if (it->second != "true" && it->second != "false")
    return failure("option `{}` is true or false, not `{}`", name, it->second);
  return it->second == "true";
}

static Result<std::optional<FastMath>> readFastMath(const PassOptions &options) {
  auto it = options.find("fastmath");
  if (it == options.end())
    return std::nullopt;
  std::string unknown;
  if (std::optional<FastMath> value = FastMath::read(it->second, unknown))
    return value;
  std::string_view near = nearestName(unknown, {std::begin(FastMath::kNames), std::end(FastMath::kNames)});
  return failure("option `fastmath` is true, false or a list of freedoms, and `{}` is none{}", unknown,
                 near.empty() ? fmt::format(": {}; `true` gives all but `no_overflow`", FastMath::every().list())
                              : didYouMean(near));
}

Result<PatternPassOptions> readOptions(const PassOptions &options) {
  if (Result<void> known = checkOptionNames(
          options, {"max-iterations", "max-rewrites", "max-growth", "order", "fold", "dce", "fastmath"});
      !known)
    return known.failure();
  PatternPassOptions out;
  auto number = [&](std::string_view name, auto &to) -> Result<void> {
    Result<std::optional<uint64_t>> read = readNumber(options, name);
    if (!read)
      return read.failure();
    using Number = typename std::remove_reference_t<decltype(to)>::value_type;
    if (*read)
      to = Number(std::min<uint64_t>(**read, std::numeric_limits<Number>::max()));
    return {};
  };
  auto flag = [&](std::string_view name, std::optional<bool> &to) -> Result<void> {
    Result<std::optional<bool>> read = readFlag(options, name);
    if (!read)
      return read.failure();
    to = *read;
    return {};
  };
  for (const Result<void> &read : {number("max-iterations", out.maxIterations), number("max-rewrites", out.maxRewrites),
                                   number("max-growth", out.maxGrowth), flag("fold", out.fold), flag("dce", out.dce)})
    if (!read)
      return read.failure();
  Result<std::optional<FastMath>> fastmath = readFastMath(options);
  if (!fastmath)
    return fastmath.failure();
  out.fastmath = *fastmath;
  if (auto it = options.find("order"); it != options.end()) {
    if (it->second != "bottom-up" && it->second != "top-down")
      return failure("option `order` is bottom-up or top-down, not `{}`", it->second);
    out.order = it->second == "top-down" ? RewriteOrder::TopDown : RewriteOrder::BottomUp;
  }
  return out;
}

// Passes ----------------------------------------------------------------------------------------------------------

MadePass makePatternPass(const Registry &registry, std::string name, std::span<const PatternEntry *const> patterns,
                         const PassOptions &options, unsigned maxIterations) {
  Result<PatternPassOptions> read = readOptions(options);
  if (!read)
    return read.failure();
  if (maxIterations && !read->maxIterations)
    read->maxIterations = maxIterations;
  PatternSet set(registry.ops);
  for (const PatternEntry *pattern : patterns)
    set.add(registry.patterns.make(*pattern, registry.ops));
  return std::make_unique<PatternPass>(std::move(name), std::move(set).freeze(), *read);
}

MadePass makePatternPass(const Registry &registry, const PassEntry &entry, const PassOptions &options) {
  Result<std::vector<const PatternEntry *>> patterns = registry.patternsOf(entry);
  if (!patterns)
    return patterns.failure();
  return makePatternPass(registry, registry.shownName(entry), *patterns, options, entry.maxIterations);
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
