// Elementwise ops and logic, in every element type.
#include "lowering_fixture.h"

#include <doctest/doctest.h>

using namespace ::test;

namespace {
/// Every third time some dimensions are `?`.
void leaveOpen(Draw &draw, LoweringCase &c) {
  if (c.params.empty() || !draw.chance(30))
    return;
  std::vector<bool> unknown;
  for (size_t i = 0; i < c.params[0].shape.size(); ++i)
    unknown.push_back(draw.chance(50));
  for (LoweringParam &p : c.params)
    if (p.shape.size() == unknown.size())
      p.unknown = unknown;
}

void unary(const std::string &op, const std::vector<DType> &types, uint64_t units = 0, Values values = Values::Any,
           unsigned count = 60) {
  checkLowerings(op, count, [&](Draw &draw) {
    LoweringCase c;
    c.add(draw.pick(types), draw.shape(), values);
    leaveOpen(draw, c);
    c.units = units;
    return c.body("%r = " + op + " %a0 : " + c.type(0), c.type(0));
  });
}

void binary(const std::string &op, const std::vector<DType> &types, uint64_t units = 0, Values values = Values::Any,
            unsigned count = 80) {
  checkLowerings(op, count, [&](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(types);
    Shape shape = draw.shape();
    c.add(t, shape, values);
    c.add(t, shape, values);
    leaveOpen(draw, c);
    c.units = units;
    return c.body("%r = " + op + " %a0, %a1 : " + c.type(0), c.type(0));
  });
}
} // namespace

TEST_CASE("functions that are one op") {
  for (const char *op :
       {"exponential", "log", "sqrt", "tanh", "logistic", "floor", "ceil", "round_nearest_even", "sine", "cosine"})
    unary("stablehlo." + std::string(op), kFloats);
  unary("stablehlo.tan", {DType::F16, DType::BF16, DType::F32});
  unary("stablehlo.tan", {DType::F64}, 3);
  unary("stablehlo.abs", kSignedNumbers);
  unary("stablehlo.negate", kNumbers);
  unary("stablehlo.sign", kSignedNumbers);
  unary("stablehlo.not", {DType::Bool}, 0, Values::Any, 10);
}

TEST_CASE("functions that are written out") {
  unary("stablehlo.rsqrt", kFloats, 1, Values::Any, 100);
  unary("stablehlo.round_nearest_afz", kFloats, 0, Values::Any, 200);
  unary("stablehlo.log_plus_one", kFloats, 3, Values::Any, 300);
  unary("stablehlo.exponential_minus_one", kFloats, 3, Values::Any, 300);
  unary("stablehlo.cbrt", kFloats, 2, Values::Any, 200);
  binary("stablehlo.atan2", kFloats, 8, Values::Any, 400);
}

TEST_CASE("arithmetic") {
  for (const char *op : {"add", "subtract", "multiply", "maximum", "minimum"})
    binary("stablehlo." + std::string(op), kNumbers);
  for (const char *op : {"add", "multiply", "maximum", "minimum", "and", "or", "xor"})
    binary("stablehlo." + std::string(op), {DType::Bool}, 0, Values::Any, 15);
  for (const char *op : {"divide", "power", "remainder"})
    binary("stablehlo." + std::string(op), kFloats);
}

TEST_CASE("powers of integers") {
  binary("stablehlo.power", kIntegers, 0, Values::Any, 60);
  binary("stablehlo.power", kIntegers, 0, Values::Few, 30);
}

TEST_CASE("finite numbers, parts of real ones") {
  checkLowerings("is_finite", 60, [](Draw &draw) {
    LoweringCase c;
    c.add(draw.pick(kFloats), draw.shape());
    return c.body("%r = stablehlo.is_finite %a0 : (" + c.type(0) + ") -> " + mlirType(DType::Bool, c.params[0].shape),
                  mlirType(DType::Bool, c.params[0].shape));
  });
  for (const char *op : {"real", "imag"})
    checkLowerings(op, 20, [&](Draw &draw) {
      LoweringCase c;
      c.add(draw.pick(std::vector{DType::F32, DType::F64}), draw.shape());
      return c.body("%r = stablehlo." + std::string(op) + " %a0 : " + c.type(0), c.type(0));
    });
}

TEST_CASE("formats of fewer bits") {
  checkLowerings("reduce_precision", 300, [](Draw &draw) {
    LoweringCase c;
    c.add(draw.pick(kFloats), draw.shape());
    std::string format = "e" + std::to_string(draw.between(1, 12)) + "m" + std::to_string(draw.between(0, 53));
    return c.body("%r = stablehlo.reduce_precision %a0, format = " + format + " : " + c.type(0), c.type(0));
  });
}

TEST_CASE("comparisons") {
  for (const char *direction : {"EQ", "NE", "GE", "GT", "LE", "LT"})
    checkLowerings("compare " + std::string(direction), 60, [&](Draw &draw) {
      LoweringCase c;
      DType t = draw.pick(kAll);
      Shape shape = draw.shape();
      c.add(t, shape, draw.chance(50) ? Values::Few : Values::Any);
      c.add(t, shape, c.params[0].values);
      leaveOpen(draw, c);
      std::string result = mlirType(DType::Bool, shape, c.params[0].unknown);
      return c.body("%r = stablehlo.compare " + std::string(direction) + ", %a0, %a1 : (" + c.type(0) + ", " +
                        c.type(1) + ") -> " + result,
                    result);
    });
}

TEST_CASE("the total order") {
  for (const char *direction : {"EQ", "NE", "GE", "GT", "LE", "LT"})
    checkLowerings("compare " + std::string(direction) + " in total order", 40, [&](Draw &draw) {
      LoweringCase c;
      DType t = draw.pick(kFloats);
      Shape shape = draw.shape(1);
      c.add(t, shape, draw.chance(50) ? Values::Few : Values::Any);
      c.add(t, shape, c.params[0].values);
      std::string result = mlirType(DType::Bool, shape);
      return c.body("%r = stablehlo.compare " + std::string(direction) + ", %a0, %a1, TOTALORDER : (" + c.type(0) +
                        ", " + c.type(1) + ") -> " + result,
                    result);
    });
}

TEST_CASE("choices") {
  checkLowerings("select", 150, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kAll);
    Shape shape = draw.shape();
    c.add(DType::Bool, draw.chance(40) ? Shape() : shape);
    c.add(t, shape);
    c.add(t, shape);
    return c.body("%r = stablehlo.select %a0, %a1, %a2 : " + c.type(0) + ", " + c.type(1), c.type(1));
  });
  checkLowerings("clamp", 200, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kAll);
    Shape shape = draw.shape();
    c.add(t, draw.chance(50) ? Shape() : shape);
    c.add(t, shape);
    c.add(t, draw.chance(50) ? Shape() : shape);
    return c.body("%r = stablehlo.clamp %a0, %a1, %a2 : (" + c.type(0) + ", " + c.type(1) + ", " + c.type(2) + ") -> " +
                      c.type(1),
                  c.type(1));
  });
  checkLowerings("clamp between numbers", 100, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kNumbers);
    c.add(t, draw.shape());
    c.absolute = rw::isFloat(t) ? 5e-324 : 0; // either zero, where one is the limit
    std::string scalar = mlirType(t, {}), point = rw::isFloat(t) ? ".0" : "";
    std::string low = std::to_string(draw.below(5)) + point, high = std::to_string(draw.below(9)) + point;
    return c.body("%l = stablehlo.constant dense<" + low + "> : " + scalar + "\n%h = stablehlo.constant dense<" + high +
                      "> : " + scalar + "\n%r = stablehlo.clamp %l, %a0, %h : (" + scalar + ", " + c.type(0) + ", " +
                      scalar + ") -> " + c.type(0),
                  c.type(0));
  });
}

TEST_CASE("conversions") {
  checkLowerings("convert", 600, [](Draw &draw) {
    LoweringCase c;
    DType from = draw.pick(kAll), to = draw.pick(kAll);
    Shape shape = draw.shape();
    c.add(from, shape);
    leaveOpen(draw, c);
    std::string result = mlirType(to, shape, c.params[0].unknown);
    return c.body("%r = stablehlo.convert %a0 : (" + c.type(0) + ") -> " + result, result);
  });
  checkLowerings("bitcast_convert", 400, [](Draw &draw) {
    LoweringCase c;
    DType from = draw.pick(kNumbers), to = draw.pick(kNumbers);
    size_t a = rw::dtypeBytes(from), b = rw::dtypeBytes(to);
    Shape shape = draw.shape(0, 3), made = shape;
    if (b > a)
      shape.push_back(int64_t(b / a));
    else if (b < a)
      made.push_back(int64_t(a / b));
    c.add(from, shape);
    std::string result = mlirType(to, made);
    return c.body("%r = stablehlo.bitcast_convert %a0 : (" + c.type(0) + ") -> " + result, result);
  });
}
