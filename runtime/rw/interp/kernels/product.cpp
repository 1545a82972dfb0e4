// Products of matrices.
#include "rw/interp/semiring.h"

#include <algorithm>
#include <numeric>

namespace rw {

bool multiply(Call &c, const Tensor &a, const Tensor &b, Tensor &r, size_t m, size_t k, size_t n,
              std::span<const std::pair<size_t, size_t>> offsets) {
  if (!c.charge(uint64_t(std::min(1e18, double(offsets.size()) * double(m) * double(k) * double(n)))))
    return false;
  return visitNumber(a.dtype(),
                     [&]<class T>(T) {
                       multiplyOver<Numbers<T>>(a.data<T>(), b.data<T>(), r.mutableData<T>(), m, k, n, offsets);
                       return true;
                     }) ||
         c.fail("not defined on " + std::string(dtypeName(a.dtype())));
}

namespace {

bool matMul(Call &c) {
  if (!c.need(2) || (c.in[0].dtype() != c.in[1].dtype() && !c.fail("operands of different element types")))
    return false;
  Tensor a = c.in[0], b = c.in[1];
  if (a.rank() == 0 || b.rank() == 0)
    return c.fail("an operand of rank 0");
  bool rowOnly = a.rank() == 1, columnOnly = b.rank() == 1;
  if (rowOnly)
    a = a.withShape({1, a.dim(0)});
  if (columnOnly)
    b = b.withShape({b.dim(0), 1});
  size_t m = size_t(a.dim(a.rank() - 2)), k = size_t(a.dim(a.rank() - 1)), n = size_t(b.dim(b.rank() - 1));
  Shape batchA(a.shape().begin(), a.shape().end() - 2), batchB(b.shape().begin(), b.shape().end() - 2);
  std::optional<Shape> batch = broadcastShapes(batchA, batchB);
  if (!batch || size_t(b.dim(b.rank() - 2)) != k)
    return c.fail("shapes " + shapeText(c.in[0].shape()) + " and " + shapeText(c.in[1].shape()) + " do not multiply");
  Shape shape = *batch;
  shape.insert(shape.end(), {int64_t(m), int64_t(n)});
  std::optional<Tensor> r = c.make(a.dtype(), shape);
  std::optional<size_t> batches = elementsIn(*batch);
  if (!r || !batches || !c.charge(*batches))
    return c.fail("the result is too large");
  std::vector<std::pair<size_t, size_t>> offsets;
  Shape sa = broadcastStrides(batchA, *batch), sb = broadcastStrides(batchB, *batch);
  int64_t ia = sa.empty() ? 0 : sa.back(), ib = sb.empty() ? 0 : sb.back();
  forEachRow<2>(*batch, {sa, sb}, [&](int64_t count, size_t, const std::array<int64_t, 2> &at) {
    for (int64_t i = 0; i < count; ++i)
      offsets.emplace_back(size_t(at[0] + i * ia) * m * k, size_t(at[1] + i * ib) * k * n);
  });
  if (!multiply(c, a, b, *r, m, k, n, offsets))
    return false;
  if (rowOnly)
    shape.erase(shape.end() - 2);
  if (columnOnly)
    shape.pop_back();
  c.out[0] = r->withShape(shape);
  return true;
}

/// alpha * A' * B' + beta * C
bool gemm(Call &c) {
  if (!c.need(2) || (c.in[0].dtype() != c.in[1].dtype() && !c.fail("operands of different element types")))
    return false;
  Tensor a = c.in[0], b = c.in[1];
  if (a.rank() != 2 || b.rank() != 2)
    return c.fail("operands that are no matrices");
  static constexpr int64_t kSwap[] = {1, 0};
  for (auto [name, t] : {std::pair("transA", &a), std::pair("transB", &b)})
    if (attrOr(c.op, name, 0)) {
      std::optional<Tensor> turned = transposed(c, *t, kSwap);
      if (!turned)
        return false;
      *t = std::move(*turned);
    }
  if (a.dim(1) != b.dim(0))
    return c.fail("shapes that do not multiply");
  Tensor *r = c.result(0, a.dtype(), {a.dim(0), b.dim(1)});
  std::pair<size_t, size_t> start{0, 0};
  if (!r || !multiply(c, a, b, *r, size_t(a.dim(0)), size_t(a.dim(1)), size_t(b.dim(1)), {&start, 1}))
    return false;
  double alpha = c.floatAttr("alpha", 1), beta = c.floatAttr("beta", 1);
  Tensor bias;
  if (c.has(2)) {
    std::optional<Shape> both = broadcastShapes(c.in[2].shape(), r->shape());
    if (!both || *both != r->shape() || c.in[2].dtype() != r->dtype())
      return c.fail("C does not fit");
    std::optional<Tensor> wide = moveStrided(c, c.in[2], r->shape(), broadcastStrides(c.in[2].shape(), r->shape()));
    if (!wide)
      return false;
    bias = std::move(*wide);
  }
  return visitReal(r->dtype(),
                   [&]<class T>(T) {
                     T *y = r->mutableData<T>();
                     for (size_t i = 0; i < r->size(); ++i) {
                       if constexpr (kIsFloat<T>) {
                         double v = alpha == 1 ? double(y[i]) : alpha * double(y[i]);
                         y[i] = storeElement<T>(bias ? v + beta * double(bias.data<T>()[i]) : v);
                       } else {
                         uint64_t v = uint64_t(y[i]) * uint64_t(int64_t(alpha));
                         y[i] = T(bias ? v + uint64_t(int64_t(beta)) * uint64_t(bias.data<T>()[i]) : v);
                       }
                     }
                     return true;
                   }) ||
         c.fail("not defined on " + std::string(dtypeName(r->dtype())));
}

} // namespace

/// Result dimensions: batch, free ones of lhs, free ones of rhs; with batch_last those of the batch at the end.
bool readContraction(Call &c, Contraction &out) {
  if (!c.need(2) || (c.in[0].dtype() != c.in[1].dtype() && !c.fail("operands of different element types")))
    return false;
  using Ints = std::vector<int64_t>;
  std::array<Ints, 2> batch = {c.intsAttr("lhs_batch").value_or(Ints()), c.intsAttr("rhs_batch").value_or(Ints())};
  std::array<Ints, 2> contract = {c.intsAttr("lhs_contract").value_or(Ints()),
                                  c.intsAttr("rhs_contract").value_or(Ints())};
  if (batch[0].size() != batch[1].size() || contract[0].size() != contract[1].size())
    return c.fail("the sides name different numbers of dimensions");
  std::array<Tensor, 2> &t = out.sides;
  std::array<size_t, 2> free = {1, 1};
  size_t batches = 1;
  Shape tail;
  for (size_t s = 0; s < 2; ++s) {
    Ints named = batch[s], rest;
    named.insert(named.end(), contract[s].begin(), contract[s].end());
    if (!c.wrapAll(named, c.in[s].rank()))
      return false;
    for (size_t d = 0; d < c.in[s].rank(); ++d)
      if (!std::ranges::count(named, int64_t(d))) {
        rest.push_back(int64_t(d));
        tail.push_back(c.in[s].dim(d));
        free[s] *= size_t(c.in[s].dim(d));
      }
    Ints perm(named.begin(), named.begin() + long(batch[s].size()));
    Ints contracted(named.begin() + long(batch[s].size()), named.end());
    perm.insert(perm.end(), s == 0 ? rest.begin() : contracted.begin(), s == 0 ? rest.end() : contracted.end());
    perm.insert(perm.end(), s == 0 ? contracted.begin() : rest.begin(), s == 0 ? contracted.end() : rest.end());
    std::optional<Tensor> turned = transposed(c, c.in[s], perm);
    if (!turned)
      return false;
    t[s] = std::move(*turned);
  }
  for (size_t i = 0; i < batch[0].size(); ++i) {
    int64_t n = t[0].dim(i);
    if (t[1].dim(i) != n)
      return c.fail("batch dimensions of different size");
    batches *= size_t(n);
    out.shape.push_back(n);
  }
  size_t at = t[0].rank() - contract[0].size();
  for (size_t i = 0; i < contract[0].size(); ++i) {
    if (t[0].dim(at + i) != t[1].dim(batch[0].size() + i))
      return c.fail("contracted dimensions of different size");
    out.k *= size_t(t[0].dim(at + i));
  }
  out.shape.insert(out.shape.end(), tail.begin(), tail.end());
  if (attrOr(c.op, "batch_last", 0)) {
    out.order.resize(out.shape.size());
    std::iota(out.order.begin(), out.order.end(), 0);
    std::rotate(out.order.begin(), out.order.begin() + long(batch[0].size()), out.order.end());
  }
  out.m = free[0];
  out.n = free[1];
  std::optional<size_t> size = elementsIn(out.shape);
  if (!size || !c.charge(batches))
    return c.fail("the result is too large");
  out.offsets.resize(*size ? batches : 0);
  for (size_t i = 0; i < out.offsets.size(); ++i)
    out.offsets[i] = {i * out.m * out.k, i * out.k * out.n};
  return true;
}

bool orderResult(Call &c, const Contraction &d) {
  if (d.order.empty())
    return true;
  std::optional<Tensor> turned = transposed(c, c.out[0], d.order);
  if (turned)
    c.out[0] = std::move(*turned);
  return bool(turned);
}

/// Of bools: whether some pair has both.
static bool dotGeneral(Call &c) {
  if (c.has(0) && c.in[0].dtype() == DType::Bool)
    return dotGeneralOver<Boolean>(c);
  Contraction d;
  if (!readContraction(c, d))
    return false;
  Tensor *r = c.result(0, d.sides[0].dtype(), d.shape);
  return r && multiply(c, d.sides[0], d.sides[1], *r, d.m, d.k, d.n, d.offsets) && orderResult(c, d);
}

void addProductKernels(KernelTable &t) {
  t.add("onnx.MatMul", matMul);
  t.add("onnx.Gemm", gemm);
  t.add("tensor.dot_general", dotGeneral);
}

} // namespace rw
