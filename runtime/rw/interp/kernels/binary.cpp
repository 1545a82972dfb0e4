// Elementwise ops of two and more operands, with broadcasting.
#include "rw/interp/element.h"
#include "rw/interp/extremes.h"
#include "rw/interp/kernel.h"

#include <algorithm>
#include <bit>
#include <cctype>

namespace rw {
namespace {

/// Shape of the result; operands of old opsets (`broadcast` = 1) align at `axis` instead of at the end.
bool shapesOf(Call &c, const Tensor &a, Tensor &b, Shape &shape) {
  if (attrOr(c.op, "broadcast", 0) && c.op.attrNamed("axis")) {
    int64_t axis = attrOr(c.op, "axis", 0);
    if (!c.wrap(axis, a.rank()))
      return false;
    Shape s = b.shape();
    while (size_t(axis) + s.size() < a.rank())
      s.push_back(1);
    b = b.withShape(s);
  }
  std::optional<Shape> both = broadcastShapes(a.shape(), b.shape());
  if (!both)
    return c.fail("shapes " + shapeText(a.shape()) + " and " + shapeText(b.shape()) + " do not broadcast");
  shape = std::move(*both);
  return true;
}

/// Operands and result of one row: addresses of its first elements, steps from one element to the next (0 or 1), and
/// the number of elements.
struct Row {
  const std::byte *x, *y;
  int64_t xStep, yStep;
  std::byte *to;
  int64_t n;
};

/// Calls `row(f, …)` for each row of r, whose elements and those of a and b are `width` and `operandWidth` bytes. It is
/// compiled once, and what is compiled for each op and element type is a loop over one row.
void forEachPair(const Tensor &a, const Tensor &b, Tensor &r, size_t operandWidth, size_t width, const void *f,
                 void (*row)(const void *f, const Row &)) {
  const std::byte *x = a.data<std::byte>(), *y = b.data<std::byte>();
  std::byte *to = r.mutableData<std::byte>();
  Shape sa = broadcastStrides(a.shape(), r.shape()), sb = broadcastStrides(b.shape(), r.shape());
  int64_t ia = sa.empty() ? 0 : sa.back(), ib = sb.empty() ? 0 : sb.back();
  forEachRow<2>(r.shape(), {sa, sb}, [&](int64_t n, size_t at, const std::array<int64_t, 2> &from) {
    row(f, {x + size_t(from[0]) * operandWidth, y + size_t(from[1]) * operandWidth, ia, ib, to + at * width, n});
  });
}

/// r[i] = f(a[i], b[i]) for elements of types A and R.
template <class A, class R, class F> void apply(const Tensor &a, const Tensor &b, Tensor &r, F f) {
  forEachPair(a, b, r, sizeof(A), sizeof(R), &f, [](const void *pair, const Row &row) {
    const F &call = *static_cast<const F *>(pair);
    const A *x = reinterpret_cast<const A *>(row.x), *y = reinterpret_cast<const A *>(row.y);
    R *to = reinterpret_cast<R *>(row.to);
    for (int64_t i = 0; i < row.n; ++i)
      to[i] = call(x[i * row.xStep], y[i * row.yStep]);
  });
}

bool sameDtypes(Call &c) {
  return c.need(2) && (c.in[0].dtype() == c.in[1].dtype() ||
                       c.fail("operands of different element types " + std::string(dtypeName(c.in[0].dtype())) +
                              " and " + std::string(dtypeName(c.in[1].dtype()))));
}

/// One step of a fold over two tensors of one dtype, as ONNX's Sum, Max, … of many operands take several.
template <class F> bool combine(Call &c, const Tensor &a, Tensor b, Tensor &r, F f) {
  Shape shape;
  if (!shapesOf(c, a, b, shape))
    return false;
  std::optional<Tensor> made = c.make(a.dtype(), shape);
  if (!made)
    return false;
  r = std::move(*made);
  return visitNumber(a.dtype(),
                     [&]<class T>(T) {
                       using C = std::conditional_t<kIsSmallFloat<T>, float, T>;
                       if constexpr (std::is_invocable_v<F, C, C>)
                         apply<T, T>(a, b, r, [&](T x, T y) { return storeElement<T>(f(C(x), C(y))); });
                       else
                         return c.fail("not defined on " + std::string(dtypeName(a.dtype())));
                       return true;
                     }) ||
         c.fail("not defined on " + std::string(dtypeName(a.dtype())));
}
template <class F> bool arithmetic(Call &c, F f) {
  Tensor r;
  if (!sameDtypes(c) || !combine(c, c.in[0], c.in[1], r, f))
    return false;
  c.out[0] = std::move(r);
  return true;
}
template <class F> bool variadic(Call &c, F f) {
  if (!c.need(std::max<size_t>(c.in.size(), 1)))
    return false;
  Tensor r = c.in[0];
  for (const Tensor &t : c.in.subspan(1)) {
    if (t.dtype() != r.dtype())
      return c.fail("operands of different element types");
    Tensor next;
    if (!combine(c, r, t, next, f))
      return false;
    r = std::move(next);
  }
  c.out[0] = std::move(r);
  return true;
}

// Integers wrap: they are computed with as 64 bits without sign.
constexpr auto kAdd = [](auto x, auto y) {
  if constexpr (kIsInt<decltype(x)>)
    return decltype(x)(uint64_t(x) + uint64_t(y));
  else
    return x + y;
};
constexpr auto kSub = [](auto x, auto y) {
  if constexpr (kIsInt<decltype(x)>)
    return decltype(x)(uint64_t(x) - uint64_t(y));
  else
    return x - y;
};
constexpr auto kMul = [](auto x, auto y) {
  if constexpr (kIsInt<decltype(x)>)
    return decltype(x)(uint64_t(x) * uint64_t(y));
  else
    return x * y;
};
template <class T>
concept Ordered = !kIsComplex<T>;
constexpr auto kMax = []<Ordered T>(T x, T y) { return greaterOf(x, y); };
constexpr auto kMin = []<Ordered T>(T x, T y) { return lesserOf(x, y); };

bool add(Call &c) { return arithmetic(c, kAdd); }
bool sub(Call &c) { return arithmetic(c, kSub); }
bool mul(Call &c) { return arithmetic(c, kMul); }
bool maximum(Call &c) { return variadic(c, kMax); }
bool minimum(Call &c) { return variadic(c, kMin); }
bool sum(Call &c) { return variadic(c, kAdd); }
bool mean(Call &c) {
  if (!variadic(c, kAdd))
    return false;
  Tensor r = c.out[0];
  return visitFloat(r.dtype(),
                    [&]<class T>(T) {
                      for (size_t i = 0; i < r.size(); ++i)
                        r.mutableData<T>()[i] = storeElement<T>(Compute<T>(r.data<T>()[i]) / Compute<T>(c.in.size()));
                      return true;
                    }) ||
         c.fail("no floats");
}

bool hasZero(const Tensor &t) {
  bool zero = false;
  visitInt(t.dtype(), [&]<class T>(T) {
    zero = std::find(t.data<T>(), t.data<T>() + t.size(), T(0)) != t.data<T>() + t.size();
    return true;
  });
  return zero;
}
bool divide(Call &c) {
  if (!sameDtypes(c) || (hasZero(c.in[1]) && !c.fail("division by zero")))
    return false;
  return arithmetic(c, [](auto x, auto y) {
    using T = decltype(x);
    if constexpr (kIsInt<T> && std::is_signed_v<T>)
      return y == T(-1) ? T(0 - uint64_t(x)) : T(x / y);
    else
      return x / y;
  });
}
/// Remainder: with the sign of the dividend (`truncated`), or of the divisor.
bool remainder(Call &c, bool truncated) {
  if (!sameDtypes(c) || (hasZero(c.in[1]) && !c.fail("division by zero")))
    return false;
  return arithmetic(c, [=]<Ordered T>(T x, T y) -> T {
    if constexpr (kIsInt<T>) {
      if (std::is_signed_v<T> && y == T(-1))
        return 0;
      T r = T(x % y);
      return !truncated && r != 0 && (r < 0) != (y < 0) ? T(r + y) : r;
    } else {
      T r = std::fmod(x, y);
      return !truncated && r != 0 && (r < 0) != (y < 0) ? r + y : r;
    }
  });
}
bool rem(Call &c) { return remainder(c, true); }
bool mod(Call &c) { return remainder(c, attrOr(c.op, "fmod", 0) != 0); }

/// StableHLO's, which give something of every divisor: a quotient by 0 is -1, and the remainder what is divided.
bool stablehloDivide(Call &c) {
  return sameDtypes(c) && arithmetic(c, [](auto x, auto y) {
           using T = decltype(x);
           if constexpr (kIsInt<T>)
             return y == T(0) ? T(-1) : std::is_signed_v<T> && y == T(-1) ? T(0 - uint64_t(x)) : T(x / y);
           else
             return x / y;
         });
}
bool stablehloRemainder(Call &c) {
  return sameDtypes(c) && arithmetic(c, []<Ordered T>(T x, T y) -> T {
           if constexpr (kIsInt<T>)
             return y == T(0) ? x : std::is_signed_v<T> && y == T(-1) ? T(0) : T(x % y);
           else
             return std::fmod(x, y);
         });
}

uint64_t unsignedPower(uint64_t b, uint64_t e) {
  uint64_t r = 1;
  for (; e; e >>= 1, b *= b)
    if (e & 1)
      r *= b;
  return r;
}
template <class T> T intPower(T base, int64_t exponent) { return T(unsignedPower(uint64_t(base), uint64_t(exponent))); }
bool power(Call &c) {
  if (!c.need(2))
    return false;
  const Tensor &a = c.in[0];
  Tensor b = c.in[1];
  Shape shape;
  if (a.dtype() == b.dtype() && (isComplex(a.dtype()) || isUnsigned(a.dtype())))
    return arithmetic(c, []<class T>(T p, T q) {
      if constexpr (std::is_unsigned_v<T>)
        return T(unsignedPower(p, q));
      else
        return T(std::pow(p, q));
    });
  if (!isFloat(a.dtype()) && !isInteger(a.dtype()))
    return c.fail("not defined on " + std::string(dtypeName(a.dtype())));
  bool whole = isInteger(a.dtype()) && isInteger(b.dtype());
  std::optional<Tensor> y = castTo(c, b, whole ? DType::I64 : DType::F64);
  std::optional<Tensor> x = y ? castTo(c, a, whole ? DType::I64 : DType::F64) : std::nullopt;
  if (!x || !shapesOf(c, *x, *y, shape))
    return false;
  std::optional<Tensor> r = c.make(x->dtype(), shape);
  if (!r)
    return false;
  if (whole)
    apply<int64_t, int64_t>(*x, *y, *r, [](int64_t p, int64_t q) {
      return q >= 0 ? intPower(p, q) : p == 1 ? 1 : p == -1 ? (q % 2 ? -1 : 1) : int64_t(0);
    });
  else
    apply<double, double>(*x, *y, *r, [](double p, double q) { return std::pow(p, q); });
  std::optional<Tensor> back = castTo(c, *r, a.dtype());
  if (back)
    c.out[0] = std::move(*back);
  return bool(back);
}

/// Boolean ops, and the same bit by bit on integers.
template <class F> bool bits(Call &c, F f) {
  if (!sameDtypes(c))
    return false;
  const Tensor &a = c.in[0];
  Tensor b = c.in[1];
  Shape shape;
  if (!shapesOf(c, a, b, shape))
    return false;
  Tensor *r = c.result(0, a.dtype(), shape);
  if (!r)
    return false;
  if (a.dtype() == DType::Bool) {
    apply<Bool, Bool>(a, b, *r, [&](Bool x, Bool y) { return Bool(f(int(bool(x)), int(bool(y))) != 0); });
    return true;
  }
  return visitInt(a.dtype(),
                  [&]<class T>(T) {
                    apply<T, T>(a, b, *r, [&](T x, T y) { return T(f(x, y)); });
                    return true;
                  }) ||
         c.fail("neither bool nor integers");
}

template <class F> bool comparison(Call &c, F f) {
  if (!sameDtypes(c))
    return false;
  const Tensor &a = c.in[0];
  Tensor b = c.in[1];
  Shape shape;
  if (!shapesOf(c, a, b, shape))
    return false;
  Tensor *r = c.result(0, DType::Bool, shape);
  if (!r)
    return false;
  auto test = [&]<class T>(T) {
    apply<T, Bool>(a, b, *r, [&](T x, T y) {
      if constexpr (kIsInt<T>)
        return Bool(f(x, y));
      else
        return Bool(f(double(x), double(y)));
    });
    return true;
  };
  if (a.dtype() == DType::Bool) {
    apply<Bool, Bool>(a, b, *r, [&](Bool x, Bool y) { return Bool(f(int(bool(x)), int(bool(y)))); });
    return true;
  }
  if (isComplex(a.dtype()))
    return visitComplex(a.dtype(), [&]<class T>(T) {
      if constexpr (std::is_invocable_v<F, T, T>)
        apply<T, Bool>(a, b, *r, [&](T x, T y) { return Bool(f(x, y)); });
      return std::is_invocable_v<F, T, T> || c.fail("complex numbers have no order");
    });
  return visitReal(a.dtype(), test) || c.fail("not defined on " + std::string(dtypeName(a.dtype())));
}
bool equal(Call &c) {
  return comparison(c, [](auto x, auto y) { return x == y; });
}
bool less(Call &c) {
  return comparison(c, []<Ordered T>(T x, T y) { return x < y; });
}
bool lessOrEqual(Call &c) {
  return comparison(c, []<Ordered T>(T x, T y) { return x <= y; });
}
bool greater(Call &c) {
  return comparison(c, []<Ordered T>(T x, T y) { return x > y; });
}
bool greaterOrEqual(Call &c) {
  return comparison(c, []<Ordered T>(T x, T y) { return x >= y; });
}
bool compareBy(Call &c, std::string_view d) {
  if (d == "ne")
    return comparison(c, [](auto x, auto y) { return x != y; });
  Kernel k = d == "eq"   ? equal
             : d == "lt" ? less
             : d == "le" ? lessOrEqual
             : d == "gt" ? greater
             : d == "ge" ? greaterOrEqual
                         : nullptr;
  return k ? k(c) : c.fail("no such direction");
}
bool compare(Call &c) { return compareBy(c, attrOr(c.op, "direction", "")); }

/// Numbers in the order of floats in total order: -0.0 before 0.0, NaNs at the ends by their sign.
std::optional<Tensor> orderKeys(Call &c, const Tensor &x) {
  std::optional<Tensor> keys = c.make(DType::I64, x.shape());
  bool known = keys && visitFloat(x.dtype(), [&]<class T>(T) {
                 using Bits =
                     std::conditional_t<sizeof(T) == 2, int16_t, std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>;
                 for (size_t i = 0; i < x.size(); ++i) {
                   Bits bits = std::bit_cast<Bits>(x.data<T>()[i]);
                   keys->mutableData<int64_t>()[i] = bits < 0 ? Bits(bits ^ std::numeric_limits<Bits>::max()) : bits;
                 }
                 return true;
               });
  if (!known)
    c.fail("there is no total order of " + std::string(dtypeName(x.dtype())));
  return known ? keys : std::nullopt;
}

bool stablehloCompare(Call &c) {
  std::string direction(attrOr(c.op, "comparison_direction", ""));
  for (char &letter : direction)
    letter = char(std::tolower(uint8_t(letter)));
  if (attrOr(c.op, "compare_type", "") != "TOTALORDER")
    return compareBy(c, direction);
  if (!sameDtypes(c))
    return false;
  std::optional<Tensor> a = orderKeys(c, c.in[0]), b = a ? orderKeys(c, c.in[1]) : std::nullopt;
  if (!b)
    return false;
  Tensor keys[] = {*a, *b};
  Call ordered(c.op, keys, c.out, c.budget, 0);
  return compareBy(ordered, direction) || c.fail(ordered.reason);
}

/// Elements of operand 1 where operand 0 holds, else of operand 2.
bool select(Call &c) {
  if (!c.need(3) || (c.in[0].dtype() != DType::Bool && !c.fail("the condition is not bool")) ||
      (c.in[1].dtype() != c.in[2].dtype() && !c.fail("choices of different element types")))
    return false;
  std::optional<Shape> shape = broadcastShapes(c.in[1].shape(), c.in[2].shape());
  if (shape)
    shape = broadcastShapes(c.in[0].shape(), *shape);
  if (!shape)
    return c.fail("the shapes do not broadcast");
  std::array<Tensor, 3> t;
  for (size_t i = 0; i < 3; ++i) {
    std::optional<Tensor> wide = moveStrided(c, c.in[i], *shape, broadcastStrides(c.in[i].shape(), *shape));
    if (!wide)
      return false;
    t[i] = std::move(*wide);
  }
  Tensor *r = c.result(0, t[1].dtype(), *shape);
  if (!r)
    return false;
  const Bool *which = t[0].data<Bool>();
  if (r->isString()) {
    for (size_t i = 0; i < r->size(); ++i)
      r->mutableStrings()[i] = t[which[i] ? 1 : 2].strings()[i];
    return true;
  }
  return visitWidth(r->width(), [&]<class T>(T) {
    for (size_t i = 0; i < r->size(); ++i)
      r->mutableData<T>()[i] = t[which[i] ? 1 : 2].data<T>()[i];
    return true;
  });
}

bool shiftBits(Call &c) {
  bool left = attrOr(c.op, "direction", "") == "LEFT";
  return arithmetic(c, [=]<class T>(T x, T y) -> T {
    if constexpr (!kIsInt<T>)
      return x;
    else if (uint64_t(y) >= sizeof(T) * 8)
      return 0;
    else
      return left ? T(uint64_t(x) << y) : T(x >> y);
  });
}

/// Of integers by y read as unsigned; amounts from the number of bits on leave what comes in from beside.
enum class Shift { Left, Arithmetic, Logical };
template <Shift kind> bool shift(Call &c) {
  if (c.need(1) && !isInteger(c.in[0].dtype()))
    return c.fail("no integers, but " + std::string(dtypeName(c.in[0].dtype())));
  const uint8_t mask = !c.in.empty() && isInteger4(c.in[0].dtype()) ? 15 : 255; // bits above are of a sign
  return arithmetic(c, [mask]<class T>(T x, T y) -> T {
    if constexpr (kIsInt<T>) {
      using U = std::make_unsigned_t<T>;
      using S = std::make_signed_t<T>;
      constexpr uint64_t kBits = sizeof(T) * 8;
      uint64_t by = U(y);
      if constexpr (kind == Shift::Arithmetic)
        return T(S(x) >> std::min(by, kBits - 1));
      else
        return by >= kBits           ? T(0)
               : kind == Shift::Left ? T(uint64_t(x) << by)
               : sizeof(T) == 1      ? T((U(x) & mask) >> by)
                                     : T(U(x) >> by);
    } else {
      return x;
    }
  });
}

bool atan2(Call &c) {
  if (c.need(1) && !isFloat(c.in[0].dtype()) && !isComplex(c.in[0].dtype()))
    return c.fail("not defined on " + std::string(dtypeName(c.in[0].dtype())));
  return arithmetic(c, []<class T>(T y, T x) -> T {
    if constexpr (kIsInt<T>) {
      return x;
    } else if constexpr (kIsComplex<T>) {
      T turned = std::log((x + T(0, 1) * y) / std::sqrt(x * x + y * y));
      return T(turned.imag(), -turned.real());
    } else {
      return std::atan2(y, x);
    }
  });
}

/// Complex numbers of two operands, their real and imaginary parts.
bool complexOf(Call &c) {
  if (!sameDtypes(c))
    return false;
  const Tensor &re = c.in[0];
  Tensor im = c.in[1];
  Shape shape;
  bool isDouble = re.dtype() == DType::F64;
  if (!isDouble && re.dtype() != DType::F32)
    return c.fail("parts are of f32 or f64, not " + std::string(dtypeName(re.dtype())));
  if (!shapesOf(c, re, im, shape))
    return false;
  Tensor *r = c.result(0, isDouble ? DType::C128 : DType::C64, shape);
  if (!r)
    return false;
  if (isDouble)
    apply<double, std::complex<double>>(re, im, *r, [](double x, double y) { return std::complex<double>(x, y); });
  else
    apply<float, std::complex<float>>(re, im, *r, [](float x, float y) { return std::complex<float>(x, y); });
  return true;
}

/// x where it is not negative, else x times the slope. Before operator set 7 a list of slopes is one per channel.
bool prelu(Call &c) {
  if (c.version() < 7 && c.has(0) && c.has(1) && c.in[1].rank() == 1 && c.in[1].size() > 1 && c.in[0].rank() > 2) {
    Shape perChannel(c.in[0].rank() - 1, 1);
    perChannel[0] = c.in[1].dim(0);
    Tensor operands[] = {c.in[0], c.in[1].withShape(perChannel)};
    Call same(c.op, operands, c.out, c.budget, 7);
    return prelu(same) || c.fail(same.reason);
  }
  return arithmetic(c, []<Ordered T>(T x, T slope) { return x < T(0) ? T(kMul(x, slope)) : x; });
}

/// min(max(x, low), high), all three broadcast.
bool clamp(Call &c) {
  if (!c.need(3) || ((c.in[0].dtype() != c.in[1].dtype() || c.in[0].dtype() != c.in[2].dtype()) &&
                     !c.fail("limits of another element type")))
    return false;
  Tensor raised, r;
  if (!combine(c, c.in[0], c.in[1], raised, kMax) || !combine(c, raised, c.in[2], r, kMin))
    return false;
  c.out[0] = std::move(r);
  return true;
}

/// Limits as attributes or as operands, single elements.
bool clip(Call &c) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  Tensor *y = c.result(0, x.dtype(), x.shape());
  if (!y)
    return false;
  for (size_t i : {1, 2})
    if (c.has(i) && (c.in[i].dtype() != x.dtype() || c.in[i].size() != 1))
      return c.fail("a limit is not one element of the operand's type");
  return visitReal(x.dtype(),
                   [&]<class T>(T) {
                     using C = std::conditional_t<kIsSmallFloat<T>, float, T>;
                     std::optional<C> low, high;
                     if (c.has(1))
                       low = C(*c.in[1].data<T>());
                     else if (c.op.attrNamed("min"))
                       low = C(convertElement<T>(c.floatAttr("min", 0)));
                     if (c.has(2))
                       high = C(*c.in[2].data<T>());
                     else if (c.op.attrNamed("max"))
                       high = C(convertElement<T>(c.floatAttr("max", 0)));
                     for (size_t i = 0; i < x.size(); ++i) {
                       C v = C(x.data<T>()[i]);
                       if (low)
                         v = kMax(v, *low);
                       if (high)
                         v = kMin(v, *high);
                       y->mutableData<T>()[i] = storeElement<T>(v);
                     }
                     return true;
                   }) ||
         c.fail("not defined on " + std::string(dtypeName(x.dtype())));
}

} // namespace

void addBinaryKernels(KernelTable &t) {
  auto both = [&](const char *tensor, const char *onnx, Kernel k) {
    t.add(tensor, k);
    t.add(onnx, k);
  };
  both("tensor.add", "onnx.Add", add);
  both("tensor.sub", "onnx.Sub", sub);
  both("tensor.mul", "onnx.Mul", mul);
  both("tensor.div", "onnx.Div", divide);
  both("tensor.pow", "onnx.Pow", power);
  both("tensor.max", "onnx.Max", maximum);
  both("tensor.min", "onnx.Min", minimum);
  both("tensor.and", "onnx.And", [](Call &c) { return bits(c, [](auto x, auto y) { return x & y; }); });
  both("tensor.or", "onnx.Or", [](Call &c) { return bits(c, [](auto x, auto y) { return x | y; }); });
  both("tensor.xor", "onnx.Xor", [](Call &c) { return bits(c, [](auto x, auto y) { return x ^ y; }); });
  both("tensor.select", "onnx.Where", select);
  t.add("tensor.shift_left", shift<Shift::Left>);
  t.add("tensor.shift_right_arithmetic", shift<Shift::Arithmetic>);
  t.add("tensor.shift_right_logical", shift<Shift::Logical>);
  t.add("tensor.atan2", atan2);
  t.add("tensor.complex", complexOf);
  t.add("tensor.rem", rem);
  t.add("tensor.compare", compare);
  t.add("stablehlo.compare", stablehloCompare);
  t.add("stablehlo.divide", stablehloDivide);
  t.add("stablehlo.remainder", stablehloRemainder);
  t.add("tensor.clamp", clamp);
  t.add("onnx.Mod", mod);
  t.add("onnx.Sum", sum);
  t.add("onnx.Mean", mean);
  t.add("onnx.Equal", equal);
  t.add("onnx.Less", less);
  t.add("onnx.LessOrEqual", lessOrEqual);
  t.add("onnx.Greater", greater);
  t.add("onnx.GreaterOrEqual", greaterOrEqual);
  t.add("onnx.BitShift", shiftBits);
  t.add("onnx.BitwiseAnd", [](Call &c) { return bits(c, [](auto x, auto y) { return x & y; }); });
  t.add("onnx.BitwiseOr", [](Call &c) { return bits(c, [](auto x, auto y) { return x | y; }); });
  t.add("onnx.BitwiseXor", [](Call &c) { return bits(c, [](auto x, auto y) { return x ^ y; }); });
  t.add("onnx.PRelu", prelu);
  t.add("onnx.Clip", clip);
}

} // namespace rw
