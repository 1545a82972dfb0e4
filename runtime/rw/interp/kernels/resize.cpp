// Resize and Upsample: interpolation along one dimension after another.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>
#include <numeric>

namespace rw {
namespace {

/// What one place of the result takes from a line of the operand.
struct Tap {
  int64_t at;
  double weight;
};

/// How one dimension is resized.
struct Dimension {
  int64_t from = 0, to = 0;
  double scale = 1, start = 0, end = 1; // start, end: the part that tf_crop_and_resize cuts out
};

struct Method {
  std::string_view mode = "nearest", coordinates = "half_pixel", nearest = "round_prefer_floor";
  double cubic = -0.75, outside = 0;
  bool exclude = false, antialias = false;
  bool crops() const { return coordinates == "tf_crop_and_resize"; }

  double original(double i, const Dimension &d) const;
  /// Whether an image that becomes smaller is filtered, and how far the filter then reaches to either side.
  bool isStretched(const Dimension &d) const { return antialias && mode != "nearest" && d.scale < 1; }
  double reach(const Dimension &d) const { return (mode == "linear" ? 1 : 2) / d.scale; }
  double filter(double distance) const;
  int64_t nearestTo(double x) const;
  /// Empty: the place lies outside the operand and gets `outside`.
  std::vector<Tap> taps(int64_t i, const Dimension &d) const;
};

double Method::original(double i, const Dimension &d) const {
  if (coordinates == "asymmetric")
    return i / d.scale;
  if (coordinates == "align_corners") {
    double length = double(d.from) * d.scale; // not rounded, as ONNX's reference has it
    return length <= 1 ? 0 : i * double(d.from - 1) / (length - 1);
  }
  if (crops())
    return d.to > 1 ? d.start * double(d.from - 1) + i * (d.end - d.start) * double(d.from - 1) / double(d.to - 1)
                    : 0.5 * (d.start + d.end) * double(d.from - 1);
  if (coordinates == "tf_half_pixel_for_nn")
    return (i + 0.5) / d.scale;
  if (coordinates == "pytorch_half_pixel" && d.to <= 1)
    return 0;
  if (coordinates == "half_pixel_symmetric") { // what rounding of the size takes off, it takes off at both ends
    const double whole = double(d.from) * d.scale, adjusted = whole > 0 ? double(d.to) / whole : 1;
    return double(d.from) / 2 * (1 - adjusted) + (i + 0.5) / d.scale - 0.5;
  }
  return (i + 0.5) / d.scale - 0.5;
}

int64_t Method::nearestTo(double x) const {
  if (nearest == "floor")
    return int64_t(std::floor(x));
  if (nearest == "ceil")
    return int64_t(std::ceil(x));
  if (nearest == "round_prefer_ceil")
    return int64_t(std::floor(x + 0.5));
  return int64_t(std::ceil(x - 0.5));
}

/// The weight of a place so far away, linear or by Keys' cubic.
double Method::filter(double distance) const {
  const double t = std::fabs(distance), a = cubic;
  if (mode == "linear")
    return std::max(1 - t, 0.0);
  return t <= 1 ? ((a + 2) * t - (a + 3)) * t * t + 1 : t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

std::vector<Tap> Method::taps(int64_t i, const Dimension &d) const {
  if (d.from == d.to && d.scale == 1 && !crops())
    return {{i, 1}};
  double x = original(double(i), d);
  if (crops() && (x < 0 || x > double(d.from - 1)))
    return {};
  auto inside = [&](int64_t at) { return std::clamp<int64_t>(at, 0, d.from - 1); };
  if (mode == "nearest")
    return {{inside(nearestTo(x)), 1}};
  if (isStretched(d)) { // the filter of an enlargement, as much wider as the image becomes smaller
    std::vector<Tap> out;
    double sum = 0;
    const int64_t last = int64_t(std::floor(x + reach(d)));
    for (int64_t at = int64_t(std::ceil(x - reach(d))); at <= last; ++at) {
      if (exclude && at != inside(at))
        continue;
      out.push_back({inside(at), filter((double(at) - x) * d.scale)});
      sum += out.back().weight;
    }
    for (Tap &t : out)
      t.weight /= sum;
    return out;
  }
  double base = std::floor(x), f = x - base;
  int64_t first = int64_t(base);
  if (mode == "linear")
    return {{inside(first), 1 - f}, {inside(first + 1), f}};
  double a = cubic;
  std::array<double, 4> w = {((a * (f + 1) - 5 * a) * (f + 1) + 8 * a) * (f + 1) - 4 * a,
                             ((a + 2) * f - (a + 3)) * f * f + 1, ((a + 2) * (1 - f) - (a + 3)) * (1 - f) * (1 - f) + 1,
                             ((a * (2 - f) - 5 * a) * (2 - f) + 8 * a) * (2 - f) - 4 * a};
  std::vector<Tap> out;
  double sum = 0;
  for (int64_t k = 0; k < 4; ++k) {
    int64_t at = first - 1 + k;
    if (exclude && at != inside(at))
      continue;
    out.push_back({inside(at), w[size_t(k)]});
    sum += w[size_t(k)];
  }
  for (Tap &t : out)
    t.weight /= exclude ? sum : 1;
  return out;
}

/// Resizes dimension `axis` of x (f64); marks places that lie outside.
std::optional<Tensor> along(Call &c, const Tensor &x, size_t axis, const Dimension &d, const Method &m,
                            std::vector<bool> &outside) {
  Shape shape = x.shape();
  shape[axis] = d.to;
  std::optional<Tensor> y = c.make(DType::F64, shape);
  if (!y)
    return std::nullopt;
  // Of the whole image a filter reaches a few times as far at most; of a part with bounds far outside it has no end.
  if (m.isStretched(d) && m.reach(d) > 4.0 * double(d.from) + 4) {
    c.fail("a filter that is much larger than the image");
    return std::nullopt;
  }
  if (!c.charge((m.isStretched(d) ? 2 * size_t(m.reach(d)) + 2 : 4) * y->size()))
    return std::nullopt;
  size_t inner = 1, outer = 1;
  for (size_t k = 0; k < x.rank(); ++k)
    (k < axis ? outer : inner) *= k == axis ? 1 : size_t(x.dim(k));
  std::vector<bool> now(y->size());
  for (int64_t i = 0; i < d.to; ++i) {
    std::vector<Tap> taps = m.taps(i, d);
    for (size_t o = 0; o < outer; ++o)
      for (size_t k = 0; k < inner; ++k) {
        size_t at = (o * size_t(d.to) + size_t(i)) * inner + k;
        double sum = -0.0; // to which -0 can be added
        bool out = taps.empty();
        for (const Tap &t : taps) {
          size_t from = (o * size_t(d.from) + size_t(t.at)) * inner + k;
          sum += x.data<double>()[from] * t.weight;
          out = out || (!outside.empty() && outside[from]);
        }
        y->mutableData<double>()[at] = sum;
        now[at] = out;
      }
  }
  outside = std::move(now);
  return y;
}

/// Sizes, scales and the part cut out, from whichever operands this version of the op has.
bool readDimensions(Call &c, std::vector<Dimension> &dims, const Method &m) {
  const Tensor &x = c.in[0];
  bool upsample = c.op.fullName() == "onnx.Upsample", old = upsample || c.version() < 11;
  size_t scalesAt = old ? 1 : 2, rank = x.rank();
  auto stated = attrOr(c.op, "scales", std::span<const double>());
  std::vector<double> scales(stated.begin(), stated.end());
  if (c.has(scalesAt) && c.in[scalesAt].size())
    for (size_t i = 0; i < c.in[scalesAt].size(); ++i)
      scales.push_back(c.in[scalesAt].floatAt(i));
  std::optional<std::vector<int64_t>> sizes;
  if (!old && c.has(3) && c.in[3].size())
    sizes = c.in[3].ints();
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (std::optional<std::vector<int64_t>> some = c.intsAttr("axes"); some && !some->empty()) {
    if (!c.wrapAll(*some, rank))
      return false;
    axes = std::move(*some);
  }
  const size_t count = axes.size();
  if (sizes ? sizes->size() != count : scales.size() != count)
    return c.fail(count == rank ? "sizes or scales do not fit the rank" : "sizes or scales do not fit the axes");
  const bool cuts = m.crops() && c.has(1) && c.in[1].size() == 2 * count;
  if (m.crops() && !cuts)
    return c.fail(count == rank ? "roi does not fit the rank" : "roi does not fit the axes");
  // With a policy one factor holds for all axes: the least, or the greatest, that the sizes ask for.
  const std::string_view policy = attrOr(c.op, "keep_aspect_ratio_policy", "stretch");
  double factor = 0;
  if (sizes && policy != "stretch") {
    if (policy != "not_larger" && policy != "not_smaller")
      return c.fail("an unknown keep_aspect_ratio_policy");
    for (size_t k = 0; k < count; ++k) {
      const int64_t from = x.dim(size_t(axes[k]));
      if (from <= 0 || (*sizes)[k] < 0)
        return c.fail("a size that cannot be");
      const double own = double((*sizes)[k]) / double(from);
      factor = k == 0 ? own : policy == "not_larger" ? std::min(factor, own) : std::max(factor, own);
    }
    if (!(factor > 0 && factor < 1e6))
      return c.fail("a scale that is not positive, or too large");
    for (size_t k = 0; k < count; ++k)
      (*sizes)[k] = int64_t(std::floor(factor * double(x.dim(size_t(axes[k]))) + 0.5));
  }
  std::vector<std::optional<size_t>> given(rank); // what is said of each dimension
  for (size_t k = 0; k < count; ++k)
    given[size_t(axes[k])] = k;
  for (size_t i = 0; i < rank; ++i) {
    Dimension d;
    d.from = d.to = x.dim(i);
    if (!given[i]) { // stays as it is
      dims.push_back(d);
      continue;
    }
    const size_t k = *given[i];
    if (cuts)
      d.start = c.in[1].floatAt(k), d.end = c.in[1].floatAt(count + k);
    double length = cuts ? double(d.from) * (d.end - d.start) : double(d.from);
    if (!sizes && !(scales[k] > 0 && scales[k] < 1e6))
      return c.fail("a scale that is not positive, or too large");
    d.to = sizes ? (*sizes)[k] : int64_t(std::floor(length * scales[k]));
    d.scale = factor > 0 ? factor : sizes ? double(d.to) / double(d.from) : scales[k];
    if (d.to < 0 || (d.from == 0 && d.to != 0) || !(d.scale > 0 || d.to == 0))
      return c.fail("a size that cannot be");
    dims.push_back(d);
  }
  return true;
}

bool resize(Call &c) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  Method m;
  m.mode = attrOr(c.op, "mode", "nearest");
  bool plain = c.op.fullName() == "onnx.Upsample" || c.version() < 11;
  m.coordinates = plain ? "asymmetric" : attrOr(c.op, "coordinate_transformation_mode", "half_pixel");
  m.nearest = plain ? "floor" : attrOr(c.op, "nearest_mode", "round_prefer_floor");
  m.cubic = c.floatAttr("cubic_coeff_a", -0.75);
  m.outside = c.floatAttr("extrapolation_value", 0);
  m.exclude = attrOr(c.op, "exclude_outside", 0) != 0;
  if (m.mode != "nearest" && m.mode != "linear" && m.mode != "cubic")
    return c.fail("the mode " + std::string(m.mode) + " is not evaluated");
  m.antialias = attrOr(c.op, "antialias", 0) != 0;
  std::vector<Dimension> dims;
  if (!readDimensions(c, dims, m))
    return false;
  if (m.mode == "nearest" && !m.crops()) { // whatever the element type
    Shape shape;
    for (const Dimension &d : dims)
      shape.push_back(d.to);
    std::optional<size_t> n = c.elements(shape);
    if (!n || !c.charge(2 * *n) || !c.holdsPlaces(*n))
      return c.fail("a result that is too large");
    std::vector<std::vector<int64_t>> from(dims.size());
    for (size_t d = 0; d < dims.size() && *n; ++d) // each is no longer than the result
      for (int64_t i = 0; i < dims[d].to; ++i)
        from[d].push_back(m.taps(i, dims[d])[0].at);
    Shape strides = stridesOf(x.shape());
    std::vector<int64_t> sources(*n);
    for (size_t i = 0; i < *n; ++i) {
      size_t rest = i;
      for (size_t d = dims.size(); d-- > 0; rest /= size_t(shape[d]))
        sources[i] += from[d][rest % size_t(shape[d])] * strides[d];
    }
    std::optional<Tensor> y = moveIndexed(c, x, shape, sources);
    if (y)
      c.out[0] = std::move(*y);
    return bool(y);
  }
  std::optional<Tensor> y = castTo(c, x, DType::F64);
  std::vector<bool> outside;
  for (size_t d = 0; d < dims.size() && y; ++d)
    if (dims[d].from != dims[d].to || dims[d].scale != 1 || m.crops())
      y = along(c, *y, d, dims[d], m, outside);
  if (!y)
    return false;
  for (size_t i = 0; i < outside.size(); ++i)
    if (outside[i])
      y->mutableData<double>()[i] = m.outside;
  std::optional<Tensor> result = castTo(c, *y, x.dtype());
  if (result)
    c.out[0] = std::move(*result);
  return bool(result);
}

} // namespace

void addResizeKernels(KernelTable &t) {
  t.add("onnx.Resize", resize);
  t.add("onnx.Upsample", resize);
}

} // namespace rw
