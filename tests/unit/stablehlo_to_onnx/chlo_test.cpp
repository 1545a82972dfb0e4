// Functions of CHLO: within three units in the last place where that is asked,
// of what is computed in double.
#include "lowering_fixture.h"

#include <doctest/doctest.h>

using namespace ::test;

namespace {
void function(const std::string &op, const std::vector<DType> &types, Values values, uint64_t units,
              double absolute = 0) {
  checkLowerings("chlo." + op, 100, [&](Draw &draw) {
    LoweringCase c;
    c.add(draw.pick(types), draw.shape(1), values);
    c.units = units;
    c.absolute = absolute;
    return c.body("%r = chlo." + op + " %a0 : " + c.type(0) + " -> " + c.type(0), c.type(0));
  });
}
const std::vector<DType> kToF32 = {DType::F16, DType::BF16, DType::F32};
} // namespace

TEST_CASE("functions that ONNX has, and of f64 others in their place") {
  for (const char *op : {"acos", "asin", "atanh", "erf"}) {
    function(op, kToF32, Values::Unit, 1);
    function(op, {DType::F64}, Values::Unit, 8);
  }
  for (const char *op : {"acosh", "asinh", "atan", "tan", "erf"}) {
    function(op, kToF32, Values::Any, 1);
    function(op, {DType::F64}, Values::Any, 8);
  }
  function("square", kNumbers, Values::Any, 0);
}

TEST_CASE("functions that are composed") {
  function("cosh", kFloats, Values::Any, 3);
  function("sinh", kFloats, Values::Any, 3);
  function("erfc", kToF32, Values::Any, 1);
  function("erf_inv", kToF32, Values::Unit, 3);
  function("erf_inv", {DType::F64}, Values::Unit, 200);
  function("lgamma", kToF32, Values::Any, 1,
           4e-15); // of what is added up some cancels near 1 and 2
  function("digamma", kToF32, Values::Moderate, 1);
  function("bessel_i1e", kToF32, Values::Any, 1);
  for (const char *op : {"erfc", "lgamma", "digamma", "bessel_i1e"})
    function(op, {DType::F64}, Values::Moderate, 5000, 1e-12);
}

TEST_CASE("questions, neighbours, the greatest") {
  for (const char *op : {"is_inf", "is_pos_inf", "is_neg_inf"})
    checkLowerings("chlo." + std::string(op), 20, [&](Draw &draw) {
      LoweringCase c;
      c.add(draw.pick(kFloats), draw.shape());
      std::string result = mlirType(DType::Bool, c.params[0].shape);
      return c.body("%r = chlo." + std::string(op) + " %a0 : " + c.type(0) + " -> " + result, result);
    });
  checkLowerings("chlo.next_after", 100, [](Draw &draw) {
    LoweringCase c;
    Shape shape = draw.shape();
    DType t = draw.pick(kFloats);
    c.add(t, shape);
    c.add(t, shape);
    return c.body("%r = chlo.next_after %a0, %a1 : " + c.type(0) + ", " + c.type(1) + " -> " + c.type(0), c.type(0));
  });
  for (const char *which : {"0", "1"})
    checkLowerings("chlo.top_k, result " + std::string(which), 60, [&](Draw &draw) {
      LoweringCase c;
      DType t = draw.pick(std::vector{DType::F16, DType::BF16, DType::F32, DType::I8, DType::I16, DType::I32,
                                      DType::I64, DType::U8, DType::U16, DType::U32});
      Shape shape = draw.shape(1, 3), made = shape;
      c.add(t, shape, draw.chance(50) ? Values::Few : Values::Any);
      made.back() = int64_t(draw.below(size_t(shape.back()) + 1));
      std::string values = mlirType(t, made), places = mlirType(DType::I32, made);
      return c.body("%v:2 = chlo.top_k(%a0, k = " + std::to_string(made.back()) + ") : " + c.type(0) + " -> (" +
                        values + ", " + places + ")\n%r = stablehlo.reshape %v#" + which + " : (" +
                        (which[0] == '0' ? values : places) + ") -> " + (which[0] == '0' ? values : places),
                    which[0] == '0' ? values : places);
    });
}
