// Kernels that move elements: transpose, reshape, broadcast, slice, concat, gather and what shapes are made with.

#include "rw/interp/kernels.h"

#include <algorithm>

namespace rw {
namespace {
/// The elements of `x` at `strides` over `dims`, from `offset`.
Tensor gatherStrided(const Tensor &x, std::vector<int64_t> dims, const std::vector<int64_t> &strides, int64_t offset = 0) {
  Tensor out = Tensor::zeros(x.dtype, dims);
  const std::vector<int64_t> s[1] = {strides};
  if (x.isFloating())
    forEachElement(dims, s, [&](size_t k, int64_t *at) { out.f[k] = x.f[size_t(offset + at[0])]; });
  else
    forEachElement(dims, s, [&](size_t k, int64_t *at) { out.i[k] = x.i[size_t(offset + at[0])]; });
  return out;
}

bool constant(KernelCall &c) {
  std::optional<Tensor> t = Tensor::fromAttr(c.op.context(), c.attr("value"));
  if (!t)
    return c.fail("the constant's value is of a form or type that is not evaluated");
  c.result(std::move(*t));
  return true;
}

bool transpose(KernelCall &c) {
  if (!c.needs(1))
    return false;
  const Tensor &x = *c.input(0);
  std::vector<int64_t> perm(x.rank());
  for (size_t k = 0; k < x.rank(); ++k)
    perm[k] = int64_t(x.rank() - 1 - k); // left out: dimensions reversed
  if (std::optional<std::vector<int64_t>> given = c.intsAttr("perm"))
    perm = *given;
  std::vector<bool> seen(x.rank());
  std::vector<int64_t> dims, strides, own = stridesOf(x.dims);
  for (int64_t p : perm) {
    if (p < 0 || size_t(p) >= x.rank() || seen[size_t(p)])
      return c.fail("perm is not a permutation");
    seen[size_t(p)] = true;
    dims.push_back(x.dims[size_t(p)]);
    strides.push_back(own[size_t(p)]);
  }
  if (perm.size() != x.rank())
    return c.fail("perm is not a permutation");
  c.result(gatherStrided(x, dims, strides));
  return true;
}

bool reshapeTo(KernelCall &c, std::vector<int64_t> dims) {
  const Tensor &x = *c.input(0);
  if (elementCountOf(dims) != x.count())
    return c.fail("the new shape has another number of elements");
  Tensor out = x;
  out.dims = std::move(dims);
  c.result(std::move(out));
  return true;
}
bool reshape(KernelCall &c) {
  std::optional<std::vector<int64_t>> shape = c.intsAttr("shape");
  if (!c.needs(1))
    return false;
  if (shape)
    return reshapeTo(c, *shape);
  // A symbolic shape: what the type says is known once the operand is, if at most one dimension is open.
  AttrId id = c.attr("shape");
  if (!id || c.op.context().attr(id).kind != AttrKind::Dims)
    return c.fail("no shape");
  std::vector<int64_t> dims;
  int64_t known = 1, open = -1;
  for (Dim d : c.op.context().attr(id).dims) {
    if (!d.isKnown() && open >= 0)
      return c.fail("more than one dimension of the new shape is open");
    if (!d.isKnown())
      open = int64_t(dims.size());
    dims.push_back(d.isKnown() ? d.size() : 1);
    known *= dims.back() ? dims.back() : 1;
  }
  if (open >= 0)
    dims[size_t(open)] = int64_t(c.input(0)->count()) / std::max<int64_t>(known, 1);
  return reshapeTo(c, dims);
}
bool onnxReshape(KernelCall &c) {
  if (!c.needs(2))
    return false;
  const Tensor &x = *c.input(0), &shape = *c.input(1);
  bool copies = c.intAttr("allowzero", 0) == 0;
  std::vector<int64_t> dims(shape.i);
  int64_t known = 1, open = -1;
  for (size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] == 0 && copies) {
      if (k >= x.rank())
        return c.fail("0 copies a dimension that is not there");
      dims[k] = x.dims[k];
    }
    if (dims[k] == -1 && open < 0)
      open = int64_t(k);
    else if (dims[k] < 0 || __builtin_mul_overflow(known, dims[k], &known))
      return c.fail("the new shape is malformed");
  }
  if (open >= 0)
    dims[size_t(open)] = known ? int64_t(x.count()) / known : 0;
  return reshapeTo(c, dims);
}

bool broadcastTo(KernelCall &c, const std::vector<int64_t> &shape, bool bothWays) {
  const Tensor &x = *c.input(0);
  std::vector<int64_t> dims;
  if (!broadcastDims(x.dims, shape, dims) || (!bothWays && dims != shape) || !elementCountOf(dims))
    return c.fail("the operand does not stretch to the shape");
  c.result(gatherStrided(x, dims, broadcastStrides(x.dims, dims)));
  return true;
}
bool broadcast(KernelCall &c) {
  std::optional<std::vector<int64_t>> shape = c.intsAttr("shape");
  return c.needs(1) && (shape ? broadcastTo(c, *shape, false) : c.fail("the shape is not known"));
}
bool expand(KernelCall &c) { return c.needs(2) && broadcastTo(c, c.input(1)->i, true); }

bool flatten(KernelCall &c) {
  if (!c.needs(1))
    return false;
  const Tensor &x = *c.input(0);
  int64_t axis = c.intAttr("axis", 1);
  if (axis != int64_t(x.rank()) && !normalizeAxis(axis, x.rank()))
    return c.fail("axis lies outside the operand");
  int64_t rows = 1, columns = 1;
  for (size_t k = 0; k < x.rank(); ++k)
    (int64_t(k) < axis ? rows : columns) *= x.dims[k];
  return reshapeTo(c, {rows, columns});
}

/// Axes from operand 1 if it is there, else from the attribute.
std::optional<std::vector<int64_t>> axesOf(KernelCall &c) {
  return c.input(1) ? std::optional(c.input(1)->i) : c.intsAttr("axes");
}
bool unsqueeze(KernelCall &c) {
  std::optional<std::vector<int64_t>> axes = axesOf(c);
  if (!c.needs(1) || !axes)
    return c.fail("no axes");
  const Tensor &x = *c.input(0);
  size_t rank = x.rank() + axes->size();
  std::vector<bool> added(rank);
  for (int64_t axis : *axes) {
    if (!normalizeAxis(axis, rank) || added[size_t(axis)])
      return c.fail("an axis is outside or stands twice");
    added[size_t(axis)] = true;
  }
  std::vector<int64_t> dims;
  size_t from = 0;
  for (size_t k = 0; k < rank; ++k)
    dims.push_back(added[k] ? 1 : x.dims[from++]);
  return reshapeTo(c, dims);
}
bool squeeze(KernelCall &c) {
  if (!c.needs(1))
    return false;
  const Tensor &x = *c.input(0);
  std::optional<std::vector<int64_t>> axes = axesOf(c);
  std::vector<int64_t> dims;
  std::vector<bool> gone(x.rank());
  if (axes)
    for (int64_t axis : *axes) {
      if (!normalizeAxis(axis, x.rank()))
        return c.fail("an axis lies outside the operand");
      gone[size_t(axis)] = true;
    }
  for (size_t k = 0; k < x.rank(); ++k)
    if (!(axes ? gone[k] : x.dims[k] == 1))
      dims.push_back(x.dims[k]);
  return reshapeTo(c, dims);
}

bool sliceBy(KernelCall &c, const std::vector<int64_t> &start, const std::vector<int64_t> &count, const std::vector<int64_t> &step) {
  const Tensor &x = *c.input(0);
  std::vector<int64_t> own = stridesOf(x.dims), strides(x.rank());
  int64_t offset = 0;
  for (size_t k = 0; k < x.rank(); ++k) {
    strides[k] = own[k] * step[k];
    offset += own[k] * (count[k] ? start[k] : 0);
  }
  c.result(gatherStrided(x, count, strides, offset));
  return true;
}
bool slice(KernelCall &c) {
  if (!c.needs(1))
    return false;
  const Tensor &x = *c.input(0);
  auto start = c.intsAttr("start"), limit = c.intsAttr("limit"), stride = c.intsAttr("stride");
  if (!start || !limit || start->size() != x.rank() || limit->size() != x.rank())
    return c.fail("start and limit need one entry for each dimension");
  std::vector<int64_t> step = stride.value_or(std::vector<int64_t>(x.rank(), 1)), count;
  for (size_t k = 0; k < x.rank(); ++k) {
    if (step.size() != x.rank() || step[k] < 1 || (*start)[k] < 0 || (*start)[k] > (*limit)[k] || (*limit)[k] > x.dims[k])
      return c.fail("a slice lies outside the operand");
    count.push_back(((*limit)[k] - (*start)[k] + step[k] - 1) / step[k]);
  }
  return sliceBy(c, *start, count, step);
}
bool onnxSlice(KernelCall &c) {
  if (!c.needs(3))
    return false;
  const Tensor &x = *c.input(0);
  const std::vector<int64_t> &starts = c.input(1)->i, &ends = c.input(2)->i;
  std::vector<int64_t> first(x.rank(), 0), count(x.dims), step(x.rank(), 1);
  for (size_t k = 0; k < starts.size(); ++k) {
    int64_t axis = c.input(3) ? (k < c.input(3)->i.size() ? c.input(3)->i[k] : INT64_MAX / 2) : int64_t(k);
    int64_t s = c.input(4) && k < c.input(4)->i.size() ? c.input(4)->i[k] : 1;
    if (!normalizeAxis(axis, x.rank()) || s == 0 || s == INT64_MIN || k >= ends.size())
      return c.fail("malformed axes or steps");
    int64_t size = x.dims[size_t(axis)];
    auto clamp = [&](int64_t v, int64_t low, int64_t high) { return std::clamp(v < 0 ? v + size : v, low, high); };
    int64_t from = s > 0 ? clamp(starts[k], 0, size) : clamp(starts[k], 0, size - 1);
    int64_t to = s > 0 ? clamp(ends[k], 0, size) : clamp(ends[k], -1, size - 1);
    int64_t n = s > 0 ? (to - from + s - 1) / s : (from - to - s - 1) / -s;
    first[size_t(axis)] = from, count[size_t(axis)] = std::max<int64_t>(size ? n : 0, 0), step[size_t(axis)] = s;
  }
  return sliceBy(c, first, count, step);
}

bool concat(KernelCall &c) {
  if (!c.needs(c.inputs.size()) || c.inputs.empty())
    return c.fail("no operands");
  int64_t axis = c.intAttr("axis", 0);
  const Tensor &x = *c.input(0);
  if (!normalizeAxis(axis, x.rank()))
    return c.fail("axis lies outside the operands");
  std::vector<int64_t> dims = x.dims;
  dims[size_t(axis)] = 0;
  size_t outer = 1;
  for (int64_t k = 0; k < axis; ++k)
    outer *= size_t(x.dims[size_t(k)]);
  for (const Tensor *t : c.inputs) {
    if (t->dtype != x.dtype || t->rank() != x.rank())
      return c.fail("the operands do not fit together");
    for (size_t k = 0; k < x.rank(); ++k)
      if (int64_t(k) != axis && t->dims[k] != x.dims[k])
        return c.fail("the operands do not fit together");
    dims[size_t(axis)] += t->dims[size_t(axis)];
  }
  Tensor out = Tensor::zeros(x.dtype, dims);
  size_t at = 0;
  for (size_t row = 0; row < outer; ++row)
    for (const Tensor *t : c.inputs) {
      size_t chunk = outer ? t->count() / outer : 0;
      for (size_t k = 0; k < chunk; ++k, ++at)
        x.isFloating() ? void(out.f[at] = t->f[row * chunk + k]) : void(out.i[at] = t->i[row * chunk + k]);
    }
  c.result(std::move(out));
  return true;
}

bool gather(KernelCall &c) {
  if (!c.needs(2))
    return false;
  const Tensor &x = *c.input(0), &indices = *c.input(1);
  int64_t axis = c.intAttr("axis", 0);
  if (indices.isFloating() || !normalizeAxis(axis, x.rank()))
    return c.fail("axis lies outside the operand");
  int64_t size = x.dims[size_t(axis)];
  size_t outer = 1, inner = 1;
  std::vector<int64_t> dims(x.dims.begin(), x.dims.begin() + axis);
  dims.insert(dims.end(), indices.dims.begin(), indices.dims.end());
  dims.insert(dims.end(), x.dims.begin() + axis + 1, x.dims.end());
  for (size_t k = 0; k < x.rank(); ++k)
    if (int64_t(k) != axis)
      (int64_t(k) < axis ? outer : inner) *= size_t(x.dims[k]);
  if (!elementCountOf(dims))
    return c.fail("the result is too large");
  Tensor out = Tensor::zeros(x.dtype, dims);
  size_t at = 0;
  for (size_t row = 0; row < outer; ++row)
    for (int64_t index : indices.i) {
      int64_t i = index < 0 ? index + size : index;
      if (i < 0 || i >= size)
        return c.fail("an index lies outside the operand");
      for (size_t k = 0; k < inner; ++k, ++at) {
        size_t from = (row * size_t(size) + size_t(i)) * inner + k;
        x.isFloating() ? void(out.f[at] = x.f[from]) : void(out.i[at] = x.i[from]);
      }
    }
  c.result(std::move(out));
  return true;
}

bool shapeOf(KernelCall &c) {
  if (!c.needs(1))
    return false;
  Tensor out = Tensor::zeros(DType::I64, {int64_t(c.input(0)->rank())});
  out.i = c.input(0)->dims;
  c.result(std::move(out));
  return true;
}

bool constantOfShape(KernelCall &c) {
  if (!c.needs(1))
    return false;
  Tensor value = Tensor::fromAttr(c.op.context(), c.attr("value")).value_or(Tensor::zeros(DType::F32, {1}));
  std::vector<int64_t> dims = c.input(0)->i;
  if (!elementCountOf(dims) || value.count() != 1)
    return c.fail("the result is too large or the value no single element");
  c.result(gatherStrided(value, dims, std::vector<int64_t>(dims.size(), 0)));
  return true;
}

bool range(KernelCall &c) {
  if (!c.needs(3))
    return false;
  for (const Tensor *t : c.inputs)
    if (t->count() != 1)
      return c.fail("start, limit and delta are scalars");
  double start = c.input(0)->number(0), limit = c.input(1)->number(0), delta = c.input(2)->number(0);
  double count = delta == 0 ? -1 : (limit - start) / delta;
  if (!(count < 1e8) || delta == 0)
    return c.fail("the result is too large");
  Tensor out = Tensor::zeros(c.input(0)->dtype, {count > 0 ? int64_t(__builtin_ceil(count)) : 0});
  for (size_t k = 0; k < out.count(); ++k)
    out.isFloating() ? out.set(k, start + double(k) * delta) : out.setInt(k, c.input(0)->i[0] + int64_t(k) * c.input(2)->i[0]);
  c.result(std::move(out));
  return true;
}
} // namespace

void addShapeKernels(KernelTable &t) {
  const std::pair<std::string_view, Kernel> rows[] = {
      {"tensor.constant", constant},   {"onnx.Constant", constant},   {"onnx.initializer", constant},
      {"tensor.transpose", transpose}, {"onnx.Transpose", transpose}, {"tensor.reshape", reshape},
      {"onnx.Reshape", onnxReshape},   {"tensor.broadcast", broadcast}, {"onnx.Expand", expand},
      {"onnx.Flatten", flatten},       {"onnx.Unsqueeze", unsqueeze}, {"onnx.Squeeze", squeeze},
      {"tensor.slice", slice},         {"onnx.Slice", onnxSlice},     {"tensor.concat", concat},
      {"onnx.Concat", concat},         {"onnx.Gather", gather},       {"onnx.Shape", shapeOf},
      {"onnx.ConstantOfShape", constantOfShape}, {"onnx.Range", range},
  };
  for (auto [name, kernel] : rows)
    t.emplace(name, kernel);
}

} // namespace rw
