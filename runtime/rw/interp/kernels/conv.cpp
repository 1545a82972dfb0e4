// Convolutions, and the windows that they and the pools slide.
#include "rw/interp/element.h"
#include "rw/interp/kernels/window.h"

#include <algorithm>

namespace rw {

bool nextIndex(Shape &index, const Shape &shape) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (++index[d] < shape[d])
      return true;
    index[d] = 0;
  }
  return false;
}

bool Window::read(Call &c, const Shape &inputShape, Shape kernelShape, bool isPadded) {
  if (inputShape.size() < 3)
    return c.fail("an operand of rank below 3");
  size_t n = inputShape.size() - 2;
  input.assign(inputShape.begin() + 2, inputShape.end());
  kernel = c.intsAttr("kernel_shape").value_or(kernelShape);
  strides = c.intsAttr("strides").value_or(Shape(n, 1));
  dilations = c.intsAttr("dilations").value_or(Shape(n, 1));
  Shape pads(2 * n, 0);
  if (!isPadded)
    pads = c.intsAttr("pads").value_or(pads);
  if (kernel.size() != n || strides.size() != n || dilations.size() != n || pads.size() != 2 * n)
    return c.fail("kernel_shape, strides, dilations or pads do not fit the rank");
  std::string_view automatic = attrOr(c.op, "auto_pad", "NOTSET");
  bool ceil = attrOr(c.op, "ceil_mode", 0) != 0;
  constexpr int64_t kMost = int64_t(1) << 30;
  for (size_t d = 0; d < n; ++d) {
    if (kernel[d] < 1 || strides[d] < 1 || dilations[d] < 1 || pads[d] < 0 || pads[n + d] < 0 || kernel[d] > kMost ||
        strides[d] > kMost || dilations[d] > kMost || pads[d] > kMost || pads[n + d] > kMost || input[d] > kMost)
      return c.fail("a window out of range");
    int64_t reach = (kernel[d] - 1) * dilations[d] + 1;
    if (automatic.starts_with("SAME")) {
      int64_t size = (input[d] + strides[d] - 1) / strides[d];
      int64_t total = std::max<int64_t>((size - 1) * strides[d] + reach - input[d], 0);
      low.push_back(automatic == "SAME_UPPER" ? total / 2 : total - total / 2);
      high.push_back(total - low.back());
      output.push_back(size);
      if (size == 0)
        return c.fail("an image without any place");
      continue;
    }
    low.push_back(automatic == "VALID" ? 0 : pads[d]);
    high.push_back(automatic == "VALID" ? 0 : pads[n + d]);
    int64_t room = input[d] + low[d] + high[d] - reach;
    room += ceil ? strides[d] - 1 : 0;
    int64_t size = room < 0 ? 0 : room / strides[d] + 1;
    if (ceil && size > 0 && (size - 1) * strides[d] >= input[d] + low[d])
      --size; // a window must begin inside
    if (size == 0)
      return c.fail("a window of " + std::to_string(reach) + " on " + std::to_string(input[d] + low[d] + high[d]) +
                    " places, padding included");
    output.push_back(size);
  }
  return true;
}

namespace {

/// One output channel: sums over input channels and kernel places, row by row of the output. What lies outside the
/// image counts as zeros: of weights that are numbers it adds nothing.
template <class T, class S> void convolve(const Window &w, const T *x, const T *weights, size_t channels, S *sums) {
  size_t n = w.kernel.size(), imageSize = 1, kernelSize = 1;
  for (size_t d = 0; d < n; ++d) {
    imageSize *= size_t(w.input[d]);
    kernelSize *= size_t(w.kernel[d]);
  }
  int64_t width = w.output[n - 1], step = w.strides[n - 1];
  Shape outer(w.output.begin(), w.output.end() - 1);
  for (size_t channel = 0; channel < channels; ++channel) {
    const T *image = x + channel * imageSize, *kernel = weights + channel * kernelSize;
    Shape k(n, 0);
    size_t place = 0;
    do {
      S weight = S(kernel[place++]);
      const S beside = weight * S(0);
      const bool besideCounts = !(beside == S(0));
      int64_t shift = k[n - 1] * w.dilations[n - 1] - w.low[n - 1];
      int64_t first = shift < 0 ? (-shift + step - 1) / step : 0;
      int64_t last = std::min(width, w.input[n - 1] > shift ? (w.input[n - 1] - 1 - shift) / step + 1 : 0);
      Shape index(n - 1, 0);
      size_t row = 0;
      do {
        int64_t at = 0;
        bool inside = true;
        for (size_t d = 0; d + 1 < n && inside; ++d) {
          int64_t i = index[d] * w.strides[d] - w.low[d] + k[d] * w.dilations[d];
          inside = i >= 0 && i < w.input[d];
          at = at * w.input[d] + i;
        }
        S *to = sums + row * size_t(width);
        for (int64_t i = first; inside && i < last; ++i)
          to[i] += weight * S(image[at * w.input[n - 1] + shift + i * step]);
        for (int64_t i = 0; besideCounts && i < width; ++i)
          if (!inside || i < first || i >= last)
            to[i] += beside;
        ++row;
      } while (nextIndex(index, outer));
    } while (nextIndex(k, w.kernel));
  }
}

/// The image with its pads and zeros between its elements, where a window cannot do that; false if it was not possible.
bool spread(Call &c, Tensor &x, bool &isPadded) {
  size_t n = x.rank() < 3 ? 0 : x.rank() - 2;
  Shape pads = c.intsAttr("pads").value_or(Shape(2 * n, 0));
  Shape dilations = c.intsAttr("input_dilations").value_or(Shape(n, 1));
  isPadded = std::ranges::any_of(pads, [](int64_t p) { return p < 0; }) ||
             std::ranges::any_of(dilations, [](int64_t d) { return d != 1; });
  if (!isPadded)
    return true;
  if (pads.size() != 2 * n || dilations.size() != n || std::ranges::any_of(dilations, [](int64_t d) { return d < 1; }))
    return c.fail("pads or input_dilations do not fit");
  Shape low(2, 0), high(2, 0), between(2, 0);
  for (size_t d = 0; d < n; ++d) {
    low.push_back(pads[d]);
    high.push_back(pads[n + d]);
    between.push_back(dilations[d] - 1);
  }
  std::optional<Tensor> wide = padded(c, x, low, high, between);
  if (wide)
    x = std::move(*wide);
  return bool(wide);
}

bool conv(Call &c, bool spreads) {
  if (!c.need(2))
    return false;
  Tensor x = c.in[0];
  const Tensor &weights = c.in[1];
  Window w;
  if (weights.rank() != x.rank() || weights.dtype() != x.dtype())
    return c.fail("weights that do not fit");
  bool isPadded = false;
  if (spreads && !spread(c, x, isPadded))
    return false;
  if (x.rank() < 3 || !w.read(c, x.shape(), Shape(weights.shape().begin() + 2, weights.shape().end()), isPadded))
    return c.fail("an operand of rank below 3");
  int64_t group = attrOr(c.op, "groups", attrOr(c.op, "group", 1)), filters = weights.dim(0), perGroup = weights.dim(1);
  if (group < 1 || x.dim(1) % group || x.dim(1) / group != perGroup || filters % group ||
      !std::equal(w.kernel.begin(), w.kernel.end(), weights.shape().begin() + 2))
    return c.fail("group or kernel_shape do not fit the weights");
  if (c.has(2) && (c.in[2].shape() != Shape{filters} || c.in[2].dtype() != x.dtype()))
    return c.fail("a bias that does not fit");
  Shape shape = {x.dim(0), filters};
  shape.insert(shape.end(), w.output.begin(), w.output.end());
  Tensor *y = c.result(0, x.dtype(), shape);
  double perResult = double(perGroup);
  for (int64_t k : w.kernel)
    perResult *= double(k);
  if (!y || !c.charge(uint64_t(std::min(1e18, perResult * double(y->size()) + double(weights.size())))))
    return false;
  if (y->size() == 0)
    return true;
  size_t spatial = *elementsIn(w.output), image = *elementsIn(w.input), kernel = *elementsIn(w.kernel);
  return visitNumber(x.dtype(),
                     [&]<class T>(T) {
                       std::vector<Sum<T>> sums(spatial);
                       T *to = y->mutableData<T>();
                       for (int64_t b = 0; b < x.dim(0); ++b)
                         for (int64_t f = 0; f < filters; ++f) {
                           std::ranges::fill(sums, c.has(2) ? Sum<T>(c.in[2].data<T>()[f]) : Sum<T>(0));
                           int64_t g = f / (filters / group);
                           convolve(w, x.data<T>() + size_t(b * x.dim(1) + g * perGroup) * image,
                                    weights.data<T>() + size_t(f * perGroup) * kernel, size_t(perGroup), sums.data());
                           for (Sum<T> s : sums)
                             *to++ = storeElement<T>(s);
                         }
                       return true;
                     }) ||
         c.fail("not defined on " + std::string(dtypeName(x.dtype())));
}

} // namespace

void addConvKernels(KernelTable &t) {
  t.add("tensor.conv", [](Call &c) { return conv(c, true); });
  t.add("onnx.Conv", [](Call &c) { return conv(c, false); });
}

} // namespace rw
