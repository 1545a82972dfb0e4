// Ops that read images between their points: GridSample and RoiAlign; and MaxUnpool, which puts points back.
#include "rw/interp/element.h"
#include "rw/interp/kernels/window.h"

#include <algorithm>

namespace rw {
namespace {

/// How GridSample reads: along each dimension some neighbours, each with a weight.
struct Sampler {
  enum class Mode { Nearest, Linear, Cubic } mode = Mode::Linear;
  enum class Outside { Zero, Border, Reflect } outside = Outside::Zero;
  bool aligned = false; // -1 and 1 are the outermost points, not the outer edges of these

  struct Tap {
    int64_t at; // negative: reads a 0
    double weight;
  };
  using Taps = std::vector<Tap>;

  bool read(Call &c) {
    std::string_view m = attrOr(c.op, "mode", "linear"), p = attrOr(c.op, "padding_mode", "zeros");
    mode = m == "nearest" ? Mode::Nearest : m == "cubic" || m == "bicubic" ? Mode::Cubic : Mode::Linear;
    outside = p == "border" ? Outside::Border : p == "reflection" ? Outside::Reflect : Outside::Zero;
    aligned = attrOr(c.op, "align_corners", 0) != 0;
    return (mode != Mode::Linear || m == "linear" || m == "bilinear" || c.fail("no such mode")) &&
           (outside != Outside::Zero || p == "zeros" || c.fail("no such padding_mode"));
  }
  /// `v` thrown back at both ends until it lies between them.
  double reflected(double v, int64_t n) const {
    double low = aligned ? 0 : -0.5, high = aligned ? double(n - 1) : double(n) - 0.5, range = high - low;
    if (!(range > 0))
      return 0;
    double beyond = v < low ? low - v : v > high ? v - high : 0;
    if (beyond == 0)
      return v;
    bool even = std::fmod(std::trunc(beyond / range), 2) == 0;
    double rest = std::fmod(beyond, range);
    return (v < low) == even ? low + rest : high - rest;
  }
  int64_t point(double v, int64_t n) const {
    if (outside == Outside::Border)
      return int64_t(std::clamp(v, 0.0, double(n - 1)));
    if (outside == Outside::Reflect)
      return int64_t(std::clamp(reflected(v, n), 0.0, double(n - 1)));
    return v >= 0 && v <= double(n - 1) ? int64_t(v) : -1;
  }
  /// What is read for the coordinate `g`, from -1 to 1, of a dimension of `n` points.
  void taps(double g, int64_t n, Taps &out) const {
    double v = aligned ? (g + 1) / 2 * double(n - 1) : ((g + 1) * double(n) - 1) / 2;
    if (mode == Mode::Nearest)
      v = std::nearbyint(v);
    double low = aligned ? 0 : -0.5, high = aligned ? double(n - 1) : double(n) - 0.5;
    if (v < low || v > high) {
      if (outside == Outside::Border)
        v = std::clamp(v, 0.0, double(n - 1));
      else if (outside == Outside::Reflect)
        v = reflected(v, n);
    }
    out.clear();
    if (!(std::abs(v) < 1e15))
      return;
    double from = std::floor(v), rest = v - from;
    if (mode == Mode::Nearest) {
      out.push_back({point(v, n), 1});
    } else if (mode == Mode::Linear) {
      out.push_back({point(from, n), 1 - rest});
      out.push_back({point(from + 1, n), rest});
    } else {
      constexpr double a = -0.75; // the coefficient that the op has
      auto inner = [](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
      auto outer = [](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
      double weights[4] = {outer(rest + 1), inner(rest), inner(1 - rest), outer(2 - rest)};
      for (int i = 0; i < 4; ++i)
        out.push_back({point(from + i - 1, n), weights[i]});
    }
  }
};

/// The sum over all combinations of one tap per dimension.
template <class T>
double weighted(const T *image, const Shape &sizes, std::span<const Sampler::Taps> taps, size_t d, int64_t at) {
  if (d == sizes.size())
    return double(image[at]);
  double sum = 0;
  for (const Sampler::Tap &t : taps[d])
    if (t.at >= 0)
      sum += t.weight * weighted(image, sizes, taps, d + 1, at * sizes[d] + t.at);
  return sum;
}

bool gridSample(Call &c) {
  Sampler s;
  if (!c.need(2) || !s.read(c))
    return false;
  const Tensor &x = c.in[0], &grid = c.in[1];
  if (x.rank() < 3 || grid.rank() != x.rank() || grid.dim(0) != x.dim(0) || !isFloat(grid.dtype()) ||
      grid.shape().back() != int64_t(x.rank()) - 2)
    return c.fail("the grid does not fit the operand");
  size_t n = x.rank() - 2;
  Shape sizes(x.shape().begin() + 2, x.shape().end()), places(grid.shape().begin() + 1, grid.shape().end() - 1);
  Shape shape = {x.dim(0), x.dim(1)};
  shape.insert(shape.end(), places.begin(), places.end());
  Tensor *y = c.result(0, x.dtype(), shape);
  if (!y || !c.charge(y->size() * (uint64_t(1) << (2 * std::min<size_t>(n, 8)))))
    return false;
  if (y->size() == 0 || x.size() == 0)
    return y->size() == 0 || c.fail("of no point");
  size_t spots = *elementsIn(places), image = *elementsIn(sizes), channels = size_t(x.dim(1));
  std::vector<Sampler::Taps> taps(n);
  return visitReal(x.dtype(),
                   [&]<class T>(T) {
                     for (size_t b = 0; b < size_t(x.dim(0)); ++b)
                       for (size_t spot = 0; spot < spots; ++spot) {
                         for (size_t d = 0; d < n; ++d) // the grid names the last dimension first
                           s.taps(grid.floatAt((b * spots + spot) * n + (n - 1 - d)), sizes[d], taps[d]);
                         for (size_t ch = 0; ch < channels; ++ch)
                           y->mutableData<T>()[(b * channels + ch) * spots + spot] = convertElement<T>(
                               weighted(x.data<T>() + (b * channels + ch) * image, sizes, taps, 0, 0));
                       }
                     return true;
                   }) ||
         c.fail("not defined on " + std::string(dtypeName(x.dtype())));
}

/// The value at (v, h) between four points; 0 far outside.
template <class T> double between(const T *image, int64_t rows, int64_t columns, double v, double h) {
  if (!(v >= -1 && v <= double(rows) && h >= -1 && h <= double(columns)))
    return 0;
  v = std::max(v, 0.0), h = std::max(h, 0.0);
  int64_t top = std::min(int64_t(v), rows - 1), left = std::min(int64_t(h), columns - 1);
  int64_t bottom = std::min(top + 1, rows - 1), right = std::min(left + 1, columns - 1);
  double dv = top == bottom ? 0 : v - double(top), dh = left == right ? 0 : h - double(left);
  auto at = [&](int64_t r, int64_t k) { return double(image[r * columns + k]); };
  return (1 - dv) * ((1 - dh) * at(top, left) + dh * at(top, right)) +
         dv * ((1 - dh) * at(bottom, left) + dh * at(bottom, right));
}

/// One region along one dimension: where it begins, how large a bin is, how many samples a bin has.
struct Span {
  double from, bin;
  int64_t samples;
  double sample(int64_t at, int64_t i) const { return from + (double(at) + (double(i) + 0.5) / double(samples)) * bin; }
};

bool roiAlign(Call &c) {
  if (!c.need(3))
    return false;
  const Tensor &x = c.in[0], &rois = c.in[1], &batch = c.in[2];
  int64_t height = attrOr(c.op, "output_height", 1), width = attrOr(c.op, "output_width", 1),
          ratio = attrOr(c.op, "sampling_ratio", 0);
  if (x.rank() != 4 || rois.rank() != 2 || rois.dim(1) != 4 || batch.size() != size_t(rois.dim(0)) || height < 1 ||
      width < 1 || !isInteger(batch.dtype()) || !isFloat(rois.dtype()) || x.size() == 0)
    return c.fail("operands that do not fit");
  if (attrOr(c.op, "mode", "avg") != "avg")
    return c.fail("only averages are evaluated: engines do not agree on the greatest");
  double scale = c.floatAttr("spatial_scale", 1);
  bool half = c.version() >= 16 && attrOr(c.op, "coordinate_transformation_mode", "half_pixel") == "half_pixel";
  Tensor *y = c.result(0, x.dtype(), {rois.dim(0), x.dim(1), height, width});
  if (!y)
    return false;
  auto span = [&](double from, double to, int64_t bins) {
    double begin = from * scale - (half ? 0.5 : 0), size = to * scale - (half ? 0.5 : 0) - begin;
    if (!half)
      size = std::max(size, 1.0);
    double bin = size / double(bins);
    return Span{begin, bin, ratio > 0 ? ratio : int64_t(std::clamp(std::ceil(bin), 0.0, 1e6))};
  };
  return visitFloat(x.dtype(),
                    [&]<class T>(T) {
                      T *to = y->mutableData<T>();
                      for (size_t r = 0; r < size_t(rois.dim(0)); ++r) {
                        int64_t image = batch.intAt(r);
                        if (image < 0 || image >= x.dim(0))
                          return c.fail("a region of an image that is not there");
                        Span across = span(rois.floatAt(4 * r), rois.floatAt(4 * r + 2), width),
                             down = span(rois.floatAt(4 * r + 1), rois.floatAt(4 * r + 3), height);
                        if (!c.charge(uint64_t(std::min(1e18, double(down.samples) * double(across.samples) *
                                                                  double(height * width * x.dim(1))))))
                          return false;
                        for (int64_t ch = 0; ch < x.dim(1); ++ch)
                          for (int64_t place = 0; place < height * width; ++place) {
                            double sum = 0;
                            for (int64_t i = 0; i < down.samples; ++i)
                              for (int64_t j = 0; j < across.samples; ++j)
                                sum += between(x.data<T>() + size_t((image * x.dim(1) + ch) * x.dim(2) * x.dim(3)),
                                               x.dim(2), x.dim(3), down.sample(place / width, i),
                                               across.sample(place % width, j));
                            *to++ = storeElement<T>(sum / double(std::max<int64_t>(down.samples * across.samples, 1)));
                          }
                      }
                      return true;
                    }) ||
         c.fail("no floats");
}

bool maxUnpool(Call &c) {
  if (!c.need(2))
    return false;
  const Tensor &x = c.in[0], &places = c.in[1];
  std::optional<std::vector<int64_t>> kernel = c.intsAttr("kernel_shape");
  size_t n = x.rank() < 3 ? 0 : x.rank() - 2;
  std::vector<int64_t> strides = c.intsAttr("strides").value_or(Shape(n, 1)),
                       pads = c.intsAttr("pads").value_or(Shape(2 * n, 0));
  if (n == 0 || !kernel || kernel->size() != n || strides.size() != n || pads.size() != 2 * n ||
      places.shape() != x.shape() || !isInteger(places.dtype()))
    return c.fail("operands or attributes that do not fit");
  Shape named = {x.dim(0), x.dim(1)}; // what the places count in
  for (size_t d = 0; d < n; ++d)
    named.push_back((x.dim(2 + d) - 1) * strides[d] + (*kernel)[d] - pads[d] - pads[n + d]);
  Shape shape = c.has(2) ? c.in[2].ints() : named;
  if (shape.size() != named.size() || !elementsIn(named))
    return c.fail("output_shape does not fit");
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] < named[d])
      return c.fail("output_shape is too small");
  size_t count = elementsIn(shape).value_or(SIZE_MAX), most = *elementsIn(named);
  if (!c.holdsPlaces(count) || !c.charge(count))
    return c.fail("the result is too large");
  Shape own = stridesOf(shape), counted = stridesOf(named);
  std::vector<int64_t> sources(count, -1);
  for (size_t i = 0; i < places.size(); ++i) {
    int64_t place = places.intAt(i), to = 0;
    if (place < 0 || size_t(place) >= most)
      return c.fail("a place outside the result");
    for (size_t d = 0; d < shape.size(); ++d)
      to += place / counted[d] % named[d] * own[d];
    sources[size_t(to)] = int64_t(i);
  }
  std::optional<Tensor> y = moveIndexed(c, x, shape, sources);
  if (y)
    c.out[0] = std::move(*y);
  return bool(y);
}

} // namespace

void addSampleKernels(KernelTable &t) {
  t.add("onnx.GridSample", gridSample);
  t.add("onnx.RoiAlign", roiAlign);
  t.add("onnx.MaxUnpool", maxUnpool);
}

} // namespace rw
