// Normalizations and softmax.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>

namespace rw {
namespace {

/// Calls each(start, step, length) for the lines along which the op normalizes: one axis, or (ONNX before 13) all from
/// the axis on.
template <class Line> bool lines(Call &c, int64_t axis, bool rest, Line line) {
  const Tensor &x = c.in[0];
  size_t length = 1, inner = 1;
  if (x.rank() == 0) {
    line(0, 1, 1);
    return true;
  }
  if (!c.wrap(axis, x.rank()))
    return false;
  for (size_t d = size_t(axis); d < x.rank(); ++d)
    (d == size_t(axis) || rest ? length : inner) *= size_t(x.dim(d));
  for (size_t start = 0; start < x.size(); start += length * inner)
    for (size_t i = 0; i < inner; ++i)
      line(start + i, inner, length);
  return true;
}

enum class Kind { Soft, LogSoft, Hard };
bool softmax(Call &c, Kind kind) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  if (x.rank() == 0)
    return c.fail("of rank 0, which has no axis");
  bool old = c.op.fullName().starts_with("onnx.") && c.version() < 13;
  Tensor *y = c.result(0, x.dtype(), x.shape());
  if (!y || !c.charge(2 * x.size()))
    return false;
  return visitFloat(x.dtype(),
                    [&]<class T>(T) {
                      return lines(c, attrOr(c.op, "axis", old ? 1 : -1), old,
                                   [&](size_t start, size_t step, size_t n) {
                                     const T *from = x.data<T>() + start;
                                     T *to = y->mutableData<T>() + start;
                                     double most = -INFINITY, sum = 0;
                                     size_t best = 0;
                                     for (size_t i = 0; i < n; ++i)
                                       if (double v = double(from[i * step]); v > most || v != v) {
                                         most = v;
                                         best = i;
                                       }
                                     for (size_t i = 0; i < n; ++i)
                                       sum += std::exp(double(from[i * step]) - most);
                                     for (size_t i = 0; i < n; ++i) {
                                       double v = double(from[i * step]) - most;
                                       to[i * step] = storeElement<T>(kind == Kind::Hard   ? (i == best ? 1.0 : 0.0)
                                                                      : kind == Kind::Soft ? std::exp(v) / sum
                                                                                           : v - std::log(sum));
                                     }
                                   });
                    }) ||
         c.fail("no floats");
}

/// Scale and bias broadcast to the operand; missing ones are 1 and 0.
bool affine(Call &c, size_t i, const Shape &shape, std::optional<Tensor> &out) {
  if (!c.has(i))
    return true;
  std::optional<Shape> both = broadcastShapes(c.in[i].shape(), shape);
  if (!both || *both != shape)
    return c.fail("operand " + std::to_string(i) + " does not broadcast to the first");
  out = castTo(c, c.in[i], DType::F64);
  if (out)
    out = moveStrided(c, *out, shape, broadcastStrides(c.in[i].shape(), shape));
  return bool(out);
}

bool layerNorm(Call &c) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  int64_t axis = attrOr(c.op, "axis", -1);
  double epsilon = c.floatAttr("epsilon", 1e-5);
  std::optional<Tensor> scale, bias;
  if (!c.wrap(axis, x.rank()) || !affine(c, 1, x.shape(), scale) || !affine(c, 2, x.shape(), bias))
    return false;
  Shape reduced = x.shape();
  std::fill(reduced.begin() + axis, reduced.end(), 1);
  Tensor *y = c.result(0, x.dtype(), x.shape());
  if (!y || !c.charge(3 * x.size()))
    return false;
  Tensor out = *y;
  std::array<Tensor *, 2> extra{};
  for (size_t i = 1; i < c.out.size() && i < 3; ++i)
    if (!c.result(i, DType::F32, reduced))
      return false;
  for (size_t i = 1; i < c.out.size() && i < 3; ++i)
    extra[i - 1] = &c.out[i];
  size_t row = 0;
  return visitFloat(x.dtype(),
                    [&]<class T>(T) {
                      return lines(c, axis, true, [&](size_t start, size_t, size_t n) {
                        const T *from = x.data<T>() + start;
                        double mean = 0, variance = 0;
                        for (size_t i = 0; i < n; ++i)
                          mean += double(from[i]) / double(n);
                        for (size_t i = 0; i < n; ++i)
                          variance += (double(from[i]) - mean) * (double(from[i]) - mean) / double(n);
                        double inverse = 1 / std::sqrt(variance + epsilon);
                        for (size_t i = 0; i < n; ++i) {
                          double v = (double(from[i]) - mean) * inverse;
                          out.mutableData<T>()[start + i] =
                              storeElement<T>(v * (scale ? scale->data<double>()[start + i] : 1) +
                                              (bias ? bias->data<double>()[start + i] : 0));
                        }
                        if (extra[0])
                          extra[0]->mutableData<float>()[row] = float(mean);
                        if (extra[1])
                          extra[1]->mutableData<float>()[row] = float(inverse);
                        ++row;
                      });
                    }) ||
         c.fail("no floats");
}

/// One number of operand `i` per channel.
bool perChannel(Call &c, size_t i, std::vector<double> &out) {
  size_t channels = c.in[0].rank() > 1 ? size_t(c.in[0].dim(1)) : 1;
  if (!isFloat(c.in[i].dtype()) || c.in[i].rank() != 1 || c.in[i].size() != channels)
    return c.fail("operand " + std::to_string(i) + " is not a list of one float per channel");
  for (size_t j = 0; j < channels; ++j)
    out.push_back(c.in[i].floatAt(j));
  return true;
}

/// One number of operand `i` per feature: per channel and place.
bool perFeature(Call &c, size_t i, std::vector<double> &out) {
  const size_t images = size_t(c.in[0].dim(0)), features = images ? c.in[0].size() / images : 0;
  if (!isFloat(c.in[i].dtype()) || (images && c.in[i].size() != features))
    return c.fail("operand " + std::to_string(i) + " is not one float per feature");
  for (size_t j = 0; j < features; ++j)
    out.push_back(c.in[i].floatAt(j));
  return true;
}

bool batchNorm(Call &c) {
  if (!c.need(5))
    return false;
  if (attrOr(c.op, "training_mode", 0))
    return batchNormTraining(c);
  const bool declared = c.op.kind() != kOpaqueKind; // else of several results: before version 14 that is training
  bool statistics = false;
  for (unsigned i = 1; i < c.op.resultCount(); ++i)
    statistics |= c.op.result(i).hasUses() || c.op.fn->valueName(c.op.result(i).id);
  if (statistics && !declared)
    return c.fail("before operator set 14 only inference is evaluated");
  const Tensor &x = c.in[0];
  // Before version 9, with `spatial = 0`, each feature has numbers of its own, whatever its place in the image.
  const bool byFeature = attrOr(c.op, "spatial", 1) == 0 && x.rank() > 2;
  std::array<std::vector<double>, 4> p;
  for (size_t i = 0; i < 4; ++i)
    if (!(byFeature ? perFeature(c, i + 1, p[i]) : perChannel(c, i + 1, p[i])))
      return false;
  double epsilon = c.floatAttr("epsilon", 1e-5);
  Tensor *y = c.result(0, x.dtype(), x.shape());
  if (!y)
    return false;
  if (declared && c.op.resultCount() == 3) { // they run on without this batch
    c.out.resize(3);
    c.out[1] = c.in[3];
    c.out[2] = c.in[4];
    y = &c.out[0];
  }
  size_t inner = x.rank() > 2 && !byFeature ? size_t(stridesOf(x.shape())[1]) : 1;
  return visitFloat(x.dtype(),
                    [&]<class T>(T) {
                      for (size_t i = 0; i < x.size(); ++i) {
                        size_t ch = i / inner % p[0].size();
                        y->mutableData<T>()[i] = storeElement<T>(
                            (double(x.data<T>()[i]) - p[2][ch]) / std::sqrt(p[3][ch] + epsilon) * p[0][ch] + p[1][ch]);
                      }
                      return true;
                    }) ||
         c.fail("no floats");
}

bool instanceNorm(Call &c) {
  std::vector<double> scale, bias;
  if (!c.need(3) || (c.in[0].rank() < 3 && !c.fail("of rank below 3")) || !perChannel(c, 1, scale) ||
      !perChannel(c, 2, bias))
    return false;
  const Tensor &x = c.in[0];
  double epsilon = c.floatAttr("epsilon", 1e-5);
  Tensor *y = c.result(0, x.dtype(), x.shape());
  if (!y || !c.charge(3 * x.size()))
    return false;
  return visitFloat(x.dtype(),
                    [&]<class T>(T) {
                      size_t row = 0;
                      return lines(c, 2, true, [&](size_t start, size_t, size_t n) {
                        const T *from = x.data<T>() + start;
                        double mean = 0, variance = 0;
                        for (size_t i = 0; i < n; ++i)
                          mean += double(from[i]) / double(n);
                        for (size_t i = 0; i < n; ++i)
                          variance += (double(from[i]) - mean) * (double(from[i]) - mean) / double(n);
                        size_t ch = row++ % scale.size();
                        for (size_t i = 0; i < n; ++i)
                          y->mutableData<T>()[start + i] = storeElement<T>(
                              (double(from[i]) - mean) / std::sqrt(variance + epsilon) * scale[ch] + bias[ch]);
                      });
                    }) ||
         c.fail("no floats");
}

} // namespace

void addNormKernels(KernelTable &t) {
  t.add("tensor.softmax", [](Call &c) { return softmax(c, Kind::Soft); });
  t.add("onnx.Softmax", [](Call &c) { return softmax(c, Kind::Soft); });
  t.add("onnx.LogSoftmax", [](Call &c) { return softmax(c, Kind::LogSoft); });
  t.add("onnx.Hardmax", [](Call &c) { return softmax(c, Kind::Hard); });
  t.add("onnx.LayerNormalization", layerNorm);
  t.add("onnx.BatchNormalization", batchNorm);
  t.add("onnx.InstanceNormalization", instanceNorm);
}

} // namespace rw
