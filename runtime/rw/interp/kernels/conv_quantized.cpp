// Convolutions of small integers: the operands without their zero points, convolved as numbers of 32 bits, and scaled
// again.
//
// Elsewhere: matrix products of them are quantize.cpp, the convolution itself conv.cpp.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>

namespace rw {
namespace {

/// x minus its zero point: one, or one per slice of the first dimension.
std::optional<Tensor> centered(Call &c, const Tensor &x, const Tensor &zero) {
  size_t slices = x.rank() ? size_t(x.dim(0)) : 1;
  if (!isInteger(x.dtype()) || (zero && zero.size() != 1 && zero.size() != slices)) {
    c.fail("operands or zero points that do not fit");
    return std::nullopt;
  }
  std::optional<Tensor> t = c.make(DType::I32, x.shape());
  size_t each = t && slices ? std::max<size_t>(x.size() / slices, 1) : 1;
  for (size_t i = 0; t && i < x.size(); ++i)
    t->mutableData<int32_t>()[i] = int32_t(x.intAt(i) - (zero ? zero.intAt(zero.size() == 1 ? 0 : i / each) : 0));
  return t;
}

/// The sums, and a bias added if there is one.
std::optional<Tensor> convolved(Call &c, const Tensor &x, const Tensor &xZero, const Tensor &w, const Tensor &wZero,
                                const Tensor &bias) {
  std::vector<Tensor> operands, sums(1);
  for (auto [t, zero] : {std::pair(&x, &xZero), std::pair(&w, &wZero)}) {
    std::optional<Tensor> plain = centered(c, *t, *zero);
    if (!plain)
      return std::nullopt;
    operands.push_back(std::move(*plain));
  }
  if (bias)
    operands.push_back(bias);
  Call inner(c.op, operands, sums, c.budget, c.version());
  if (kernels().find("onnx.Conv")(inner))
    return sums[0];
  c.fail(inner.reason);
  return std::nullopt;
}

bool convInteger(Call &c) {
  if (!c.need(2) || (c.has(2) && c.in[2].size() != 1 && !c.fail("the zero point of the image is not one number")))
    return false;
  std::optional<Tensor> y =
      convolved(c, c.in[0], c.has(2) ? c.in[2] : Tensor(), c.in[1], c.has(3) ? c.in[3] : Tensor(), {});
  if (y)
    c.out[0] = std::move(*y);
  return bool(y);
}

bool qLinearConv(Call &c) {
  if (!c.need(8))
    return false;
  for (size_t i : {1, 2, 6, 7})
    if (c.in[i].size() != 1)
      return c.fail("a scale or zero point is not one number");
  std::optional<Tensor> sums = convolved(c, c.in[0], c.in[2], c.in[3], c.in[5], c.has(8) ? c.in[8] : Tensor());
  if (!sums || (sums->rank() < 3 && !c.fail("of rank below 3")))
    return false;
  const Tensor &scale = c.in[4];
  size_t channels = size_t(sums->dim(1)), inner = size_t(stridesOf(sums->shape())[1]);
  if (scale.size() != 1 && scale.size() != channels)
    return c.fail("the scale of the weights does not fit");
  Tensor *y = c.result(0, c.in[7].dtype(), sums->shape());
  return y && (visitInt(y->dtype(),
                        [&]<class T>(T) {
                          for (size_t i = 0; i < y->size(); ++i) {
                            double s = c.in[1].floatAt(0) *
                                       scale.floatAt(scale.size() == 1 ? 0 : i / inner % channels) / c.in[6].floatAt(0);
                            y->mutableData<T>()[i] = convertElement<T>(
                                std::nearbyint(double(sums->data<int32_t>()[i]) * s) + c.in[7].floatAt(0));
                          }
                          return true;
                        }) ||
               c.fail("the zero point of the result is no integer"));
}

} // namespace

void addConvQuantizedKernels(KernelTable &t) {
  t.add("onnx.ConvInteger", convInteger);
  t.add("onnx.QLinearConv", qLinearConv);
}

} // namespace rw
