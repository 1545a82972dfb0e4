// Kernels that multiply and sum: matrix products, general contractions, convolution. Sums are kept in double.

#include "rw/interp/kernels.h"

#include <algorithm>

namespace rw {
namespace {
void put(Tensor &out, size_t at, double real, int64_t whole) { out.isFloating() ? out.set(at, real) : out.setInt(at, whole); }

/// Contracts a and b. Every operand dimension is batch, contracted or free; the result has batch dimensions, then the
/// free ones of a, then those of b.
bool contract(KernelCall &c, const Tensor &a, const Tensor &b, std::vector<int64_t> aBatch, std::vector<int64_t> bBatch,
              std::vector<int64_t> aSum, std::vector<int64_t> bSum, Tensor &out) {
  if (a.dtype != b.dtype || aBatch.size() != bBatch.size() || aSum.size() != bSum.size())
    return c.fail("the operands do not fit together");
  std::vector<int> aUse(a.rank()), bUse(b.rank());
  auto mark = [&](std::vector<int> &use, const std::vector<int64_t> &dims) {
    for (int64_t d : dims)
      if (d < 0 || size_t(d) >= use.size() || use[size_t(d)]++)
        return false;
    return true;
  };
  if (!mark(aUse, aBatch) || !mark(aUse, aSum) || !mark(bUse, bBatch) || !mark(bUse, bSum))
    return c.fail("a dimension lies outside or stands twice");
  std::vector<int64_t> aStrides = stridesOf(a.dims), bStrides = stridesOf(b.dims), dims, p, q, sumDims, sp, sq;
  auto pair = [&](const std::vector<int64_t> &x, const std::vector<int64_t> &y, std::vector<int64_t> &d, std::vector<int64_t> &s,
                  std::vector<int64_t> &t) {
    for (size_t k = 0; k < x.size(); ++k) {
      if (a.dims[size_t(x[k])] != b.dims[size_t(y[k])])
        return false;
      d.push_back(a.dims[size_t(x[k])]), s.push_back(aStrides[size_t(x[k])]), t.push_back(bStrides[size_t(y[k])]);
    }
    return true;
  };
  if (!pair(aBatch, bBatch, dims, p, q) || !pair(aSum, bSum, sumDims, sp, sq))
    return c.fail("paired dimensions differ in size");
  for (size_t k = 0; k < a.rank(); ++k)
    if (!aUse[k])
      dims.push_back(a.dims[k]), p.push_back(aStrides[k]), q.push_back(0);
  for (size_t k = 0; k < b.rank(); ++k)
    if (!bUse[k])
      dims.push_back(b.dims[k]), p.push_back(0), q.push_back(bStrides[k]);
  if (!elementCountOf(dims))
    return c.fail("the result is too large");
  out = Tensor::zeros(a.dtype, dims);
  const std::vector<int64_t> outer[2] = {p, q}, inner[2] = {sp, sq};
  forEachElement(dims, outer, [&](size_t k, int64_t *at) {
    double real = 0;
    uint64_t whole = 0;
    int64_t from[2] = {at[0], at[1]};
    if (sumDims.size() == 1) { // by far the most frequent, and much faster
      for (int64_t s = 0; s < sumDims[0]; ++s, from[0] += sp[0], from[1] += sq[0])
        a.isFloating() ? void(real += a.f[size_t(from[0])] * b.f[size_t(from[1])])
                       : void(whole += uint64_t(a.i[size_t(from[0])]) * uint64_t(b.i[size_t(from[1])]));
    } else {
      forEachElement(sumDims, inner, [&](size_t, int64_t *s) {
        size_t x = size_t(from[0] + s[0]), y = size_t(from[1] + s[1]);
        a.isFloating() ? void(real += a.f[x] * b.f[y]) : void(whole += uint64_t(a.i[x]) * uint64_t(b.i[y]));
      });
    }
    put(out, k, real, int64_t(whole));
  });
  return true;
}

bool dotGeneral(KernelCall &c) {
  if (!c.needs(2))
    return false;
  auto get = [&](std::string_view name) { return c.intsAttr(name).value_or(std::vector<int64_t>()); };
  Tensor out;
  if (!contract(c, *c.input(0), *c.input(1), get("lhs_batch"), get("rhs_batch"), get("lhs_contract"), get("rhs_contract"), out))
    return false;
  c.result(std::move(out));
  return true;
}

/// `t` repeated over leading batch dimensions.
Tensor stretch(const Tensor &t, const std::vector<int64_t> &dims) {
  Tensor out = Tensor::zeros(t.dtype, dims);
  const std::vector<int64_t> strides[1] = {broadcastStrides(t.dims, dims)};
  forEachElement(dims, strides, [&](size_t k, int64_t *at) {
    t.isFloating() ? void(out.f[k] = t.f[size_t(at[0])]) : void(out.i[k] = t.i[size_t(at[0])]);
  });
  return out;
}

bool matMul(KernelCall &c) {
  if (!c.needs(2))
    return false;
  Tensor a = *c.input(0), b = *c.input(1);
  if (a.rank() == 0 || b.rank() == 0)
    return c.fail("scalars have no matrix product");
  bool dropRow = a.rank() == 1, dropColumn = b.rank() == 1;
  if (dropRow)
    a.dims.insert(a.dims.begin(), 1);
  if (dropColumn)
    b.dims.push_back(1);
  std::vector<int64_t> batch, aDims(a.dims.begin(), a.dims.end() - 2), bDims(b.dims.begin(), b.dims.end() - 2);
  if (!broadcastDims(aDims, bDims, batch))
    return c.fail("the batch dimensions do not broadcast");
  auto full = [&](const Tensor &t) {
    std::vector<int64_t> dims = batch;
    dims.insert(dims.end(), t.dims.end() - 2, t.dims.end());
    return dims;
  };
  if (!elementCountOf(full(a)) || !elementCountOf(full(b)))
    return c.fail("the operands are too large");
  std::vector<int64_t> axes;
  for (size_t k = 0; k < batch.size(); ++k)
    axes.push_back(int64_t(k));
  int64_t n = int64_t(batch.size());
  Tensor out;
  if (!contract(c, stretch(a, full(a)), stretch(b, full(b)), axes, axes, {n + 1}, {n}, out))
    return false;
  if (dropRow)
    out.dims.erase(out.dims.begin() + n);
  if (dropColumn)
    out.dims.pop_back();
  c.result(std::move(out));
  return true;
}

bool gemm(KernelCall &c) {
  if (!c.needs(2) || c.input(0)->rank() != 2 || c.input(1)->rank() != 2)
    return c.fail("Gemm multiplies matrices");
  bool ta = c.intAttr("transA", 0), tb = c.intAttr("transB", 0);
  Tensor out;
  if (!contract(c, *c.input(0), *c.input(1), {}, {}, {ta ? 0 : 1}, {tb ? 1 : 0}, out))
    return false;
  double alpha = c.floatAttr("alpha", 1), beta = c.floatAttr("beta", 1);
  const Tensor *bias = c.input(2);
  std::vector<int64_t> dims;
  if (bias && (!broadcastDims(bias->dims, out.dims, dims) || dims != out.dims))
    return c.fail("the bias does not stretch to the product");
  const std::vector<int64_t> strides[1] = {bias ? broadcastStrides(bias->dims, out.dims) : std::vector<int64_t>(2, 0)};
  forEachElement(out.dims, strides, [&](size_t k, int64_t *at) {
    out.set(k, alpha * out.number(k) + (bias ? beta * bias->number(size_t(at[0])) : 0));
  });
  c.result(std::move(out));
  return true;
}

bool conv(KernelCall &c) {
  if (!c.needs(2))
    return false;
  const Tensor &x = *c.input(0), &w = *c.input(1);
  if (x.rank() != 4 || w.rank() != 4 || !x.isFloating() || !w.isFloating() || c.stringAttr("auto_pad", "NOTSET") != "NOTSET")
    return c.fail("only convolutions over two dimensions with explicit pads are evaluated");
  auto get = [&](std::string_view name, size_t n, int64_t fallback) {
    return c.intsAttr(name).value_or(std::vector<int64_t>(n, fallback));
  };
  std::vector<int64_t> strides = get("strides", 2, 1), dilations = get("dilations", 2, 1), pads = get("pads", 4, 0);
  int64_t group = c.intAttr("group", 1);
  if (strides.size() != 2 || dilations.size() != 2 || pads.size() != 4 || group < 1 || w.dims[0] % group || x.dims[1] != w.dims[1] * group)
    return c.fail("malformed strides, dilations, pads or groups");
  std::vector<int64_t> dims{x.dims[0], w.dims[0], 0, 0};
  for (size_t k = 0; k < 2; ++k) {
    if (strides[k] < 1 || dilations[k] < 1 || pads[k] < 0 || pads[k + 2] < 0)
      return c.fail("malformed strides, dilations or pads");
    int64_t room = x.dims[k + 2] + pads[k] + pads[k + 2] - (w.dims[k + 2] - 1) * dilations[k] - 1;
    dims[k + 2] = room < 0 ? 0 : room / strides[k] + 1;
  }
  const Tensor *bias = c.input(2);
  if (!elementCountOf(dims) || (bias && bias->count() != size_t(w.dims[0])))
    return c.fail("the result is too large or the bias does not fit");
  Tensor out = Tensor::zeros(x.dtype, dims);
  int64_t perGroup = w.dims[0] / group;
  size_t at = 0;
  for (int64_t n = 0; n < dims[0]; ++n)
    for (int64_t m = 0; m < dims[1]; ++m)
      for (int64_t r = 0; r < dims[2]; ++r)
        for (int64_t s = 0; s < dims[3]; ++s, ++at) {
          double sum = bias ? bias->f[size_t(m)] : 0;
          for (int64_t ch = 0; ch < w.dims[1]; ++ch)
            for (int64_t i = 0; i < w.dims[2]; ++i) {
              int64_t row = r * strides[0] - pads[0] + i * dilations[0];
              if (row < 0 || row >= x.dims[2])
                continue;
              int64_t channel = m / perGroup * w.dims[1] + ch;
              for (int64_t j = 0; j < w.dims[3]; ++j) {
                int64_t column = s * strides[1] - pads[1] + j * dilations[1];
                if (column >= 0 && column < x.dims[3])
                  sum += x.f[size_t(((n * x.dims[1] + channel) * x.dims[2] + row) * x.dims[3] + column)] *
                         w.f[size_t(((m * w.dims[1] + ch) * w.dims[2] + i) * w.dims[3] + j)];
              }
            }
          out.set(at, sum);
        }
  c.result(std::move(out));
  return true;
}
} // namespace

void addMatrixKernels(KernelTable &t) {
  const std::pair<std::string_view, Kernel> rows[] = {
      {"tensor.dot_general", dotGeneral}, {"onnx.MatMul", matMul}, {"onnx.Gemm", gemm}, {"onnx.Conv", conv}};
  for (auto [name, kernel] : rows)
    t.emplace(name, kernel);
}

} // namespace rw
