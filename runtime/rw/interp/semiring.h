// Contractions over elements of any kind: kernels that ask for no more than ⊕, ⊗, 0 and 1.
//
// In:  a policy S that says what the elements are and what ⊕ and ⊗ do; a table of kernels made for it.
// Out: evaluation of a function in which add is ⊕, mul is ⊗, reduce_sum and dot_general use both, and whatever only
//      moves elements does so. Any other op has no kernel there: exp of a max-plus number means nothing.
// Elsewhere: machine numbers are the policy Numbers<T>, which product.cpp runs through the same loops.
//
//   KernelTable maxPlus = kernelsOver<MaxPlus>();
//   EvalResult r = evaluate(fn, inputs, {.kernels = &maxPlus});       // inputs of dtype f64
//
// Elements stand in tensors of a dtype of their width: MaxPlus in f64, Boolean in bool, Modulo in u64, a user's own in
// whatever fits. Opaque tokens that are only moved need no policy: any dtype of their width, and movementKernels().
#pragma once

#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>
#include <concepts>

namespace rw {

/// `Element` is stored, `Sum` is what ⊕ gathers in: load and store go between the two.
template <class S>
concept Semiring = std::is_trivially_copyable_v<typename S::Element> &&
    requires(typename S::Element e, typename S::Sum a, typename S::Sum b) {
  { S::zero() } -> std::convertible_to<typename S::Sum>;
  { S::one() } -> std::convertible_to<typename S::Sum>;
  { S::add(a, b) } -> std::convertible_to<typename S::Sum>;
  { S::mul(a, b) } -> std::convertible_to<typename S::Sum>;
  { S::load(e) } -> std::convertible_to<typename S::Sum>;
  { S::store(a) } -> std::convertible_to<typename S::Element>;
};

/// Elements that are summed as what they are.
template <class E> struct Unconverted {
  using Element = E;
  using Sum = E;
  static E load(E e) { return e; }
  static E store(E e) { return e; }
};

/// Machine numbers: integers wrap, floats are summed as double and rounded once.
template <class T> struct Numbers {
  using Element = T;
  using Sum = rw::Sum<T>;
  static Sum zero() { return Sum(0); }
  static Sum one() { return Sum(1); }
  static Sum add(Sum a, Sum b) { return a + b; }
  static Sum mul(Sum a, Sum b) { return a * b; }
  static Sum load(T e) { return Sum(e); }
  static T store(Sum a) { return storeElement<T>(a); }
};

/// The greatest of sums: longest paths. 0 is -infinity, 1 is 0.
struct MaxPlus : Unconverted<double> {
  static double zero() { return -std::numeric_limits<double>::infinity(); }
  static double one() { return 0; }
  static double add(double a, double b) { return std::max(a, b); }
  static double mul(double a, double b) { return a + b; }
};
/// Whether there is a way: or of ands.
struct Boolean : Unconverted<Bool> {
  static Bool zero() { return Bool(false); }
  static Bool one() { return Bool(true); }
  static Bool add(Bool a, Bool b) { return Bool(a || b); }
  static Bool mul(Bool a, Bool b) { return Bool(a && b); }
};
/// Whole numbers 0 … P - 1: exact arithmetic, so that two programs that agree on random elements compute the same
/// polynomial but for a chance of about degree / P.
template <uint64_t P> struct Modulo : Unconverted<uint64_t> {
  static_assert(P > 1 && P < (uint64_t(1) << 63));
  static uint64_t zero() { return 0; }
  static uint64_t one() { return 1; }
  static uint64_t add(uint64_t a, uint64_t b) { return (a % P + b % P) % P; }
  static uint64_t mul(uint64_t a, uint64_t b) { return uint64_t(static_cast<unsigned __int128>(a % P) * (b % P) % P); }
};

/// c = a ⊗ b summed by ⊕, per batch: [m, k] × [k, n] in row-major order; those of batch i start at the given offsets.
template <Semiring S>
void multiplyOver(const typename S::Element *a, const typename S::Element *b, typename S::Element *to, size_t m,
                  size_t k, size_t n, std::span<const std::pair<size_t, size_t>> offsets) {
  std::vector<typename S::Sum> row(n);
  for (auto [atA, atB] : offsets)
    for (size_t i = 0; i < m; ++i) {
      std::fill(row.begin(), row.end(), S::zero());
      for (size_t l = 0; l < k; ++l) {
        typename S::Sum v = S::load(a[atA + i * k + l]);
        const typename S::Element *other = b + atB + l * n;
        for (size_t j = 0; j < n; ++j)
          row[j] = S::add(row[j], S::mul(v, S::load(other[j])));
      }
      for (size_t j = 0; j < n; ++j)
        *to++ = S::store(row[j]);
    }
}

/// A contraction brought into the form of multiplyOver.
struct Contraction {
  std::array<Tensor, 2> sides; // [batch, m, k] and [batch, k, n]
  size_t m = 1, k = 1, n = 1;
  Shape shape; // of the product: batch dimensions in front
  std::vector<std::pair<size_t, size_t>> offsets;
  std::vector<int64_t> order; // permutation that makes the product the result; empty if it is
};
/// Puts the dimensions of result 0 into the order that the op asks for.
bool orderResult(Call &, const Contraction &);
/// Reads the attributes and operands of a dot_general; fails if they do not fit.
bool readContraction(Call &, Contraction &);

/// A reduction brought into the form [rows, length].
struct Rows {
  Tensor x;
  size_t rows = 1, length = 1;
  Shape shape; // of the result
};
bool readRows(Call &, Rows &);

/// Elements of a tensor, if they have the width of E.
template <class E> bool holds(Call &c, const Tensor &t) {
  return (!t.isString() && t.width() == sizeof(E)) ||
         c.fail("elements of " + std::string(dtypeName(t.dtype())) + " have another width than those computed with");
}

template <Semiring S> bool dotGeneralOver(Call &c) {
  using E = typename S::Element;
  Contraction d;
  if (!readContraction(c, d) || !holds<E>(c, d.sides[0]))
    return false;
  Tensor *r = c.result(0, d.sides[0].dtype(), d.shape);
  if (!r || !c.charge(uint64_t(std::min(1e18, double(d.offsets.size()) * double(d.m) * double(d.k) * double(d.n)))))
    return false;
  multiplyOver<S>(d.sides[0].data<E>(), d.sides[1].data<E>(), r->mutableData<E>(), d.m, d.k, d.n, d.offsets);
  return orderResult(c, d);
}

template <Semiring S, bool kSum> bool reduceOver(Call &c) {
  using E = typename S::Element;
  Rows rows;
  if (!readRows(c, rows) || !holds<E>(c, rows.x))
    return false;
  Tensor *y = c.result(0, rows.x.dtype(), rows.shape);
  if (!y)
    return false;
  for (size_t r = 0; r < rows.rows; ++r) {
    typename S::Sum sum = kSum ? S::zero() : S::one();
    for (size_t i = 0; i < rows.length; ++i) {
      typename S::Sum e = S::load(rows.x.data<E>()[r * rows.length + i]);
      sum = kSum ? S::add(sum, e) : S::mul(sum, e);
    }
    y->mutableData<E>()[r] = S::store(sum);
  }
  return true;
}

template <Semiring S, bool kSum> bool combineOver(Call &c) {
  using E = typename S::Element;
  if (!c.need(2) || !holds<E>(c, c.in[0]) || !holds<E>(c, c.in[1]))
    return false;
  std::optional<Shape> shape = broadcastShapes(c.in[0].shape(), c.in[1].shape());
  if (!shape)
    return c.fail("the shapes do not broadcast");
  Tensor *r = c.result(0, c.in[0].dtype(), *shape);
  if (!r)
    return false;
  Shape sa = broadcastStrides(c.in[0].shape(), *shape), sb = broadcastStrides(c.in[1].shape(), *shape);
  int64_t ia = sa.empty() ? 0 : sa.back(), ib = sb.empty() ? 0 : sb.back();
  const E *x = c.in[0].data<E>(), *y = c.in[1].data<E>();
  forEachRow<2>(*shape, {sa, sb}, [&](int64_t n, size_t at, const std::array<int64_t, 2> &from) {
    for (int64_t i = 0; i < n; ++i) {
      typename S::Sum p = S::load(x[from[0] + i * ia]), q = S::load(y[from[1] + i * ib]);
      r->mutableData<E>()[at + size_t(i)] = S::store(kSum ? S::add(p, q) : S::mul(p, q));
    }
  });
  return true;
}

/// The kernels that move elements without looking at them.
KernelTable movementKernels();

/// Those, and the ones that only ⊕ and ⊗ are needed for.
template <Semiring S> KernelTable kernelsOver() {
  KernelTable t = movementKernels();
  t.add("tensor.dot_general", dotGeneralOver<S>);
  t.add("tensor.add", combineOver<S, true>);
  t.add("tensor.mul", combineOver<S, false>);
  t.add("tensor.reduce_sum", reduceOver<S, true>);
  t.add("tensor.reduce_prod", reduceOver<S, false>);
  return t;
}

} // namespace rw
