// Lowerings of StableHLO to ONNX whose number of ops depends on sizes, or that repeat what a region does on whole
// tensors. Where a pattern can say the same better, as a ReduceSum, it comes first (patterns/stablehlo_to_onnx).
//
// In:  a lowering's context. Out: whether the op is bound to what it becomes.
// Elsewhere: the lowerings of control flow are stablehlo_lowerings.cpp.
//
//   registerGeneralLowerings(registry);
#pragma once

#include "rw/passes/lowering.h"

namespace rw::convert {

bool lowerReduce(LoweringContext &);
bool lowerReduceWindow(LoweringContext &);
bool lowerMap(LoweringContext &);
bool lowerSelectAndScatter(LoweringContext &);
bool lowerSort(LoweringContext &);
bool lowerGather(LoweringContext &);
bool lowerScatter(LoweringContext &);
bool lowerDynamicSlice(LoweringContext &);
bool lowerDynamicUpdateSlice(LoweringContext &);
bool lowerCholesky(LoweringContext &);
bool lowerRandomBits(LoweringContext &);
/// `custom_call @cu_threefry2x32`: the words written out.
bool lowerThreeFryCall(LoweringContext &);
/// stablehlo.rng: says why there is no lowering.
bool refuseRandom(LoweringContext &);

/// All of these, behind the patterns of the same ops.
void registerGeneralLowerings(Registry &);

} // namespace rw::convert
