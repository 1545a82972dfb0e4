// ConvTranspose: every element of the operand spreads over a window of the result.
#include "rw/interp/element.h"
#include "rw/interp/kernels/window.h"

#include <algorithm>

namespace rw {
namespace {

struct Spread {
  Shape input, kernel, strides, dilations, low, output;
  bool read(Call &c, const Tensor &x, const Tensor &weights);
};

bool Spread::read(Call &c, const Tensor &x, const Tensor &weights) {
  size_t n = x.rank() - 2;
  input.assign(x.shape().begin() + 2, x.shape().end());
  kernel.assign(weights.shape().begin() + 2, weights.shape().end());
  strides = c.intsAttr("strides").value_or(Shape(n, 1));
  dilations = c.intsAttr("dilations").value_or(Shape(n, 1));
  Shape pads = c.intsAttr("pads").value_or(Shape(2 * n, 0)), extra = c.intsAttr("output_padding").value_or(Shape(n, 0));
  Shape stated = c.intsAttr("output_shape").value_or(Shape());
  if (stated.size() == n + 2)
    stated.erase(stated.begin(), stated.begin() + 2);
  if (strides.size() != n || dilations.size() != n || pads.size() != 2 * n || extra.size() != n ||
      (!stated.empty() && stated.size() != n) || c.intsAttr("kernel_shape").value_or(kernel) != kernel)
    return c.fail("kernel_shape, strides, dilations, pads or output_shape do not fit the rank");
  std::string_view automatic = attrOr(c.op, "auto_pad", "NOTSET");
  constexpr int64_t kMost = int64_t(1) << 30;
  for (size_t d = 0; d < n; ++d) {
    for (int64_t v : {input[d], kernel[d], strides[d], dilations[d], pads[d], pads[n + d], extra[d]})
      if (v < 0 || v > kMost)
        return c.fail("a window out of range");
    if (strides[d] < 1 || dilations[d] < 1 || kernel[d] < 1)
      return c.fail("a window out of range");
    int64_t full = (input[d] - 1) * strides[d] + (kernel[d] - 1) * dilations[d] + 1 + extra[d];
    bool same = automatic.starts_with("SAME");
    if (!stated.empty() || same) {
      output.push_back(!stated.empty() ? stated[d] : input[d] * strides[d]);
      int64_t total = std::max<int64_t>(full - output[d], 0);
      low.push_back(automatic == "SAME_UPPER" ? total / 2 : total - total / 2);
    } else {
      low.push_back(automatic == "VALID" ? 0 : pads[d]);
      output.push_back(full - (automatic == "VALID" ? 0 : pads[d] + pads[n + d]));
    }
    if (output[d] < 1 || output[d] > kMost)
      return c.fail("a result of no size that can be");
  }
  return true;
}

/// Adds one input channel to one output channel.
template <class T, class S> void spread(const Spread &w, const T *x, const T *kernel, S *sums) {
  Shape index(w.input.size(), 0);
  size_t from = 0;
  do {
    S value = S(x[from++]);
    Shape k(w.kernel.size(), 0);
    size_t place = 0;
    do {
      int64_t at = 0;
      bool inside = true;
      for (size_t d = 0; d < index.size() && inside; ++d) {
        int64_t i = index[d] * w.strides[d] + k[d] * w.dilations[d] - w.low[d];
        inside = i >= 0 && i < w.output[d];
        at = at * w.output[d] + i;
      }
      if (inside)
        sums[at] += value * S(kernel[place]);
      ++place;
    } while (nextIndex(k, w.kernel));
  } while (nextIndex(index, w.input));
}

bool convTranspose(Call &c) {
  if (!c.need(2))
    return false;
  const Tensor &x = c.in[0], &weights = c.in[1];
  if (x.rank() < 3 || weights.rank() != x.rank() || weights.dtype() != x.dtype())
    return c.fail("weights that do not fit");
  Spread w;
  if (!w.read(c, x, weights))
    return false;
  int64_t group = attrOr(c.op, "group", 1), channels = x.dim(1), perGroup = weights.dim(1);
  if (group < 1 || channels % group || weights.dim(0) != channels || perGroup > (int64_t(1) << 30) / group)
    return c.fail("group does not fit the weights");
  int64_t filters = perGroup * group;
  if (c.has(2) && (c.in[2].shape() != Shape{filters} || c.in[2].dtype() != x.dtype()))
    return c.fail("a bias that does not fit");
  Shape shape = {x.dim(0), filters};
  shape.insert(shape.end(), w.output.begin(), w.output.end());
  Tensor *y = c.result(0, x.dtype(), shape);
  size_t image = *elementsIn(w.input), kernel = *elementsIn(w.kernel);
  if (!y || !c.charge(uint64_t(std::min(1e18, double(x.size()) * double(perGroup) * double(kernel)))))
    return false;
  return visitReal(x.dtype(),
                   [&]<class T>(T) {
                     std::vector<Sum<T>> sums(*elementsIn(w.output));
                     T *to = y->mutableData<T>();
                     for (int64_t b = 0; b < x.dim(0); ++b)
                       for (int64_t f = 0; f < filters; ++f) {
                         std::ranges::fill(sums, c.has(2) ? Sum<T>(c.in[2].data<T>()[f]) : Sum<T>(0));
                         int64_t g = f / perGroup, first = g * (channels / group);
                         for (int64_t i = first; image && !sums.empty() && i < first + channels / group; ++i)
                           spread(w, x.data<T>() + size_t(b * channels + i) * image,
                                  weights.data<T>() + size_t(i * perGroup + f % perGroup) * kernel, sums.data());
                         for (Sum<T> s : sums)
                           *to++ = storeElement<T>(s);
                       }
                     return true;
                   }) ||
         c.fail("not defined on " + std::string(dtypeName(x.dtype())));
}

} // namespace

void addConvTransposeKernels(KernelTable &t) { t.add("onnx.ConvTranspose", convTranspose); }

} // namespace rw
