// Linear algebra on the last two dimensions; those before them are a batch. Computed in complex numbers of double
// precision, whatever the element type, and rounded once.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"
#include "rw/interp/kernels/decompose.h"

namespace rw {
namespace {

using linalg::Matrix;
using linalg::Number;

DType realOf(DType t) { return t == DType::C64 ? DType::F32 : t == DType::C128 ? DType::F64 : t; }
DType complexOf(DType t) { return t == DType::F64 || t == DType::C128 ? DType::C128 : DType::C64; }

/// An operand as a batch of matrices.
struct Batch {
  Tensor t;
  Shape outer;
  size_t count = 1, rows = 0, columns = 0;

  Matrix matrix(size_t i) const {
    Matrix m(rows, columns);
    visitNumber(t.dtype(), [&]<class T>(T) {
      for (size_t e = 0; e < m.elements.size(); ++e)
        m.elements[e] = convertElement<Number>(t.data<T>()[i * rows * columns + e]);
      return true;
    });
    return m;
  }
};
bool batchOf(Call &c, size_t i, Batch &out, bool square = false) {
  if (!c.need(i + 1))
    return false;
  const Tensor &t = c.in[i];
  if (t.rank() < 2 || (!isFloat(t.dtype()) && !isComplex(t.dtype())))
    return c.fail("operand " + std::to_string(i) + " is no matrix of floats");
  out.t = t;
  out.outer.assign(t.shape().begin(), t.shape().end() - 2);
  out.rows = size_t(t.dim(t.rank() - 2));
  out.columns = size_t(t.dim(t.rank() - 1));
  if (square && out.rows != out.columns)
    return c.fail("a matrix of shape " + shapeText({int64_t(out.rows), int64_t(out.columns)}) + " is not square");
  std::optional<size_t> count = elementsIn(out.outer);
  out.count = t.size() ? count.value_or(0) : std::min<size_t>(count.value_or(0), 1 << 20);
  // Jacobi's method takes some ten sweeps of n * n * m steps.
  double steps = double(out.count) * double(out.rows + 1) * double(out.columns + 1) *
                 double(std::max(out.rows, out.columns) + 1) * 20;
  return c.charge(uint64_t(std::min(1e18, steps)));
}

/// Result `i`: [batch..., dims...].
Tensor *resultFor(Call &c, size_t i, const Batch &b, DType dtype, std::initializer_list<size_t> dims) {
  Shape shape = b.outer;
  for (size_t d : dims)
    shape.push_back(int64_t(d));
  return c.result(i, dtype, std::move(shape));
}
/// Writes numbers as matrix (or vector) number `at` of a result.
template <class Values> void put(Tensor &to, size_t at, const Values &values) {
  visitNumber(to.dtype(), [&]<class T>(T) {
    T *p = to.mutableData<T>() + at * values.size();
    for (size_t e = 0; e < values.size(); ++e)
      p[e] = convertElement<T>(values[e]);
    return true;
  });
}
bool allThere(std::initializer_list<Tensor *> tensors) {
  return std::ranges::all_of(tensors, [](Tensor *t) { return t != nullptr; });
}
void makeResults(Call &c, size_t n) {
  if (c.out.size() < n)
    c.out.resize(n); // before pointers into it are taken
}

bool svd(Call &c) {
  Batch a;
  if (!batchOf(c, 0, a))
    return false;
  makeResults(c, 3);
  size_t k = std::min(a.rows, a.columns);
  DType t = a.t.dtype();
  Tensor *u = resultFor(c, 0, a, t, {a.rows, k}), *s = resultFor(c, 1, a, realOf(t), {k}),
         *vt = resultFor(c, 2, a, t, {k, a.columns});
  if (!allThere({u, s, vt}))
    return false;
  for (size_t i = 0; i < a.count; ++i) {
    linalg::Svd d;
    if (!decompose(a.matrix(i), d))
      return c.fail("the singular values do not converge");
    put(*u, i, d.u.elements);
    put(*s, i, d.s);
    put(*vt, i, d.vt.elements);
  }
  return true;
}

bool qr(Call &c) {
  Batch a;
  if (!batchOf(c, 0, a))
    return false;
  makeResults(c, 2);
  size_t k = std::min(a.rows, a.columns);
  Tensor *q = resultFor(c, 0, a, a.t.dtype(), {a.rows, k}), *r = resultFor(c, 1, a, a.t.dtype(), {k, a.columns});
  for (size_t i = 0; allThere({q, r}) && i < a.count; ++i) {
    linalg::Qr d;
    decompose(a.matrix(i), d);
    put(*q, i, d.q.elements);
    put(*r, i, d.r.elements);
  }
  return allThere({q, r});
}

bool lu(Call &c) {
  Batch a;
  if (!batchOf(c, 0, a))
    return false;
  makeResults(c, 3);
  size_t k = std::min(a.rows, a.columns);
  Tensor *perm = resultFor(c, 0, a, DType::I64, {a.rows}), *l = resultFor(c, 1, a, a.t.dtype(), {a.rows, k}),
         *u = resultFor(c, 2, a, a.t.dtype(), {k, a.columns});
  for (size_t i = 0; allThere({perm, l, u}) && i < a.count; ++i) {
    linalg::Lu d;
    decompose(a.matrix(i), d);
    put(*perm, i, d.perm);
    put(*l, i, d.l.elements);
    put(*u, i, d.u.elements);
  }
  return allThere({perm, l, u});
}

bool eigh(Call &c) {
  Batch a;
  if (!batchOf(c, 0, a, true))
    return false;
  makeResults(c, 2);
  Tensor *w = resultFor(c, 0, a, realOf(a.t.dtype()), {a.rows}), *v = resultFor(c, 1, a, a.t.dtype(), {a.rows, a.rows});
  for (size_t i = 0; allThere({w, v}) && i < a.count; ++i) {
    linalg::Eigh d;
    if (!decompose(a.matrix(i), d))
      return c.fail("the eigenvalues do not converge");
    put(*w, i, d.w);
    put(*v, i, d.v.elements);
  }
  return allThere({w, v});
}

bool eig(Call &c) {
  Batch a;
  if (!batchOf(c, 0, a, true))
    return false;
  makeResults(c, 2);
  DType t = complexOf(a.t.dtype());
  Tensor *w = resultFor(c, 0, a, t, {a.rows}), *v = resultFor(c, 1, a, t, {a.rows, a.rows});
  for (size_t i = 0; allThere({w, v}) && i < a.count; ++i) {
    linalg::Eig d;
    if (!decompose(a.matrix(i), d))
      return c.fail("the eigenvalues do not converge");
    put(*w, i, d.w);
    put(*v, i, d.v.elements);
  }
  return allThere({w, v});
}

/// x with a x = b, by substitution along the triangle that is read.
bool substitute(const Matrix &a, Matrix &x, bool lower, bool unit) {
  size_t n = a.rows;
  for (size_t step = 0; step < n; ++step) {
    size_t i = lower ? step : n - 1 - step;
    if (!unit && a(i, i) == Number(0))
      return false;
    for (size_t j = 0; j < x.columns; ++j) {
      for (size_t k = lower ? 0 : i + 1; k < (lower ? i : n); ++k)
        x(i, j) -= a(i, k) * x(k, j);
      if (!unit)
        x(i, j) /= a(i, i);
    }
  }
  return true;
}
Matrix transposed(const Matrix &m) {
  Matrix t = adjoint(m);
  for (Number &e : t.elements)
    e = std::conj(e);
  return t;
}

bool triangularSolve(Call &c) {
  Batch a, b;
  if (!batchOf(c, 0, a, true) || !batchOf(c, 1, b))
    return false;
  bool left = attrOr(c.op, "left", 1), lower = attrOr(c.op, "lower", 1), turned = attrOr(c.op, "transpose", 0);
  if (a.outer != b.outer || a.t.dtype() != b.t.dtype() || (left ? b.rows : b.columns) != a.rows)
    return c.fail("operands that do not fit");
  Tensor *y = c.result(0, b.t.dtype(), b.t.shape());
  for (size_t i = 0; y && i < b.count && b.t.size(); ++i) {
    Matrix m = a.matrix(i), x = b.matrix(i);
    // x m = b is m' x' = b'.
    if (turned == left)
      m = transposed(m);
    if (!left)
      x = transposed(x);
    if (!substitute(m, x, lower != (turned == left), attrOr(c.op, "unit_diagonal", 0)))
      return c.fail("the matrix is singular: an element of its diagonal is 0");
    put(*y, i, (left ? x : transposed(x)).elements);
  }
  return y;
}

bool validateNonsingular(Call &c) {
  Batch a;
  if (!batchOf(c, 0, a, true))
    return false;
  for (size_t i = 0; i < a.count; ++i)
    if (linalg::isSingular(a.matrix(i)))
      return c.fail(a.count == 1 ? "the matrix is singular"
                                 : "matrix " + std::to_string(i) + " of the batch is singular");
  c.out[0] = a.t;
  return true;
}

bool determinant(Call &c) {
  Batch a;
  if (!batchOf(c, 0, a, true))
    return false;
  Tensor *y = resultFor(c, 0, a, a.t.dtype(), {});
  for (size_t i = 0; y && i < a.count; ++i) {
    linalg::Lu lu;
    decompose(a.matrix(i), lu);
    Number value = 1;
    std::vector<bool> seen(a.rows);
    for (size_t k = 0; k < a.rows; ++k) {
      value *= lu.u(k, k);
      size_t length = 0; // of the cycle of the permutation that k is in: an even one turns the sign
      for (size_t at = k; !seen[at]; at = size_t(lu.perm[at]), ++length)
        seen[at] = true;
      if (length && length % 2 == 0)
        value = -value;
    }
    put(*y, i, std::vector<Number>{value});
  }
  return y;
}

} // namespace

void addLinalgKernels(KernelTable &t) {
  t.add("tensor.svd", svd);
  t.add("tensor.qr", qr);
  t.add("tensor.lu", lu);
  t.add("onnx.Det", determinant);
  t.add("tensor.eigh", eigh);
  t.add("tensor.eig", eig);
  t.add("tensor.triangular_solve", triangularSolve);
  t.add("tensor.validate_nonsingular", validateNonsingular);
}

} // namespace rw
