// What the ops of dsp.rw compute, so that `--check` can compare programs and folding knows constants.
#include "kernels.h"

#include <rw/interp/kernel.h>

namespace dsp {
namespace {

bool delay(rw::Call &c) {
  const rw::Tensor &x = c.in[0];
  int64_t samples = rw::attrOr(c.op, "samples", 0), length = x.shape().back();
  std::vector<int64_t> sources(x.size());
  for (int64_t i = 0; i < int64_t(sources.size()); ++i)
    sources[size_t(i)] = i % length < samples ? -1 : i - samples; // -1: a zero
  return c.give(rw::moveIndexed(c, x, x.shape(), sources));
}

bool decimate(rw::Call &c) {
  const rw::Tensor &x = c.in[0];
  rw::Shape shape = x.shape(), strides = rw::stridesOf(shape);
  int64_t factor = rw::attrOr(c.op, "factor", 1);
  shape.back() /= factor;
  strides.back() *= factor;
  return c.give(rw::moveStrided(c, x, shape, strides));
}

bool mix(rw::Call &c) {
  const rw::Tensor &a = c.in[0], &b = c.in[1];
  if (a.dtype() != rw::DType::F32)
    return c.fail("samples are mixed as f32");
  rw::Tensor *sum = c.result(0, a.dtype(), a.shape());
  if (!sum)
    return false; // too large
  for (size_t i = 0; i < sum->size(); ++i)
    sum->mutableData<float>()[i] = a.data<float>()[i] + b.data<float>()[i];
  return true;
}

} // namespace

void addKernels() {
  rw::addKernel("dsp.delay", delay);
  rw::addKernel("dsp.decimate", decimate);
  rw::addKernel("dsp.mix", mix);
}

} // namespace dsp
