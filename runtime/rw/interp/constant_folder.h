// Folding with the reference evaluator: pure ops whose operands are all constants become constants.
//
//   InterpreterFolder folder;
//   config.folder = &folder;
#pragma once

#include "rw/rewrite/greedy_driver.h"

namespace rw {

class InterpreterFolder : public ConstantFolder {
public:
  bool fold(Op op, size_t maxBytes, std::vector<AttrId> &results) const override;
};

} // namespace rw
