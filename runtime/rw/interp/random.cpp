// Random draws. Element i of a draw is a mix of the draw's key with i, so that the same draw gives the same numbers on every
// machine. A draw without a key is numbered: those of one evaluation differ, and two evaluations of one seed agree.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <numbers>

namespace rw {
namespace {

/// The finalizer of SplitMix64: each bit of the result depends on each bit of the operand.
uint64_t mixed(uint64_t v) {
  v += 0x9e3779b97f4a7c15u;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
  return v ^ (v >> 31);
}

/// The key of this draw: from operand `i` if it is there, else the next one of the evaluation.
bool keyOf(Call &c, size_t i, uint64_t &key) {
  if (!c.has(i)) {
    key = mixed(mixed(c.budget.seed) ^ ++c.budget.draws);
    return true;
  }
  if (!isInteger(c.in[i].dtype()))
    return c.fail("the key is not of integers");
  key = mixed(c.in[i].size());
  for (size_t e = 0; e < c.in[i].size(); ++e)
    key = mixed(key ^ uint64_t(c.in[i].intAt(e)));
  return c.charge(c.in[i].size());
}

/// A number of [0, 1) with `digits` bits: as many as the element type has, so that none rounds to 1.
double uniform(uint64_t key, uint64_t i, int digits) {
  return std::ldexp(double(mixed(key ^ mixed(i)) >> (64 - digits)), -digits);
}
double normal(uint64_t key, uint64_t i) {
  double u = uniform(key, 2 * i, 53), v = uniform(key, 2 * i + 1, 53);
  return std::sqrt(-2 * std::log1p(-u)) * std::cos(2 * std::numbers::pi * v);
}
template <class T> constexpr int digitsOf() {
  return std::is_same_v<T, Half> ? 11 : std::is_same_v<T, BFloat> ? 8 : std::is_same_v<T, float> ? 24 : 53;
}

template <class Element> bool draw(Call &c, Element element) {
  std::optional<std::vector<int64_t>> shape = c.intsAttr("shape");
  std::optional<DType> dtype = c.dtypeAttr("dtype");
  uint64_t key = 0;
  if (!shape || !dtype)
    return c.fail("shape or element type is not known");
  Tensor *y = keyOf(c, 0, key) ? c.result(0, *dtype, *shape) : nullptr;
  if (!y)
    return false;
  return visitFloat(*dtype, [&]<class T>(T) {
    for (size_t i = 0; i < y->size(); ++i)
      y->mutableData<T>()[i] = storeElement<T>(element(key, i, digitsOf<T>()));
    return true;
  }) || c.fail("no floats");
}

bool dropout(Call &c) {
  double rate = c.floatAttr("rate", 0.5);
  uint64_t key = 0;
  if (!c.need(1))
    return false;
  if (!c.intAttr("training", 1)) {
    c.out[0] = c.in[0];
    return true;
  }
  if (!(rate >= 0 && rate < 1))
    return c.fail("the rate lies outside 0..1");
  Tensor *y = keyOf(c, 1, key) ? c.result(0, c.in[0].dtype(), c.in[0].shape()) : nullptr;
  if (!y)
    return false;
  return visitFloat(y->dtype(), [&]<class T>(T) {
    for (size_t i = 0; i < y->size(); ++i)
      if (uniform(key, i, 53) >= rate)
        y->mutableData<T>()[i] = storeElement<T>(double(c.in[0].data<T>()[i]) / (1 - rate));
    return true;
  }) || c.fail("no floats");
}

} // namespace

void addRandomKernels(KernelTable &t) {
  t.add("tensor.rng_uniform", [](Call &c) { return draw(c, uniform); });
  t.add("tensor.rng_normal", [](Call &c) { return draw(c, [](uint64_t key, uint64_t i, int) { return normal(key, i); }); });
  t.add("tensor.dropout", dropout);
}

} // namespace rw
