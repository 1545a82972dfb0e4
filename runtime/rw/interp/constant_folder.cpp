#include "rw/interp/constant_folder.h"

#include "rw/interp/evaluator.h"

#include <cmath>

namespace rw {

/// Whether every number has a whole part that `type` holds. Formats leave it open what becomes of others, so that folding
/// one could differ from running it.
static bool fitsInteger(const Tensor &t, DType type) {
  unsigned bits = dtypeBytes(type) * 8;
  double low = isSigned(type) ? -std::ldexp(1, int(bits) - 1) : 0, high = std::ldexp(1, int(bits) - (isSigned(type) ? 1 : 0));
  for (double v : t.f)
    if (!(std::trunc(v) >= low && std::trunc(v) < high))
      return false;
  return true;
}

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
    for (const Tensor &t : tensors)
      if (t.isFloating() && isInteger(outputs[k].dtype) && !fitsInteger(t, outputs[k].dtype))
        return false;
    AttrId attr = outputs[k].count() * dtypeBytes(outputs[k].dtype) <= maxBytes ? outputs[k].toAttr(ctx) : AttrId();
    if (!attr || !ctx.compatible(op.result(unsigned(k)).typeId(), ctx.attr(attr).dense->type))
      return false;
    results.push_back(attr);
  }
  return true;
}

} // namespace rw
