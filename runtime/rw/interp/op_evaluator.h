// The evaluator op by op, for who keeps the values himself.
//
// In:  a function; then, in the order of its ops, each op with the values that it reads.
// Out: the results of each op: the same as evaluate() computes of the whole function, random draws included. Nothing is
//      kept between two ops.
// Elsewhere: whole functions are evaluate.h; one op alone, without a function's symbols and draws, is evaluateOp.
//
//   OpEvaluator ops(fn, options);
//   std::vector<Tensor> inputs, results;
//   if (!ops.start(given, inputs)) report(ops.outcome().error);
//   std::vector<ValueId> reads = valuesReadBy(op);
//   if (!ops.run(op, reads, tensorsOf(reads), results)) report(ops.outcome().error);
#pragma once

#include "rw/interp/evaluate.h"

#include <memory>

namespace rw {

/// What an op reads: its operands in order (none for those left out), then what its regions read from around the op,
/// each once, in the order of the text.
std::vector<ValueId> valuesReadBy(Op);

class OpEvaluator {
public:
  /// Both must outlive it.
  OpEvaluator(Function &, const EvalOptions &);
  ~OpEvaluator();

  /// One tensor per parameter, defaults filled in.
  bool start(std::span<const Tensor> given, std::vector<Tensor> &inputs);
  /// `values[i]` is that of `reads[i]`.
  bool run(Op, std::span<const ValueId> reads, std::span<const Tensor> values, std::vector<Tensor> &results);
  /// Without values; what failed if a call has returned false.
  const EvalResult &outcome() const;
  /// Of tensors that were made in this evaluation and are still held by anyone.
  size_t bytesHeld() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace rw
