// Passes made of patterns: those declared in .rw and canonicalize.
//
// In:  the patterns, by name or label, and options.
// Out: a FunctionPass that runs the greedy driver over the function with all regions nested in it.
// Elsewhere: the driver is rewrite/greedy_driver.h; options in text are pipeline.h.
//
// Options: max-iterations=N, max-rewrites=N, max-growth=N, order=bottom-up|top-down, fold=true|false, dce=true|false,
// fastmath=true|false|reassoc,contract.
#pragma once

#include "rw/passes/pass.h"

namespace rw {

/// What the options of a pattern pass change of the tool's configuration.
struct PatternPassOptions {
  std::optional<unsigned> maxIterations, maxGrowth;
  std::optional<uint64_t> maxRewrites;
  std::optional<RewriteOrder> order;
  std::optional<bool> fold, dce;
  std::optional<FastMath> fastmath;
};

class PatternPass : public FunctionPass {
public:
  PatternPass(std::string name, FrozenPatternSet set, PatternPassOptions options)
      : name_(std::move(name)), set_(std::move(set)), options_(options) {}
  std::string_view name() const override { return name_; }
  PassResult run(Function &, PassContext &) override;
  const FrozenPatternSet *patterns() const override { return &set_; }
  bool worksOnFunctionsAlone() const override { return true; }
  bool mayFail() const override { return false; } // only expensive checks make it fail

private:
  std::string name_;
  FrozenPatternSet set_;
  PatternPassOptions options_;
};

/// The pass that `entry` declares; fails if a pattern or option is not known.
MadePass makePatternPass(const Registry &, const PassEntry &entry, const PassOptions &);
/// A pass of these patterns.
MadePass makePatternPass(const Registry &, std::string name, std::span<const PatternEntry *const>, const PassOptions &,
                         unsigned maxIterations = 0);

// Reading options.
/// Those of a pattern pass; fails if one is not known or malformed.
Result<PatternPassOptions> readOptions(const PassOptions &);
/// Fails (with the nearest of `known`) if an option is none of `known`.
Result<void> checkOptionNames(const PassOptions &, const std::vector<std::string_view> &known);
/// PassEntry::make of a pass that takes no options.
template <class Pass> MadePass makeWithoutOptions(const Registry &, const PassOptions &options) {
  if (Result<void> known = checkOptionNames(options, {}); !known)
    return known.failure();
  return std::make_unique<Pass>();
}
/// The number, or the `true` or `false`, that an option gives; none if it is not there. Fails if it is malformed.
Result<std::optional<uint64_t>> readNumber(const PassOptions &, std::string_view name);
Result<std::optional<bool>> readFlag(const PassOptions &, std::string_view name);

} // namespace rw
