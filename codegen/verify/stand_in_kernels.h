// Stand-ins: kernels with which every program of the verifier can be evaluated.
//
// In:  the ops of a registry.
// Out: the evaluator's kernels; for ops whose meaning nobody knows one that makes results out of the operands' bits, as
//      a function of which nothing is known would; for a dropout that trains one that draws.
//
//   KernelTable table;
//   EvalOptions options{.kernels = &withStandIns(registry.ops, table)};
#pragma once

#include "rw/interp/kernel.h"
#include "rw/ir/schema.h"

namespace rw::verify {

/// Adds the kernels of all ops to the table, and gives it back.
const KernelTable &withStandIns(const OpRegistry &, KernelTable &);
/// Whether nobody knows what an op means: neither its declaration nor a kernel says it.
bool isUninterpreted(const OpSchema &);

} // namespace rw::verify
