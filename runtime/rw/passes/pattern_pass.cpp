#include "rw/passes/pattern_pass.h"

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

static bool readOptions(const PassOptions &options, PatternPassOptions &out, std::string &error) {
  if (!checkOptionNames(options, {"max-iterations", "max-rewrites", "order", "fold", "dce", "fastmath"}, error))
    return false;
  std::optional<uint64_t> iterations;
  if (!readOption(options, "max-iterations", iterations, error) ||
      !readOption(options, "max-rewrites", out.maxRewrites, error) || !readOption(options, "fold", out.fold, error) ||
      !readOption(options, "dce", out.dce, error) || !readOption(options, "fastmath", out.fastmath, error))
    return false;
  if (iterations)
    out.maxIterations = unsigned(std::min<uint64_t>(*iterations, UINT32_MAX));
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

std::unique_ptr<FunctionPass> makePatternPass(const Registry &registry, std::string name, std::span<const PatternEntry *const> patterns,
                                              const PassOptions &options, std::string &error, unsigned maxIterations) {
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
  return patterns ? makePatternPass(registry, registry.shownName(entry), *patterns, options, error, entry.maxIterations) : nullptr;
}

PassResult PatternPass::run(Function &fn, PassContext &context) {
  GreedyRewriteConfig config = context.rewriteConfig;
  if (options_.maxIterations)
    config.maxIterations = *options_.maxIterations;
  if (options_.maxRewrites)
    config.maxRewrites = *options_.maxRewrites;
  if (options_.order)
    config.order = *options_.order;
  if (options_.fold)
    config.enableFolding = *options_.fold;
  if (options_.fastmath)
    config.allowFastMath = *options_.fastmath;
  if (options_.dce)
    config.enableDce = *options_.dce;
  PassResult result;
  result.rewrites = applyPatternsGreedily(fn, set_, config);
  result.changed = result.rewrites.changed;
  result.failed = !result.rewrites.checkFailure.empty();
  result.message = describeNonConvergence(result.rewrites);
  if (result.message.empty())
    result.message = result.rewrites.refusal;
  for (size_t i = 0; i < set_.size(); ++i)
    if (const Pattern &pattern = set_.pattern(i); pattern.isGivenUp())
      result.warnings.push_back(fmt::format("{} ({}:{}) was given up: again and again its conditions took millions of steps",
                                            pattern.info().shownName(), pattern.info().file, pattern.info().line));
  return result;
}

} // namespace rw
