// Newest versions: an instance with ops of today in place of ops of old operator sets.
//
// In:  an instance, the kernels of the evaluator.
// Out: the same program with every op in its newest version; nothing where all are of that already, or where it has not
//      the attributes and operands or refuses them. What is computed may differ: versions differ in what they mean.
//
//   if (std::optional<Instance> today = inNewestVersions(instance, kernels)) use(*today);
//
// Why: a `test` says no versions. Of an op that is old there may be no words for it.
#pragma once

#include "codegen/verify/instance_builder.h"

namespace rw::verify {

std::optional<Instance> inNewestVersions(const Instance &, const KernelTable &);

} // namespace rw::verify
