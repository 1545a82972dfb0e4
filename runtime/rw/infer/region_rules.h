// What is known of ops with regions: how often a region runs, what it is given and what becomes of its results.
//
// In:  an op's functions, as `InferenceRules::regions` (rules.h).
// Out: types of what such ops give and of their regions' parameters (infer_shapes, TypeFlow), results that nobody reads
//      left out (drop_dead_results), regions that are known to run put in place of their op (inline_if).
// Elsewhere: If, Loop and Scan of ONNX are rw/onnx_infer/region_rules.cpp.
//
//   RegionRules rules{.layout = [](Op op) { return std::optional(RegionLayout{.carried = op.operandCount()}); }};
//   if (Value next = carriedAt(rules, op, 0).next) …
//
// A function that is not given knows nothing of any op.
#pragma once

#include "rw/infer/local_symbols.h"

#include <optional>

namespace rw {

/// Where an op's operands, its regions' parameters and results, and its own results belong together: carried value i is
/// operand `operands` + i, parameter `params` + i and result `results` + i of each region, result i of the op. Results
/// of the op after these are outputs, one for each further result of a region; any of them may be left out.
struct RegionLayout {
  unsigned carried = 0, operands = 0, params = 0, results = 0;
  bool changesTypes = false; ///< what is carried may be of another type in each round
};

struct RegionRules {
  /// None if carried values and outputs of this op cannot be told, or cannot be left out one by one.
  std::optional<RegionLayout> (*layout)(Op) = nullptr;
  /// Of a result of the op, by what its regions give; these have been looked at. None if nothing is known. Outside of
  /// the regions the symbols of sizes that are unknown inside mean nothing.
  TypeId (*resultType)(Op, unsigned result, const LocalSymbols &) = nullptr;
  /// Of parameter `i` of each region, by the op's operands.
  TypeId (*paramType)(Op, unsigned i) = nullptr;
  /// The region that is known to run, once and no other.
  std::optional<RegionId> (*taken)(Op) = nullptr;
};

/// What a parameter is whose type may change from round to round: `first` in the first round, `next` in the others.
/// None of other parameters.
struct Carried {
  Value first, next;
};
Carried carriedAt(const RegionRules &, Op, unsigned i);

} // namespace rw
