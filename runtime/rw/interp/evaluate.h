// The reference evaluator: what a function computes, op by op.
//
// In:  a function, one tensor per parameter, limits.
// Out: its results; or the op that could not be evaluated, and why. Any IR is safe: memory and steps are bounded.
// Elsewhere: kernels are kernel.h; folding is constant_folder.h; comparing two functions is compare.h.
//
//   EvalResult r = evaluate(fn, inputs);
//   if (!r.ok) report(r.opName, r.error);
//
// A parameter given as none takes its default. ONNX's Dropout is evaluated as in inference, BatchNormalization as its
// `training_mode` says; ops of ONNX that draw random numbers are refused.
#pragma once

#include "rw/interp/tensor.h"
#include "rw/ir/function.h"

#include <functional>

namespace rw {

class KernelTable;
class Program;

struct EvalOptions {
  size_t maxBytes = size_t(2) << 30;    // that tensors hold at one time
  uint64_t maxWork = 20'000'000'000;    // elementary steps, about one multiplication each
  uint64_t seed = 1;                    // of random draws: two evaluations of one seed draw the same
  const KernelTable *kernels = nullptr; // instead of those for machine numbers: see semiring.h
  int opset = 0;                        // of ONNX's main domain, which opaque ops are read by; 0: a recent one
  // whose functions are called, by ops that hold their names or by opaque ops so named; none: refused
  Program *program = nullptr;
  /// If set, gives the value of an op without operands whose contents no kernel can read, such as a tensor in another
  /// file.
  std::function<Result<Tensor>(Op)> stored;
  /// If set, sees each op with its results.
  std::function<void(Op, std::span<const Tensor>)> observer;
};

struct EvalResult {
  bool ok = true;
  std::vector<Tensor> values; // one per result of the function
  OpId op;                    // that failed; none if the inputs are wrong
  std::string opName, error;
  bool unsupported = false; // there is no kernel for the op
  bool exhausted = false;   // by `evaluate`: it failed, and something was refused for want of steps or memory
  uint64_t work = 0;        // elementary steps taken
};

EvalResult evaluate(Function &, std::span<const Tensor> inputs, const EvalOptions & = {});

/// One op without regions on given operands.
EvalResult evaluateOp(Op, std::span<const Tensor> operands, const EvalOptions & = {});

/// Whether there is a kernel for ops of this name (ops with regions included).
bool canEvaluate(std::string_view opName);

} // namespace rw
