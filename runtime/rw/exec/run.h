// Runs an ExecProgram: instruction after instruction through the evaluator's kernels.
//
// In:  the program, one tensor per parameter (none takes the default), the evaluator's limits and kernels.
// Out: the results, bit for bit those of evaluate() on the program's function; or the instruction that failed, and why.
//      A slot that is freed holds its tensor no longer. Reading what is freed, or was never written, is an error, not a
//      crash.
// Elsewhere: evaluating a function as it is: interp/evaluate.h.
//
//   ExecResult r = runExec(exec, inputs);
//   if (!r.ok) report(r.opName, r.error);
//
// One run of a program at a time: runs may intern attributes in its context.
#pragma once

#include "rw/exec/exec_program.h"
#include "rw/interp/evaluate.h"

namespace rw {

struct ExecResult : EvalResult {
  size_t instruction = SIZE_MAX; // that failed
  size_t peakBytes = 0;          // the most that tensors made by instructions held once an instruction was done
  size_t bytesAtEnd = 0;         // that they hold now: the results
};

ExecResult runExec(const ExecProgram &, std::span<const Tensor> inputs, const EvalOptions & = {});

} // namespace rw
