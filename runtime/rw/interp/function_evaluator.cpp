#include "rw/interp/function_evaluator.h"

#include "rw/support/failure.h"

namespace rw {

Result<std::vector<AttrId>> InterpreterEvaluator::evaluate(Function &fn, std::span<const AttrId> params) const {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < params.size(); ++i) {
    std::optional<Tensor> t = params[i] ? Tensor::fromAttr(fn.context(), params[i]) : Tensor();
    if (!t)
      return failure("@{}: parameter {} is no tensor that can be computed with", fn.name(), i);
    inputs.push_back(std::move(*t));
  }
  EvalResult r = rw::evaluate(fn, inputs, options_);
  if (!r.ok)
    return failure("@{}: {}{}", fn.name(), r.opName.empty() ? "" : r.opName + ": ", r.error);
  std::vector<AttrId> results;
  for (const Tensor &t : r.values)
    results.push_back(t.toAttr(fn.context()));
  return results;
}

} // namespace rw
