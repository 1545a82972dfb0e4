// Decompositions: their factors multiply to the matrix, are orthonormal, triangular and in order, on random matrices of
// every element type; known values; singular matrices.
#include "rw/interp/compare.h"
#include "rw/interp/evaluate.h"
#include "rw/interp/kernels/decompose.h"
#include "rw/ir/parser.h"
#include "rw/passes/dce.h"
#include "rw/passes/pass.h"
#include "rw_builtin_register.h"

#include <cmath>
#include <doctest/doctest.h>

using namespace rw;
using namespace rw::linalg;

namespace {
Matrix random(size_t rows, size_t columns, uint64_t seed, bool complex) {
  Tensor t = randomTensor(complex ? DType::C128 : DType::F64, {int64_t(rows), int64_t(columns)}, seed);
  Matrix m(rows, columns);
  for (size_t i = 0; i < m.elements.size(); ++i)
    m.elements[i] = complex ? t.data<Number>()[i] : Number(t.floatAt(i));
  return m;
}
double distance(const Matrix &a, const Matrix &b) {
  REQUIRE(a.rows == b.rows);
  REQUIRE(a.columns == b.columns);
  double most = 0;
  for (size_t i = 0; i < a.elements.size(); ++i)
    most = std::max(most, std::abs(a.elements[i] - b.elements[i]));
  return most;
}
template <class V> Matrix diagonal(const V &values) {
  Matrix m(values.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i)
    m(i, i) = values[i];
  return m;
}
double fromIdentity(const Matrix &columns) {
  return distance(product(adjoint(columns), columns), Matrix::identity(columns.columns));
}

struct Text {
  Registry registry;
  SourceManager sources;
  Diagnostics diags{sources};
  std::unique_ptr<Program> program;
  explicit Text(const std::string &text) {
    builtin::register_rw_builtin(registry);
    program = parseProgram(sources.addText("t.rwir", text), sources, diags, registry.ops);
    INFO(diags.renderText());
    REQUIRE(program);
  }
  EvalResult operator()(std::vector<Tensor> inputs) { return evaluate(*program->function("main"), inputs); }
};
Tensor doubles(Shape shape, std::vector<double> values) {
  Tensor t = *Tensor::make(DType::F64, std::move(shape));
  std::copy(values.begin(), values.end(), t.mutableData<double>());
  return t;
}
constexpr double kClose = 1e-10;
} // namespace

TEST_CASE("factors multiply to the matrix and have their form, for all shapes, real and complex") {
  for (auto [rows, columns] : {std::pair<size_t, size_t>{1, 1}, {3, 3}, {5, 2}, {2, 5}, {6, 6}, {0, 3}, {4, 0}})
    for (bool complex : {false, true})
      for (uint64_t seed = 1; seed <= 5; ++seed) {
        Matrix a = random(rows, columns, seed * 100 + rows * 10 + columns, complex);
        INFO(rows, " x ", columns, complex ? " complex" : " real", " seed ", seed);
        Svd svd;
        REQUIRE(decompose(a, svd));
        CHECK(distance(product(svd.u, product(diagonal(svd.s), svd.vt)), a) < kClose);
        CHECK(fromIdentity(svd.u) < kClose);
        CHECK(fromIdentity(adjoint(svd.vt)) < kClose);
        CHECK(std::is_sorted(svd.s.rbegin(), svd.s.rend()));
        Qr qr;
        decompose(a, qr);
        CHECK(distance(product(qr.q, qr.r), a) < kClose);
        CHECK(fromIdentity(qr.q) < kClose);
        Lu lu;
        decompose(a, lu);
        Matrix permuted(rows, columns);
        for (size_t i = 0; i < rows; ++i)
          for (size_t j = 0; j < columns; ++j)
            permuted(i, j) = a(size_t(lu.perm[i]), j);
        CHECK(distance(product(lu.l, lu.u), permuted) < kClose);
        if (rows != columns)
          continue;
        Eig eig;
        REQUIRE(decompose(a, eig));
        CHECK(distance(product(a, eig.v), product(eig.v, diagonal(eig.w))) < 1e-8);
        Matrix hermitian = product(adjoint(a), a);
        for (size_t i = 0; i < rows; ++i)
          hermitian(i, i) -= 1.0;
        Eigh eigh;
        REQUIRE(decompose(hermitian, eigh));
        CHECK(distance(product(hermitian, eigh.v), product(eigh.v, diagonal(eigh.w))) < 1e-8);
        CHECK(fromIdentity(eigh.v) < kClose);
        CHECK(std::is_sorted(eigh.w.begin(), eigh.w.end()));
      }
}

TEST_CASE("matrices of lower rank: u and v stay orthonormal, vanishing singular values are 0 but for rounding") {
  Matrix a(3, 3);
  for (size_t i = 0; i < 9; ++i)
    a.elements[i] = double(i + 1);
  for (const Matrix &m : {a, Matrix(3, 3), Matrix(3, 2)}) {
    Svd svd;
    REQUIRE(decompose(m, svd));
    CHECK(fromIdentity(svd.u) < kClose);
    CHECK(fromIdentity(adjoint(svd.vt)) < kClose);
    CHECK(distance(product(svd.u, product(diagonal(svd.s), svd.vt)), m) < kClose);
    CHECK(svd.s.back() < 1e-12);
    Qr qr;
    decompose(m, qr);
    CHECK(fromIdentity(qr.q) < kClose);
  }
}

TEST_CASE("known eigenvalues: a rotation has i and -i, a triangle its diagonal") {
  Matrix turn(2, 2);
  turn(0, 1) = -1;
  turn(1, 0) = 1;
  Eig eig;
  REQUIRE(decompose(turn, eig));
  CHECK(std::abs(eig.w[0] * eig.w[1] - 1.0) < kClose);
  CHECK(std::abs(eig.w[0] + eig.w[1]) < kClose);
  CHECK(std::abs(std::abs(eig.w[0].imag()) - 1) < kClose);
  Matrix triangle(3, 3);
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = i; j < 3; ++j)
      triangle(i, j) = double(i + 1);
  REQUIRE(decompose(triangle, eig));
  for (double w : {1.0, 2.0, 3.0})
    CHECK(std::ranges::any_of(eig.w, [&](Number e) { return std::abs(e - w) < kClose; }));
  // A cycle, on which the plain QR algorithm without exceptional shifts turns for ever.
  Matrix cycle(4, 4);
  for (size_t i = 0; i < 4; ++i)
    cycle((i + 1) % 4, i) = 1;
  REQUIRE(decompose(cycle, eig));
  CHECK(distance(product(cycle, eig.v), product(eig.v, diagonal(eig.w))) < 1e-8);
}

TEST_CASE("not a number and infinity are refused, not looped on") {
  Matrix a(2, 2);
  a(0, 1) = NAN;
  Svd svd;
  Eig eig;
  Eigh eigh;
  CHECK_FALSE(decompose(a, svd));
  CHECK_FALSE(decompose(a, eig));
  a(0, 1) = a(1, 0) = INFINITY;
  CHECK_FALSE(decompose(a, svd));
  CHECK_FALSE(decompose(a, eig));
  CHECK_FALSE(decompose(a, eigh));
}

TEST_CASE("the ops take batches and every float type") {
  for (auto [dtype, real, complex] : {std::array{"f16", "f16", "c64"},
                                      {"bf16", "bf16", "c64"},
                                      {"f32", "f32", "c64"},
                                      {"f64", "f64", "c128"},
                                      {"c64", "f32", "c64"},
                                      {"c128", "f64", "c128"}}) {
    std::string t = dtype, r = real, c = complex;
    Text run("func @main(%a: " + t + "[2, 3, 3]) -> (" + t + "[2, 3, 3], " + r + "[2, 3], " + c + "[2, 3], " + t +
             "[2, 3, 3], " + t +
             "[2, 3, 3]) {\n"
             " %u, %s, %vt = tensor.svd(%a)\n %w, %v = tensor.eig(%a)\n %q, %r = tensor.qr(%a)\n"
             " %p, %l, %up = tensor.lu(%a)\n %x = tensor.triangular_solve(%l, %up)\n return %u, %s, %w, %q, %x\n}");
    Tensor a = randomTensor(*dtypeFromName(t), {2, 3, 3}, 7);
    EvalResult result = run({a});
    INFO(t);
    CHECK(result.error == "");
    CHECK(result.values[1].dtype() == *dtypeFromName(r));
    CHECK(result.values[2].dtype() == *dtypeFromName(c));
  }
}

TEST_CASE("triangular_solve: left and right, lower and upper, turned, with ones on the diagonal") {
  Tensor a = doubles({2, 2}, {2, 9, 4, 8}), b = doubles({2, 2}, {2, 4, 8, 4});
  auto solve = [&](const std::string &attrs) {
    Text run("func @main(%a: f64[2, 2], %b: f64[2, 2]) -> f64[2, 2] {\n %0 = tensor.triangular_solve(%a, %b) {" +
             attrs + "} : f64[2, 2]\n return %0\n}");
    EvalResult r = run({a, b});
    REQUIRE(r.error == "");
    return std::vector<double>(r.values[0].data<double>(), r.values[0].data<double>() + 4);
  };
  using V = std::vector<double>;
  CHECK(solve("lower = true") == V{1, 2, 0.5, -0.5});                               // [[2, 0], [4, 8]] x = b
  CHECK(solve("lower = false") == V{-3.5, -0.25, 1, 0.5});                          // [[2, 9], [0, 8]] x = b
  CHECK(solve("lower = true, transpose = true") == V{-1, 1, 1, 0.5});               // [[2, 4], [0, 8]] x = b
  CHECK(solve("lower = true, unit_diagonal = true") == V{2, 4, 0, -12});            // [[1, 0], [4, 1]] x = b
  CHECK(solve("left = false, lower = true") == V{0, 0.5, 3, 0.5});                  // x [[2, 0], [4, 8]] = b
  CHECK(solve("left = false, lower = false") == V{1, -0.625, 4, -4});               // x [[2, 9], [0, 8]] = b
  CHECK(solve("left = false, lower = true, transpose = true") == V{1, 0, 4, -1.5}); // x [[2, 4], [0, 8]] = b
  Text run("func @main(%a: f64[2, 2], %b: f64[2, 2]) -> f64[2, 2] {\n %0 = tensor.triangular_solve(%a, %b) : f64[2, "
           "2]\n return %0\n}");
  CHECK(run({doubles({2, 2}, {0, 0, 1, 1}), b}).error.find("singular") != std::string::npos);
}

TEST_CASE("validate_nonsingular hands on what can be inverted, refuses the rest, and stays though unused") {
  Text run("func @main(%a: f64[2, 2, 2]) -> f64[2, 2, 2] {\n %0 = tensor.validate_nonsingular(%a) : f64[2, 2, 2]\n "
           "return %a\n}");
  CHECK(eliminateDeadCode(*run.program->function("main")) == 0);
  CHECK(run({doubles({2, 2, 2}, {1, 2, 3, 4, 0, 1, 1, 0})}).error == "");
  EvalResult r = run({doubles({2, 2, 2}, {1, 2, 3, 4, 1, 2, 2, 4})});
  CHECK(r.opName == "tensor.validate_nonsingular");
  CHECK(r.error == "matrix 1 of the batch is singular");
  Text three(
      "func @main(%a: f64[3, 3]) -> f64[3, 3] {\n %0 = tensor.validate_nonsingular(%a) : f64[3, 3]\n return %0\n}");
  // its last pivot is rounding error
  CHECK(three({doubles({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})}).error == "the matrix is singular");
  CHECK(three({doubles({3, 3}, {1e-200, 0, 0, 0, 1e-200, 0, 0, 0, 1e-200})}).error == "");
  CHECK(three({doubles({3, 3}, {NAN, 0, 0, 0, 1, 0, 0, 0, 1})}).error == "the matrix is singular");
}
