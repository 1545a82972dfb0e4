#include "rw/interp/constant_folder.h"

#include "rw/interp/evaluator.h"

namespace rw {

bool InterpreterFolder::fold(Op op, size_t maxBytes, std::vector<AttrId> &results) const {
  if (!op.schema().isPure() || op.hasTrait(Trait::Constant) || op.operandCount() == 0 || !op.regions().empty())
    return false;
  Context &ctx = op.context();
  std::vector<Tensor> tensors;
  tensors.reserve(op.operandCount());
  std::vector<const Tensor *> inputs;
  size_t elements = 0;
  for (unsigned k = 0; k < op.operandCount(); ++k) {
    Value v = op.operand(k);
    if (!v) {
      inputs.push_back(nullptr);
      continue;
    }
    AttrId constant = v.constant();
    if (!constant || ctx.attr(constant).kind != AttrKind::Dense)
      return false;
    // Large operands are refused before they are unpacked; a result is never much larger than what is allowed.
    std::optional<int64_t> count = ctx.elementCount(ctx.attr(constant).dense->type);
    if (!count || size_t(*count) > maxBytes || (elements += size_t(*count)) > maxBytes)
      return false;
    std::optional<Tensor> t = Tensor::fromAttr(ctx, constant);
    if (!t)
      return false;
    tensors.push_back(std::move(*t));
    inputs.push_back(&tensors.back());
  }
  for (unsigned k = 0; k < op.resultCount(); ++k)
    if (std::optional<int64_t> count = ctx.elementCount(op.result(k).typeId()); !count || size_t(*count) > maxBytes)
      return false; // a result of unknown size may be huge
  std::vector<Tensor> outputs;
  std::string error;
  if (!evaluateOp(op, std::move(inputs), outputs, error))
    return false;
  for (size_t k = 0; k < outputs.size(); ++k) {
    AttrId attr = outputs[k].count() * dtypeBytes(outputs[k].dtype) <= maxBytes ? outputs[k].toAttr(ctx) : AttrId();
    if (!attr || !ctx.compatible(op.result(unsigned(k)).typeId(), ctx.attr(attr).dense->type))
      return false;
    results.push_back(attr);
  }
  return true;
}

} // namespace rw
