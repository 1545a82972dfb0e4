// The evaluator as FunctionEvaluator (rewrite/function_evaluator.h): whole functions on constants.
//
// In:  a function, a dense constant per parameter. Out: a dense constant per result, or the op that failed and why.
//
//   InterpreterEvaluator evaluator;
//   ParamStore store(program, evaluator);
#pragma once

#include "rw/interp/evaluate.h"
#include "rw/rewrite/function_evaluator.h"

namespace rw {

class InterpreterEvaluator : public FunctionEvaluator {
public:
  explicit InterpreterEvaluator(EvalOptions options = {}) : options_(std::move(options)) {}
  Result<std::vector<AttrId>> evaluate(Function &, std::span<const AttrId> params) const override;

private:
  EvalOptions options_;
};

} // namespace rw
