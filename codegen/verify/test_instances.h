// Instances that a pattern's own tests show.
//
// In:  a registered pattern, and the `test`s of it that the registry holds.
// Out: the programs on their left sides at which it fires, those of `unchanged` too, each with numbers for its symbolic
//      sizes and for its inputs.
// Elsewhere: instances that are searched for are instance_search.h; what tests build is rw/testing/run_tests.h.
//
// The search makes programs op by op, and does not come by those that need many ops or sizes to go together. Whoever
// wrote such a pattern has mostly shown one in a test.
//
//   for (Found &found : foundInTests(registry, entry, tested, kernels, seed)) use(found);
#pragma once

#include "codegen/verify/instance_search.h"

namespace rw::verify {

std::vector<Found> foundInTests(const Registry &, const PatternEntry &, const PatternUnderTest &, const KernelTable &,
                                uint64_t seed);

} // namespace rw::verify
