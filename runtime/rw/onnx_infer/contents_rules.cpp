// What ONNX's ops make of the sizes that a program computes.
#include "rw/infer/elements.h"
#include "rw/infer/rules.h"
#include "rw/interp/kernel.h"
#include "rw/ir/expr_helpers.h"
#include "rw/onnx_infer/onnx_infer.h"

#include <algorithm>

namespace rw {
namespace {

void shape(Op op, Contents &contents) {
  const TypeData &type = op.operand(0).type();
  if (type.kind != TypeKind::Tensor || !type.ranked)
    return;
  int64_t rank = int64_t(type.dims.size()), start = attrOr(op, "start", 0);
  int64_t end = attrOr(op, "end", rank);
  auto wrapped = [rank](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank); };
  Content content;
  for (int64_t i = wrapped(start); i < wrapped(end); ++i)
    content.elements.push_back(Element::size(type.dims[size_t(i)]));
  content.shape = {int64_t(content.elements.size())};
  contents.set(op.result(), std::move(content));
}

void size(Op op, Contents &contents) {
  const TypeData &type = op.operand(0).type();
  if (type.kind != TypeKind::Tensor || !type.ranked)
    return;
  Dim product(1);
  for (Dim d : type.dims)
    product = op.context().dims().mul(product, d);
  contents.set(op.result(), {DType::I64, {}, {Element::size(product)}});
}

template <Arithmetic step> void binary(Op op, Contents &contents) {
  if (op.operandCount() != 2)
    return;
  const Content *a = contents.of(op.operand(0)), *b = contents.of(op.operand(1));
  if (!a || !b || a->dtype != b->dtype)
    return;
  std::optional<Shape> shape = broadcastShapes(a->shape, b->shape);
  std::optional<size_t> n = shape ? elementsIn(*shape) : std::nullopt;
  if (!n || *n > Contents::kMostElements || (step == Arithmetic::Mod && attrOr(op, "fmod", 0) != 0))
    return;
  ElementAlgebra algebra(op.context(), a->dtype);
  Content content{algebra.resultType(step), *shape, {}};
  content.elements.reserve(*n);
  Shape as = broadcastStrides(a->shape, *shape), bs = broadcastStrides(b->shape, *shape);
  for (size_t i = 0; i < *n; ++i) {
    int64_t rest = int64_t(i), at = 0, bt = 0;
    for (size_t d = shape->size(); d-- > 0; rest /= (*shape)[d]) {
      at += rest % (*shape)[d] * as[d];
      bt += rest % (*shape)[d] * bs[d];
    }
    content.elements.push_back(algebra.apply(step, a->elements[size_t(at)], b->elements[size_t(bt)]));
  }
  contents.set(op.result(), std::move(content));
}

/// A reduction of all elements of a list to one.
template <Arithmetic step> void reduce(Op op, Contents &contents) {
  const Content *c = contents.of(op.operand(0));
  if (!c || c->shape.size() != 1)
    return;
  // Axes that are not given are all of them; of one dimension, so is any list of axes that is not empty.
  bool everything = op.operandCount() < 2 || !op.operand(1);
  if (!everything)
    if (const Content *axes = contents.of(op.operand(1)))
      everything = !axes->elements.empty();
  if (!everything || attrOr(op, "noop_with_empty_axes", 0) != 0)
    return;
  ElementAlgebra algebra(op.context(), c->dtype);
  Element all = Element::number(step == Arithmetic::Mul);
  for (const Element &e : c->elements)
    all = algebra.apply(step, all, e);
  contents.set(op.result(), {c->dtype, attrOr(op, "keepdims", 1) ? Shape{1} : Shape{}, {all}});
}

/// The same numbers, perhaps under another integer type that holds them. Sizes are taken to fit 32 bits (docs/onnx.md).
template <bool converts> void copy(Op op, Contents &contents) {
  const Content *c = contents.of(op.operand(0));
  if (!c || op.operandCount() != 1)
    return;
  Content content = *c;
  if (converts) {
    DType to = op.result().type().dtype;
    if (to != DType::I64 && to != DType::I32)
      return;
    content.dtype = to;
    if (to != c->dtype)
      for (Element &e : content.elements)
        e = to == DType::I32 && e.isSymbolic() && e.isNonNegative() ? e : ElementAlgebra(op.context(), to).fitted(e);
  }
  contents.set(op.result(), std::move(content));
}

} // namespace

void registerOnnxContents() {
  using enum Arithmetic;
  static constexpr std::pair<const char *, void (*)(Op, Contents &)> kOfContents[] = {
      {"Add", binary<Add>},
      {"Sub", binary<Sub>},
      {"Mul", binary<Mul>},
      {"Div", binary<Div>},
      {"Mod", binary<Mod>},
      {"Max", binary<Max>},
      {"Min", binary<Min>},
      {"Equal", binary<Equal>},
      {"Less", binary<Less>},
      {"Greater", binary<Greater>},
      {"LessOrEqual", binary<LessOrEqual>},
      {"GreaterOrEqual", binary<GreaterOrEqual>},
      {"ReduceProd", reduce<Mul>},
      {"ReduceSum", reduce<Add>},
      {"Identity", copy<false>},
      {"Cast", copy<true>},
  };
  for (const auto &[name, rule] : kOfContents)
    addInferenceRules(std::string("onnx.") + name, {.contents = rule});
  addInferenceRules("onnx.Shape", {.contents = shape, .ofTypes = true});
  addInferenceRules("onnx.Size", {.contents = size, .ofTypes = true});
}

} // namespace rw
