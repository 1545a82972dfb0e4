// GRU and RNN.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"
#include "rw/interp/kernels/activation.h"

#include <algorithm>

namespace rw {
namespace {

/// Sizes and operands of one GRU (three gates: update, reset, hidden) or RNN (one), all as f64, time before batch.
struct Recurrence {
  size_t gates = 1, steps = 0, batch = 0, inputs = 0, hidden = 0, directions = 0;
  bool batchFirst = false, resetAfter = false;
  double clip = 0;
  Tensor x, w, r, bias, lengths, hidden0;
  std::vector<Activation> activations; // one per direction; of a GRU two

  bool read(Call &c);
  bool readActivations(Call &c);
  void direction(size_t d, bool backwards, double *y, double *last) const;
  void step(size_t d, const double *xt, std::vector<double> &h) const;
};

bool Recurrence::readActivations(Call &c) {
  auto names = attrOr(c.op, "activations", InlineList<std::string_view>());
  size_t each = gates == 3 ? 2 : 1;
  for (size_t i = 0; i < each * directions; ++i) {
    std::string_view name = i < names.size() ? names[i] : each == 2 && i % 2 == 0 ? "Sigmoid" : "Tanh";
    activations.push_back(activationNamed(name));
    if (!activations.back())
      return c.fail("the activation " + std::string(name) + " is not evaluated");
  }
  return true;
}

bool Recurrence::read(Call &c) {
  if (!c.need(3) || c.in[0].rank() != 3 || c.in[1].rank() != 3 || c.in[2].rank() != 3)
    return c.fail("X, W or R is not of rank 3");
  batchFirst = attrOr(c.op, "layout", 0) != 0;
  resetAfter = attrOr(c.op, "linear_before_reset", 0) != 0;
  clip = c.floatAttr("clip", 0);
  const Shape &s = c.in[0].shape();
  steps = size_t(s[batchFirst ? 1 : 0]), batch = size_t(s[batchFirst ? 0 : 1]), inputs = size_t(s[2]);
  directions = size_t(c.in[1].dim(0)), hidden = size_t(c.in[2].dim(2));
  if (directions != (attrOr(c.op, "direction", "forward") == "bidirectional" ? 2u : 1u))
    return c.fail("W does not fit the direction");
  int64_t dirs = int64_t(directions), h = int64_t(hidden), g = int64_t(gates), b = int64_t(batch);
  const std::array<Shape, 6> shapes = {s,
                                       {dirs, g * h, s[2]},
                                       {dirs, g * h, h},
                                       {dirs, 2 * g * h},
                                       {b},
                                       batchFirst ? Shape{b, dirs, h} : Shape{dirs, b, h}};
  const std::array<Tensor *, 6> members = {&x, &w, &r, &bias, &lengths, &hidden0};
  for (size_t i = 0; i < 6; ++i) {
    if (!c.has(i))
      continue;
    if (c.in[i].shape() != shapes[i])
      return c.fail("operand " + std::to_string(i) + " has shape " + shapeText(c.in[i].shape()) + ", not " +
                    shapeText(shapes[i]));
    std::optional<Tensor> t = castTo(c, c.in[i], DType::F64);
    if (t && batchFirst && (i == 0 || i == 5))
      t = transposed(c, *t, std::array<int64_t, 3>{1, 0, 2});
    if (!t)
      return false;
    *members[i] = std::move(*t);
  }
  return readActivations(c) &&
         c.charge(uint64_t(std::min(1e18, double(steps) * double(batch) * double(directions) * double(gates) *
                                              double(hidden) * double(inputs + hidden + 1))));
}

/// h becomes the state after one more step.
void Recurrence::step(size_t d, const double *xt, std::vector<double> &h) const {
  size_t rows = gates * hidden;
  const double *wd = w.data<double>() + d * rows * inputs, *rd = r.data<double>() + d * rows * hidden;
  const double *bd = bias ? bias.data<double>() + d * 2 * rows : nullptr;
  auto limited = [&](double v) { return clip > 0 ? std::clamp(v, -clip, clip) : v; };
  auto fromInput = [&](size_t row) {
    double sum = bd ? bd[row] : 0;
    for (size_t k = 0; k < inputs; ++k)
      sum += wd[row * inputs + k] * xt[k];
    return sum;
  };
  auto fromState = [&](size_t row, const std::vector<double> &state) {
    double sum = bd ? bd[rows + row] : 0;
    for (size_t k = 0; k < hidden; ++k)
      sum += rd[row * hidden + k] * state[k];
    return sum;
  };
  std::vector<double> next(hidden);
  if (gates == 1) {
    for (size_t j = 0; j < hidden; ++j)
      next[j] = activations[d](limited(fromInput(j) + fromState(j, h)));
    h = std::move(next);
    return;
  }
  std::vector<double> update(hidden), reset(hidden), kept(hidden);
  for (size_t j = 0; j < hidden; ++j) {
    update[j] = activations[2 * d](limited(fromInput(j) + fromState(j, h)));
    reset[j] = activations[2 * d](limited(fromInput(hidden + j) + fromState(hidden + j, h)));
    kept[j] = reset[j] * h[j];
  }
  for (size_t j = 0; j < hidden; ++j) {
    size_t row = 2 * hidden + j;
    double state = resetAfter ? reset[j] * fromState(row, h) : fromState(row, kept);
    next[j] = (1 - update[j]) * activations[2 * d + 1](limited(fromInput(row) + state)) + update[j] * h[j];
  }
  h = std::move(next);
}

/// y: [steps, directions, batch, hidden]; last: [directions, batch, hidden].
void Recurrence::direction(size_t d, bool backwards, double *y, double *last) const {
  for (size_t b = 0; b < batch; ++b) {
    std::vector<double> h(hidden);
    for (size_t j = 0; hidden0 && j < hidden; ++j)
      h[j] = hidden0.data<double>()[(d * batch + b) * hidden + j];
    size_t length = lengths ? size_t(std::clamp<double>(lengths.data<double>()[b], 0, double(steps))) : steps;
    for (size_t i = 0; i < length; ++i) {
      size_t t = backwards ? length - 1 - i : i;
      step(d, x.data<double>() + (t * batch + b) * inputs, h);
      std::ranges::copy(h, y + ((t * directions + d) * batch + b) * hidden);
    }
    std::ranges::copy(h, last + (d * batch + b) * hidden);
  }
}

bool recurrence(Call &c, size_t gates) {
  Recurrence n;
  n.gates = gates;
  if (!n.read(c))
    return false;
  Shape state = {int64_t(n.directions), int64_t(n.batch), int64_t(n.hidden)};
  std::optional<Tensor> y = c.make(DType::F64, {int64_t(n.steps), state[0], state[1], state[2]});
  std::optional<Tensor> last = c.make(DType::F64, state);
  if (!y || !last)
    return false;
  for (size_t d = 0; d < n.directions; ++d)
    n.direction(d, d == 1 || attrOr(c.op, "direction", "forward") == "reverse", y->mutableData<double>(),
                last->mutableData<double>());
  if (n.batchFirst) {
    y = transposed(c, *y, std::array<int64_t, 4>{2, 0, 1, 3});
    last = transposed(c, *last, std::array<int64_t, 3>{1, 0, 2});
  }
  const std::array<std::optional<Tensor> *, 2> all = {&y, &last};
  for (size_t i = 0; i < c.out.size() && i < 2; ++i) {
    std::optional<Tensor> t = *all[i] ? castTo(c, **all[i], c.in[0].dtype()) : std::nullopt;
    if (!t)
      return false;
    c.out[i] = std::move(*t);
  }
  return true;
}

} // namespace

void addGruKernels(KernelTable &t) {
  t.add("onnx.GRU", [](Call &c) { return recurrence(c, 3); });
  t.add("onnx.RNN", [](Call &c) { return recurrence(c, 1); });
}

} // namespace rw
