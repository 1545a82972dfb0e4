// Evaluation of whole functions on constants: the interface. Declared here so that passes need no evaluator.
//
// In:  a function, a constant per parameter. Out: a constant per result, or why there is none.
// Elsewhere: rw/interp implements it (interp/function_evaluator.h); passes/param_store.h uses it.
#pragma once

#include "rw/ir/function.h"
#include "rw/support/result.h"

#include <span>
#include <vector>

namespace rw {

class FunctionEvaluator {
public:
  virtual ~FunctionEvaluator() = default;
  virtual Result<std::vector<AttrId>> evaluate(Function &, std::span<const AttrId> params) const = 0;
};

} // namespace rw
