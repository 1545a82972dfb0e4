#include "rw/passes/cse.h"
#include "rw/passes/dce.h"
#include "rw/passes/hoist_params.h"
#include "rw/passes/lift_constants.h"
#include "rw/passes/move_regions.h"
#include "rw/passes/pattern_pass.h"
#include "rw/passes/prune_inputs.h"

#include <algorithm>

namespace rw {
namespace {

/// Every pattern that some op's `canonicalize` clause names, plus folding.
std::unique_ptr<FunctionPass> makeCanonicalize(const Registry &registry, const PassOptions &options, std::string &error) {
  PassEntry entry;
  entry.name = "canonicalize";
  for (const std::string &name : registry.canonicalizations())
    if (std::find(entry.patterns.begin(), entry.patterns.end(), name) == entry.patterns.end())
      entry.patterns.push_back(name);
  return makePatternPass(registry, entry, options, error);
}

} // namespace

void registerCorePasses(Registry &registry) {
  registry.addPass({.name = "canonicalize",
                    .doc = "Applies every pattern that an op's `canonicalize` clause names, and folds.",
                    .make = makeCanonicalize});
  registry.addPass({.name = "cse",
                    .doc = "Replaces pure ops by an equal one that dominates them.",
                    .make = makeCsePass});
  registry.addPass({.name = "dce", .doc = "Erases ops without effects whose results are unused.", .make = makeDcePass});
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
  registry.addPipeline({"full",
                        "repeat(pre) { canonicalize, backend-pre }, backend-legalize, backend-fuse, "
                        "hoist_params, repeat(post) { canonicalize, backend-cleanup, cse, dce }",
                        "Canonicalization, what the backend adds, parameters hoisted, clean-up."});
}

} // namespace rw
