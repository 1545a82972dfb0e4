// Normalizations across channels or whole images: LRN, MeanVarianceNormalization, GroupNormalization, RMSNormalization,
// LpNormalization; and what BatchNormalization does in training.
//
// Elsewhere: the other normalizations are norm.cpp.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>

namespace rw {
namespace {

bool localResponse(Call &c) {
  if (!c.need(1) || (c.in[0].rank() < 2 && !c.fail("of rank below 2")))
    return false;
  const Tensor &x = c.in[0];
  double alpha = c.floatAttr("alpha", 1e-4), beta = c.floatAttr("beta", 0.75), bias = c.floatAttr("bias", 1);
  int64_t size = attrOr(c.op, "size", 1), channels = x.dim(1), inner = stridesOf(x.shape())[1];
  Tensor *y = c.result(0, x.dtype(), x.shape());
  if (!y || size < 1 || !c.charge(uint64_t(double(x.size()) * double(std::min(size, channels)))))
    return c.fail("size is out of range");
  return visitFloat(x.dtype(),
                    [&]<class T>(T) {
                      for (int64_t i = 0; i < int64_t(x.size()); ++i) {
                        int64_t channel = i / inner % channels;
                        int64_t from = std::max<int64_t>(0, channel - (size - 1) / 2),
                                to = std::min(channels - 1, channel + size / 2);
                        double sum = 0;
                        for (int64_t k = from; k <= to; ++k) {
                          double v = double(x.data<T>()[i + (k - channel) * inner]);
                          sum += v * v;
                        }
                        y->mutableData<T>()[i] =
                            storeElement<T>(double(x.data<T>()[i]) / std::pow(bias + alpha / double(size) * sum, beta));
                      }
                      return true;
                    }) ||
         c.fail("no floats");
}

/// Which line each element belongs to: those that agree in all dimensions but `axes` share one.
struct Lines {
  std::vector<size_t> of;
  size_t count = 1, length = 1;

  bool read(Call &c, const Shape &shape, std::vector<int64_t> axes, size_t elements) {
    if (!c.wrapAll(axes, shape.size()) || !c.holdsPlaces(elements) || !c.charge(elements * (shape.size() + 1)))
      return c.fail("the operand is too large");
    Shape strides(shape.size(), 0), own = stridesOf(shape);
    for (size_t d = shape.size(); d-- > 0;)
      if (std::ranges::count(axes, int64_t(d))) {
        length *= size_t(shape[d]);
      } else {
        strides[d] = int64_t(count);
        count *= size_t(shape[d]);
      }
    of.resize(elements);
    for (size_t i = 0; i < elements; ++i)
      for (size_t d = 0; d < shape.size(); ++d)
        of[i] += size_t(int64_t(i) / own[d] % shape[d] * strides[d]);
    return true;
  }
};
struct Moments {
  std::vector<double> mean, variance;

  template <class T> Moments(const T *x, const Lines &lines) : mean(lines.count), variance(lines.count) {
    for (size_t i = 0; i < lines.of.size(); ++i)
      mean[lines.of[i]] += double(x[i]) / double(lines.length);
    for (size_t i = 0; i < lines.of.size(); ++i) {
      double d = double(x[i]) - mean[lines.of[i]];
      variance[lines.of[i]] += d * d / double(lines.length);
    }
  }
};

bool meanVariance(Call &c) {
  Lines lines;
  if (!c.need(1) || !lines.read(c, c.in[0].shape(), c.intsAttr("axes").value_or(Shape{0, 2, 3}), c.in[0].size()))
    return false;
  const Tensor &x = c.in[0];
  Tensor *y = c.result(0, x.dtype(), x.shape());
  return y && (visitFloat(x.dtype(),
                          [&]<class T>(T) {
                            Moments m(x.data<T>(), lines);
                            for (size_t i = 0; i < x.size(); ++i)
                              y->mutableData<T>()[i] = storeElement<T>((double(x.data<T>()[i]) - m.mean[lines.of[i]]) /
                                                                       (std::sqrt(m.variance[lines.of[i]]) + 1e-9));
                            return true;
                          }) ||
               c.fail("no floats"));
}

/// Scale and bias: one per group in operator set 18, one per channel from 21 on.
bool groupNorm(Call &c) {
  int64_t groups = attrOr(c.op, "num_groups", 0);
  if (!c.need(3))
    return false;
  const Tensor &x = c.in[0], &scale = c.in[1], &bias = c.in[2];
  if (x.rank() < 2 || groups < 1 || x.dim(1) % groups || scale.size() != bias.size())
    return c.fail("num_groups does not fit the channels");
  size_t channels = size_t(x.dim(1)), each = c.version() < 21 ? channels / size_t(groups) : 1,
         inner = size_t(stridesOf(x.shape())[1]);
  if (each == 0 || scale.size() != channels / each || !isFloat(scale.dtype()) || !isFloat(bias.dtype()))
    return c.fail("scale or bias do not fit");
  Lines lines;
  Tensor *y = c.result(0, x.dtype(), x.shape());
  if (!y || !lines.read(c, {x.dim(0) * groups, x.size() ? int64_t(x.size()) / (x.dim(0) * groups) : 0}, {1}, x.size()))
    return false;
  double epsilon = c.floatAttr("epsilon", 1e-5);
  return visitFloat(x.dtype(),
                    [&]<class T>(T) {
                      Moments m(x.data<T>(), lines);
                      for (size_t i = 0; i < x.size(); ++i) {
                        size_t at = i / inner % channels / each;
                        double v = (double(x.data<T>()[i]) - m.mean[lines.of[i]]) /
                                   std::sqrt(m.variance[lines.of[i]] + epsilon);
                        y->mutableData<T>()[i] = storeElement<T>(v * scale.floatAt(at) + bias.floatAt(at));
                      }
                      return true;
                    }) ||
         c.fail("no floats");
}

bool rootMeanSquare(Call &c) {
  int64_t axis = attrOr(c.op, "axis", -1);
  if (!c.need(2) || !c.wrap(axis, c.in[0].rank()))
    return false;
  const Tensor &x = c.in[0];
  std::optional<Shape> both = broadcastShapes(c.in[1].shape(), x.shape());
  if (!both || *both != x.shape() || !isFloat(c.in[1].dtype()))
    return c.fail("the scale does not fit");
  std::optional<Tensor> scale = moveStrided(c, c.in[1], x.shape(), broadcastStrides(c.in[1].shape(), x.shape()));
  Tensor *y = scale ? c.result(0, c.in[1].dtype(), x.shape()) : nullptr;
  if (!y || x.size() == 0)
    return bool(y);
  size_t n = *elementsIn(Shape(x.shape().begin() + axis, x.shape().end()));
  double epsilon = c.floatAttr("epsilon", 1e-5);
  return visitFloat(y->dtype(),
                    [&]<class T>(T) {
                      for (size_t start = 0; start < x.size(); start += n) {
                        double sum = 0;
                        for (size_t i = start; i < start + n; ++i)
                          sum += x.floatAt(i) * x.floatAt(i) / double(n);
                        for (size_t i = start; i < start + n; ++i)
                          y->mutableData<T>()[i] =
                              storeElement<T>(x.floatAt(i) / std::sqrt(sum + epsilon) * scale->floatAt(i));
                      }
                      return true;
                    }) ||
         c.fail("no floats");
}

/// x divided by the sum of |x| or the root of the sum of x² along an axis; 0 where that is 0.
bool lpNorm(Call &c) {
  Lines lines;
  int64_t axis = attrOr(c.op, "axis", -1), p = attrOr(c.op, "p", 2);
  if (!c.need(1) || ((p != 1 && p != 2) && !c.fail("p is neither 1 nor 2")) ||
      !lines.read(c, c.in[0].shape(), {axis}, c.in[0].size()))
    return false;
  const Tensor &x = c.in[0];
  Tensor *y = c.result(0, x.dtype(), x.shape());
  return y && (visitFloat(x.dtype(),
                          [&]<class T>(T) {
                            std::vector<double> sums(lines.count);
                            for (size_t i = 0; i < x.size(); ++i) {
                              double v = double(x.data<T>()[i]);
                              sums[lines.of[i]] += p == 1 ? std::abs(v) : v * v;
                            }
                            for (size_t i = 0; i < x.size(); ++i) {
                              double norm = p == 1 ? sums[lines.of[i]] : std::sqrt(sums[lines.of[i]]);
                              y->mutableData<T>()[i] = storeElement<T>(norm == 0 ? 0.0 : double(x.data<T>()[i]) / norm);
                            }
                            return true;
                          }) ||
               c.fail("no floats"));
}

} // namespace

bool batchNormTraining(Call &c) {
  const Tensor &x = c.in[0];
  size_t channels = x.rank() > 1 ? size_t(x.dim(1)) : 1, inner = x.rank() > 2 ? size_t(stridesOf(x.shape())[1]) : 1;
  for (size_t i = 1; i < 5; ++i)
    if (!isFloat(c.in[i].dtype()) || c.in[i].size() != channels)
      return c.fail("operand " + std::to_string(i) + " is not one float per channel");
  Lines lines;
  Shape folded = {channels && inner ? int64_t(x.size() / channels / inner) : 0, int64_t(channels), int64_t(inner)};
  double epsilon = c.floatAttr("epsilon", 1e-5), momentum = c.floatAttr("momentum", 0.9);
  c.out.resize(std::max<size_t>(c.out.size(), 3));
  if (!lines.read(c, folded, {0, 2}, x.size()) || !c.result(0, x.dtype(), x.shape()))
    return false;
  return visitFloat(x.dtype(),
                    [&]<class T>(T) {
                      Moments m(x.data<T>(), lines);
                      for (size_t i = 0; i < x.size(); ++i) {
                        size_t ch = lines.of[i];
                        double v = (double(x.data<T>()[i]) - m.mean[ch]) / std::sqrt(m.variance[ch] + epsilon);
                        c.out[0].mutableData<T>()[i] = storeElement<T>(v * c.in[1].floatAt(ch) + c.in[2].floatAt(ch));
                      }
                      for (size_t i : {1, 2}) {
                        Tensor *running = c.result(i, c.in[2 + i].dtype(), c.in[2 + i].shape());
                        if (!running)
                          return false;
                        visitFloat(running->dtype(), [&]<class R>(R) {
                          for (size_t ch = 0; ch < channels; ++ch)
                            running->mutableData<R>()[ch] =
                                storeElement<R>(c.in[2 + i].floatAt(ch) * momentum +
                                                (i == 1 ? m.mean : m.variance)[ch] * (1 - momentum));
                          return true;
                        });
                      }
                      return true;
                    }) ||
         c.fail("no floats");
}

void addChannelNormKernels(KernelTable &t) {
  t.add("onnx.LRN", localResponse);
  t.add("onnx.MeanVarianceNormalization", meanVariance);
  t.add("onnx.GroupNormalization", groupNorm);
  t.add("onnx.LpNormalization", lpNorm);
  t.add("onnx.RMSNormalization", rootMeanSquare);
}

} // namespace rw
