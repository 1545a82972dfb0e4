// ParamStore: the values of model parameters, and through them those of derived parameters.
//
// In:  values by stable id, as dense constants of the program's context; an evaluator.
// Out: the value of any `param` of any function of the program. What is derived is evaluated when first asked for, once
//      for each function that derives, and kept until a parameter is set again.
// Elsewhere: hoist_params.h makes derived parameters; the evaluator is interp/function_evaluator.h.
//
//   InterpreterEvaluator evaluator;
//   ParamStore store(program, evaluator);
//   store.set(7, weights);
//   Result<AttrId> transposed = store.value(main, 2);
#pragma once

#include "rw/ir/program.h"
#include "rw/rewrite/function_evaluator.h"

#include <unordered_map>
#include <unordered_set>

namespace rw {

class ParamStore {
public:
  ParamStore(Program &program, const FunctionEvaluator &evaluator) : program_(program), evaluator_(evaluator) {}

  /// The value of all parameters with this id; what was derived is forgotten.
  void set(uint64_t stableId, AttrId dense);
  /// The value of parameter `index` of a function: as set, or derived, or its default; fails if it has none.
  Result<AttrId> value(Function &, unsigned index);
  /// How many functions were evaluated.
  uint64_t evaluations() const { return evaluations_; }

private:
  Result<void> derive(Function &by, Function &fn);

  Program &program_;
  const FunctionEvaluator &evaluator_;
  std::unordered_map<uint64_t, AttrId> values_;
  std::unordered_map<const Function *, std::vector<AttrId>> derived_; // results
  std::unordered_set<const Function *> running_;                      // to find cycles
  uint64_t evaluations_ = 0;
};

} // namespace rw
