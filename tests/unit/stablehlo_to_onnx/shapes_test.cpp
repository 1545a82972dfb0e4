// Ops that make, move and join elements: at all ranks, with sizes of 0 and 1,
// and sizes that the program leaves open.
#include "lowering_fixture.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

using namespace ::test;

namespace {
/// One of the dimensions is `?` now and then; the result's with the same place
/// is, too.
std::vector<bool> oneOpen(Draw &draw, size_t rank, unsigned percent = 30) {
  std::vector<bool> open(rank);
  if (rank && draw.chance(percent))
    open[draw.below(rank)] = true;
  return open;
}
} // namespace

TEST_CASE("transpose, reverse, concatenate") {
  checkLowerings("transpose", 80, [](Draw &draw) {
    LoweringCase c;
    c.add(draw.pick(kAll), draw.shape());
    c.params[0].unknown = oneOpen(draw, c.params[0].shape.size());
    std::vector<int64_t> p = draw.permutation(c.params[0].shape.size());
    Shape shape;
    std::vector<bool> open;
    for (int64_t d : p) {
      shape.push_back(c.params[0].shape[size_t(d)]);
      open.push_back(c.params[0].unknown[size_t(d)]);
    }
    std::string result = mlirType(c.params[0].dtype, shape, open);
    return c.body("%r = stablehlo.transpose %a0, dims = " + mlirList(p) + " : (" + c.type(0) + ") -> " + result,
                  result);
  });
  checkLowerings("reverse", 60, [](Draw &draw) {
    LoweringCase c;
    c.add(draw.pick(kAll), draw.shape());
    c.params[0].unknown = oneOpen(draw, c.params[0].shape.size());
    std::vector<int64_t> dims;
    for (size_t i = 0; i < c.params[0].shape.size(); ++i)
      if (draw.chance(50))
        dims.push_back(int64_t(i));
    return c.body("%r = stablehlo.reverse %a0, dims = " + mlirList(dims) + " : " + c.type(0), c.type(0));
  });
  checkLowerings("concatenate", 60, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kAll);
    Shape shape = draw.shape(1);
    size_t axis = draw.below(shape.size()), n = draw.between(1, 3);
    std::string names, types;
    Shape made = shape;
    made[axis] = 0;
    for (size_t i = 0; i < n; ++i) {
      shape[axis] = draw.size();
      made[axis] += shape[axis];
      c.add(t, shape);
      names += (i ? ", %a" : "%a") + std::to_string(i);
      types += (i ? ", " : "") + c.type(i);
    }
    std::string result = mlirType(t, made);
    return c.body("%r = stablehlo.concatenate " + names + ", dim = " + std::to_string(axis) + " : (" + types + ") -> " +
                      result,
                  result);
  });
}

TEST_CASE("reshape and broadcasts") {
  checkLowerings("reshape", 80, [](Draw &draw) {
    LoweringCase c;
    Shape shape = draw.shape(), made;
    int64_t left = 1;
    for (int64_t d : shape)
      left *= d;
    c.add(draw.pick(kAll), shape);
    for (int64_t n : {2, 3, 4, 2}) // of what is left a factor now and then
      if (left && left % n == 0 && draw.chance(60)) {
        made.push_back(n);
        left /= n;
      } else if (draw.chance(20)) {
        made.push_back(1);
      }
    if (left != 1 || made.empty() || draw.chance(30))
      made.push_back(left);
    std::string result = mlirType(c.params[0].dtype, made);
    return c.body("%r = stablehlo.reshape %a0 : (" + c.type(0) + ") -> " + result, result);
  });
  checkLowerings("broadcast_in_dim", 120, [](Draw &draw) {
    LoweringCase c;
    Shape made = draw.shape(), from;
    std::vector<int64_t> dims = draw.permutation(made.size());
    dims.resize(draw.between(0, dims.size()));
    if (draw.chance(60))
      std::sort(dims.begin(), dims.end());
    for (int64_t d : dims)
      from.push_back(draw.chance(35) ? 1 : made[size_t(d)]);
    c.add(draw.pick(kAll), from);
    std::string result = mlirType(c.params[0].dtype, made);
    return c.body("%r = stablehlo.broadcast_in_dim %a0, dims = " + mlirList(dims) + " : (" + c.type(0) + ") -> " +
                      result,
                  result);
  });
  checkLowerings("broadcast", 20, [](Draw &draw) {
    LoweringCase c;
    Shape sizes = draw.shape(0, 2), made = sizes;
    c.add(draw.pick(kAll), draw.shape(0, 2));
    made.insert(made.end(), c.params[0].shape.begin(), c.params[0].shape.end());
    std::string result = mlirType(c.params[0].dtype, made);
    return c.body("%r = \"stablehlo.broadcast\"(%a0) {broadcast_sizes = " + mlirArray(sizes) + "} : (" + c.type(0) +
                      ") -> " + result,
                  result);
  });
}

TEST_CASE("iota and sizes") {
  checkLowerings("iota", 60, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kNumbers);
    Shape shape = draw.shape(1);
    std::string result = mlirType(t, shape);
    return c.body("%r = stablehlo.iota dim = " + std::to_string(draw.below(shape.size())) + " : " + result, result);
  });
  checkLowerings("a long iota", 6, [](Draw &draw) { // numbers that small types do not hold
    LoweringCase c;
    std::string result = mlirType(draw.pick(kNumbers), {300, 2});
    return c.body("%r = stablehlo.iota dim = 0 : " + result, result);
  });
  checkLowerings("get_dimension_size", 30, [](Draw &draw) {
    LoweringCase c;
    c.add(draw.pick(kAll), draw.shape(1));
    c.params[0].unknown = oneOpen(draw, c.params[0].shape.size(), 60);
    std::string axis = std::to_string(draw.below(c.params[0].shape.size()));
    return c.body("%r = stablehlo.get_dimension_size %a0, dim = " + axis + " : (" + c.type(0) + ") -> tensor<i32>",
                  "tensor<i32>");
  });
}

TEST_CASE("slice and pad") {
  checkLowerings("slice", 100, [](Draw &draw) {
    LoweringCase c;
    Shape shape = draw.shape(), starts, limits, strides, made;
    for (int64_t d : shape) {
      starts.push_back(int64_t(draw.below(size_t(d) + 1)));
      limits.push_back(starts.back() + int64_t(draw.below(size_t(d - starts.back()) + 1)));
      if (draw.chance(30))
        starts.back() = 0, limits.back() = d;
      strides.push_back(draw.chance(60) ? 1 : int64_t(draw.between(1, 3)));
      made.push_back((limits.back() - starts.back() + strides.back() - 1) / strides.back());
    }
    c.add(draw.pick(kAll), shape);
    std::string result = mlirType(c.params[0].dtype, made);
    return c.body("%r = \"stablehlo.slice\"(%a0) {start_indices = " + mlirArray(starts) + ", limit_indices = " +
                      mlirArray(limits) + ", strides = " + mlirArray(strides) + "} : (" + c.type(0) + ") -> " + result,
                  result);
  });
  checkLowerings("pad", 250, [](Draw &draw) {
    LoweringCase c;
    Shape shape = draw.shape(), low, high, interior, made;
    bool between = draw.chance(40);
    for (int64_t d : shape) {
      interior.push_back(between && draw.chance(60) ? int64_t(draw.below(3)) : 0);
      int64_t wide = d ? d + (d - 1) * interior.back() : 0;
      low.push_back(int64_t(draw.below(6)) - 3);
      high.push_back(int64_t(draw.below(6)) - 3);
      if (wide + low.back() + high.back() < 0)
        low.back() = high.back() = 1;
      made.push_back(wide + low.back() + high.back());
    }
    DType t = draw.pick(kAll);
    c.add(t, shape);
    c.add(t, {});
    std::string result = mlirType(t, made);
    return c.body("%r = stablehlo.pad %a0, %a1, low = " + mlirList(low) + ", high = " + mlirList(high) +
                      ", interior = " + mlirList(interior) + " : (" + c.type(0) + ", " + c.type(1) + ") -> " + result,
                  result);
  });
}

TEST_CASE("shapes that are computed") {
  std::vector<DType> indexTypes = {DType::I32, DType::I64};
  checkLowerings("dynamic_reshape", 40, [&](Draw &draw) {
    LoweringCase c;
    Shape shape = draw.shape(0, 3), made = shape;
    std::reverse(made.begin(), made.end());
    made.push_back(1);
    c.add(draw.pick(kAll), shape);
    c.addGiven(draw.pick(indexTypes), {int64_t(made.size())}, made);
    std::string result = mlirType(c.params[0].dtype, made, std::vector<bool>(made.size(), true));
    return c.body("%r = stablehlo.dynamic_reshape %a0, %a1 : (" + c.type(0) + ", " + c.type(1) + ") -> " + result,
                  result);
  });
  checkLowerings("dynamic_broadcast_in_dim", 60, [&](Draw &draw) {
    LoweringCase c;
    Shape made = draw.shape(1), from;
    std::vector<int64_t> dims = draw.permutation(made.size());
    dims.resize(draw.between(0, dims.size()));
    std::sort(dims.begin(), dims.end());
    for (int64_t d : dims)
      from.push_back(draw.chance(35) ? 1 : made[size_t(d)]);
    c.add(draw.pick(kAll), from);
    c.params[0].unknown = oneOpen(draw, from.size());
    c.addGiven(draw.pick(indexTypes), {int64_t(made.size())}, made);
    std::string result = mlirType(c.params[0].dtype, made, std::vector<bool>(made.size(), true));
    return c.body("%r = stablehlo.dynamic_broadcast_in_dim %a0, %a1, dims = " + mlirList(dims) + " : (" + c.type(0) +
                      ", " + c.type(1) + ") -> " + result,
                  result);
  });
  checkLowerings("dynamic_iota", 30, [&](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(std::vector{DType::F16, DType::F32, DType::F64, DType::I8, DType::I32, DType::I64, DType::U8,
                                    DType::U32, DType::U64});
    Shape shape = draw.shape(1, 3);
    c.addGiven(draw.pick(indexTypes), {int64_t(shape.size())}, shape);
    std::string result = mlirType(t, shape, std::vector<bool>(shape.size(), true));
    return c.body("%r = stablehlo.dynamic_iota %a0, dim = " + std::to_string(draw.below(shape.size())) + " : (" +
                      c.type(0) + ") -> " + result,
                  result);
  });
  checkLowerings("real_dynamic_slice", 50, [&](Draw &draw) {
    LoweringCase c;
    Shape shape = draw.shape(1), starts, limits, strides;
    for (int64_t d : shape) {
      starts.push_back(int64_t(draw.below(size_t(d) + 1)));
      limits.push_back(starts.back() + int64_t(draw.below(size_t(d - starts.back()) + 1)));
      strides.push_back(int64_t(draw.between(1, 3)));
    }
    DType i = draw.pick(indexTypes);
    int64_t n = int64_t(shape.size());
    c.add(draw.pick(kAll), shape);
    c.addGiven(i, {n}, starts);
    c.addGiven(i, {n}, limits);
    c.addGiven(i, {n}, strides);
    std::string result = mlirType(c.params[0].dtype, shape, std::vector<bool>(shape.size(), true));
    return c.body(fmt::format("%r = stablehlo.real_dynamic_slice %a0, %a1, "
                              "%a2, %a3 : ({}, {}, {}, {}) -> {}",
                              c.type(0), c.type(1), c.type(2), c.type(3), result),
                  result);
  });
  checkLowerings("dynamic_pad", 120, [&](Draw &draw) {
    LoweringCase c;
    Shape shape = draw.shape(1), low, high, interior;
    for (int64_t d : shape) {
      interior.push_back(draw.chance(40) ? int64_t(draw.below(3)) : 0);
      int64_t wide = d ? d + (d - 1) * interior.back() : 0;
      low.push_back(int64_t(draw.below(6)) - 3);
      high.push_back(int64_t(draw.below(6)) - 3);
      if (wide + low.back() + high.back() < 0)
        low.back() = high.back() = 1;
    }
    DType t = draw.pick(kAll), i = draw.pick(indexTypes);
    int64_t n = int64_t(shape.size());
    c.add(t, shape);
    c.params[0].unknown = oneOpen(draw, shape.size());
    c.add(t, {});
    c.addGiven(i, {n}, low);
    c.addGiven(i, {n}, high);
    c.addGiven(i, {n}, interior);
    std::string result = mlirType(t, shape, std::vector<bool>(shape.size(), true));
    return c.body(fmt::format("%r = stablehlo.dynamic_pad %a0, %a1, %a2, %a3, "
                              "%a4 : ({}, {}, {}, {}, {}) -> {}",
                              c.type(0), c.type(1), c.type(2), c.type(3), c.type(4), result),
                  result);
  });
}
