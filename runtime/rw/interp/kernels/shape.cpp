// Shapes as values, and tensors made of nothing else.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>

namespace rw {
namespace {

bool shapeOf(Call &c) {
  if (!c.need(1))
    return false;
  int64_t rank = int64_t(c.in[0].rank()), start = attrOr(c.op, "start", 0), end = attrOr(c.op, "end", rank);
  start = std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
  end = std::clamp<int64_t>(end < 0 ? end + rank : end, start, rank);
  Tensor *y = c.result(0, DType::I64, {end - start});
  if (!y)
    return false;
  for (int64_t i = start; i < end; ++i)
    y->mutableData<int64_t>()[i - start] = c.in[0].dim(size_t(i));
  return true;
}

bool sizeOf(Call &c) {
  if (!c.need(1))
    return false;
  c.out[0] = Tensor::scalar(DType::I64, int64_t(c.in[0].size()));
  return true;
}

bool constantOfShape(Call &c) {
  std::optional<std::vector<int64_t>> shape = c.intsFrom("", 0);
  if (!shape)
    return c.fail("the shape is no list of integers");
  Tensor value = Tensor::scalar(DType::F32, 0.0f);
  if (AttrId attr = c.op.attrNamed("value")) {
    std::optional<Tensor> t = Tensor::fromAttr(c.op.context(), attr, c.budget.memory);
    if (!t || t->size() != 1)
      return c.fail("the value is not one element");
    value = std::move(*t);
  }
  std::optional<Tensor> r = moveStrided(c, value, *shape, Shape(shape->size(), 0));
  if (r)
    c.out[0] = std::move(*r);
  return bool(r);
}

bool range(Call &c) {
  if (!c.need(3))
    return false;
  for (const Tensor &t : c.in)
    if (t.size() != 1 || t.dtype() != c.in[0].dtype())
      return c.fail("start, limit and delta are not single elements of one type");
  if (!isInteger(c.in[0].dtype()) && !isFloat(c.in[0].dtype()))
    return c.fail("no numbers");
  return visitReal(c.in[0].dtype(), [&]<class T>(T) {
    using C = std::conditional_t<kIsInt<T>, int64_t, double>;
    C start = C(*c.in[0].data<T>()), limit = C(*c.in[1].data<T>()), delta = C(*c.in[2].data<T>());
    double count = std::ceil((double(limit) - double(start)) / double(delta));
    if (delta == 0 || !(count < 1e12))
      return c.fail("an endless range");
    Tensor *y = c.result(0, c.in[0].dtype(), {int64_t(std::max(count, 0.0))});
    if (!y)
      return false;
    for (size_t i = 0; i < y->size(); ++i)
      if constexpr (kIsInt<T>)
        y->mutableData<T>()[i] = T(uint64_t(start) + i * uint64_t(delta));
      else
        y->mutableData<T>()[i] = storeElement<T>(start + double(i) * delta);
    return true;
  });
}

bool eyeLike(Call &c) {
  if (!c.need(1) || (c.in[0].rank() != 2 && !c.fail("not of rank 2")))
    return false;
  int64_t k = attrOr(c.op, "k", 0);
  Tensor *y = c.result(0, c.dtypeAttr("dtype").value_or(c.in[0].dtype()), c.in[0].shape());
  return y && visitAny(y->dtype(), [&]<class T>(T) {
           for (int64_t i = 0; i < y->dim(0); ++i)
             if (k > -y->dim(0) && k < y->dim(1) && i + k >= 0 && i + k < y->dim(1))
               y->mutableData<T>()[i * y->dim(1) + i + k] = convertElement<T>(1.0);
           return true;
         });
}

/// 0, 1, … along `axis`.
bool iota(Call &c) {
  std::optional<std::vector<int64_t>> shape = c.intsAttr("shape");
  std::optional<DType> dtype = c.dtypeAttr("dtype");
  int64_t axis = attrOr(c.op, "axis", attrOr(c.op, "dimension", 0));
  if (!shape || !dtype)
    return c.fail("shape or element type is not known");
  if (!c.wrap(axis, shape->size()))
    return false;
  Tensor *y = c.result(0, *dtype, *shape);
  if (!y)
    return false;
  size_t inner = size_t(stridesOf(*shape)[size_t(axis)]), n = size_t((*shape)[size_t(axis)]);
  return visitNumber(*dtype,
                     [&]<class T>(T) {
                       for (size_t i = 0; i < y->size(); ++i)
                         y->mutableData<T>()[i] = convertElement<T>(int64_t(i / inner % n));
                       return true;
                     }) ||
         c.fail("no numbers");
}

/// Copies `target` with 0 and -1 resolved.
bool resolve(Call &c, const Tensor &x, std::vector<int64_t> target, bool copies, Shape &out) {
  std::optional<size_t> open;
  for (size_t i = 0; i < target.size(); ++i) {
    if (target[i] == 0 && copies) {
      if (i >= x.rank())
        return c.fail("0 at place " + std::to_string(i) + " copies no dimension");
      target[i] = x.dim(i);
    } else if (target[i] == -1) {
      if (open)
        return c.fail("more than one -1");
      open = i;
      target[i] = 1;
    }
  }
  std::optional<size_t> n = elementsIn(target);
  if (n && open && *n && x.size() % *n == 0) {
    target[*open] = int64_t(x.size() / *n);
    n = x.size();
  }
  if (!n || *n != x.size())
    return c.fail("cannot reshape " + shapeText(x.shape()) + " to " + shapeText(target));
  out = std::move(target);
  return true;
}
bool reshape(Call &c) {
  std::optional<std::vector<int64_t>> target = c.intsFrom("shape", 1);
  Shape shape;
  if (!c.need(1) || (!target && !c.fail("the shape is not known")))
    return false;
  bool onnx = c.op.fullName().starts_with("onnx.");
  if (!resolve(c, c.in[0], *target, onnx && attrOr(c.op, "allowzero", 0) == 0, shape))
    return false;
  c.out[0] = c.in[0].withShape(shape);
  return true;
}
/// Neighbouring dimensions merged by groups.
bool mergeDims(Call &c) {
  std::vector<int64_t> groups = c.intsAttr("groups").value_or(std::vector<int64_t>());
  if (!c.need(1))
    return false;
  Shape shape;
  size_t at = 0;
  for (int64_t group : groups) {
    if (group < 0 || uint64_t(group) > c.in[0].rank() - at)
      return c.fail("the groups do not fit the operand");
    shape.push_back(1);
    for (size_t end = at + size_t(group); at < end; ++at)
      shape.back() *= c.in[0].dim(at);
  }
  if (at != c.in[0].rank())
    return c.fail("the groups do not fit the operand");
  c.out[0] = c.in[0].withShape(shape);
  return true;
}

/// A reshape whose sizes are dimensions of further operands.
bool reshapeLike(Call &c) {
  std::vector<int64_t> sources = c.intsAttr("sources").value_or(std::vector<int64_t>());
  std::vector<int64_t> dims = c.intsAttr("dims").value_or(std::vector<int64_t>());
  if (!c.need(1) || (sources.size() != dims.size() && !c.fail("not as many sources as dims")))
    return false;
  Shape shape;
  size_t count = 1;
  for (size_t i = 0; i < sources.size(); ++i) {
    size_t operand = size_t(sources[i]) + 1;
    if (sources[i] < 0 || !c.has(operand) || dims[i] < 0 || size_t(dims[i]) >= c.in[operand].rank())
      return c.fail("a dimension that no operand has");
    shape.push_back(c.in[operand].dim(size_t(dims[i])));
    count *= size_t(shape.back());
  }
  if (count != c.in[0].size())
    return c.fail("the shape has another number of elements");
  c.out[0] = c.in[0].withShape(shape);
  return true;
}

bool flatten(Call &c) {
  if (!c.need(1))
    return false;
  int64_t axis = attrOr(c.op, "axis", 1), rank = int64_t(c.in[0].rank());
  if (axis < 0)
    axis += rank;
  if (axis < 0 || axis > rank)
    return c.fail("the axis lies outside the operand");
  Shape shape = {1, 1};
  for (int64_t i = 0; i < rank; ++i)
    shape[i < axis ? 0 : 1] *= c.in[0].dim(size_t(i));
  c.out[0] = c.in[0].withShape(shape);
  return true;
}
bool squeeze(Call &c) {
  if (!c.need(1))
    return false;
  std::optional<std::vector<int64_t>> axes = c.intsFrom("axes", 1);
  const Tensor &x = c.in[0];
  if (axes && !c.wrapAll(*axes, x.rank()))
    return false;
  Shape shape;
  for (size_t i = 0; i < x.rank(); ++i) {
    bool chosen = axes ? std::ranges::count(*axes, int64_t(i)) != 0 : x.dim(i) == 1;
    if (chosen && x.dim(i) != 1)
      return c.fail("dimension " + std::to_string(i) + " is not 1");
    if (!chosen)
      shape.push_back(x.dim(i));
  }
  c.out[0] = x.withShape(shape);
  return true;
}
bool unsqueeze(Call &c) {
  if (!c.need(1))
    return false;
  std::optional<std::vector<int64_t>> axes = c.intsFrom("axes", 1);
  if (!axes)
    return c.fail("the axes are not known");
  const Tensor &x = c.in[0];
  size_t rank = x.rank() + axes->size();
  if (!c.wrapAll(*axes, rank))
    return false;
  Shape shape;
  for (size_t i = 0, from = 0; i < rank; ++i)
    shape.push_back(std::ranges::count(*axes, int64_t(i)) ? 1 : x.dim(from++));
  c.out[0] = x.withShape(shape);
  return true;
}

} // namespace

void addShapeKernels(KernelTable &t) {
  t.add("onnx.Shape", shapeOf);
  t.add("onnx.Size", sizeOf);
  t.add("onnx.ConstantOfShape", constantOfShape);
  t.add("onnx.Range", range);
  t.add("onnx.EyeLike", eyeLike);
  t.add("tensor.iota", iota);
  t.add("tensor.reshape", reshape);
  t.add("tensor.merge_dims", mergeDims);
  t.add("tensor.reshape_like", reshapeLike);
  t.add("onnx.Reshape", reshape);
  t.add("onnx.Flatten", flatten);
  t.add("onnx.Squeeze", squeeze);
  t.add("onnx.Unsqueeze", unsqueeze);
}

} // namespace rw
