// Reductions.
#include "rw/interp/extremes.h"
#include "rw/interp/semiring.h"

#include <algorithm>

namespace rw {

bool readRows(Call &c, Rows &out) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  std::optional<std::vector<int64_t>> axes = c.intsFrom("axes", 1);
  bool onnx = c.op.fullName().starts_with("onnx.");
  if (onnx && (!axes || axes->empty()) && !attrOr(c.op, "noop_with_empty_axes", 0)) {
    axes.emplace(x.rank());
    for (size_t d = 0; d < x.rank(); ++d)
      (*axes)[d] = int64_t(d);
  }
  if (!axes)
    axes.emplace();
  if (!c.wrapAll(*axes, x.rank()))
    return false;
  bool keep = attrOr(c.op, "keepdims", onnx) != 0;
  std::vector<int64_t> perm;
  for (size_t d = 0; d < x.rank(); ++d)
    if (!std::ranges::count(*axes, int64_t(d))) {
      perm.push_back(int64_t(d));
      out.rows *= size_t(x.dim(d));
      out.shape.push_back(x.dim(d));
    } else if (keep) {
      out.shape.push_back(1);
    }
  std::ranges::sort(*axes);
  for (int64_t a : *axes) {
    perm.push_back(a);
    out.length *= size_t(x.dim(size_t(a)));
  }
  std::optional<Tensor> t = transposed(c, x, perm);
  if (t)
    out.x = std::move(*t);
  return t && c.charge(x.size());
}

namespace {

/// result[r] = finish(fold of step over row r from `start`, its length)
template <class Step, class Finish> bool sums(Call &c, double start, Step step, Finish finish) {
  Rows rows;
  if (!readRows(c, rows))
    return false;
  Tensor *y = c.result(0, rows.x.dtype(), rows.shape);
  if (!y)
    return false;
  return visitReal(rows.x.dtype(),
                   [&]<class T>(T) {
                     using S = std::conditional_t<kIsInt<T>, int64_t, double>;
                     for (size_t r = 0; r < rows.rows; ++r) {
                       S sum = S(start);
                       for (size_t i = 0; i < rows.length; ++i)
                         sum = step(sum, S(rows.x.data<T>()[r * rows.length + i]));
                       y->mutableData<T>()[r] = convertElement<T>(finish(sum, rows.length));
                     }
                     return true;
                   }) ||
         c.fail("not defined on " + std::string(dtypeName(rows.x.dtype())));
}
constexpr auto kPlus = []<class S>(S a, S b) {
  if constexpr (kIsInt<S>)
    return S(uint64_t(a) + uint64_t(b));
  else
    return a + b;
};
constexpr auto kTimes = []<class S>(S a, S b) {
  if constexpr (kIsInt<S>)
    return S(uint64_t(a) * uint64_t(b));
  else
    return a * b;
};
constexpr auto kSame = [](auto s, size_t) { return s; };

/// Integers wrap when the sum is stored, not at the ends of the range.
template <class Step> bool wrapping(Call &c, double start, Step step) {
  if (!c.need(1) || !isInteger(c.in[0].dtype()))
    return sums(c, start, step, kSame);
  Rows rows;
  if (!readRows(c, rows))
    return false;
  Tensor *y = c.result(0, rows.x.dtype(), rows.shape);
  return y && visitInt(rows.x.dtype(), [&]<class T>(T) {
           for (size_t r = 0; r < rows.rows; ++r) {
             int64_t sum = int64_t(start);
             for (size_t i = 0; i < rows.length; ++i)
               sum = step(sum, int64_t(rows.x.data<T>()[r * rows.length + i]));
             y->mutableData<T>()[r] = T(sum);
           }
           return true;
         });
}
/// Sums and products of complex numbers, and what becomes of them at the end.
template <class Step, class Finish> bool complexSums(Call &c, std::complex<double> start, Step step, Finish finish) {
  Rows rows;
  if (!readRows(c, rows))
    return false;
  Tensor *y = c.result(0, rows.x.dtype(), rows.shape);
  return y && visitComplex(rows.x.dtype(), [&]<class T>(T) {
           for (size_t r = 0; r < rows.rows; ++r) {
             Sum<T> sum = Sum<T>(start);
             for (size_t i = 0; i < rows.length; ++i)
               sum = step(sum, Sum<T>(rows.x.data<T>()[r * rows.length + i]));
             y->mutableData<T>()[r] = T(finish(sum, rows.length));
           }
           return true;
         });
}
bool ofComplex(Call &c) { return c.has(0) && isComplex(c.in[0].dtype()); }

/// Of no element a sum is 0; of some it begins with -0, which changes none, so that the sum of one is that one.
constexpr std::complex<double> kNothing(-0.0, -0.0);
constexpr auto kSumOf = [](auto s, size_t n) { return n ? s : decltype(s)(0); };
bool reduceSum(Call &c) {
  if (ofComplex(c))
    return complexSums(c, kNothing, kPlus, kSumOf);
  return c.has(0) && isFloat(c.in[0].dtype()) ? sums(c, -0.0, kPlus, kSumOf) : wrapping(c, 0, kPlus);
}
bool reduceProd(Call &c) { return ofComplex(c) ? complexSums(c, 1, kTimes, kSame) : wrapping(c, 1, kTimes); }
bool reduceMean(Call &c) {
  if (ofComplex(c))
    return complexSums(c, kNothing, kPlus, [](auto s, size_t n) { return s / double(n); });
  return sums(c, -0.0, kPlus, [](auto s, size_t n) {
    if constexpr (kIsInt<decltype(s)>)
      return n ? s / int64_t(n) : 0;
    else
      return s / double(n);
  });
}
bool reduceL1(Call &c) {
  if (c.has(0) && isInteger(c.in[0].dtype()) && !isSigned(c.in[0].dtype()))
    return reduceSum(c);
  return sums(
      c, 0, [](auto a, auto b) { return kPlus(a, b < 0 ? decltype(b)(kTimes(b, decltype(b)(-1))) : b); }, kSame);
}
bool reduceL2(Call &c) {
  return sums(
      c, 0, [](auto a, auto b) { return kPlus(a, kTimes(b, b)); }, [](auto s, size_t) { return std::sqrt(double(s)); });
}
bool reduceSumSquare(Call &c) {
  return sums(
      c, 0, [](auto a, auto b) { return kPlus(a, kTimes(b, b)); }, kSame);
}
bool reduceLogSum(Call &c) {
  return sums(c, 0, kPlus, [](auto s, size_t) { return std::log(double(s)); });
}
bool reduceLogSumExp(Call &c) {
  Rows rows;
  if (!readRows(c, rows))
    return false;
  Tensor *y = c.result(0, rows.x.dtype(), rows.shape);
  if (!y)
    return false;
  return visitFloat(rows.x.dtype(),
                    [&]<class T>(T) {
                      for (size_t r = 0; r < rows.rows; ++r) {
                        const T *x = rows.x.data<T>() + r * rows.length;
                        double most = -INFINITY, sum = 0;
                        for (size_t i = 0; i < rows.length; ++i)
                          most = std::max(most, double(x[i]));
                        double shift = std::isfinite(most) ? most : 0;
                        for (size_t i = 0; i < rows.length; ++i)
                          sum += std::exp(double(x[i]) - shift);
                        y->mutableData<T>()[r] = storeElement<T>(std::log(sum) + shift);
                      }
                      return true;
                    }) ||
         c.fail("no floats");
}

bool extreme(Call &c, bool most) {
  Rows rows;
  if (!readRows(c, rows))
    return false;
  bool flags = rows.x.dtype() == DType::Bool;
  Tensor *y = c.result(0, rows.x.dtype(), rows.shape);
  if (!y)
    return false;
  auto run = [&]<class T>(T) {
    using C = std::conditional_t<kIsSmallFloat<T>, float, std::conditional_t<std::is_same_v<T, Bool>, bool, T>>;
    using Limits = std::numeric_limits<C>;
    C start = most ? Limits::lowest() : Limits::max();
    if constexpr (kIsFloat<T>)
      start = most ? -Limits::infinity() : Limits::infinity();
    for (size_t r = 0; r < rows.rows; ++r) {
      C best = start;
      for (size_t i = 0; i < rows.length; ++i) {
        C v = C(rows.x.data<T>()[r * rows.length + i]);
        best = most ? greaterOf(best, v) : lesserOf(best, v);
      }
      if constexpr (std::is_same_v<T, Bool>)
        y->mutableData<T>()[r] = Bool(best);
      else
        y->mutableData<T>()[r] = storeElement<T>(best);
    }
    return true;
  };
  return (flags ? run(Bool()) : visitReal(rows.x.dtype(), run)) ||
         c.fail("not defined on " + std::string(dtypeName(rows.x.dtype())));
}

} // namespace

void addReduceKernels(KernelTable &t) {
  auto both = [&](const char *tensor, const char *onnx, Kernel k) {
    t.add(tensor, k);
    t.add(onnx, k);
  };
  both("tensor.reduce_sum", "onnx.ReduceSum", reduceSum);
  both("tensor.reduce_prod", "onnx.ReduceProd", reduceProd);
  both("tensor.reduce_mean", "onnx.ReduceMean", reduceMean);
  both("tensor.reduce_max", "onnx.ReduceMax", [](Call &c) { return extreme(c, true); });
  both("tensor.reduce_min", "onnx.ReduceMin", [](Call &c) { return extreme(c, false); });
  t.add("tensor.reduce_and", [](Call &c) { return extreme(c, false); }); // false is less than true
  t.add("tensor.reduce_or", [](Call &c) { return extreme(c, true); });
  t.add("onnx.ReduceL1", reduceL1);
  t.add("onnx.ReduceL2", reduceL2);
  t.add("onnx.ReduceSumSquare", reduceSumSquare);
  t.add("onnx.ReduceLogSum", reduceLogSum);
  t.add("onnx.ReduceLogSumExp", reduceLogSumExp);
}

} // namespace rw
