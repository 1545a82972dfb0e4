// Roots of matrices, column by column: so of matrices of a known size that is not large.
#include "rw/convert/build.h"
#include "rw/convert/region_lowerings.h"

#include <numeric>

namespace rw::convert {
namespace {

constexpr int64_t kMostRows = 128;

/// Matrices in the last two dimensions.
struct Matrices {
  Build &b;

  size_t rank(Value x) { return b.ok() ? x.type().dims.size() : 2; }
  Value transposed(Value x) {
    std::vector<int64_t> perm(rank(x));
    std::iota(perm.begin(), perm.end(), int64_t(0));
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    return b.transpose(x, perm);
  }
  /// Rows, and columns, from `start` to before `end`.
  Value part(Value x, int64_t row, int64_t rowEnd, int64_t column, int64_t columnEnd) {
    if (!b.ok())
      return {};
    Dims dims;
    for (Dim d : x.type().dims)
      dims.push_back(d);
    int64_t last = int64_t(dims.size()) - 1;
    dims[size_t(last) - 1] = Dim(rowEnd - row);
    dims[size_t(last)] = Dim(columnEnd - column);
    return b.op("onnx.Slice", {x, b.ints({row, column}), b.ints({rowEnd, columnEnd}), b.ints({last - 1, last})}, {},
                b.shaped(x, dims));
  }
  Value rows(Value x, int64_t row, int64_t end) { return b.slice(x, rank(x) - 2, row, end, 1, Dim(end - row)); }
  Value product(Value x, Value y) { return b.op("onnx.MatMul", {x, y}); }
  Value stacked(std::span<const Value> parts, int64_t count) { return b.concat(parts, rank(parts[0]) - 2, Dim(count)); }
};

/// The element type that products are computed in; none of those that have no floats.
DType computedIn(DType t) { return t == DType::F16 || t == DType::BF16 ? DType::F32 : t; }

/// The size of square matrices, if it is a small one.
std::optional<int64_t> sizeOf(Build &b, Value a) {
  Dim n = a.type().ranked && a.type().dims.size() >= 2 ? a.type().dims.back() : Dim::unknown();
  if (!n.isKnown() || n.size() == 0 || n.size() > kMostRows || !isFloat(a.type().dtype)) {
    b.fail("the matrices are of floats and have 1 to 128 rows");
    return std::nullopt;
  }
  return n.size();
}

/// stablehlo.cholesky: column by column of the lower triangle.
std::vector<Value> rooted(Build &b, Op op) {
  Matrices m{b};
  Value a = op.operand(0);
  auto n = sizeOf(b, a);
  if (!n)
    return {};
  DType dtype = a.type().dtype, wide = computedIn(dtype);
  bool lower = attrOr(op, "lower", false);
  a = b.convert(a, wide);
  if (!lower) // the upper triangle of a symmetric matrix is the lower one of its transpose
    a = m.transposed(a);
  Value known; // the columns so far
  for (int64_t j = 0; j < *n && b.ok(); ++j) {
    Value column = m.part(a, j, *n, j, j + 1);
    if (j != 0)
      column = b.op("onnx.Sub", {column, m.product(m.rows(known, j, *n), m.transposed(m.rows(known, j, j + 1)))});
    Value root = b.op("onnx.Sqrt", {m.rows(column, 0, 1)});
    Value parts[] = {root, *n - j > 1 ? b.op("onnx.Div", {m.rows(column, 1, *n - j), root}) : root};
    column = *n - j > 1 ? m.stacked(parts, *n - j) : root;
    if (j != 0) {
      std::vector<int64_t> pads(2 * m.rank(a), 0);
      pads[m.rank(a) - 2] = j;
      Dims dims;
      for (Dim d : a.type().dims)
        dims.push_back(d);
      dims[dims.size() - 1] = Dim(1);
      column = b.op("onnx.Pad", {column, b.ints(pads)}, {}, b.shaped(a, dims));
      Value both[] = {known, column};
      known = b.concat(both, m.rank(a) - 1, Dim(j + 1));
    } else {
      known = column;
    }
  }
  return {b.convert(lower ? known : m.transposed(known), dtype)};
}

} // namespace

bool lowerCholesky(LoweringContext &ctx) { return lowerBy<rooted>(ctx); }

} // namespace rw::convert
