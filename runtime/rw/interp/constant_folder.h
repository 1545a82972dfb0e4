// The evaluator as the driver's constant folder.
//
// In:  a pure op without regions whose operands are all constants.
// Out: its results as constants.
// Elsewhere: the interface is rewrite/greedy_driver.h.
//
//   InterpreterFolder folder(model.opsetVersion());
//   config.folder = &folder;
//
// Never folded: ops with effects or regions, tuples (constants are tensors), DequantizeLinear (weights stay in eight bits), constants themselves, parameters (also
// those with a default), results that are larger than asked for, or large (16 KiB) and larger than their operands, ops that take
// more than `maxWork` steps.
#pragma once

#include "rw/interp/evaluate.h"
#include "rw/rewrite/greedy_driver.h"

namespace rw {

class InterpreterFolder : public ConstantFolder {
public:
  explicit InterpreterFolder(int opset = 0, uint64_t maxWork = 100'000'000) : opset_(opset), maxWork_(maxWork) {}
  bool fold(Op op, size_t maxBytes, std::vector<AttrId> &results) const override;

private:
  int opset_;
  uint64_t maxWork_;
};

} // namespace rw
