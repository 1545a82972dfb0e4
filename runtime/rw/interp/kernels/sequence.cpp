// ONNX's sequences and optional values. A sequence is a tuple; an optional value is the value itself, or a none of its
// own.
//
// Elsewhere: SequenceMap, which has a body, is evaluate_onnx.cpp.
#include "rw/interp/kernel.h"

#include <algorithm>

namespace rw {
namespace {

bool isSequence(Call &c, size_t i) {
  return c.need(i + 1) &&
         ((c.in[i].isTuple() && !c.in[i].isNone()) || c.fail("operand " + std::to_string(i) + " is no sequence"));
}

bool construct(Call &c) {
  c.out[0] = Tensor::tuple({c.in.begin(), c.in.end()});
  return c.charge(c.in.size() + 1);
}

bool empty(Call &c) {
  c.out[0] = Tensor::tuple({});
  return true;
}

/// The place that operand `i` names, from the end if negative; `most` is the last one allowed.
bool place(Call &c, size_t i, int64_t n, int64_t most, int64_t ifNone, int64_t &out) {
  out = ifNone;
  if (!c.has(i))
    return out >= 0 || c.fail("the sequence is empty");
  if (c.in[i].isTuple() || c.in[i].size() != 1)
    return c.fail("the position is not one number");
  out = c.in[i].intAt(0);
  out += out < 0 ? n : 0;
  return (out >= 0 && out <= most) ||
         c.fail("position " + std::to_string(c.in[i].intAt(0)) + " lies outside the sequence");
}

bool at(Call &c) {
  int64_t i = 0;
  if (!isSequence(c, 0) || !c.need(2))
    return false;
  const std::vector<Tensor> &from = c.in[0].elements();
  if (!place(c, 1, int64_t(from.size()), int64_t(from.size()) - 1, 0, i))
    return false;
  c.out[0] = from[size_t(i)];
  return true;
}

bool insert(Call &c) {
  int64_t i = 0;
  if (!isSequence(c, 0) || !c.need(2))
    return false;
  std::vector<Tensor> all = c.in[0].elements();
  int64_t n = int64_t(all.size());
  if (!place(c, 2, n, n, n, i) || !c.charge(all.size() + 1))
    return false;
  all.insert(all.begin() + i, c.in[1]);
  c.out[0] = Tensor::tuple(std::move(all));
  return true;
}

bool erase(Call &c) {
  int64_t i = 0;
  if (!isSequence(c, 0))
    return false;
  std::vector<Tensor> all = c.in[0].elements();
  int64_t n = int64_t(all.size());
  if (!place(c, 1, n, n - 1, n - 1, i) || !c.charge(all.size() + 1))
    return false;
  all.erase(all.begin() + i);
  c.out[0] = Tensor::tuple(std::move(all));
  return true;
}

bool length(Call &c) {
  if (!isSequence(c, 0))
    return false;
  c.out[0] = Tensor::scalar(DType::I64, int64_t(c.in[0].elements().size()));
  return true;
}

/// Parts along an axis: of the sizes given, or of one size; slices without that axis if none is said and keepdims is 0.
bool split(Call &c) {
  int64_t axis = attrOr(c.op, "axis", 0);
  if (!c.need(1) || !c.wrap(axis, c.in[0].rank()))
    return false;
  const Tensor &x = c.in[0];
  int64_t n = x.dim(size_t(axis)), total = 0;
  std::vector<int64_t> sizes;
  if (c.has(1) && c.in[1].rank() == 1) {
    sizes = c.in[1].ints();
  } else {
    int64_t each = !c.has(1) ? 1 : c.in[1].size() == 1 ? c.in[1].intAt(0) : 0;
    if (each < 1 || !c.charge(uint64_t(n)))
      return c.fail("parts of size " + std::to_string(each));
    for (int64_t from = 0; from < n; from += each)
      sizes.push_back(std::min(each, n - from));
  }
  for (int64_t s : sizes)
    if (s < 0 || (total += s) > n)
      return c.fail("the parts do not make up the axis");
  if (total != n)
    return c.fail("the parts do not make up the axis");
  std::vector<Tensor> parts;
  Shape own = stridesOf(x.shape()), shape = x.shape();
  int64_t from = 0;
  for (int64_t s : sizes) {
    shape[size_t(axis)] = s;
    std::optional<Tensor> part = moveStrided(c, x, shape, own, from * own[size_t(axis)]);
    if (!part)
      return false;
    if (!c.has(1) && !attrOr(c.op, "keepdims", 1)) {
      Shape less = shape;
      less.erase(less.begin() + axis);
      *part = part->withShape(less);
    }
    parts.push_back(std::move(*part));
    from += s;
  }
  c.out[0] = Tensor::tuple(std::move(parts));
  return true;
}

bool concat(Call &c) {
  if (!isSequence(c, 0))
    return false;
  std::vector<Tensor> parts = c.in[0].elements();
  if (parts.empty() || std::ranges::any_of(parts, [](const Tensor &t) { return t.isTuple(); }))
    return c.fail("the sequence holds no tensors");
  if (attrOr(c.op, "new_axis", 0)) {
    int64_t axis = attrOr(c.op, "axis", 0);
    if (!c.wrap(axis, parts[0].rank() + 1))
      return false;
    for (Tensor &t : parts) {
      Shape shape = t.shape();
      if (shape.size() < size_t(axis))
        return c.fail("parts of different ranks");
      shape.insert(shape.begin() + axis, 1);
      t = t.withShape(shape);
    }
  }
  Call joined(c.op, parts, c.out, c.budget, c.version());
  return kernels().find("onnx.Concat")(joined) || c.fail(joined.reason);
}

bool optional(Call &c) {
  c.out[0] = c.has(0) ? c.in[0] : Tensor::none();
  return true;
}

bool hasElement(Call &c) {
  bool there = c.has(0) && !c.in[0].isNone();
  c.out[0] = Tensor::scalar(DType::Bool, uint8_t(there));
  return true;
}

bool getElement(Call &c) {
  if (!c.need(1) || (c.in[0].isNone() && !c.fail("the optional value is none")))
    return false;
  c.out[0] = c.in[0];
  return true;
}

} // namespace

void addSequenceKernels(KernelTable &t) {
  t.add("onnx.SequenceConstruct", construct);
  t.add("onnx.SequenceEmpty", empty);
  t.add("onnx.SequenceAt", at);
  t.add("onnx.SequenceInsert", insert);
  t.add("onnx.SequenceErase", erase);
  t.add("onnx.SequenceLength", length);
  t.add("onnx.SplitToSequence", split);
  t.add("onnx.ConcatFromSequence", concat);
  t.add("onnx.Optional", optional);
  t.add("onnx.OptionalHasElement", hasElement);
  t.add("onnx.OptionalGetElement", getElement);
}

bool takesTuples(std::string_view name) {
  return name == "tensor.tuple" || name == "tensor.get" || name.starts_with("onnx.Sequence") ||
         name.starts_with("onnx.Optional") || name == "onnx.ConcatFromSequence" || name == "onnx.Identity";
}

} // namespace rw
