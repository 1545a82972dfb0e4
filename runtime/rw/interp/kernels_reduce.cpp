// Kernels that join elements along axes: sums, extremes, means, softmax.

#include "rw/interp/kernels.h"

#include <cmath>
#include <limits>

namespace rw {
namespace {
enum class Reduction { Sum, Mean, Max, Min, Prod };

double start(Reduction r) {
  double inf = std::numeric_limits<double>::infinity();
  return r == Reduction::Max ? -inf : r == Reduction::Min ? inf : r == Reduction::Prod ? 1 : 0;
}
double join(Reduction r, double a, double b) {
  switch (r) {
  case Reduction::Max: return std::isnan(a) || b <= a ? a : b; // a NaN b compares false, so it is taken
  case Reduction::Min: return std::isnan(a) || b >= a ? a : b;
  case Reduction::Prod: return a * b;
  default: return a + b;
  }
}

bool reduceBy(KernelCall &c, Reduction r, std::optional<std::vector<int64_t>> axes, bool keep, bool emptyMeansAll) {
  const Tensor &x = *c.input(0);
  std::vector<bool> reduced(x.rank(), !axes || (axes->empty() && emptyMeansAll));
  if (axes)
    for (int64_t axis : *axes) {
      if (!normalizeAxis(axis, x.rank()))
        return c.fail("an axis lies outside the operand");
      reduced[size_t(axis)] = true;
    }
  std::vector<int64_t> kept, dims;
  int64_t count = 1;
  for (size_t k = 0; k < x.rank(); ++k) {
    kept.push_back(reduced[k] ? 1 : x.dims[k]);
    if (reduced[k])
      count *= x.dims[k];
    if (!reduced[k] || keep)
      dims.push_back(kept.back());
  }
  Tensor out = Tensor::zeros(x.dtype, dims);
  if (count == 0 && out.count() && r != Reduction::Sum && r != Reduction::Prod)
    return c.fail("a reduction over no elements");
  std::vector<double> sums(out.count(), start(r));
  const std::vector<int64_t> strides[1] = {broadcastStrides(kept, x.dims)};
  if (x.isFloating()) {
    forEachElement(x.dims, strides, [&](size_t k, int64_t *at) { sums[size_t(at[0])] = join(r, sums[size_t(at[0])], x.f[k]); });
    for (size_t k = 0; k < out.count(); ++k)
      out.set(k, r == Reduction::Mean ? sums[k] / double(count) : sums[k]);
  } else {
    std::vector<int64_t> totals(out.count(), r == Reduction::Max ? INT64_MIN : r == Reduction::Min ? INT64_MAX : r == Reduction::Prod);
    forEachElement(x.dims, strides, [&](size_t k, int64_t *at) {
      int64_t &total = totals[size_t(at[0])], v = x.i[k];
      total = r == Reduction::Max    ? std::max(total, v)
              : r == Reduction::Min  ? std::min(total, v)
              : r == Reduction::Prod ? int64_t(uint64_t(total) * uint64_t(v))
                                     : int64_t(uint64_t(total) + uint64_t(v));
    });
    for (size_t k = 0; k < out.count(); ++k)
      out.setInt(k, r == Reduction::Mean && count ? totals[k] / count : totals[k]);
  }
  c.result(std::move(out));
  return true;
}

template <Reduction r> bool reduce(KernelCall &c) {
  std::optional<std::vector<int64_t>> axes = c.intsAttr("axes");
  return c.needs(1) && (axes ? reduceBy(c, r, axes, c.intAttr("keepdims", 0) != 0, false) : c.fail("no axes"));
}
template <Reduction r> bool onnxReduce(KernelCall &c) {
  if (!c.needs(1))
    return false;
  std::optional<std::vector<int64_t>> axes = c.input(1) ? std::optional(c.input(1)->i) : c.intsAttr("axes");
  if ((!axes || axes->empty()) && c.intAttr("noop_with_empty_axes", 0)) {
    c.result(*c.input(0));
    return true;
  }
  return reduceBy(c, r, axes, c.intAttr("keepdims", 1) != 0, true);
}

bool globalAveragePool(KernelCall &c) {
  if (!c.needs(1) || c.input(0)->rank() < 2)
    return c.fail("the operand needs at least two dimensions");
  std::vector<int64_t> axes;
  for (size_t k = 2; k < c.input(0)->rank(); ++k)
    axes.push_back(int64_t(k));
  return reduceBy(c, Reduction::Mean, axes, true, false);
}

bool softmax(KernelCall &c) {
  if (!c.needs(1))
    return false;
  const Tensor &x = *c.input(0);
  // Before version 13 ONNX flattens from the axis on, which this is not.
  if (c.op.fullName() == "onnx.Softmax" && c.op.schema().since != 13)
    return c.fail("Softmax of this version is not evaluated");
  int64_t axis = c.intAttr("axis", -1);
  if (!x.isFloating() || !normalizeAxis(axis, x.rank()))
    return c.fail("axis lies outside the operand");
  int64_t size = x.dims[size_t(axis)];
  size_t step = size_t(stridesOf(x.dims)[size_t(axis)]);
  Tensor out = Tensor::zeros(x.dtype, x.dims);
  for (size_t base = 0; base < x.count(); ++base) {
    if (base / step % size_t(size) != 0)
      continue;
    double top = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int64_t k = 0; k < size; ++k)
      top = join(Reduction::Max, top, x.f[base + size_t(k) * step]);
    for (int64_t k = 0; k < size; ++k)
      sum += std::exp(x.f[base + size_t(k) * step] - top);
    for (int64_t k = 0; k < size; ++k)
      out.set(base + size_t(k) * step, std::exp(x.f[base + size_t(k) * step] - top) / sum);
  }
  c.result(std::move(out));
  return true;
}
} // namespace

void addReduceKernels(KernelTable &t) {
  const std::pair<std::string_view, Kernel> rows[] = {
      {"tensor.reduce_sum", reduce<Reduction::Sum>},   {"onnx.ReduceSum", onnxReduce<Reduction::Sum>},
      {"tensor.reduce_mean", reduce<Reduction::Mean>}, {"onnx.ReduceMean", onnxReduce<Reduction::Mean>},
      {"tensor.reduce_max", reduce<Reduction::Max>},   {"onnx.ReduceMax", onnxReduce<Reduction::Max>},
      {"tensor.reduce_min", reduce<Reduction::Min>},   {"onnx.ReduceMin", onnxReduce<Reduction::Min>},
      {"tensor.reduce_prod", reduce<Reduction::Prod>}, {"onnx.ReduceProd", onnxReduce<Reduction::Prod>},
      {"onnx.GlobalAveragePool", globalAveragePool},   {"tensor.softmax", softmax},
      {"onnx.Softmax", softmax},
  };
  for (auto [name, kernel] : rows)
    t.emplace(name, kernel);
}

} // namespace rw
