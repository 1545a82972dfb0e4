// What fold_shapes is told of ONNX's ops: which give their operand where the type stays, and a Reshape's target.
#include "rw/infer/rules.h"
#include "rw/onnx_infer/onnx_infer.h"
#include "rw/rewrite/rewriter.h"

#include <algorithm>

namespace rw {
namespace {

bool always(Op, Contents &) { return true; }

/// Backwards, all of the operand is there, too.
bool isForward(Op slice, Contents &contents) {
  if (slice.operandCount() <= 4 || !slice.operand(4))
    return true;
  const Content *steps = contents.of(slice.operand(4));
  return steps && std::ranges::all_of(steps->elements, [](const Element &e) { return e.isNumber() && e.value() > 0; });
}

/// A Reshape's target as a constant: 0 where the operand's dimension stays, -1 for the only other size that is no
/// number.
bool constantTarget(Op op, Contents &contents, PatternRewriter &rewriter) {
  if (!op.operand(1) || op.operand(1).constant())
    return false;
  const Content *c = contents.of(op.operand(1));
  bool zeros = attrOr(op, "allowzero", 0) != 0;
  if (!c || !c->isComplete() || c->shape.size() != 1)
    return false;
  const TypeData &from = op.operand(0).type(), &to = op.result().type();
  Content numbers{c->dtype, c->shape, {}};
  unsigned copied = 0, left = 0, open = 0;
  for (size_t i = 0; i < c->elements.size(); ++i) {
    Element e = c->elements[i];
    if (e.isNumber() && e.value() == 0 && zeros)
      return false;
    bool isOpen = e.isNumber() && e.value() == -1; // what is left, which may be known
    if (isOpen && to.ranked && i < to.dims.size() && !to.dims[i].isUnknown())
      e = Element::size(to.dims[i]);
    if (!e.isNumber() && e.isNonNegative() && from.ranked && i < from.dims.size() &&
        provablyEqual(from.dims[i], e.asSize()))
      e = Element::number(0);
    if (!e.isNumber()) {
      e = Element::number(-1);
      open += isOpen;
    }
    left += e.value() == -1;
    copied += e.value() == 0;
    numbers.elements.push_back(e);
  }
  // Beside a dimension that may be 0, what is left could not be told, unless it was so before.
  if (left > 1 || (left == 1 && copied > 0 && open == 0))
    return false;
  rewriter.begin(op);
  std::optional<Tensor> tensor = Contents::tensorOf(numbers);
  Value v =
      tensor ? rewriter.materializeConstant(op, tensor->toAttr(op.context()), tensor->type(op.context())) : Value();
  if (!v)
    return rewriter.abandon();
  rewriter.setOperand(op, 1, v);
  if (zeros && copied > 0)
    rewriter.setAttr(op, unsigned(op.schema().attrIndex("allowzero")), {});
  return true;
}

} // namespace

void registerOnnxFolds() {
  addInferenceRules("onnx.Reshape", {.keepsAll = always, .simplify = constantTarget});
  addInferenceRules("onnx.Expand", {.keepsAll = always});
  addInferenceRules("onnx.Tile", {.keepsAll = always});
  addInferenceRules("onnx.Slice", {.keepsAll = isForward});
}

} // namespace rw
