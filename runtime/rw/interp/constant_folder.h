// The evaluator as the driver's constant folder.
//
// In:  a pure op without regions whose operands are all constants; or a Where of ONNX whose condition is constant, and
//      what it chooses from follows from constants by elementwise ops, each of whose chosen elements is defined.
// Out: its results as constants.
// Elsewhere: the interface is rewrite/greedy_driver.h.
//
//   InterpreterFolder folder(model.opsetVersion());
//   config.folder = &folder;
//
// Never folded: ops with effects or regions, tuples (constants are tensors), DequantizeLinear (weights stay in eight
// bits), constants themselves, parameters (also those with a default), what formats leave open, results that are larger
// than asked for, or large (16 KiB) and larger than their operands, or larger than 512 KiB where operands of that size
// stay for others, ops that take more than `maxWork` steps, and what makes the program larger once it has grown by
// `maxGrowth`.
#pragma once

#include "rw/interp/evaluate.h"
#include "rw/rewrite/greedy_driver.h"

namespace rw {

/// Whether what the evaluator gives for the op is what any engine gives: formats leave some results open.
bool isDefined(Op, std::span<const Tensor> operands, const Tensor &result);

class InterpreterFolder : public ConstantFolder {
public:
  /// `maxGrowth`: bytes by which all folds of this folder together may make the constants of the program larger. It
  /// counts what it has done: a run that shall do the same again needs a new one.
  explicit InterpreterFolder(int opset = 0, uint64_t maxGrowth = UINT64_MAX, uint64_t maxWork = 100'000'000)
      : opset_(opset), maxGrowth_(maxGrowth), maxWork_(maxWork) {}
  bool fold(Op op, size_t maxBytes, std::vector<AttrId> &results) const override;

private:
  bool foldMeaning(Op, size_t maxBytes, std::vector<AttrId> &results) const;
  bool foldChoice(Op, size_t maxBytes, std::vector<AttrId> &results) const;
  Tensor chosenElements(Value, const Tensor &condition, bool wanted, unsigned depth,
                        const std::shared_ptr<MemoryBudget> &) const;
  bool mayGrow(uint64_t made, uint64_t freed) const;

  int opset_;
  uint64_t maxGrowth_, maxWork_;
  mutable uint64_t grown_ = 0;
  mutable unsigned meanings_ = 0; // being folded, each part of the one before
};

} // namespace rw
