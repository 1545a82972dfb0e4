#include "rw/interp/function_evaluator.h"

namespace rw {

bool InterpreterEvaluator::evaluate(Function &fn, std::span<const AttrId> params, std::vector<AttrId> &results,
                                    std::string &error) const {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < params.size(); ++i) {
    std::optional<Tensor> t = params[i] ? Tensor::fromAttr(fn.context(), params[i]) : Tensor();
    if (!t) {
      error = "@" + fn.name() + ": parameter " + std::to_string(i) + " is no tensor that can be computed with";
      return false;
    }
    inputs.push_back(std::move(*t));
  }
  EvalResult r = rw::evaluate(fn, inputs, options_);
  if (!r.ok) {
    error = "@" + fn.name() + ": " + (r.opName.empty() ? "" : r.opName + ": ") + r.error;
    return false;
  }
  for (const Tensor &t : r.values)
    results.push_back(t.toAttr(fn.context()));
  return true;
}

} // namespace rw
