// Gathers, scatters and slices at places that are computed: with places outside, in all arrangements of dimensions.
#include "lowering_fixture.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

using namespace ::test;

namespace {

using Ints = std::vector<int64_t>;

bool has(const Ints &list, int64_t x) { return std::ranges::find(list, x) != list.end(); }

/// What gathers and scatters have in common: which dimensions of an operand an index vector names, and where the
/// vectors lie.
struct Arrangement {
  Shape operand, starts, outer;                    // outer: the starts' dimensions without the vectors'
  Ints map, left, batching, startBatching, window; // left: dimensions that windows leave out
  int64_t vectorDim = 0;
  Ints places; // elements of starts
};

Arrangement arranged(Draw &draw, bool emptyWindows) {
  Arrangement a;
  size_t rank = draw.between(1, 4), batches = draw.chance(40) ? draw.between(0, std::min<size_t>(rank - 1, 2)) : 0;
  for (size_t d = 0; d < rank; ++d)
    a.operand.push_back(int64_t(draw.between(1, 4)));
  Ints order = draw.permutation(rank);
  a.batching.assign(order.begin(), order.begin() + int64_t(batches));
  std::ranges::sort(a.batching);
  for (size_t i = batches; i < rank; ++i)
    if (draw.chance(60))
      a.map.push_back(order[i]);
  for (int64_t d = 0; d < int64_t(rank); ++d)
    if (!has(a.batching, d) && draw.chance(40))
      a.left.push_back(d);
  for (size_t d = 0; d < rank; ++d) {
    bool isOne = has(a.batching, int64_t(d)) || has(a.left, int64_t(d));
    a.window.push_back(isOne ? 1
                       : draw.chance(40)
                           ? a.operand[d]
                           : int64_t(draw.between(emptyWindows && draw.chance(10) ? 0 : 1, size_t(a.operand[d]))));
  }
  // Sizes of the batching dimensions, and others, in some order.
  size_t outerRank = batches + draw.below(3);
  Ints outerOrder = draw.permutation(outerRank);
  for (size_t d = 0; d < outerRank; ++d)
    a.outer.push_back(draw.chance(8) ? 0 : int64_t(draw.between(1, 3)));
  Ints outerOf;
  for (size_t i = 0; i < batches; ++i) {
    a.outer[size_t(outerOrder[i])] = a.operand[size_t(a.batching[i])];
    outerOf.push_back(outerOrder[i]);
  }
  a.vectorDim = int64_t(draw.below(outerRank + 1));
  a.starts = a.outer;
  bool implicit = a.map.size() == 1 && draw.chance(50);
  if (implicit)
    a.vectorDim = int64_t(outerRank);
  else
    a.starts.insert(a.starts.begin() + a.vectorDim, int64_t(a.map.size()));
  for (int64_t d : outerOf)
    a.startBatching.push_back(d + (!implicit && d >= a.vectorDim ? 1 : 0));
  int64_t count = std::accumulate(a.starts.begin(), a.starts.end(), int64_t(1), std::multiplies<>());
  for (int64_t i = 0; i < count; ++i)
    a.places.push_back(int64_t(draw.below(7)) - (draw.chance(20) ? 3 : 0) - (draw.chance(30) ? 1 : 0));
  return a;
}

DType indexType(Draw &draw, const Ints &places) {
  bool negative = std::ranges::any_of(places, [](int64_t p) { return p < 0; });
  return draw.pick(negative ? kSignedIntegers : kIntegers);
}

/// Result dimensions: those of windows at some places, the outer ones elsewhere.
std::pair<Shape, Ints> mixed(Draw &draw, const Shape &outer, const Shape &inner) {
  size_t rank = outer.size() + inner.size();
  Ints order = draw.permutation(rank), offsets(order.begin(), order.begin() + int64_t(inner.size()));
  if (draw.chance(50)) // as most programs have it: windows last
    std::iota(offsets.begin(), offsets.end(), int64_t(outer.size()));
  std::ranges::sort(offsets);
  Shape out;
  for (size_t d = 0, i = 0, o = 0; d < rank; ++d)
    out.push_back(has(offsets, int64_t(d)) ? inner[i++] : outer[o++]);
  return {out, offsets};
}

Shape innerOf(const Arrangement &a) {
  Shape inner;
  for (size_t d = 0; d < a.operand.size(); ++d)
    if (!has(a.batching, int64_t(d)) && !has(a.left, int64_t(d)))
      inner.push_back(a.window[d]);
  return inner;
}

} // namespace

TEST_CASE("gathers") {
  checkLowerings("gather", 800, [](Draw &draw) {
    LoweringCase c;
    Arrangement a = arranged(draw, true);
    auto [result, offsets] = mixed(draw, a.outer, innerOf(a));
    DType t = draw.pick(kAll);
    c.add(t, a.operand);
    c.addGiven(indexType(draw, a.places), a.starts, a.places);
    std::string type = mlirType(t, result);
    return c.body(fmt::format("%r = \"stablehlo.gather\"(%a0, %a1) {{dimension_numbers = #stablehlo.gather<offset_dims "
                              "= {}, collapsed_slice_dims = {}, "
                              "operand_batching_dims = {}, start_indices_batching_dims = {}, start_index_map = {}, "
                              "index_vector_dim = {}>, slice_sizes = {}}} : ({}, {}) -> {}",
                              mlirList(offsets), mlirList(a.left), mlirList(a.batching), mlirList(a.startBatching),
                              mlirList(a.map), a.vectorDim, mlirArray(a.window), c.type(0), c.type(1), type),
                  type);
  });
}

TEST_CASE("gathers of which sizes are open") {
  checkLowerings("gather of unknown sizes", 200, [](Draw &draw) {
    LoweringCase c;
    // rows of a table, for any number of rows to look up
    Shape table{int64_t(draw.between(1, 5)), int64_t(draw.between(1, 3))}, list{int64_t(draw.between(1, 4))};
    bool openTable = draw.chance(40);
    DType t = draw.pick(kAll);
    c.add(t, table);
    c.params[0].unknown = {openTable, draw.chance(0)};
    Ints places;
    for (int64_t i = 0; i < list[0]; ++i)
      places.push_back(int64_t(draw.below(8)) - 2);
    c.addGiven(draw.pick(kSignedIntegers), list, places);
    c.params[1].unknown = {true};
    std::string type = mlirType(t, {list[0], table[1]}, {true, false});
    return c.body(
        fmt::format("%r = \"stablehlo.gather\"(%a0, %a1) {{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
                    "collapsed_slice_dims = [0], "
                    "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, {}>}} : ({}, {}) -> {}",
                    table[1], c.type(0), c.type(1), type),
        type);
  });
}

TEST_CASE("scatters") {
  checkLowerings("scatter", 800, [](Draw &draw) {
    LoweringCase c;
    Arrangement a = arranged(draw, true);
    auto [updates, offsets] = mixed(draw, a.outer, innerOf(a));
    DType t = draw.pick(kAll);
    bool isBool = t == DType::Bool, isFloating = rw::isFloat(t);
    std::vector<std::string> bodies{"add", "multiply", "maximum", "minimum"};
    if (!isFloating)
      bodies.insert(bodies.end(), {"and", "or", "xor"});
    bool puts = draw.chance(30);
    std::string op = draw.pick(bodies), s = mlirType(t, {});
    // Places that are written twice: what comes last counts, which ONNX leaves open. So there is one window then.
    if (puts && !a.places.empty()) {
      for (int64_t &n : a.outer)
        n = 1;
      for (size_t i = 0; i < a.batching.size(); ++i)
        a.operand[size_t(a.batching[i])] = 1;
      size_t length = a.map.size();
      bool implicit = a.vectorDim == int64_t(a.outer.size()) && a.starts.size() == a.outer.size();
      a.starts = a.outer;
      if (!implicit)
        a.starts.insert(a.starts.begin() + a.vectorDim, int64_t(length));
      a.places.resize(implicit ? 1 : length, 0);
      Shape inner = innerOf(a);
      updates.clear();
      for (size_t d = 0, i = 0; d < offsets.size() + a.outer.size(); ++d)
        updates.push_back(has(offsets, int64_t(d)) ? inner[i++] : 1);
    }
    c.add(t, a.operand, Values::Few);
    c.addGiven(indexType(draw, a.places), a.starts, a.places);
    c.add(t, updates, Values::Few);
    c.units = isFloating && rw::dtypeBytes(t) == 2 && !puts ? 4 : 0; // added up in f32
    c.absolute = c.units ? 0.05 : 0;
    std::string body =
        puts ? fmt::format("^bb0(%x: {0}, %y: {0}):\n  stablehlo.return %y : {0}\n", s)
             : fmt::format("^bb0(%x: {0}, %y: {0}):\n  %z = stablehlo.{1} %x, %y : {0}\n  stablehlo.return %z : {0}\n",
                           s, op);
    if (!puts && !isBool && draw.chance(15)) // any other computation
      body = fmt::format("^bb0(%x: {0}, %y: {0}):\n  %n = stablehlo.subtract %y, %x : {0}\n  %z = stablehlo.maximum "
                         "%n, %y : {0}\n  stablehlo.return %z : {0}\n",
                         s);
    return c.body(fmt::format("%r = \"stablehlo.scatter\"(%a0, %a1, %a2) ({{\n{}}}) {{scatter_dimension_numbers = "
                              "#stablehlo.scatter<update_window_dims = {}, "
                              "inserted_window_dims = {}, input_batching_dims = {}, scatter_indices_batching_dims = "
                              "{}, scatter_dims_to_operand_dims = {}, index_vector_dim = "
                              "{}>}} : ({}, {}, {}) -> {}",
                              body, mlirList(offsets), mlirList(a.left), mlirList(a.batching),
                              mlirList(a.startBatching), mlirList(a.map), a.vectorDim, c.type(0), c.type(1), c.type(2),
                              c.type(0)),
                  c.type(0));
  });
}

TEST_CASE("scatters into several operands") {
  checkLowerings("scatter of two", 100, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kSignedIntegers), u = draw.pick(kFloats);
    int64_t n = int64_t(draw.between(1, 4)), m = int64_t(draw.between(1, 3)), k = int64_t(draw.between(0, 4));
    Ints places;
    for (int64_t i = 0; i < k; ++i)
      places.push_back(int64_t(draw.below(6)) - 1);
    c.add(t, {n, m}, Values::Few);
    c.add(u, {n, m}, Values::Few);
    c.addGiven(DType::I32, {k, 1}, places);
    c.add(t, {k, m}, Values::Few);
    c.add(u, {k, m}, Values::Few);
    std::string s = mlirType(t, {}), v = mlirType(u, {}), result = c.type(draw.chance(50) ? 0 : 1);
    bool together = draw.chance(50); // the second result depends on the first operand
    std::string second =
        together ? fmt::format("  %f = stablehlo.convert %p : ({0}) -> {1}\n  %w = stablehlo.add %f, %q : {1}\n", s, v)
                 : fmt::format("  %w = stablehlo.maximum %y, %q : {}\n", v);
    return c.body(fmt::format(R"(%q:2 = "stablehlo.scatter"(%a0, %a1, %a2, %a3, %a4) ({{
^bb0(%x: {0}, %y: {1}, %p: {0}, %q: {1}):
  %z = stablehlo.add %x, %p : {0}
{2}  stablehlo.return %z, %w : {0}, {1}
}}) {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}} : ({3}, {4}, {5}, {6}, {7}) -> ({3}, {4})
%r = stablehlo.reshape %q#{8} : ({9}) -> {9})",
                              s, v, second, c.type(0), c.type(1), c.type(2), c.type(3), c.type(4),
                              result == c.type(0) ? 0 : 1, result),
                  result);
  });
}

TEST_CASE("slices at computed places") {
  for (bool updates : {false, true})
    checkLowerings(updates ? "dynamic_update_slice" : "dynamic_slice", 250, [updates](Draw &draw) {
      LoweringCase c;
      DType t = draw.pick(kAll), i = draw.pick(kIntegers);
      Shape shape, part;
      for (size_t d = draw.below(4); d > 0; --d) {
        shape.push_back(int64_t(draw.between(1, 5)));
        part.push_back(draw.chance(40) ? shape.back()
                                       : int64_t(draw.between(draw.chance(10) ? 0 : 1, size_t(shape.back()))));
      }
      c.add(t, shape);
      if (updates)
        c.add(t, part);
      if (draw.chance(30))
        for (size_t d = 0; d < shape.size(); ++d) {
          bool open = draw.chance(50);
          c.params[0].unknown.push_back(open);
          if (updates)
            c.params[1].unknown.push_back(draw.chance(30));
        }
      std::string operands = updates ? "%a0, %a1" : "%a0", types = updates ? c.type(0) + ", " + c.type(1) : c.type(0);
      for (size_t d = 0; d < shape.size(); ++d) {
        size_t n = c.add(i, {}, draw.chance(70) ? Values::Few : Values::Any);
        operands += fmt::format(", %a{}", n);
        types += ", " + c.type(n);
      }
      if (updates)
        return c.body(
            fmt::format("%r = \"stablehlo.dynamic_update_slice\"({}) : ({}) -> {}", operands, types, c.type(0)),
            c.type(0));
      std::string result = mlirType(t, part);
      return c.body(fmt::format("%r = \"stablehlo.dynamic_slice\"({}) {{slice_sizes = {}}} : ({}) -> {}", operands,
                                mlirArray(part), types, result),
                    result);
    });
}
