#include "rw/passes/cse.h"
#include "rw/passes/dce.h"
#include "rw/passes/hoist_params.h"
#include "rw/passes/layout/move_regions.h"
#include "rw/passes/lift_constants.h"
#include "rw/passes/pattern_pass.h"
#include "rw/passes/prune_inputs.h"
#include "rw/passes/unique_names.h"
#include "rw/rewrite/meaning.h"
#include "rw/support/failure.h"

#include <algorithm>

namespace rw {
namespace {

/// Every pattern that some op's `canonicalize` clause names, plus folding.
MadePass makeCanonicalize(const Registry &registry, const PassOptions &options) {
  std::vector<const PatternEntry *> patterns;
  for (const Canonicalization &named : registry.canonicalizations()) {
    PassEntry clause{.name = "canonicalize",
                     .patterns = {named.pattern},
                     .file = std::string(named.file),
                     .space = std::string(named.space)};
    Result<std::vector<const PatternEntry *>> found = registry.patternsOf(clause);
    if (!found)
      return found.failure();
    if (std::ranges::find(patterns, found->front()) == patterns.end())
      patterns.push_back(found->front());
  }
  return makePatternPass(registry, "canonicalize", patterns, options);
}

/// Ops that a meaning builds are replaced in turn: those of ops that rwc has compiled come to an end.
MadePass makeExpandMeaningsPass(const Registry &registry, const PassOptions &options) {
  Result<PatternPassOptions> read = readOptions(options);
  if (!read)
    return read.failure();
  if (!read->maxGrowth)
    read->maxGrowth = kMaxMeaningOps;
  if (!read->maxRewrites)
    read->maxRewrites = 2'000'000; // of one op it may take as many as its meaning has ops
  PatternSet set(registry.ops);
  set.add(makeExpandMeanings(registry.ops));
  return std::make_unique<PatternPass>("expand_meanings", std::move(set).freeze(), *read);
}

/// `run_patterns{names="Merge,layout*"}`: these patterns alone, whether or not a pass names them.
MadePass makeRunPatterns(const Registry &registry, const PassOptions &options) {
  PassOptions rest = options;
  PatternFilter filter;
  if (auto names = rest.extract("names"))
    for (std::string_view left = names.mapped(); !left.empty();) {
      size_t comma = std::min(left.find(','), left.size());
      filter.only.emplace_back(left.substr(0, comma));
      left.remove_prefix(std::min(comma + 1, left.size()));
    }
  if (filter.only.empty())
    return failure("{}",
                   "which patterns? `names` has them, with `,` between: run_patterns{names=\"Merge,label:layout\"}");
  if (std::optional<NameError> wrong = checkFilter(filter, registry))
    return Failure{wrong->message};
  std::vector<const PatternEntry *> patterns;
  for (const PatternEntry &pattern : registry.patterns.all())
    if (filter.allows(pattern.info))
      patterns.push_back(&pattern);
  return makePatternPass(registry, "run_patterns", patterns, rest);
}

} // namespace

void registerCorePasses(Registry &registry) {
  const Registry::Scope scope(registry, "rw");
  registry.addPass({.name = "canonicalize",
                    .doc = "Applies every pattern that an op's `canonicalize` clause names, and folds.",
                    .make = makeCanonicalize});
  registry.addPass(
      {.name = "cse", .doc = "Replaces pure ops by an equal one that dominates them.", .make = makeCsePass});
  registry.addPass({.name = "dce", .doc = "Erases ops without effects whose results are unused.", .make = makeDcePass});
  registry.addPass({.name = "expand_meanings",
                    .doc = "Replaces every op that has a meaning (`means`) by what it means.",
                    .make = makeExpandMeaningsPass});
  registry.addPass({.name = "hoist_params",
                    .doc = "Turns what follows from model parameters alone into derived parameters.",
                    .make = makeHoistParamsPass});
  registry.addPass({.name = "lift_constants",
                    .doc = "Makes constants at the top level stored data (ONNX: initializers).",
                    .make = makeLiftConstants});
  registry.addPass({.name = "move_regions",
                    .doc = "Moves transposes (op=NAME) around whole regions of ops so that fewest are needed.",
                    .make = makeMoveRegions});
  registry.addPass({.name = "prune_inputs",
                    .doc = "Takes unused inputs off the program's interface; those passed by position stay.",
                    .make = makePruneInputs});
  registry.addPass(
      {.name = "run_patterns",
       .doc = "Applies patterns by name, glob or label (names=\"A,B*,label:L\"), whether or not a pass names them.",
       .make = makeRunPatterns});
  registry.addPass(
      {.name = "unique_names",
       .doc =
           "A name that several values have is the first one's alone; the others get new ones where they are needed.",
       .make = makeUniqueNames});
  registry.addPipeline({"name_fix", "unique_names", "jax2onnx's name of it."});
  registry.addPipeline({"full",
                        "repeat(pre) { canonicalize, backend-pre }, backend-legalize, backend-fuse, "
                        "hoist_params, repeat(post) { canonicalize, backend-cleanup, cse, dce }",
                        "Canonicalization, what the backend adds, parameters hoisted, clean-up."});
}

} // namespace rw
