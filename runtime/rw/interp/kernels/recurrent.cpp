// LSTM.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"
#include "rw/interp/kernels/activation.h"

#include <algorithm>

namespace rw {
namespace {

/// Sizes and operands of one LSTM, all as f64: X [steps, batch, inputs] (layout 1: batch first); W, R per direction
/// with gates i, o, f, c.
struct Lstm {
  size_t steps = 0, batch = 0, inputs = 0, hidden = 0, directions = 0;
  Tensor x, w, r, bias, hidden0, cell0, peepholes, lengths;
  std::vector<Activation> activations; // three per direction
  double clip = 0;
  bool coupled = false, batchFirst = false;

  bool read(Call &c);
  void direction(size_t d, bool backwards, double *y, double *last, double *lastCell) const;
};

bool Lstm::read(Call &c) {
  if (!c.need(3) || c.in[0].rank() != 3 || c.in[1].rank() != 3 || c.in[2].rank() != 3)
    return c.fail("X, W or R is not of rank 3");
  const Shape &s = c.in[0].shape();
  batchFirst = attrOr(c.op, "layout", 0) != 0;
  steps = size_t(s[batchFirst ? 1 : 0]), batch = size_t(s[batchFirst ? 0 : 1]), inputs = size_t(s[2]);
  directions = size_t(c.in[1].dim(0)), hidden = size_t(c.in[2].dim(2));
  int64_t dirs = int64_t(directions), h = int64_t(hidden), n = int64_t(batch);
  Shape state = batchFirst ? Shape{n, dirs, h} : Shape{dirs, n, h};
  bool both = attrOr(c.op, "direction", "forward") == "bidirectional";
  if (directions != (both ? 2 : 1))
    return c.fail("W does not fit the direction");
  const std::array<Shape, 8> shapes = {s,     {dirs, 4 * h, s[2]}, {dirs, 4 * h, h}, {dirs, 8 * h}, {n}, state,
                                       state, {dirs, 3 * h}};
  const std::array<Tensor *, 8> members = {&x, &w, &r, &bias, &lengths, &hidden0, &cell0, &peepholes};
  for (size_t i = 0; i < 8; ++i) {
    if (!c.has(i))
      continue;
    if (c.in[i].shape() != shapes[i])
      return c.fail("operand " + std::to_string(i) + " has shape " + shapeText(c.in[i].shape()) + ", not " +
                    shapeText(shapes[i]));
    std::optional<Tensor> t = castTo(c, c.in[i], DType::F64);
    if (t && batchFirst && (i == 0 || i == 5 || i == 6))
      t = transposed(c, *t, std::array<int64_t, 3>{1, 0, 2});
    if (!t)
      return false;
    *members[i] = std::move(*t);
  }
  auto names = attrOr(c.op, "activations", InlineList<std::string_view>());
  for (size_t i = 0; i < 3 * directions; ++i) {
    activations.push_back(activationNamed(i < names.size() ? names[i] : i % 3 ? "Tanh" : "Sigmoid"));
    if (!activations.back())
      return c.fail("the activation " + std::string(names[i]) + " is not evaluated");
  }
  clip = c.floatAttr("clip", 0);
  coupled = attrOr(c.op, "input_forget", 0) != 0;
  return c.charge(uint64_t(std::min(1e18, double(steps) * double(batch) * double(directions) * 4 * double(hidden) *
                                              double(inputs + hidden + 1))));
}

/// y: [steps, directions, batch, hidden]; last and lastCell: [directions, batch, hidden].
void Lstm::direction(size_t d, bool backwards, double *y, double *last, double *lastCell) const {
  const double *wd = w.data<double>() + d * 4 * hidden * inputs, *rd = r.data<double>() + d * 4 * hidden * hidden;
  const double *bd = bias ? bias.data<double>() + d * 8 * hidden : nullptr;
  const double *pd = peepholes ? peepholes.data<double>() + d * 3 * hidden : nullptr;
  auto limited = [&](double v) { return clip > 0 ? std::clamp(v, -clip, clip) : v; };
  std::vector<double> h(hidden), cell(hidden), gates(4 * hidden);
  for (size_t b = 0; b < batch; ++b) {
    for (size_t j = 0; j < hidden; ++j) {
      h[j] = hidden0 ? hidden0.data<double>()[(d * batch + b) * hidden + j] : 0;
      cell[j] = cell0 ? cell0.data<double>()[(d * batch + b) * hidden + j] : 0;
    }
    size_t length = lengths ? size_t(std::clamp<double>(lengths.data<double>()[b], 0, double(steps))) : steps;
    for (size_t i = 0; i < length; ++i) {
      size_t t = backwards ? length - 1 - i : i;
      const double *xt = x.data<double>() + (t * batch + b) * inputs;
      for (size_t g = 0; g < 4 * hidden; ++g) {
        double sum = bd ? bd[g] + bd[4 * hidden + g] : 0;
        for (size_t k = 0; k < inputs; ++k)
          sum += wd[g * inputs + k] * xt[k];
        for (size_t k = 0; k < hidden; ++k)
          sum += rd[g * hidden + k] * h[k];
        gates[g] = sum;
      }
      for (size_t j = 0; j < hidden; ++j) {
        double in = activations[3 * d](limited(gates[j] + (pd ? pd[j] * cell[j] : 0)));
        double forget =
            coupled ? 1 - in
                    : activations[3 * d](limited(gates[2 * hidden + j] + (pd ? pd[2 * hidden + j] * cell[j] : 0)));
        cell[j] = forget * cell[j] + in * activations[3 * d + 1](limited(gates[3 * hidden + j]));
        double out = activations[3 * d](limited(gates[hidden + j] + (pd ? pd[hidden + j] * cell[j] : 0)));
        h[j] = out * activations[3 * d + 2](cell[j]);
        y[((t * directions + d) * batch + b) * hidden + j] = h[j];
      }
    }
    for (size_t j = 0; j < hidden; ++j) {
      last[(d * batch + b) * hidden + j] = h[j];
      lastCell[(d * batch + b) * hidden + j] = cell[j];
    }
  }
}

bool lstm(Call &c) {
  Lstm l;
  if (!l.read(c))
    return false;
  Shape state = {int64_t(l.directions), int64_t(l.batch), int64_t(l.hidden)};
  std::optional<Tensor> y = c.make(DType::F64, {int64_t(l.steps), state[0], state[1], state[2]});
  std::optional<Tensor> last = c.make(DType::F64, state), cell = c.make(DType::F64, state);
  if (!y || !last || !cell)
    return false;
  for (size_t d = 0; d < l.directions; ++d)
    l.direction(d, d == 1 || attrOr(c.op, "direction", "forward") == "reverse", y->mutableData<double>(),
                last->mutableData<double>(), cell->mutableData<double>());
  if (l.batchFirst) {
    y = transposed(c, *y, std::array<int64_t, 4>{2, 0, 1, 3});
    last = transposed(c, *last, std::array<int64_t, 3>{1, 0, 2});
    cell = transposed(c, *cell, std::array<int64_t, 3>{1, 0, 2});
    if (!y || !last || !cell)
      return false;
  }
  const std::array<Tensor *, 3> all = {&*y, &*last, &*cell};
  for (size_t i = 0; i < c.out.size() && i < 3; ++i) {
    std::optional<Tensor> t = castTo(c, *all[i], c.in[0].dtype());
    if (!t)
      return false;
    c.out[i] = std::move(*t);
  }
  return true;
}

} // namespace

void addRecurrentKernels(KernelTable &t) { t.add("onnx.LSTM", lstm); }

} // namespace rw
