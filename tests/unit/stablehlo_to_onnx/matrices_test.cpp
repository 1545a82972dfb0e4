// Roots of matrices, and normalisation by batches.
#include "lowering_fixture.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace ::test;

namespace {

const std::vector<DType> kWideFloats = {DType::F32, DType::F64};

/// `%NAME`: 3 on the diagonal, in a shape that ends in n x n.
std::string diagonal(const std::string &name, DType t, const Shape &shape) {
  size_t rank = shape.size();
  int64_t n = shape.back();
  std::string matrix = mlirType(t, {n, n}), whole = mlirType(t, shape), rows = mlirType(DType::I32, {n, n}),
              bools = mlirType(DType::Bool, {n, n});
  return fmt::format(R"(%i0 = stablehlo.iota dim = 0 : {0}
%i1 = stablehlo.iota dim = 1 : {0}
%is = stablehlo.compare EQ, %i0, %i1 : ({0}, {0}) -> {1}
%three = stablehlo.constant dense<3.0> : {2}
%zero = stablehlo.constant dense<0.0> : {2}
%one = stablehlo.select %is, %three, %zero : {1}, {2}
%{3} = stablehlo.broadcast_in_dim %one, dims = [{4}, {5}] : ({2}) -> {6}
)",
                     rows, bools, matrix, name, rank - 2, rank - 1, whole);
}

Shape batchOf(Draw &draw) { return draw.chance(50) ? Shape{} : Shape{int64_t(draw.between(1, 3))}; }
Shape joined(Shape a, const Shape &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

} // namespace

TEST_CASE("roots of matrices") {
  checkLowerings("cholesky", 60, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kWideFloats);
    Shape batch = batchOf(draw);
    int64_t n = int64_t(draw.between(1, 5));
    Shape square = joined(batch, {n, n});
    c.add(t, square, Values::Unit);
    c.absolute = t == DType::F32 ? 1e-4 : 1e-10;
    std::string dims =
        batch.empty() ? "contracting_dims = [1] x [1]" : "batching_dims = [0] x [0], contracting_dims = [2] x [2]";
    return c.body(
        diagonal("d", t, square) +
            fmt::format(
                "%p = stablehlo.dot_general %a0, %a0, {1} : ({0}, {0}) -> {0}\n%a = stablehlo.add %p, %d : {0}\n"
                "%r = \"stablehlo.cholesky\"(%a) {{lower = {2}}} : ({0}) -> {0}",
                c.type(0), dims, draw.chance(50)),
        c.type(0));
  });
}

TEST_CASE("normalisation by batches") {
  for (std::string kind : {"inference", "training", "grad"})
    checkLowerings("batch_norm_" + kind, 80, [kind](Draw &draw) {
      LoweringCase c;
      DType t = draw.pick(kWideFloats);
      Shape shape;
      for (size_t d = draw.between(2, 4); d > 0; --d)
        shape.push_back(int64_t(draw.between(1, 4)));
      int64_t feature = int64_t(draw.below(shape.size()));
      std::string operands, types;
      auto take = [&](size_t i) {
        operands += fmt::format("{}%a{}", operands.empty() ? "" : ", ", i);
        types += (types.empty() ? "" : ", ") + c.type(i);
      };
      Shape features{shape[size_t(feature)]};
      take(c.add(t, shape, Values::Unit));
      size_t vectors = kind == "training" ? 2 : kind == "grad" ? 1 : 2;
      for (size_t i = 0; i < vectors; ++i)
        take(c.add(t, features, Values::Unit));
      if (kind != "training") {
        take(c.add(t, features, Values::Unit));     // the mean
        take(c.add(t, features, Values::Positive)); // the variance
      }
      if (kind == "grad")
        take(c.add(t, shape, Values::Unit));
      c.absolute = t == DType::F32 ? 1e-3 : 1e-9;
      std::string attrs = fmt::format("{{epsilon = 0.5 : f32, feature_index = {} : i64}}", feature);
      std::string whole = c.type(0), vector = c.type(1);
      if (kind == "inference")
        return c.body(
            fmt::format("%r = \"stablehlo.batch_norm_inference\"({}) {} : ({}) -> {}", operands, attrs, types, whole),
            whole);
      size_t which = draw.below(3);
      std::string result = which == 0 ? whole : vector;
      return c.body(fmt::format("%q:3 = \"stablehlo.batch_norm_{0}\"({1}) {2} : ({3}) -> ({4}, {5}, {5})\n%r = "
                                "stablehlo.reshape %q#{6} : ({7}) -> {7}",
                                kind, operands, attrs, types, whole, vector, which, result),
                    result);
    });
}
