// Losses of classification: NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>

namespace rw {
namespace {

/// Scores [batch, classes, …] and targets [batch, …]; what a place costs is weight · -(log of its target's
/// probability).
struct Losses {
  size_t batch = 1, classes = 1, inner = 1;
  std::vector<double> weights;    // per class, empty if all are 1
  std::optional<int64_t> ignored; // a target that costs nothing

  bool read(Call &c);
};

bool Losses::read(Call &c) {
  if (!c.need(2))
    return false;
  const Tensor &x = c.in[0], &target = c.in[1];
  if (x.rank() < 2 || !isFloat(x.dtype()) || !isInteger(target.dtype()))
    return c.fail("scores of rank 2 at least and integer targets are needed");
  Shape places = x.shape();
  places.erase(places.begin() + 1);
  if (target.shape() != places)
    return c.fail("targets of shape " + shapeText(target.shape()) + ", not " + shapeText(places));
  batch = size_t(x.dim(0)), classes = size_t(x.dim(1));
  for (size_t d = 2; d < x.rank(); ++d)
    inner *= size_t(x.dim(d));
  if (c.has(2)) {
    if (c.in[2].size() != classes || !isFloat(c.in[2].dtype()))
      return c.fail("the weights are not one float per class");
    for (size_t i = 0; i < classes; ++i)
      weights.push_back(c.in[2].floatAt(i));
  }
  ignored = attrOf<int64_t>(c.op, "ignore_index");
  return c.charge(2 * x.size());
}

/// Log probabilities as f64, by element type T of the scores.
std::vector<double> logProbabilities(const Tensor &x, const Losses &l, bool normalize) {
  std::vector<double> out(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    out[i] = x.floatAt(i);
  for (size_t b = 0; normalize && b < l.batch; ++b)
    for (size_t i = 0; i < l.inner; ++i) {
      double *row = out.data() + b * l.classes * l.inner + i;
      double greatest = -std::numeric_limits<double>::infinity(), sum = 0;
      for (size_t k = 0; k < l.classes; ++k)
        greatest = std::max(greatest, row[k * l.inner]);
      for (size_t k = 0; k < l.classes; ++k)
        sum += std::exp(row[k * l.inner] - greatest);
      for (size_t k = 0; k < l.classes; ++k)
        row[k * l.inner] -= greatest + std::log(sum);
    }
  return out;
}

bool store(Call &c, size_t result, const Shape &shape, std::span<const double> values) {
  Tensor *y = c.result(result, c.in[0].dtype(), shape);
  return y && visitFloat(y->dtype(), [&]<class T>(T) {
           for (size_t i = 0; i < values.size(); ++i)
             y->mutableData<T>()[i] = storeElement<T>(values[i]);
           return true;
         });
}

bool loss(Call &c, bool normalize) {
  Losses l;
  if (!l.read(c))
    return false;
  std::vector<double> logs = logProbabilities(c.in[0], l, normalize), costs(l.batch * l.inner);
  double total = 0, weight = 0;
  for (size_t b = 0; b < l.batch; ++b)
    for (size_t i = 0; i < l.inner; ++i) {
      int64_t k = c.in[1].intAt(b * l.inner + i);
      if (l.ignored && k == *l.ignored)
        continue;
      if (k < 0 || size_t(k) >= l.classes)
        return c.fail("target " + std::to_string(k) + " of " + std::to_string(l.classes) + " classes");
      double w = l.weights.empty() ? 1 : l.weights[size_t(k)];
      double cost = -logs[(b * l.classes + size_t(k)) * l.inner + i] * w;
      costs[b * l.inner + i] = cost;
      total += cost;
      weight += w;
    }
  if (normalize && c.out.size() > 1 && !store(c, 1, c.in[0].shape(), logs))
    return false;
  std::string_view reduction = attrOr(c.op, "reduction", "mean");
  if (reduction == "none")
    return store(c, 0, c.in[1].shape(), costs);
  double one = reduction == "sum" ? total : total / weight;
  return store(c, 0, {}, {&one, 1});
}

} // namespace

void addLossKernels(KernelTable &t) {
  t.add("onnx.NegativeLogLikelihoodLoss", [](Call &c) { return loss(c, false); });
  t.add("onnx.SoftmaxCrossEntropyLoss", [](Call &c) { return loss(c, true); });
}

} // namespace rw
