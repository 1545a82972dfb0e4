// One step of the optimizers that ONNX's preview of training has: Adagrad, Adam, Momentum. Each updates any number of
// tensors.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

namespace rw {
namespace {

/// Operand `i` if it is one number.
double numberAt(Call &c, size_t i) { return c.has(i) && c.in[i].size() == 1 ? c.in[i].floatAt(0) : 0; }

/// Operands are the rate, the count of updates, then `kinds` groups of n tensors each; results are the groups but for
/// the gradients, which are the second one. update(x, gradient, states, new states) computes an element and returns the
/// new x.
template <class Update> bool optimize(Call &c, size_t kinds, Update update) {
  if (c.in.size() < 2 + kinds || (c.in.size() - 2) % kinds || !c.need(c.in.size()) || c.in[0].size() != 1 ||
      c.in[1].size() != 1)
    return c.fail("operands that do not fit");
  size_t n = (c.in.size() - 2) / kinds;
  c.out.resize(std::max(c.out.size(), n * (kinds - 1)));
  for (size_t i = 0; i < n; ++i) {
    auto of = [&](size_t kind) -> const Tensor & { return c.in[2 + kind * n + i]; };
    for (size_t kind = 1; kind < kinds; ++kind)
      if (of(kind).dtype() != of(0).dtype() || of(kind).shape() != of(0).shape())
        return c.fail("tensors of one group differ");
    for (size_t kind = 0; kind + 1 < kinds; ++kind)
      if (!c.result(kind * n + i, of(0).dtype(), of(0).shape()))
        return false;
    bool done = visitFloat(of(0).dtype(), [&]<class T>(T) {
      for (size_t e = 0; e < of(0).size(); ++e) {
        double states[2] = {}, next[2] = {};
        for (size_t kind = 2; kind < kinds; ++kind)
          states[kind - 2] = double(of(kind).template data<T>()[e]);
        double x = update(double(of(0).template data<T>()[e]), double(of(1).template data<T>()[e]), states, next);
        c.out[i].mutableData<T>()[e] = storeElement<T>(x);
        for (size_t kind = 2; kind < kinds; ++kind)
          c.out[(kind - 1) * n + i].mutableData<T>()[e] = storeElement<T>(next[kind - 2]);
      }
      return true;
    });
    if (!done)
      return c.fail("no floats");
  }
  return true;
}

bool adagrad(Call &c) {
  double decay = c.floatAttr("decay_factor", 0), epsilon = c.floatAttr("epsilon", 1e-6),
         norm = c.floatAttr("norm_coefficient", 0);
  double rate = numberAt(c, 0) / (1 + numberAt(c, 1) * decay);
  return optimize(c, 3, [&](double x, double g, const double *h, double *next) {
    g += norm * x;
    next[0] = h[0] + g * g;
    return x - rate * g / (std::sqrt(next[0]) + epsilon);
  });
}

bool adam(Call &c) {
  double alpha = c.floatAttr("alpha", 0.9), beta = c.floatAttr("beta", 0.999), epsilon = c.floatAttr("epsilon", 1e-6);
  double norm = c.floatAttr("norm_coefficient", 0), after = c.floatAttr("norm_coefficient_post", 0);
  double rate = numberAt(c, 0), t = numberAt(c, 1);
  if (t > 0)
    rate *= std::sqrt(1 - std::pow(beta, t)) / (1 - std::pow(alpha, t));
  return optimize(c, 4, [&](double x, double g, const double *s, double *next) {
    g += norm * x;
    next[0] = alpha * s[0] + (1 - alpha) * g;
    next[1] = beta * s[1] + (1 - beta) * g * g;
    return (1 - after) * (x - rate * next[0] / (std::sqrt(next[1]) + epsilon));
  });
}

bool momentum(Call &c) {
  double alpha = c.floatAttr("alpha", 0), beta = c.floatAttr("beta", 0), norm = c.floatAttr("norm_coefficient", 0);
  bool nesterov = attrOr(c.op, "mode", "") == "nesterov";
  double rate = numberAt(c, 0);
  if (numberAt(c, 1) == 0)
    beta = 1; // nothing to be remembered yet
  return optimize(c, 3, [&](double x, double g, const double *v, double *next) {
    g += norm * x;
    next[0] = alpha * v[0] + beta * g;
    return x - rate * (nesterov ? g + alpha * next[0] : next[0]);
  });
}

} // namespace

void addTrainingKernels(KernelTable &t) {
  t.add("ai.onnx.preview.training.Adagrad", adagrad);
  t.add("ai.onnx.preview.training.Adam", adam);
  t.add("ai.onnx.preview.training.Momentum", momentum);
}

} // namespace rw
