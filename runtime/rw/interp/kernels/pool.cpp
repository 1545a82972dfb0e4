// Pools.
#include "rw/interp/element.h"
#include "rw/interp/extremes.h"
#include "rw/interp/kernels/window.h"

#include <algorithm>

namespace rw {
namespace {

/// result[b, c, place] = f(image, index of the window, element that it writes)
template <class F> bool slide(Call &c, const Window &w, Shape shape, F f) {
  const Tensor &x = c.in[0];
  shape.insert(shape.end(), w.output.begin(), w.output.end());
  Tensor *y = c.result(0, x.dtype(), shape);
  double perResult = 1;
  for (int64_t k : w.kernel)
    perResult *= double(k);
  if (!y || !c.charge(uint64_t(std::min(1e18, perResult * double(y->size())))))
    return false;
  if (y->size() == 0)
    return true;
  size_t images = size_t(x.dim(0) * x.dim(1)), image = *elementsIn(w.input);
  return visitReal(x.dtype(),
                   [&]<class T>(T) {
                     size_t at = 0;
                     for (size_t i = 0; i < images; ++i) {
                       Shape index(w.output.size(), 0);
                       do {
                         y->mutableData<T>()[at] = f(x.data<T>() + i * image, i, index, at);
                         ++at;
                       } while (nextIndex(index, w.output));
                     }
                     return true;
                   }) ||
         c.fail("not defined on " + std::string(dtypeName(x.dtype())));
}
/// An operand to pool: of images, only their number may be zero.
bool image(Call &c) {
  if (!c.need(1) || (c.in[0].rank() < 2 && !c.fail("of rank below 2")))
    return false;
  return c.in[0].size() || c.in[0].dim(0) == 0 || c.fail("an image without any place");
}

bool averagePool(Call &c) {
  Window w;
  if (!image(c) || !w.read(c, c.in[0].shape(), {}))
    return false;
  bool padding = attrOr(c.op, "count_include_pad", 0) != 0;
  return slide(c, w, {c.in[0].dim(0), c.in[0].dim(1)}, [&]<class T>(const T *x, size_t, const Shape &index, size_t) {
    double sum = 0;
    int64_t count = 0;
    w.each(index, [&](size_t, size_t at) {
      sum += double(x[at]);
      ++count;
    });
    if (padding) { // counted as far as padding reaches
      count = 1;
      for (size_t d = 0; d < index.size(); ++d) {
        int64_t inside = 0;
        for (int64_t k = 0; k < w.kernel[d]; ++k)
          inside += index[d] * w.strides[d] + k * w.dilations[d] < w.low[d] + w.input[d] + w.high[d];
        count *= inside;
      }
    }
    return convertElement<T>(count ? sum / double(count) : 0.0);
  });
}

bool maxPool(Call &c) {
  Window w;
  if (!image(c) || !w.read(c, c.in[0].shape(), {}))
    return false;
  Shape shape = {c.in[0].dim(0), c.in[0].dim(1)};
  Tensor places;
  if (c.out.size() > 1) {
    Shape all = shape;
    all.insert(all.end(), w.output.begin(), w.output.end());
    std::optional<Tensor> t = c.make(DType::I64, all);
    if (!t)
      return false;
    places = std::move(*t);
  }
  bool columns = attrOr(c.op, "storage_order", 0) != 0;
  int64_t size = 1;
  for (int64_t d : w.input)
    size *= d;
  bool ok = slide(c, w, shape, [&]<class T>(const T *x, size_t number, const Shape &index, size_t to) {
    using C = std::conditional_t<kIsSmallFloat<T>, float, T>;
    C best = std::numeric_limits<C>::lowest();
    if constexpr (kIsFloat<T>)
      best = -std::numeric_limits<C>::infinity();
    int64_t where = -1;
    w.each(index, [&](size_t, size_t at) {
      C v = C(x[at]);
      if (where < 0 || v != v || v > best)
        where = int64_t(at);
      best = greaterOf(best, v);
    });
    if (places) {
      int64_t flat = where;
      if (columns) {
        int64_t rest = where, stride = size;
        flat = 0;
        for (size_t d = w.input.size(); d-- > 0;) {
          stride /= w.input[d];
          flat += rest % w.input[d] * stride;
          rest /= w.input[d];
        }
      }
      places.mutableData<int64_t>()[to] = int64_t(number) * size + flat;
    }
    return storeElement<T>(best);
  });
  if (ok && places)
    c.out[1] = places;
  return ok;
}

/// The root of the sum of powers of what lies under the window.
bool lpPool(Call &c) {
  Window w;
  if (!image(c) || !w.read(c, c.in[0].shape(), {}))
    return false;
  double p = double(attrOr(c.op, "p", 2));
  return slide(c, w, {c.in[0].dim(0), c.in[0].dim(1)}, [&]<class T>(const T *x, size_t, const Shape &index, size_t) {
    double sum = 0;
    w.each(index, [&](size_t, size_t at) { sum += std::pow(std::abs(double(x[at])), p); });
    return convertElement<T>(std::pow(sum, 1 / p));
  });
}

bool globalLpPool(Call &c) {
  if (!image(c))
    return false;
  const Tensor &x = c.in[0];
  Shape shape = {x.dim(0), x.dim(1)};
  shape.resize(x.rank(), 1);
  Tensor *y = c.result(0, x.dtype(), shape);
  double p = double(attrOr(c.op, "p", 2));
  if (!y || !c.charge(x.size()))
    return false;
  return visitFloat(x.dtype(),
                    [&]<class T>(T) {
                      size_t length = y->size() ? x.size() / y->size() : 0;
                      for (size_t i = 0; i < y->size(); ++i) {
                        double sum = 0;
                        for (size_t j = 0; j < length; ++j)
                          sum += std::pow(std::abs(double(x.data<T>()[i * length + j])), p);
                        y->mutableData<T>()[i] = storeElement<T>(std::pow(sum, 1 / p));
                      }
                      return true;
                    }) ||
         c.fail("no floats");
}

bool global(Call &c, bool most) {
  if (!image(c))
    return false;
  const Tensor &x = c.in[0];
  Shape shape = {x.dim(0), x.dim(1)};
  size_t length = 1;
  for (size_t d = 2; d < x.rank(); ++d) {
    shape.push_back(1);
    length *= size_t(x.dim(d));
  }
  Tensor *y = c.result(0, x.dtype(), shape);
  if (!y || !c.charge(x.size()))
    return false;
  return visitFloat(x.dtype(),
                    [&]<class T>(T) {
                      for (size_t i = 0; i < y->size(); ++i) {
                        double sum = most ? -INFINITY : length ? -0.0 : 0.0; // as reduce.cpp adds up
                        for (size_t j = 0; j < length; ++j) {
                          double v = double(x.data<T>()[i * length + j]);
                          sum = most ? greaterOf(sum, v) : sum + v;
                        }
                        y->mutableData<T>()[i] = storeElement<T>(most ? sum : sum / double(length));
                      }
                      return true;
                    }) ||
         c.fail("no floats");
}

} // namespace

void addPoolKernels(KernelTable &t) {
  t.add("onnx.AveragePool", averagePool);
  t.add("onnx.MaxPool", maxPool);
  t.add("onnx.LpPool", lpPool);
  t.add("onnx.GlobalLpPool", globalLpPool);
  t.add("onnx.GlobalAveragePool", [](Call &c) { return global(c, false); });
  t.add("onnx.GlobalMaxPool", [](Call &c) { return global(c, true); });
}

} // namespace rw
