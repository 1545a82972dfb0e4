// Signals: Fourier transforms of any length, as the sum that defines them, windows, and the mel scale.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>
#include <numbers>

namespace rw {
namespace {

using Number = std::complex<double>;

/// `bins` values of the transform of a signal; powers of the root of one come from a table, so that they are exact at
/// its quarters.
void transform(std::span<const Number> signal, std::span<Number> out, bool inverse) {
  size_t n = signal.size();
  std::vector<Number> roots(n);
  for (size_t i = 0; i < n; ++i)
    roots[i] = std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * double(i) / double(n));
  for (size_t k = 0; k < out.size(); ++k) {
    Number sum = 0;
    for (size_t i = 0; i < n; ++i)
      sum += signal[i] * roots[i * k % n];
    out[k] = inverse ? sum / double(n) : sum;
  }
}

/// Element `i` of pairs of real and imaginary parts, or of real numbers.
template <class T> Number numberAt(const T *data, size_t i, bool isPair) {
  return isPair ? Number(double(data[2 * i]), double(data[2 * i + 1])) : Number(double(data[i]), 0);
}

/// Whether the operands that are there, from `first` on, are single numbers.
bool areSingle(Call &c, size_t first) {
  for (size_t i = first; i < c.in.size(); ++i)
    if (c.has(i) && c.in[i].size() != 1)
      return c.fail("operand " + std::to_string(i) + " is not one number");
  return true;
}

bool lastIsNumber(Call &c, const Tensor &x) {
  return (x.rank() >= 2 && (x.shape().back() == 1 || x.shape().back() == 2)) ||
         c.fail("the last dimension is not 1 or 2");
}

bool dft(Call &c) {
  if (!c.need(1) || !lastIsNumber(c, c.in[0]) || !areSingle(c, 1))
    return false;
  const Tensor &x = c.in[0];
  // From operand set 20 on the axis is an operand.
  int64_t axis = c.version() < 20 ? attrOr(c.op, "axis", 1) : c.has(2) ? c.in[2].intAt(0) : -2;
  bool inverse = attrOr(c.op, "inverse", 0) != 0, half = attrOr(c.op, "onesided", 0) != 0;
  if (!c.wrap(axis, x.rank()) || ((axis == int64_t(x.rank()) - 1) && !c.fail("along the parts of numbers")))
    return false;
  if (inverse && half)
    return c.fail("an inverse of one side is not evaluated");
  int64_t length = c.has(1) ? c.in[1].intAt(0) : x.dim(size_t(axis));
  if (length < 1 || length > 1 << 20)
    return c.fail("dft_length is out of range");
  bool pairs = x.shape().back() == 2;
  Shape shape = x.shape(), own = stridesOf(x.shape());
  int64_t bins = half ? length / 2 + 1 : length, given = shape[size_t(axis)];
  shape[size_t(axis)] = bins;
  shape.back() = 2;
  Tensor *y = c.result(0, x.dtype(), shape);
  if (!y || !c.charge(uint64_t(double(y->size()) * double(length))))
    return false;
  size_t inner = size_t(own[size_t(axis)]) / (pairs ? 2 : 1),
         lines = x.size() ? x.size() / (pairs ? 2 : 1) / size_t(given) : 0;
  std::vector<Number> line(static_cast<size_t>(length)), out(static_cast<size_t>(bins));
  return visitFloat(x.dtype(),
                    [&]<class T>(T) {
                      for (size_t i = 0; i < lines; ++i) {
                        size_t from = i / inner * inner * size_t(given) + i % inner,
                               to = i / inner * inner * size_t(bins) + i % inner;
                        for (size_t k = 0; k < line.size(); ++k)
                          line[k] = k < size_t(given) ? numberAt(x.data<T>(), from + k * inner, pairs) : Number(0);
                        transform(line, out, inverse);
                        for (size_t k = 0; k < out.size(); ++k) {
                          y->mutableData<T>()[2 * (to + k * inner)] = storeElement<T>(out[k].real());
                          y->mutableData<T>()[2 * (to + k * inner) + 1] = storeElement<T>(out[k].imag());
                        }
                      }
                      return true;
                    }) ||
         c.fail("no floats");
}

bool stft(Call &c) {
  if (!c.need(2) || !areSingle(c, 3))
    return false;
  const Tensor &x = c.in[0];
  if (x.rank() != 3 || !lastIsNumber(c, x) || c.in[1].size() != 1 || (c.has(2) && c.in[2].rank() != 1) ||
      (!c.has(2) && !c.has(3)))
    return c.fail("operands that do not fit");
  int64_t step = c.in[1].intAt(0), length = c.has(3) ? c.in[3].intAt(0) : c.in[2].dim(0);
  if (step < 1 || length < 1 || length > x.dim(1) || (c.has(2) && c.in[2].dim(0) != length))
    return c.fail("frame_step, frame_length or the window do not fit the signal");
  bool pairs = x.dim(2) == 2, half = attrOr(c.op, "onesided", 1) != 0;
  if (pairs && half)
    return c.fail("one side of a complex signal is not the whole");
  int64_t frames = (x.dim(1) - length) / step + 1, bins = half ? length / 2 + 1 : length;
  Tensor *y = c.result(0, x.dtype(), {x.dim(0), frames, bins, 2});
  if (!y || !c.charge(uint64_t(double(y->size()) * double(length))))
    return false;
  std::vector<Number> frame(static_cast<size_t>(length)), out(static_cast<size_t>(bins));
  return visitFloat(x.dtype(),
                    [&]<class T>(T) {
                      T *to = y->mutableData<T>();
                      for (int64_t i = 0; i < x.dim(0) * frames; ++i) {
                        for (int64_t k = 0; k < length; ++k)
                          frame[size_t(k)] =
                              numberAt(x.data<T>(), size_t(i / frames * x.dim(1) + i % frames * step + k), pairs) *
                              (c.has(2) ? c.in[2].floatAt(size_t(k)) : 1.0);
                        transform(frame, out, false);
                        for (Number v : out) {
                          *to++ = storeElement<T>(v.real());
                          *to++ = storeElement<T>(v.imag());
                        }
                      }
                      return true;
                    }) ||
         c.fail("no floats");
}

/// a - b cos(t) + c cos(2 t), t running once around.
bool cosineWindow(Call &c, double a, double b, double twice) {
  if (!c.need(1) || ((c.in[0].size() != 1 || c.in[0].intAt(0) < 0) && !c.fail("the size is not one number")))
    return false;
  int64_t n = c.in[0].intAt(0);
  Tensor *y = c.result(0, c.dtypeAttr("output_datatype").value_or(DType::F32), {n});
  double round = attrOr(c.op, "periodic", 1) ? double(n) : double(n - 1);
  return y && (visitReal(y->dtype(),
                         [&]<class T>(T) {
                           for (int64_t i = 0; i < n; ++i) {
                             double t = 2 * std::numbers::pi * double(i) / round;
                             y->mutableData<T>()[i] = convertElement<T>(a - b * std::cos(t) + twice * std::cos(2 * t));
                           }
                           return true;
                         }) ||
               c.fail("not defined on this element type"));
}

/// Triangles between frequencies that stand at equal distances on the mel scale.
bool melWeights(Call &c) {
  if (!c.need(5) || !areSingle(c, 0))
    return false;
  int64_t count = c.in[0].intAt(0), length = c.in[1].intAt(0), rate = c.in[2].intAt(0);
  if (count < 1 || count > 1 << 20 || length < 1 || rate < 1)
    return c.fail("an operand is out of range");
  auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  double low = mel(c.in[3].floatAt(0)), step = (mel(c.in[4].floatAt(0)) - low) / double(count + 2);
  std::vector<int64_t> edges;
  int64_t bins = length / 2 + 1;
  for (int64_t i = 0; i < count + 2; ++i) {
    double hertz = 700 * (std::pow(10, (double(i) * step + low) / 2595) - 1),
           at = std::floor(double(length + 1) * hertz / double(rate));
    if (!(at >= 0 && at < double(bins)))
      return c.fail("a frequency outside the spectrum");
    edges.push_back(int64_t(at));
  }
  Tensor *y = c.result(0, c.dtypeAttr("output_datatype").value_or(DType::F32), {bins, count});
  return y && (visitReal(y->dtype(),
                         [&]<class T>(T) {
                           auto put = [&](int64_t bin, int64_t i, double v) {
                             y->mutableData<T>()[bin * count + i] = convertElement<T>(v);
                           };
                           for (int64_t i = 0; i < count; ++i) {
                             int64_t from = edges[size_t(i)], top = edges[size_t(i) + 1], to = edges[size_t(i) + 2];
                             if (from == top)
                               put(top, i, 1);
                             for (int64_t k = from; from < top && k <= top; ++k)
                               put(k, i, double(k - from) / double(top - from));
                             for (int64_t k = top; top < to && k < to; ++k)
                               put(k, i, double(to - k) / double(to - top));
                           }
                           return true;
                         }) ||
               c.fail("not defined on this element type"));
}

} // namespace

void addSignalKernels(KernelTable &t) {
  t.add("onnx.DFT", dft);
  t.add("onnx.STFT", stft);
  t.add("onnx.HannWindow", [](Call &c) { return cosineWindow(c, 0.5, 0.5, 0); });
  t.add("onnx.HammingWindow", [](Call &c) { return cosineWindow(c, 25.0 / 46, 21.0 / 46, 0); });
  t.add("onnx.BlackmanWindow", [](Call &c) { return cosineWindow(c, 0.42, 0.5, 0.08); });
  t.add("onnx.MelWeightMatrix", melWeights);
}

} // namespace rw
