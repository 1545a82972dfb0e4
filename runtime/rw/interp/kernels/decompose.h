// Decompositions of one matrix: the textbook algorithms that are plainly right, in complex numbers of double precision.
//
// In:  a Matrix, row-major. Real matrices have imaginary parts of 0 and keep them so, but for eigenvalues.
// Out: factors; `false` where an iteration does not converge within a generous number of rounds (NaN, infinities).
// Elsewhere: reading operands, batches and element types is linalg.cpp.
//
//   Svd d;
//   if (!decompose(a, d)) …                   // a == d.u * diag(d.s) * d.vt, d.s falling
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rw::linalg {

using Number = std::complex<double>;

struct Matrix {
  size_t rows = 0, columns = 0;
  std::vector<Number> elements;

  Matrix() = default;
  Matrix(size_t rows, size_t columns) : rows(rows), columns(columns), elements(rows * columns) {}
  static Matrix identity(size_t n);
  Number &operator()(size_t i, size_t j) { return elements[i * columns + j]; }
  const Number &operator()(size_t i, size_t j) const { return elements[i * columns + j]; }
};
Matrix adjoint(const Matrix &); ///< transposed and conjugated
Matrix product(const Matrix &, const Matrix &);

/// a = u * diag(s) * vt with k = min(rows, columns) values, greatest first; u and the rows of vt are orthonormal.
struct Svd {
  Matrix u, vt;
  std::vector<double> s;
};
bool decompose(const Matrix &a, Svd &);

/// a = q * r with k = min(rows, columns); q has orthonormal columns, r is upper triangular.
struct Qr {
  Matrix q, r;
};
void decompose(const Matrix &a, Qr &);

/// Rows perm[0], perm[1], … of a = l * u; l has ones on its diagonal, u is upper triangular. Each pivot is the element
/// of greatest magnitude that is left in its column.
struct Lu {
  Matrix l, u;
  std::vector<int64_t> perm;
};
void decompose(const Matrix &a, Lu &);
/// Whether some pivot of a square matrix vanishes, but for rounding, or is no number.
bool isSingular(const Matrix &a);

/// a * v = v * diag(w) of a Hermitian matrix (its lower triangle is read): w real and rising, columns of v orthonormal.
struct Eigh {
  Matrix v;
  std::vector<double> w;
};
bool decompose(const Matrix &a, Eigh &);

/// a * v = v * diag(w) of any square matrix; columns of v have length 1.
struct Eig {
  Matrix v;
  std::vector<Number> w;
};
bool decompose(const Matrix &a, Eig &);

} // namespace rw::linalg
