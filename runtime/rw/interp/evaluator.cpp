#include "rw/interp/evaluator.h"

#include "rw/interp/kernels.h"

#include <unordered_map>

namespace rw {

bool evaluateOp(Op op, std::vector<const Tensor *> inputs, std::vector<Tensor> &results, std::string &error) {
  auto kernel = kernels().find(op.fullName());
  if (kernel == kernels().end()) {
    error = std::string(op.fullName()) + " has no kernel in the evaluator";
    return false;
  }
  KernelCall call{op, std::move(inputs), {}, {}};
  if (!kernel->second(call)) {
    error = std::string(op.fullName()) + ": " + call.error;
    return false;
  }
  if (call.outputs.size() != op.resultCount()) {
    error = std::string(op.fullName()) + ": only its first result is evaluated";
    return false;
  }
  results = std::move(call.outputs);
  return true;
}

EvalResult evaluate(Function &fn, std::span<const std::optional<Tensor>> inputs) {
  EvalResult out;
  std::unordered_map<ValueId, Tensor> values;
  std::span<const ValueId> params = fn.params(fn.body());
  for (size_t k = 0; k < params.size(); ++k) {
    std::optional<Tensor> value = k < inputs.size() ? inputs[k] : std::nullopt;
    if (!value)
      value = Tensor::fromAttr(fn.context(), fn.paramInfo(unsigned(k)).defaultValue);
    if (value)
      values.emplace(params[k], std::move(*value));
  }
  // How often each value is still needed, so that tensors go as soon as they can.
  std::unordered_map<ValueId, size_t> uses;
  for (Op op : fn.ops(fn.body()))
    for (unsigned k = 0; k < op.operandCount(); ++k)
      if (Value v = op.operand(k))
        ++uses[v.id];
  for (Op op : fn.ops(fn.body())) {
    std::vector<const Tensor *> operands;
    for (unsigned k = 0; k < op.operandCount(); ++k) {
      Value v = op.operand(k);
      auto it = v ? values.find(v.id) : values.end();
      if (v && it == values.end()) {
        out.error = "an operand of " + std::string(op.fullName()) + " has no value";
        return out;
      }
      operands.push_back(v ? &it->second : nullptr);
    }
    if (op.kind() == kReturnKind) {
      for (const Tensor *t : operands)
        out.results.push_back(t ? *t : Tensor());
      return out;
    }
    std::vector<Tensor> results;
    if (!op.regions().empty()) {
      out.error = std::string(op.fullName()) + " holds regions, which are not evaluated";
      return out;
    }
    if (!evaluateOp(op, operands, results, out.error))
      return out;
    for (size_t k = 0; k < results.size(); ++k)
      if (uses.count(op.result(unsigned(k)).id))
        values.emplace(op.result(unsigned(k)).id, std::move(results[k]));
    for (unsigned k = 0; k < op.operandCount(); ++k)
      if (Value v = op.operand(k); v && --uses[v.id] == 0)
        values.erase(v.id);
  }
  out.error = "the function has no results";
  return out;
}

} // namespace rw
