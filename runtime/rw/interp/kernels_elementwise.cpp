// Elementwise kernels of both dialects: unary and binary functions, casts, comparisons, selection.

#include "rw/interp/kernels.h"

#include <cmath>

namespace rw {
namespace {
using Unary = double (*)(double);
using Binary = double (*)(double, double);

constexpr int64_t kExact = int64_t(1) << 53; // integers up to here are doubles

template <Unary fn> bool unary(KernelCall &c) {
  if (!c.needs(1))
    return false;
  const Tensor &x = *c.input(0);
  Tensor out = Tensor::zeros(x.dtype, x.dims);
  for (size_t k = 0; k < x.count(); ++k) {
    if (!x.isFloating() && (x.i[k] > kExact || x.i[k] < -kExact))
      return c.fail("an integer beyond 2^53");
    out.set(k, fn(x.number(k)));
  }
  c.result(std::move(out));
  return true;
}
double relu(double x) { return x < 0 ? 0 : x; } // NaN stays
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double negate(double x) { return -x; }
double sign(double x) { return std::isnan(x) ? x : x > 0 ? 1 : x < 0 ? -1 : x; }
double reciprocal(double x) { return 1 / x; }
double rsqrt(double x) { return 1 / std::sqrt(x); }
double gelu(double x) { return x * (1 + std::erf(x / std::sqrt(2.0))) / 2; }
double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
double softsign(double x) { return x / (1 + std::abs(x)); }
double logicalNot(double x) { return x == 0; }

bool copy(KernelCall &c) {
  if (!c.needs(1))
    return false;
  c.result(*c.input(0));
  return true;
}

/// Applies `fn(result index, offset in a, offset in b)` over the broadcast shape.
template <class Fn> bool zip(KernelCall &c, DType dtype, Fn fn) {
  std::vector<int64_t> dims;
  const Tensor &a = *c.input(0), &b = *c.input(1);
  if (!broadcastDims(a.dims, b.dims, dims))
    return c.fail("the operands' shapes do not broadcast");
  if (!elementCountOf(dims))
    return c.fail("the result is too large");
  Tensor out = Tensor::zeros(dtype, dims);
  const std::vector<int64_t> strides[2] = {broadcastStrides(a.dims, dims), broadcastStrides(b.dims, dims)};
  bool fine = true;
  forEachElement(dims, strides, [&](size_t k, int64_t *at) { fine &= fn(out, k, size_t(at[0]), size_t(at[1])); });
  c.result(std::move(out));
  return fine || c.fail("integer division by zero");
}

struct IntOp {
  static bool add(int64_t a, int64_t b, int64_t &r) { return r = int64_t(uint64_t(a) + uint64_t(b)), true; }
  static bool sub(int64_t a, int64_t b, int64_t &r) { return r = int64_t(uint64_t(a) - uint64_t(b)), true; }
  static bool mul(int64_t a, int64_t b, int64_t &r) { return r = int64_t(uint64_t(a) * uint64_t(b)), true; }
  static bool div(int64_t a, int64_t b, int64_t &r) {
    if (b == 0)
      return false;
    return r = b == -1 ? int64_t(0 - uint64_t(a)) : a / b, true;
  }
  static bool rem(int64_t a, int64_t b, int64_t &r) {
    if (b == 0)
      return false;
    return r = b == -1 ? 0 : a % b, true;
  }
  static bool max(int64_t a, int64_t b, int64_t &r) { return r = a > b ? a : b, true; }
  static bool min(int64_t a, int64_t b, int64_t &r) { return r = a < b ? a : b, true; }
  static bool pow(int64_t a, int64_t b, int64_t &r) {
    if (b < 0)
      return r = a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0, a != 0;
    uint64_t base = uint64_t(a), value = 1;
    for (; b; b >>= 1, base *= base)
      if (b & 1)
        value *= base;
    return r = int64_t(value), true;
  }
};
double add(double a, double b) { return a + b; }
double sub(double a, double b) { return a - b; }
double mul(double a, double b) { return a * b; }
double div(double a, double b) { return a / b; }
double maximum(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::nan("") : a > b ? a : b; }
double minimum(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::nan("") : a < b ? a : b; }

template <Binary real, bool (*whole)(int64_t, int64_t, int64_t &)> bool binary(KernelCall &c) {
  if (!c.needs(2))
    return false;
  const Tensor &a = *c.input(0), &b = *c.input(1);
  bool integers = !a.isFloating() && !b.isFloating();
  if (c.inputs.size() != 2)
    return c.fail("only two operands are evaluated");
  if (integers && a.dtype == DType::U64)
    return c.fail("u64 arithmetic is not evaluated");
  return zip(c, a.dtype, [&](Tensor &out, size_t k, size_t p, size_t q) {
    if (!integers)
      return out.set(k, real(a.number(p), b.number(q))), true;
    int64_t value = 0;
    bool fine = whole(a.i[p], b.i[q], value);
    return out.setInt(k, value), fine;
  });
}

template <int64_t (*fn)(int64_t, int64_t)> bool bits(KernelCall &c) {
  if (!c.needs(2))
    return false;
  const Tensor &a = *c.input(0), &b = *c.input(1);
  if (a.isFloating() || b.isFloating())
    return c.fail("bitwise and logical ops take integers or bool");
  return zip(c, a.dtype, [&](Tensor &out, size_t k, size_t p, size_t q) { return out.setInt(k, fn(a.i[p], b.i[q])), true; });
}
int64_t bitAnd(int64_t a, int64_t b) { return a & b; }
int64_t bitOr(int64_t a, int64_t b) { return a | b; }
int64_t bitXor(int64_t a, int64_t b) { return a ^ b; }

enum class Order { Eq, Ne, Lt, Le, Gt, Ge };
template <class T> bool holds(Order order, T a, T b) {
  switch (order) {
  case Order::Eq: return a == b;
  case Order::Ne: return a != b;
  case Order::Lt: return a < b;
  case Order::Le: return a <= b;
  case Order::Gt: return a > b;
  case Order::Ge: return a >= b;
  }
  return false;
}
bool compareBy(KernelCall &c, Order order) {
  if (!c.needs(2))
    return false;
  const Tensor &a = *c.input(0), &b = *c.input(1);
  bool integers = !a.isFloating() && !b.isFloating();
  return zip(c, DType::Bool, [&](Tensor &out, size_t k, size_t p, size_t q) {
    out.i[k] = integers ? holds(order, a.i[p], b.i[q]) : holds(order, a.number(p), b.number(q));
    return true;
  });
}
template <Order order> bool compare(KernelCall &c) { return compareBy(c, order); }
bool compareNamed(KernelCall &c) {
  static const std::pair<std::string_view, Order> names[] = {{"eq", Order::Eq}, {"ne", Order::Ne}, {"lt", Order::Lt},
                                                             {"le", Order::Le}, {"gt", Order::Gt}, {"ge", Order::Ge}};
  for (auto [name, order] : names)
    if (c.stringAttr("direction", "") == name)
      return compareBy(c, order);
  return c.fail("unknown direction");
}

bool select(KernelCall &c) {
  if (!c.needs(3))
    return false;
  const Tensor &p = *c.input(0), &a = *c.input(1), &b = *c.input(2);
  std::vector<int64_t> both, dims;
  if (a.dtype != b.dtype || !broadcastDims(a.dims, b.dims, both) || !broadcastDims(p.dims, both, dims) || !elementCountOf(dims))
    return c.fail("the operands do not fit together");
  Tensor out = Tensor::zeros(a.dtype, dims);
  const std::vector<int64_t> strides[3] = {broadcastStrides(p.dims, dims), broadcastStrides(a.dims, dims), broadcastStrides(b.dims, dims)};
  forEachElement(dims, strides, [&](size_t k, int64_t *at) {
    bool first = p.number(size_t(at[0])) != 0;
    const Tensor &from = first ? a : b;
    size_t offset = size_t(at[first ? 1 : 2]);
    from.isFloating() ? void(out.f[k] = from.f[offset]) : void(out.i[k] = from.i[offset]);
  });
  c.result(std::move(out));
  return true;
}

bool castTo(KernelCall &c, DType to) {
  if (!isComputable(to))
    return c.fail("a cast to a type that is not evaluated");
  const Tensor &x = *c.input(0);
  Tensor out = Tensor::zeros(to, x.dims);
  for (size_t k = 0; k < x.count(); ++k)
    x.isFloating() ? out.set(k, x.f[k]) : out.setInt(k, x.i[k]);
  c.result(std::move(out));
  return true;
}
bool cast(KernelCall &c) {
  AttrId to = c.attr("dtype");
  if (!c.needs(1) || !to || c.op.context().attr(to).kind != AttrKind::DType)
    return c.fail("no element type to cast to");
  return castTo(c, c.op.context().attr(to).dtype);
}
bool onnxCast(KernelCall &c) {
  // TensorProto.DataType of the ONNX specification, from 1.
  static constexpr DType types[] = {DType::F32, DType::U8, DType::I8, DType::U16, DType::I16, DType::I32, DType::I64, DType::String,
                                    DType::Bool, DType::F16, DType::F64, DType::U32, DType::U64, DType::C64, DType::C128, DType::BF16};
  int64_t to = c.intAttr("to", 0);
  if (!c.needs(1) || to < 1 || to > int64_t(std::size(types)))
    return c.fail("no element type to cast to");
  return castTo(c, types[to - 1]);
}

bool clip(KernelCall &c) {
  if (!c.needs(1))
    return false;
  const Tensor &x = *c.input(0);
  Tensor out = x;
  for (size_t bound = 1; bound <= 2; ++bound)
    if (const Tensor *limit = c.input(bound)) {
      if (limit->count() != 1)
        return c.fail("a limit must be a scalar");
      for (size_t k = 0; k < out.count(); ++k) {
        double v = out.number(k), l = limit->number(0);
        if (bound == 1 ? v < l : v > l)
          out.set(k, l);
      }
    }
  c.result(std::move(out));
  return true;
}

template <double (*fn)(double, const KernelCall &)> bool withAttrs(KernelCall &c) {
  if (!c.needs(1))
    return false;
  Tensor out = *c.input(0);
  for (size_t k = 0; k < out.count(); ++k)
    out.set(k, fn(out.number(k), c));
  c.result(std::move(out));
  return true;
}
double leakyRelu(double x, const KernelCall &c) { return x < 0 ? x * c.floatAttr("alpha", 0.01) : x; }
double elu(double x, const KernelCall &c) { return x < 0 ? c.floatAttr("alpha", 1) * std::expm1(x) : x; }
double hardSigmoid(double x, const KernelCall &c) {
  return std::fmax(0, std::fmin(1, x * c.floatAttr("alpha", 0.2) + c.floatAttr("beta", 0.5)));
}
} // namespace

void addElementwiseKernels(KernelTable &t) {
  struct Row {
    std::string_view tensor, onnx;
    Kernel kernel;
  };
  const Row rows[] = {
      {"tensor.neg", "onnx.Neg", unary<negate>},
      {"tensor.abs", "onnx.Abs", unary<std::fabs>},
      {"tensor.sign", "onnx.Sign", unary<sign>},
      {"tensor.floor", "onnx.Floor", unary<std::floor>},
      {"tensor.ceil", "onnx.Ceil", unary<std::ceil>},
      {"tensor.round", "onnx.Round", unary<std::nearbyint>},
      {"tensor.exp", "onnx.Exp", unary<std::exp>},
      {"tensor.log", "onnx.Log", unary<std::log>},
      {"tensor.log1p", "", unary<std::log1p>},
      {"tensor.expm1", "", unary<std::expm1>},
      {"tensor.sqrt", "onnx.Sqrt", unary<std::sqrt>},
      {"tensor.rsqrt", "", unary<rsqrt>},
      {"tensor.tanh", "onnx.Tanh", unary<std::tanh>},
      {"tensor.sigmoid", "onnx.Sigmoid", unary<sigmoid>},
      {"tensor.relu", "onnx.Relu", unary<relu>},
      {"tensor.gelu", "", unary<gelu>},
      {"tensor.erf", "onnx.Erf", unary<std::erf>},
      {"tensor.sin", "onnx.Sin", unary<std::sin>},
      {"tensor.cos", "onnx.Cos", unary<std::cos>},
      {"", "onnx.Tan", unary<std::tan>},
      {"", "onnx.Reciprocal", unary<reciprocal>},
      {"", "onnx.Softplus", unary<softplus>},
      {"", "onnx.Softsign", unary<softsign>},
      {"", "onnx.Not", unary<logicalNot>},
      {"tensor.identity", "onnx.Identity", copy},
      {"tensor.add", "onnx.Add", binary<add, IntOp::add>},
      {"tensor.sub", "onnx.Sub", binary<sub, IntOp::sub>},
      {"tensor.mul", "onnx.Mul", binary<mul, IntOp::mul>},
      {"tensor.div", "onnx.Div", binary<div, IntOp::div>},
      {"tensor.rem", "", binary<std::fmod, IntOp::rem>},
      {"tensor.pow", "onnx.Pow", binary<std::pow, IntOp::pow>},
      {"tensor.max", "onnx.Max", binary<maximum, IntOp::max>},
      {"tensor.min", "onnx.Min", binary<minimum, IntOp::min>},
      {"tensor.and", "onnx.And", bits<bitAnd>},
      {"tensor.or", "onnx.Or", bits<bitOr>},
      {"tensor.xor", "onnx.Xor", bits<bitXor>},
      {"tensor.compare", "", compareNamed},
      {"", "onnx.Equal", compare<Order::Eq>},
      {"", "onnx.Less", compare<Order::Lt>},
      {"", "onnx.LessOrEqual", compare<Order::Le>},
      {"", "onnx.Greater", compare<Order::Gt>},
      {"", "onnx.GreaterOrEqual", compare<Order::Ge>},
      {"tensor.select", "onnx.Where", select},
      {"tensor.cast", "", cast},
      {"", "onnx.Cast", onnxCast},
      {"", "onnx.Clip", clip},
      {"", "onnx.LeakyRelu", withAttrs<leakyRelu>},
      {"", "onnx.Elu", withAttrs<elu>},
      {"", "onnx.HardSigmoid", withAttrs<hardSigmoid>},
  };
  for (const Row &row : rows)
    for (std::string_view name : {row.tensor, row.onnx})
      if (!name.empty())
        t.emplace(name, row.kernel);
}

} // namespace rw
