// Elementwise ops of one operand.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>

namespace rw {
namespace {

/// result[i] = f(x[i]) in the float type that is computed in.
template <class F> bool floats(Call &c, F f) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  if (!isFloat(x.dtype()))
    return c.fail("no floats, but " + std::string(dtypeName(x.dtype())));
  Tensor *y = c.result(0, x.dtype(), x.shape());
  return y && visitFloat(x.dtype(), [&]<class T>(T) {
           for (size_t i = 0; i < x.size(); ++i)
             y->mutableData<T>()[i] = storeElement<T>(f(Compute<T>(x.data<T>()[i])));
           return true;
         });
}

/// The same on floats and complex numbers.
template <class F> bool floating(Call &c, F f) {
  if (!c.need(1) || !isComplex(c.in[0].dtype()))
    return floats(c, f);
  const Tensor &x = c.in[0];
  Tensor *y = c.result(0, x.dtype(), x.shape());
  return y && visitComplex(x.dtype(), [&]<class T>(T) {
           for (size_t i = 0; i < x.size(); ++i)
             y->mutableData<T>()[i] = f(x.data<T>()[i]);
           return true;
         });
}

/// The same on all numbers; integers come as themselves, sign and all.
template <class F> bool numbers(Call &c, F f) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  if (x.isString() || x.dtype() == DType::Bool)
    return c.fail("no numbers, but " + std::string(dtypeName(x.dtype())));
  Tensor *y = c.result(0, x.dtype(), x.shape());
  if (!y)
    return false;
  return visitReal(x.dtype(),
                   [&]<class T>(T) {
                     using C = std::conditional_t<kIsSmallFloat<T>, float, T>;
                     for (size_t i = 0; i < x.size(); ++i)
                       y->mutableData<T>()[i] = storeElement<T>(f(C(x.data<T>()[i])));
                     return true;
                   }) ||
         c.fail("not defined on " + std::string(dtypeName(x.dtype())));
}

bool negate(Call &c) {
  if (c.need(1) && isComplex(c.in[0].dtype())) {
    Tensor *y = c.result(0, c.in[0].dtype(), c.in[0].shape());
    return y && visitComplex(c.in[0].dtype(), [&]<class T>(T) {
             for (size_t i = 0; i < y->size(); ++i)
               y->mutableData<T>()[i] = -c.in[0].data<T>()[i];
             return true;
           });
  }
  return numbers(c, [](auto x) {
    if constexpr (kIsInt<decltype(x)>)
      return decltype(x)(0 - uint64_t(x));
    else
      return -x;
  });
}
/// The magnitude, of the real element type.
bool magnitude(Call &c) {
  const Tensor &x = c.in[0];
  Tensor *y = c.result(0, x.dtype() == DType::C64 ? DType::F32 : DType::F64, x.shape());
  return y && visitComplex(x.dtype(), [&]<class T>(T) {
           for (size_t i = 0; i < x.size(); ++i)
             y->mutableData<typename T::value_type>()[i] = std::abs(x.data<T>()[i]);
           return true;
         });
}
/// The real or imaginary part, of the real element type.
bool part(Call &c, bool imaginary) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  if (!isComplex(x.dtype()))
    return floats(c, [=](auto v) { return imaginary ? decltype(v)(0) : v; });
  Tensor *y = c.result(0, x.dtype() == DType::C64 ? DType::F32 : DType::F64, x.shape());
  return y && visitComplex(x.dtype(), [&]<class T>(T) {
           for (size_t i = 0; i < x.size(); ++i)
             y->mutableData<typename T::value_type>()[i] = imaginary ? x.data<T>()[i].imag() : x.data<T>()[i].real();
           return true;
         });
}
bool absolute(Call &c) {
  if (c.need(1) && isComplex(c.in[0].dtype()))
    return magnitude(c);
  return numbers(c, [](auto x) {
    if constexpr (kIsInt<decltype(x)>)
      return x < 0 ? decltype(x)(0 - uint64_t(x)) : x;
    else
      return std::fabs(x);
  });
}
bool sign(Call &c) {
  if (c.need(1) && isComplex(c.in[0].dtype()))
    return floating(c, [](auto x) {
      auto size = std::abs(x);
      return size == 0 ? decltype(x)(0) : decltype(x)(x / size);
    });
  return numbers(c, [](auto x) {
    using T = decltype(x);
    return x > T(0) ? T(1) : x < T(0) ? T(-1) : x; // keeps zeros and NaN
  });
}
/// ONNX: 0 for both zeros.
bool onnxSign(Call &c) {
  return numbers(c, [](auto x) {
    using T = decltype(x);
    return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? T(0) : x;
  });
}
// As max(x, 0) has it: -0 becomes 0, NaN stays.
bool relu(Call &c) {
  return numbers(c, [](auto x) { return x > decltype(x)(0) || x != x ? x : decltype(x)(0); });
}
bool logicalNot(Call &c) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  Tensor *y = c.result(0, x.dtype(), x.shape());
  if (!y)
    return false;
  if (x.dtype() == DType::Bool) {
    for (size_t i = 0; i < x.size(); ++i)
      y->mutableData<Bool>()[i] = Bool(!x.data<Bool>()[i]);
    return true;
  }
  return visitInt(x.dtype(),
                  [&]<class T>(T) {
                    for (size_t i = 0; i < x.size(); ++i)
                      y->mutableData<T>()[i] = T(~x.data<T>()[i]);
                    return true;
                  }) ||
         c.fail("neither bool nor integer");
}

template <class F> bool tests(Call &c, F f) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  Tensor *y = c.result(0, DType::Bool, x.shape());
  if (!y)
    return false;
  return visitFloat(x.dtype(),
                    [&]<class T>(T) {
                      for (size_t i = 0; i < x.size(); ++i)
                        y->mutableData<Bool>()[i] = Bool(f(Compute<T>(x.data<T>()[i])));
                      return true;
                    }) ||
         c.fail("no floats");
}
bool isInf(Call &c) {
  bool positive = attrOr(c.op, "detect_positive", 1), negative = attrOr(c.op, "detect_negative", 1);
  return tests(c, [=](auto x) { return std::isinf(x) && (x > 0 ? positive : negative); });
}
bool isNan(Call &c) {
  return tests(c, [](auto x) { return std::isnan(x); });
}

template <class T> T log1pOf(T x) { return std::log1p(x); }
template <class T> std::complex<T> log1pOf(std::complex<T> x) {
  T re = x.real(), im = x.imag();
  return {T(0.5) * std::log1p(re * (2 + re) + im * im), std::atan2(im, 1 + re)};
}
template <class T> T expm1Of(T x) { return std::expm1(x); }
template <class T> std::complex<T> expm1Of(std::complex<T> x) {
  T half = std::sin(x.imag() / 2);
  return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half, std::exp(x.real()) * std::sin(x.imag())};
}
template <class T> std::complex<T> sigmoidOf(std::complex<T> x) { return T(1) / (T(1) + std::exp(-x)); }
template <class T> T sigmoidOf(T x) {
  if (x >= 0)
    return 1 / (1 + std::exp(-x));
  T e = std::exp(x);
  return e / (1 + e);
}
template <class T> T softplusOf(T x) { return std::max(x, T(0)) + std::log1p(std::exp(-std::fabs(x))); }
bool sigmoid(Call &c) {
  return floating(c, [](auto x) { return sigmoidOf(x); });
}
/// Real numbers are their own conjugates.
bool conjugate(Call &c) {
  if (c.need(1) && isComplex(c.in[0].dtype()))
    return floating(c, [](auto x) {
      if constexpr (kIsComplex<decltype(x)>)
        return std::conj(x);
      else
        return x;
    });
  return numbers(c, [](auto x) { return x; });
}
bool gelu(Call &c) {
  if (attrOr(c.op, "approximate", "none") == "tanh")
    return floats(c, [](auto x) {
      double v = x;
      return decltype(x)(0.5 * v * (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v))));
    });
  return floats(c,
                [](auto x) { return decltype(x)(0.5 * double(x) * (1 + std::erf(double(x) * 0.7071067811865476))); });
}
bool softplus(Call &c) {
  return floats(c, [](auto x) { return std::isnan(x) ? x : softplusOf(x); });
}
bool softsign(Call &c) {
  return floats(c, [](auto x) { return x / (1 + std::fabs(x)); });
}
bool mish(Call &c) {
  return floats(c, [](auto x) { return x * std::tanh(softplusOf(x)); });
}
bool swish(Call &c) {
  double a = c.floatAttr("alpha", 1);
  return floats(c, [=](auto x) { return decltype(x)(double(x) / (1 + std::exp(-a * double(x)))); });
}
bool elu(Call &c) {
  double a = c.floatAttr("alpha", 1);
  return floats(c, [=](auto x) { return x < 0 ? decltype(x)(a * std::expm1(double(x))) : x; });
}
bool celu(Call &c) {
  double a = c.floatAttr("alpha", 1);
  return floats(c, [=](auto x) { return x < 0 ? decltype(x)(a * std::expm1(double(x) / a)) : x; });
}
bool selu(Call &c) {
  double a = c.floatAttr("alpha", 1.67326319217681884765625), g = c.floatAttr("gamma", 1.05070102214813232421875);
  return floats(c, [=](auto x) { return decltype(x)(x > 0 ? g * x : g * a * std::expm1(double(x))); });
}
bool leakyRelu(Call &c) {
  double a = c.floatAttr("alpha", 0.01);
  return floats(c, [=](auto x) { return x < 0 ? decltype(x)(a) * x : x; });
}
bool hardSigmoid(Call &c) {
  double a = c.floatAttr("alpha", 0.2), b = c.floatAttr("beta", 0.5);
  return floats(c, [=](auto x) { return decltype(x)(std::isnan(x) ? double(x) : std::clamp(a * x + b, 0.0, 1.0)); });
}
bool hardSwish(Call &c) {
  return floats(
      c, [](auto x) { return decltype(x)(std::isnan(x) ? double(x) : x * std::clamp(double(x) / 6 + 0.5, 0.0, 1.0)); });
}
/// A number as the element type of operand 0 has it, if that is a float: what elements are compared with.
double asElement(const Call &c, double number) {
  visitFloat(c.in[0].dtype(), [&]<class T>(T) {
    number = convertElement<double>(storeElement<T>(number));
    return true;
  });
  return number;
}
bool thresholdedRelu(Call &c) {
  if (!c.need(1))
    return false;
  const double a = asElement(c, c.floatAttr("alpha", 1));
  return floats(c, [=](auto x) { return x > a ? x : 0; }); // of NaN 0, as the function says that ONNX gives for it
}
bool shrink(Call &c) {
  if (!c.need(1))
    return false;
  const double bias = c.floatAttr("bias", 0), l = asElement(c, c.floatAttr("lambd", 0.5));
  return numbers(c, [=](auto x) {
    using T = decltype(x);
    double v = double(x);
    return convertElement<T>(v < -l ? v + bias : v > l ? v - bias : 0 * v);
  });
}

} // namespace

void addUnaryKernels(KernelTable &t) {
#define RW_FLOATING(tensorName, onnxName, expression)                                                                  \
  for (std::string_view name : {std::string_view(tensorName), std::string_view(onnxName)})                             \
    t.add(name, [](Call &c) { return floating(c, [](auto x) { return expression; }); });
  RW_FLOATING("tensor.exp", "onnx.Exp", std::exp(x))
  RW_FLOATING("tensor.log", "onnx.Log", std::log(x))
  RW_FLOATING("tensor.sqrt", "onnx.Sqrt", std::sqrt(x))
  RW_FLOATING("tensor.tanh", "onnx.Tanh", std::tanh(x))
  RW_FLOATING("tensor.sin", "onnx.Sin", std::sin(x))
  RW_FLOATING("tensor.cos", "onnx.Cos", std::cos(x))
  RW_FLOATING("tensor.log1p", "", log1pOf(x))
  RW_FLOATING("tensor.expm1", "", expm1Of(x))
  RW_FLOATING("tensor.rsqrt", "", decltype(x)(1) / std::sqrt(x))
#undef RW_FLOATING
#define RW_FLOAT(tensorName, onnxName, expression)                                                                     \
  for (std::string_view name : {std::string_view(tensorName), std::string_view(onnxName)})                             \
    t.add(name, [](Call &c) { return floats(c, [](auto x) { return expression; }); });
  RW_FLOAT("tensor.floor", "onnx.Floor", std::floor(x))
  RW_FLOAT("tensor.ceil", "onnx.Ceil", std::ceil(x))
  RW_FLOAT("tensor.round", "onnx.Round", std::nearbyint(x))
  RW_FLOAT("tensor.swish", "", x * sigmoidOf(x))
  RW_FLOAT("tensor.erf", "onnx.Erf", std::erf(x))
  RW_FLOAT("", "onnx.Reciprocal", 1 / x)
  RW_FLOAT("", "onnx.Tan", std::tan(x))
  RW_FLOAT("", "onnx.Asin", std::asin(x))
  RW_FLOAT("", "onnx.Acos", std::acos(x))
  RW_FLOAT("", "onnx.Atan", std::atan(x))
  RW_FLOAT("", "onnx.Sinh", std::sinh(x))
  RW_FLOAT("", "onnx.Cosh", std::cosh(x))
  RW_FLOAT("", "onnx.Asinh", std::asinh(x))
  RW_FLOAT("", "onnx.Acosh", std::acosh(x))
  RW_FLOAT("", "onnx.Atanh", std::atanh(x))
#undef RW_FLOAT
  struct Entry {
    const char *tensor, *onnx;
    Kernel kernel;
  };
  for (const Entry &e : {Entry{"tensor.neg", "onnx.Neg", negate},
                         {"tensor.abs", "onnx.Abs", absolute},
                         {"tensor.relu", "onnx.Relu", relu},
                         {"tensor.not", "onnx.Not", logicalNot},
                         {"tensor.sigmoid", "onnx.Sigmoid", sigmoid},
                         {"tensor.gelu", "onnx.Gelu", gelu}}) {
    t.add(e.tensor, e.kernel);
    t.add(e.onnx, e.kernel);
  }
  t.add("tensor.sign", sign);
  t.add("onnx.Sign", onnxSign);
  t.add("tensor.conj", conjugate);
  t.add("tensor.real", [](Call &c) { return part(c, false); });
  t.add("tensor.imag", [](Call &c) { return part(c, true); });
  t.add("onnx.IsInf", isInf);
  t.add("onnx.IsNaN", isNan);
  t.add("onnx.Softplus", softplus);
  t.add("onnx.Softsign", softsign);
  t.add("onnx.Mish", mish);
  t.add("onnx.Swish", swish);
  t.add("onnx.BitwiseNot", logicalNot);
  t.add("onnx.Elu", elu);
  t.add("onnx.Celu", celu);
  t.add("onnx.Selu", selu);
  t.add("onnx.LeakyRelu", leakyRelu);
  t.add("onnx.HardSigmoid", hardSigmoid);
  t.add("onnx.HardSwish", hardSwish);
  t.add("onnx.ThresholdedRelu", thresholdedRelu);
  t.add("onnx.Shrink", shrink);
}

} // namespace rw
