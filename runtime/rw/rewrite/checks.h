// Expensive checks of the drivers: what a pattern says of itself is compared with what it did.
//
// In:  the function before and after an attempt.
// Out: what is wrong, or nothing.
// Elsewhere: they are switched on by GreedyRewriteConfig::expensiveChecks.
#pragma once

#include "rw/rewrite/rewriter.h"

#include <string>

namespace rw {

/// A hash of the structure: ops, operands, attributes, types and order, of the whole function if it is small, else of
/// the surroundings of `at` (changes made through PatternRewriter are counted exactly whatever the size).
uint64_t structureHash(Function &, Op at);

/// Verifies the ops that were created and those around the place of the rewrite; the first complaint, or empty.
std::string verifyStep(PatternRewriter &, Op rootIfAlive, std::span<const OpId> around);

} // namespace rw
