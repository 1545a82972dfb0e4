// The reference evaluator: runs a function on tensors. Obviously right before fast.
//
// In:  a function whose ops have kernels (kernels.h), one tensor per parameter (absent: the parameter's default).
// Out: one tensor per result, or which op could not be evaluated and why.
// Elsewhere: comparing two functions is compare.h; folding constants with it constant_folder.h.
//
//   EvalResult r = evaluate(fn, inputs);
//   if (!r.error.empty()) report(r.error);
#pragma once

#include "rw/interp/tensor.h"
#include "rw/ir/function.h"

#include <span>
#include <string>

namespace rw {

struct EvalResult {
  std::vector<Tensor> results;
  std::string error; // empty: all is well
};

EvalResult evaluate(Function &, std::span<const std::optional<Tensor>> inputs);

/// One op on the tensors of its operands (null: left out). False and a reason if it has no kernel or that fails.
bool evaluateOp(Op, std::vector<const Tensor *> inputs, std::vector<Tensor> &results, std::string &error);

} // namespace rw
