// Ops that go along one axis in order: arg-reductions, cumulative sums, the k greatest.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>
#include <numeric>

namespace rw {
namespace {

/// The line that element `i` of the other dimensions stands for.
size_t lineStart(size_t i, size_t inner, size_t n) { return i / inner * inner * n + i % inner; }

bool argExtreme(Call &c, bool most) {
  int64_t axis = attrOr(c.op, "axis", 0);
  if (!c.need(1) || !c.wrap(axis, c.in[0].rank()))
    return false;
  const Tensor &x = c.in[0];
  bool last = attrOr(c.op, "select_last_index", 0) != 0;
  size_t n = size_t(x.dim(size_t(axis))), inner = size_t(stridesOf(x.shape())[size_t(axis)]);
  Shape shape = x.shape();
  if (attrOr(c.op, "keepdims", 1))
    shape[size_t(axis)] = 1;
  else
    shape.erase(shape.begin() + axis);
  if (n == 0)
    return c.fail("of no element");
  Tensor *y = c.result(0, DType::I64, shape);
  if (!y || !c.charge(x.size()))
    return false;
  return visitReal(x.dtype(),
                   [&]<class T>(T) {
                     for (size_t i = 0; i < y->size(); ++i) {
                       const T *from = x.data<T>() + lineStart(i, inner, n);
                       size_t best = 0;
                       for (size_t j = 1; j < n; ++j) {
                         T v = from[j * inner], b = from[best * inner];
                         if ((most ? v > b : v < b) || (last && v == b) || (v != v && b == b))
                           best = j;
                       }
                       y->mutableData<int64_t>()[i] = int64_t(best);
                     }
                     return true;
                   }) ||
         c.fail("not defined on " + std::string(dtypeName(x.dtype())));
}

bool cumSum(Call &c) {
  if (!c.need(1))
    return false;
  if (c.has(1) && c.in[1].size() != 1)
    return c.fail("the axis must be one number");
  int64_t axis = c.has(1) ? c.in[1].intAt(0) : attrOr(c.op, "axis", 0);
  const Tensor &x = c.in[0];
  if (!c.wrap(axis, x.rank()))
    return false;
  bool exclusive = attrOr(c.op, "exclusive", 0) != 0, backwards = attrOr(c.op, "reverse", 0) != 0;
  Tensor *y = c.result(0, x.dtype(), x.shape());
  if (!y || x.size() == 0)
    return bool(y);
  size_t n = size_t(x.dim(size_t(axis))), inner = size_t(stridesOf(x.shape())[size_t(axis)]);
  return visitNumber(x.dtype(),
                     [&]<class T>(T) {
                       for (size_t line = 0; line < x.size() / n; ++line) {
                         size_t start = lineStart(line, inner, n);
                         T sum{}; // each sum is a result, and so rounded; the first is the element itself, -0 as well
                         for (size_t j = 0; j < n; ++j) {
                           size_t at = start + (backwards ? n - 1 - j : j) * inner;
                           T next = j == 0 ? x.data<T>()[at]
                                           : storeElement<T>(Compute<T>(sum) + Compute<T>(x.data<T>()[at]));
                           y->mutableData<T>()[at] = exclusive ? sum : next;
                           sum = next;
                         }
                       }
                       return true;
                     }) ||
         c.fail("not defined on " + std::string(dtypeName(x.dtype())));
}

/// Whether `v` stands before `w`: NaN is greater than all.
template <class T> bool standsBefore(T v, T w, bool descending) {
  if (v != v || w != w)
    return descending ? v != v && w == w : w != w && v == v;
  return descending ? v > w : v < w;
}

bool sort(Call &c) {
  int64_t axis = attrOr(c.op, "axis", -1);
  if (!c.need(1) || !c.wrap(axis, c.in[0].rank()))
    return false;
  const Tensor &x = c.in[0];
  bool descending = attrOr(c.op, "descending", 0) != 0;
  Tensor *y = c.result(0, x.dtype(), x.shape());
  if (!y || !c.charge(x.size() * 20))
    return false;
  size_t n = size_t(x.dim(size_t(axis))), inner = size_t(stridesOf(x.shape())[size_t(axis)]);
  auto run = [&]<class T>(T) {
    std::vector<T> line(n);
    for (size_t i = 0; i < (x.size() ? x.size() / n : 0); ++i) {
      size_t start = lineStart(i, inner, n);
      for (size_t j = 0; j < n; ++j)
        line[j] = x.data<T>()[start + j * inner];
      std::ranges::stable_sort(line, [&](T v, T w) { return standsBefore(v, w, descending); });
      for (size_t j = 0; j < n; ++j)
        y->mutableData<T>()[start + j * inner] = line[j];
    }
    return true;
  };
  return (x.dtype() == DType::Bool ? run(Bool()) : visitReal(x.dtype(), run)) ||
         c.fail("not defined on " + std::string(dtypeName(x.dtype())));
}

bool topK(Call &c) {
  int64_t k = c.has(1) && c.in[1].size() == 1 ? c.in[1].intAt(0) : attrOr(c.op, "k", -1),
          axis = attrOr(c.op, "axis", -1);
  if (!c.need(1) || !c.wrap(axis, c.in[0].rank()))
    return false;
  const Tensor &x = c.in[0];
  size_t a = size_t(axis), n = size_t(x.dim(a)), inner = size_t(stridesOf(x.shape())[a]);
  if (k < 0 || k > x.dim(a))
    return c.fail("k lies outside the dimension");
  bool most = attrOr(c.op, "largest", 1) != 0;
  Shape shape = x.shape();
  shape[a] = k;
  std::optional<Tensor> values = c.make(x.dtype(), shape), places = c.make(DType::I64, shape);
  if (!values || !places || !c.charge(x.size() * 20))
    return false;
  bool ok = visitReal(x.dtype(), [&]<class T>(T) {
    std::vector<size_t> order(n);
    for (size_t line = 0; line < (x.size() && k ? x.size() / n : 0); ++line) {
      const T *from = x.data<T>() + lineStart(line, inner, n);
      std::iota(order.begin(), order.end(), size_t(0));
      std::ranges::stable_sort(
          order, [&](size_t p, size_t q) { return standsBefore(from[p * inner], from[q * inner], most); });
      size_t to = lineStart(line, inner, size_t(k));
      for (size_t j = 0; j < size_t(k); ++j) {
        values->mutableData<T>()[to + j * inner] = from[order[j] * inner];
        places->mutableData<int64_t>()[to + j * inner] = int64_t(order[j]);
      }
    }
    return true;
  });
  if (!ok)
    return c.fail("not defined on " + std::string(dtypeName(x.dtype())));
  c.out[0] = std::move(*values);
  if (c.out.size() > 1)
    c.out[1] = std::move(*places);
  return true;
}

bool nonZero(Call &c) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  std::vector<size_t> places;
  bool ok = c.charge(x.size()) && visitAny(x.dtype(), [&]<class T>(T) {
              for (size_t i = 0; i < x.size(); ++i)
                if (convertElement<Bool>(x.data<T>()[i]))
                  places.push_back(i);
              return true;
            });
  Tensor *y = ok ? c.result(0, DType::I64, {int64_t(x.rank()), int64_t(places.size())}) : nullptr;
  if (!y)
    return c.fail("not defined on " + std::string(dtypeName(x.dtype())));
  Shape own = stridesOf(x.shape());
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t d = 0; d < x.rank(); ++d)
      y->mutableData<int64_t>()[d * places.size() + i] = int64_t(places[i]) / own[d] % x.dim(d);
  return true;
}

} // namespace

void addOrderKernels(KernelTable &t) {
  t.add("onnx.ArgMax", [](Call &c) { return argExtreme(c, true); });
  t.add("onnx.ArgMin", [](Call &c) { return argExtreme(c, false); });
  t.add("onnx.CumSum", cumSum);
  t.add("tensor.cumsum", cumSum);
  t.add("onnx.TopK", topK);
  t.add("tensor.top_k", topK);
  t.add("tensor.sort", sort);
  t.add("tensor.reduce_argmax", [](Call &c) { return argExtreme(c, true); });
  t.add("onnx.NonZero", nonZero);
}

} // namespace rw
