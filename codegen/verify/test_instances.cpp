#include "codegen/verify/test_instances.h"

#include "codegen/verify/symbolic.h"
#include "rw/interp/input_search.h"
#include "rw/ir/verifier.h"
#include "rw/testing/run_tests.h"

#include <algorithm>

namespace rw::verify {
namespace {

bool isAbout(const Registry &registry, const TestEntry &test, const PatternEntry &entry) {
  if (test.kind != TestEntry::Kind::Pattern)
    return false;
  const std::vector<const PatternEntry *> meant = registry.patterns.meant(targetOf(test), {test.space, test.file});
  return meant.size() == 1 && meant.front() == &entry;
}

/// The program with the sizes and inputs on which it can be evaluated; nothing if none are found.
std::optional<Instance> instanceOf(const Program &shown, const EvalOptions &options, uint64_t seed, unsigned round) {
  Program drawnFrom = shown.clone();
  Function &fn = drawnFrom.functions().front();
  InputSearch::Found drawn = InputSearch(fn, seed, options).find(round);
  if (!drawn.results.ok || !drawn.fitsTypes)
    return std::nullopt;
  Instance out;
  out.program = withSizes(drawnFrom, drawn.choice.known);
  if (!out.program)
    return std::nullopt;
  Function &sized = out.function();
  std::span<const ValueId> params = sized.params(sized.body());
  for (size_t i = 0; i < params.size(); ++i) {
    const TypeId type = drawn.inputs[i].type(out.program->context());
    if (!out.program->context().compatible(sized.value(params[i]).typeId(), type))
      return std::nullopt;
    // Other integers might be no places, or no sizes.
    out.steers.push_back(isInteger(drawn.inputs[i].dtype()));
  }
  out.inputs = std::move(drawn.inputs);
  return out;
}

} // namespace

std::vector<Found> foundInTests(const Registry &registry, const PatternEntry &entry, const PatternUnderTest &tested,
                                const KernelTable &kernels, uint64_t seed) {
  constexpr unsigned kRounds = 3; // of sizes for one test
  EvalOptions options;
  options.kernels = &kernels;
  options.maxWork = 2'000'000;
  std::vector<Found> out;
  for (const TestEntry &test : registry.tests()) {
    if (!isAbout(registry, test, entry))
      continue;
    Program shown(registry.ops);
    SourceManager sources;
    Diagnostics unread(sources);
    if (!buildTestSide(shown, test, false) || !verifyProgram(shown, unread))
      continue;
    for (unsigned round = 0; round < kRounds; ++round) {
      std::optional<Instance> instance = instanceOf(shown, options, seed, round);
      if (!instance)
        continue;
      PatternUnderTest::Run run = tested.run(*instance->program);
      if (run.fired)
        out.push_back({std::move(*instance), std::move(run.after), std::move(run.broken), {}, seed});
    }
  }
  return out;
}

} // namespace rw::verify
