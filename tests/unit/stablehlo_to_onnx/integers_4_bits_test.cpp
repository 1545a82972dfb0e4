// Integers of 4 bits: what is computed in 8 bits comes out as in 4.
#include "lowering_fixture.h"

#include <doctest/doctest.h>

using namespace ::test;

namespace {
const std::vector<DType> kHalves = {DType::I4, DType::U4};
const std::vector<DType> kOthers = {DType::Bool, DType::F16, DType::BF16, DType::F32, DType::F64,
                                    DType::I8,   DType::I16, DType::I32,  DType::I64, DType::U8,
                                    DType::U16,  DType::U32, DType::U64,  DType::I4,  DType::U4};

void elementwise(const std::string &op, unsigned operands, const std::vector<DType> &types = kHalves) {
  checkLowerings(op + " of 4 bits", 40, [&](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(types);
    Shape shape = draw.shape();
    for (unsigned i = 0; i < operands; ++i)
      c.add(t, shape);
    return c.body("%r = stablehlo." + op + (operands == 1 ? " %a0 : " : " %a0, %a1 : ") + c.type(0), c.type(0));
  });
}
} // namespace

TEST_CASE("elementwise ops of 4 bits") {
  for (const char *op : {"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "or", "xor",
                         "power", "shift_left", "shift_right_arithmetic", "shift_right_logical"})
    elementwise(op, 2);
  for (const char *op : {"negate", "not", "popcnt", "count_leading_zeros"})
    elementwise(op, 1);
  elementwise("abs", 1, {DType::I4});
  elementwise("sign", 1, {DType::I4});
}

TEST_CASE("choices of 4 bits") {
  checkLowerings("compare of 4 bits", 60, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kHalves);
    Shape shape = draw.shape();
    c.add(t, shape);
    c.add(t, shape);
    std::string result = mlirType(DType::Bool, shape);
    return c.body("%r = stablehlo.compare " + draw.pick(std::vector<std::string>{"LT", "LE", "GT", "GE", "EQ", "NE"}) +
                      ", %a0, %a1 : (" + c.type(0) + ", " + c.type(0) + ") -> " + result,
                  result);
  });
  checkLowerings("select and clamp of 4 bits", 60, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kHalves);
    Shape shape = draw.shape();
    c.add(t, shape);
    c.add(t, shape);
    c.add(t, shape);
    c.add(DType::Bool, shape);
    return c.body("%0 = stablehlo.clamp %a0, %a1, %a2 : " + c.type(0) +
                      "\n%r = stablehlo.select %a3, %0, %a1 : " + c.type(3) + ", " + c.type(0),
                  c.type(0));
  });
}

TEST_CASE("conversions to and from 4 bits") {
  checkLowerings("convert from 4 bits", 150, [](Draw &draw) {
    LoweringCase c;
    DType to = draw.pick(kOthers);
    c.add(draw.pick(kHalves), draw.shape());
    std::string result = mlirType(to, c.params[0].shape);
    return c.body("%r = stablehlo.convert %a0 : (" + c.type(0) + ") -> " + result, result);
  });
  checkLowerings("convert to 4 bits", 200, [](Draw &draw) {
    LoweringCase c;
    DType to = draw.pick(kHalves);
    c.add(draw.pick(kOthers), draw.shape());
    std::string result = mlirType(to, c.params[0].shape);
    return c.body("%r = stablehlo.convert %a0 : (" + c.type(0) + ") -> " + result, result);
  });
  checkLowerings("bitcast_convert of 4 bits", 20, [](Draw &draw) {
    LoweringCase c;
    DType to = draw.pick(kHalves);
    c.add(draw.pick(kHalves), draw.shape());
    std::string result = mlirType(to, c.params[0].shape);
    return c.body("%r = stablehlo.bitcast_convert %a0 : (" + c.type(0) + ") -> " + result, result);
  });
}

TEST_CASE("moving, adding up and chaining elements of 4 bits") {
  checkLowerings("moved, 4 bits", 40, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kHalves);
    c.add(t, {2, 3});
    c.add(t, {});
    std::string turned = mlirType(t, {3, 2}), wide = mlirType(t, {5, 3}), flat = mlirType(t, {15});
    std::string turns = "%0 = stablehlo.transpose %a0, dims = [1, 0] : (" + c.type(0) + ") -> " + turned;
    return c.body(turns + "\n%1 = stablehlo.pad %0, %a1, low = [1, 0], high = [1, 1], interior = [0, 0] : (" + turned +
                      ", " + c.type(1) + ") -> " + wide + "\n%2 = stablehlo.reverse %1, dims = [0] : " + wide +
                      "\n%r = stablehlo.reshape %2 : (" + wide + ") -> " + flat,
                  flat);
  });
  checkLowerings("moved to computed places, 4 bits", 40, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kHalves);
    c.add(t, {5});
    c.add(t, {2});
    c.add(DType::I32, {}, Values::Few);
    c.addGiven(DType::I64, {2}, {2, 4});
    std::string three = mlirType(t, {3}), eight = mlirType(t, {8}), open = kOpen + "?x?x" + mlirElement(t) + ">";
    return c.body("%0 = stablehlo.dynamic_slice %a0, %a2, sizes = [3] : (" + c.type(0) + ", tensor<i32>) -> " + three +
                      "\n%1 = stablehlo.concatenate %0, %a0, dim = 0 : (" + three + ", " + c.type(0) + ") -> " + eight +
                      "\n%2 = stablehlo.dynamic_update_slice %1, %a1, %a2 : (" + eight + ", " + c.type(1) +
                      ", tensor<i32>) -> " + eight + "\n%r = stablehlo.dynamic_reshape %2, %a3 : (" + eight + ", " +
                      c.type(3) + ") -> " + open,
                  open);
  });
  checkLowerings("reduce of 4 bits", 60, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kHalves);
    c.add(t, {int64_t(draw.between(1, 5)), 3});
    c.add(t, {});
    std::string op = draw.pick(std::vector<std::string>{"add", "multiply", "maximum", "minimum", "and", "or", "xor"});
    std::string result = mlirType(t, {3});
    return c.body("%r = stablehlo.reduce(%a0 init: %a1) applies stablehlo." + op + " across dimensions = [0] : (" +
                      c.type(0) + ", " + c.type(1) + ") -> " + result,
                  result);
  });
  checkLowerings("dot_general of 4 bits", 60, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kHalves), to = draw.chance(50) ? t : DType::I32;
    int64_t k = int64_t(draw.between(1, 6));
    c.add(t, {2, k});
    c.add(t, {k, 3});
    std::string result = mlirType(to, {2, 3});
    return c.body("%r = stablehlo.dot_general %a0, %a1, contracting_dims = [1] x [0] : (" + c.type(0) + ", " +
                      c.type(1) + ") -> " + result,
                  result);
  });
  checkLowerings("several ops of 4 bits", 40, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kHalves);
    c.add(t, {4});
    c.add(t, {4});
    std::string type = c.type(0);
    return c.body("%0 = stablehlo.iota dim = 0 : " + type + "\n%1 = stablehlo.multiply %a0, %a1 : " + type +
                      "\n%2 = stablehlo.subtract %1, %0 : " + type + "\n%3 = stablehlo.divide %2, %a1 : " + type +
                      "\n%4 = stablehlo.negate %3 : " + type + "\n%r = stablehlo.add %4, %1 : " + type,
                  type);
  });
}
