// move_regions: transposes around whole regions of ops, with several ways in and out (residual connections, layer
// norms, gates).
//
// In:  a function; patterns labelled `sink`, which carry a transpose from the operands of an op to its result.
// Out: the function with the fewest transposes that moving them through those ops can reach; never more than before.
//      How many there must be, whatever is moved: PassResult::message says it.
// Elsewhere: the plan for one permutation is region_move.h; what can be crossed is found by move_probe.h, the best
//            region by min_cut.h; the choice among layouts of all permutations is layout_model.h; pairs next to each
//            other, and across chains, are patterns (patterns/layout).
//
// For each permutation P in use, every op that the patterns can cross is either as it is, or computes its result before
// P (is moved). A value that is needed in both forms costs one transpose; one that is needed in the form it has costs
// none. What patterns put beside an op that is moved (an operand of fewer dimensions reshaped) costs as well, and there
// are never more ops than before. The labels of least cost are a minimum cut. If they save anything, transposes are put
// where the labels differ, the patterns carry them through the moved ops, and what cancels goes. Where that finds
// nothing more, the layouts of all permutations are chosen together, exactly unless too many hang together: that finds
// what one permutation at a time does not, or proves that there is nothing to find.
//
// Options: op=NAME (the transpose op, with an attribute `perm`), label=L (`sink`; several with commas between), tidy=L
//          (`layout`: patterns run after a move). also=L (patterns so labelled count among both).
//
//   rw-opt model.onnx --pipeline 'move_regions{op = "onnx.Transpose"}'
#pragma once

#include "rw/passes/pass.h"

namespace rw {

MadePass makeMoveRegions(const Registry &, const PassOptions &);

} // namespace rw
