#include "rw/interp/kernels/decompose.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rw::linalg {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr unsigned kMostSweeps = 100;

/// The rotation that makes [[p, g], [conj(g), q]] diagonal: columns x, y become c x - s d y and s x + c d y.
struct Rotation {
  double c, s;
  Number d;
  Rotation(double p, double q, Number g) : d(std::conj(g) / std::abs(g)) {
    double tau = (q - p) / (2 * std::abs(g));
    double t = (tau < 0 ? -1 : 1) / (std::abs(tau) + std::hypot(1, tau));
    c = 1 / std::hypot(1, t);
    s = t * c;
  }
  void columns(Matrix &m, size_t p, size_t q) const {
    for (size_t i = 0; i < m.rows; ++i) {
      Number x = m(i, p), y = d * m(i, q);
      m(i, p) = c * x - s * y;
      m(i, q) = s * x + c * y;
    }
  }
  void rows(Matrix &m, size_t p, size_t q) const {
    for (size_t j = 0; j < m.columns; ++j) {
      Number x = m(p, j), y = std::conj(d) * m(q, j);
      m(p, j) = c * x - s * y;
      m(q, j) = s * x + c * y;
    }
  }
};

double columnNorm(const Matrix &m, size_t j, size_t from = 0) {
  double norm = 0;
  for (size_t i = from; i < m.rows; ++i)
    norm = std::hypot(norm, std::abs(m(i, j)));
  return norm;
}

/// Column `j` of `u` becomes a vector of length 1 that is orthogonal to those before it.
void completeColumn(Matrix &u, size_t j) {
  double length = -1;
  Matrix best(u.rows, 1);
  for (size_t e = 0; e < u.rows; ++e) { // the unit vector of which most is left
    Matrix v(u.rows, 1);
    v(e, 0) = 1;
    for (unsigned round = 0; round < 2; ++round) // twice: the first may leave rounding errors
      for (size_t k = 0; k < j; ++k) {
        Number along = 0;
        for (size_t i = 0; i < u.rows; ++i)
          along += std::conj(u(i, k)) * v(i, 0);
        for (size_t i = 0; i < u.rows; ++i)
          v(i, 0) -= along * u(i, k);
      }
    if (double n = columnNorm(v, 0); n > length) {
      length = n;
      best = std::move(v);
    }
    if (length > 0.7)
      break;
  }
  for (size_t i = 0; i < u.rows; ++i)
    u(i, j) = best(i, 0) / length;
}

/// The Householder vector that maps column `j` of `m` from row `from` on to a multiple of its first unit vector.
std::vector<Number> reflector(const Matrix &m, size_t j, size_t from) {
  std::vector<Number> v(m.rows);
  double norm = columnNorm(m, j, from);
  for (size_t i = from; i < m.rows; ++i)
    v[i] = m(i, j);
  Number first = v[from];
  v[from] += (first == Number(0) ? Number(1) : first / std::abs(first)) * norm;
  double length = 0;
  for (Number e : v)
    length = std::hypot(length, std::abs(e));
  for (Number &e : v)
    e = length > 0 ? e / length : Number(0);
  return v;
}
/// m = (I - 2 v v*) m, and m (I - 2 v v*).
void reflectRows(Matrix &m, const std::vector<Number> &v) {
  for (size_t j = 0; j < m.columns; ++j) {
    Number along = 0;
    for (size_t i = 0; i < m.rows; ++i)
      along += std::conj(v[i]) * m(i, j);
    for (size_t i = 0; i < m.rows; ++i)
      m(i, j) -= 2.0 * along * v[i];
  }
}
void reflectColumns(Matrix &m, const std::vector<Number> &v) {
  for (size_t i = 0; i < m.rows; ++i) {
    Number along = 0;
    for (size_t j = 0; j < m.columns; ++j)
      along += m(i, j) * v[j];
    for (size_t j = 0; j < m.columns; ++j)
      m(i, j) -= 2.0 * along * std::conj(v[j]);
  }
}

/// Gaussian elimination in place, below the diagonal the factors.
std::vector<int64_t> eliminate(Matrix &m) {
  std::vector<int64_t> perm(m.rows);
  std::iota(perm.begin(), perm.end(), 0);
  for (size_t k = 0; k < std::min(m.rows, m.columns); ++k) {
    size_t pivot = k;
    for (size_t i = k + 1; i < m.rows; ++i)
      if (std::abs(m(i, k)) > std::abs(m(pivot, k)))
        pivot = i;
    if (pivot != k) {
      std::swap(perm[k], perm[pivot]);
      for (size_t j = 0; j < m.columns; ++j)
        std::swap(m(k, j), m(pivot, j));
    }
    if (m(k, k) == Number(0))
      continue; // the whole column below is 0
    for (size_t i = k + 1; i < m.rows; ++i) {
      Number factor = m(i, k) /= m(k, k);
      for (size_t j = k + 1; j < m.columns; ++j)
        m(i, j) -= factor * m(k, j);
    }
  }
  return perm;
}

/// The eigenvalue of the last 2 by 2 block up to `hi` that is closer to its last element.
Number shiftOf(const Matrix &h, size_t hi) {
  Number a = h(hi - 1, hi - 1), b = h(hi - 1, hi), c = h(hi, hi - 1), d = h(hi, hi);
  Number half = (a - d) / 2.0, root = std::sqrt(half * half + b * c);
  Number up = half + root, down = half - root;
  return d + (std::abs(up) < std::abs(down) ? up : down);
}

/// One step of the QR algorithm on rows lo … hi of the Hessenberg matrix h; z takes part.
void qrStep(Matrix &h, Matrix &z, size_t lo, size_t hi, Number shift) {
  size_t n = h.rows;
  for (size_t i = lo; i <= hi; ++i)
    h(i, i) -= shift;
  std::vector<std::pair<Number, Number>> givens;
  for (size_t k = lo; k < hi; ++k) {
    double norm = std::hypot(std::abs(h(k, k)), std::abs(h(k + 1, k)));
    Number c = norm > 0 ? h(k, k) / norm : Number(1), s = norm > 0 ? h(k + 1, k) / norm : Number(0);
    givens.emplace_back(c, s);
    for (size_t j = k; j < n; ++j) {
      Number x = h(k, j), y = h(k + 1, j);
      h(k, j) = std::conj(c) * x + std::conj(s) * y;
      h(k + 1, j) = -s * x + c * y;
    }
  }
  for (size_t k = lo; k < hi; ++k) {
    auto [c, s] = givens[k - lo];
    auto turn = [&](Matrix &m, size_t rows) {
      for (size_t i = 0; i < rows; ++i) {
        Number x = m(i, k), y = m(i, k + 1);
        m(i, k) = x * c + y * s;
        m(i, k + 1) = -x * std::conj(s) + y * std::conj(c);
      }
    };
    turn(h, std::min(hi, k + 1) + 1);
    turn(z, n);
  }
  for (size_t i = lo; i <= hi; ++i)
    h(i, i) += shift;
}

/// a = z h z*, h upper triangular.
bool schur(const Matrix &a, Matrix &h, Matrix &z) {
  size_t n = a.rows;
  h = a;
  z = Matrix::identity(n);
  for (size_t j = 0; j + 2 < n; ++j) {
    std::vector<Number> v = reflector(h, j, j + 1);
    reflectRows(h, v);
    reflectColumns(h, v);
    reflectColumns(z, v);
    for (size_t i = j + 2; i < n; ++i)
      h(i, j) = 0;
  }
  unsigned rounds = 0;
  for (size_t hi = n ? n - 1 : 0; hi > 0;) {
    size_t lo = hi;
    for (; lo > 0; --lo)
      if (std::abs(h(lo, lo - 1)) <= kEpsilon * (std::abs(h(lo, lo)) + std::abs(h(lo - 1, lo - 1)))) {
        h(lo, lo - 1) = 0;
        break;
      }
    if (lo == hi) {
      --hi;
      rounds = 0;
      continue;
    }
    if (++rounds > kMostSweeps)
      return false;
    // Now and then another shift, in case that one runs in a circle.
    bool stuck = rounds % 10 == 0;
    qrStep(h, z, lo, hi, stuck ? h(hi, hi) + std::abs(h(hi, hi - 1)) : shiftOf(h, hi));
  }
  return true;
}

} // namespace

Matrix Matrix::identity(size_t n) {
  Matrix m(n, n);
  for (size_t i = 0; i < n; ++i)
    m(i, i) = 1;
  return m;
}

Matrix adjoint(const Matrix &a) {
  Matrix m(a.columns, a.rows);
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t j = 0; j < a.columns; ++j)
      m(j, i) = std::conj(a(i, j));
  return m;
}

Matrix product(const Matrix &a, const Matrix &b) {
  Matrix m(a.rows, b.columns);
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t k = 0; k < a.columns; ++k)
      for (size_t j = 0; j < b.columns; ++j)
        m(i, j) += a(i, k) * b(k, j);
  return m;
}

// Jacobi's method on the columns: they are turned against each other until each two are orthogonal.
bool decompose(const Matrix &a, Svd &out) {
  if (a.rows < a.columns) {
    Svd other;
    if (!decompose(adjoint(a), other))
      return false;
    out.u = adjoint(other.vt);
    out.vt = adjoint(other.u);
    out.s = std::move(other.s);
    return true;
  }
  Matrix b = a, v = Matrix::identity(a.columns);
  bool turned = true;
  for (unsigned sweep = 0; turned; ++sweep) {
    if (sweep == kMostSweeps)
      return false;
    turned = false;
    for (size_t p = 0; p < b.columns; ++p)
      for (size_t q = p + 1; q < b.columns; ++q) {
        double alpha = 0, beta = 0;
        Number gamma = 0;
        for (size_t i = 0; i < b.rows; ++i) {
          alpha += std::norm(b(i, p));
          beta += std::norm(b(i, q));
          gamma += std::conj(b(i, p)) * b(i, q);
        }
        if (std::isnan(std::abs(gamma)) || std::isinf(alpha) || std::isinf(beta))
          return false;
        if (std::abs(gamma) <= 4 * kEpsilon * std::sqrt(alpha) * std::sqrt(beta))
          continue;
        Rotation turn(alpha, beta, gamma);
        turn.columns(b, p, q);
        turn.columns(v, p, q);
        turned = true;
      }
  }
  std::vector<double> norms(a.columns);
  std::vector<size_t> order(a.columns);
  std::iota(order.begin(), order.end(), 0);
  for (size_t j = 0; j < a.columns; ++j)
    norms[j] = columnNorm(b, j);
  std::ranges::stable_sort(order, [&](size_t x, size_t y) { return norms[x] > norms[y]; });
  out.u = Matrix(a.rows, a.columns);
  out.vt = Matrix(a.columns, a.columns);
  out.s.clear();
  for (size_t j = 0; j < a.columns; ++j) {
    size_t from = order[j];
    out.s.push_back(norms[from]);
    for (size_t i = 0; i < a.columns; ++i)
      out.vt(j, i) = std::conj(v(i, from));
    // What is left of a column that is a combination of others is rounding error.
    if (norms[from] <= 8 * kEpsilon * double(a.rows) * norms[order[0]])
      completeColumn(out.u, j);
    else
      for (size_t i = 0; i < a.rows; ++i)
        out.u(i, j) = b(i, from) / norms[from];
  }
  return true;
}

void decompose(const Matrix &a, Qr &out) {
  size_t k = std::min(a.rows, a.columns);
  Matrix r = a, q = Matrix::identity(a.rows);
  for (size_t j = 0; j < k && j + 1 < a.rows; ++j) {
    std::vector<Number> v = reflector(r, j, j);
    reflectRows(r, v);
    reflectColumns(q, v);
  }
  out.q = Matrix(a.rows, k);
  out.r = Matrix(k, a.columns);
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t j = 0; j < k; ++j)
      out.q(i, j) = q(i, j);
  for (size_t i = 0; i < k; ++i)
    for (size_t j = i; j < a.columns; ++j)
      out.r(i, j) = r(i, j);
}

void decompose(const Matrix &a, Lu &out) {
  size_t k = std::min(a.rows, a.columns);
  Matrix m = a;
  out.perm = eliminate(m);
  out.l = Matrix(a.rows, k);
  out.u = Matrix(k, a.columns);
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t j = 0; j < k; ++j)
      out.l(i, j) = i == j ? Number(1) : i > j ? m(i, j) : Number(0);
  for (size_t i = 0; i < k; ++i)
    for (size_t j = i; j < a.columns; ++j)
      out.u(i, j) = m(i, j);
}

bool isSingular(const Matrix &a) {
  double greatest = 0;
  for (Number e : a.elements)
    greatest = std::max(greatest, std::abs(e));
  Matrix m = a;
  eliminate(m);
  for (size_t i = 0; i < a.rows; ++i)
    if (!(std::abs(m(i, i)) > double(a.rows) * kEpsilon * greatest))
      return true;
  return false;
}

// Jacobi's method: the greatest off-diagonal elements are turned away, pair by pair.
bool decompose(const Matrix &given, Eigh &out) {
  size_t n = given.rows;
  Matrix a(n, n), v = Matrix::identity(n);
  double all = 0;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j <= i; ++j) {
      a(i, j) = i == j ? Number(given(i, j).real()) : given(i, j);
      a(j, i) = std::conj(a(i, j));
      all = std::hypot(all, std::abs(a(i, j)));
    }
  if (!std::isfinite(all))
    return false;
  bool turned = true;
  for (unsigned sweep = 0; turned; ++sweep) {
    if (sweep == kMostSweeps)
      return false;
    turned = false;
    for (size_t p = 0; p < n; ++p)
      for (size_t q = p + 1; q < n; ++q) {
        if (std::abs(a(p, q)) <= kEpsilon * 0.01 * all)
          continue;
        Rotation turn(a(p, p).real(), a(q, q).real(), a(p, q));
        turn.columns(a, p, q);
        turn.rows(a, p, q);
        a(p, q) = a(q, p) = 0;
        turn.columns(v, p, q);
        turned = true;
      }
  }
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](size_t x, size_t y) { return a(x, x).real() < a(y, y).real(); });
  out.v = Matrix(n, n);
  out.w.clear();
  for (size_t j = 0; j < n; ++j) {
    out.w.push_back(a(order[j], order[j]).real());
    for (size_t i = 0; i < n; ++i)
      out.v(i, j) = v(i, order[j]);
  }
  return true;
}

bool decompose(const Matrix &a, Eig &out) {
  size_t n = a.rows;
  double greatest = 0;
  for (Number e : a.elements)
    if (!std::isfinite(std::abs(e)))
      return false;
    else
      greatest = std::max(greatest, std::abs(e));
  Matrix t, z;
  if (!schur(a, t, z))
    return false;
  out.w.clear();
  Matrix y(n, n);
  for (size_t k = 0; k < n; ++k) {
    out.w.push_back(t(k, k));
    y(k, k) = 1;
    for (size_t i = k; i-- > 0;) {
      Number sum = 0;
      for (size_t j = i + 1; j <= k; ++j)
        sum += t(i, j) * y(j, k);
      Number gap = t(i, i) - t(k, k);
      if (std::abs(gap) < kEpsilon * std::max(greatest, std::numeric_limits<double>::min()))
        gap = kEpsilon * std::max(greatest, 1e-300); // equal eigenvalues: one vector may stand for both
      y(i, k) = -sum / gap;
    }
  }
  out.v = product(z, y);
  for (size_t k = 0; k < n; ++k) {
    double norm = columnNorm(out.v, k);
    for (size_t i = 0; i < n; ++i)
      out.v(i, k) /= norm;
  }
  return true;
}

} // namespace rw::linalg
