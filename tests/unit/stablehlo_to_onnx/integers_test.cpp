// Integers bit by bit, their division, and random bits.
#include "lowering_fixture.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace ::test;

namespace {

void integers(const std::string &op, unsigned count) {
  checkLowerings(op, count, [&](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kIntegers);
    Shape shape = draw.shape(0, 3);
    Values values = draw.chance(60) ? Values::Any : draw.chance(50) ? Values::Moderate : Values::Few;
    c.add(t, shape, values);
    if (draw.chance(25)) { // a constant, which shows what need not be asked
      int64_t n = draw.chance(80) ? int64_t(draw.between(1, 7)) : rw::isSigned(t) ? -1 : 0;
      return c.body(
          fmt::format("%c = stablehlo.constant dense<{0}> : {1}\n%r = stablehlo.{2} %a0, %c : {1}", n, c.type(0), op),
          c.type(0));
    }
    c.add(t, shape, draw.chance(50) ? values : Values::Positive);
    if (draw.chance(20))
      for (LoweringParam &p : c.params)
        p.unknown.assign(shape.size(), true);
    return c.body(fmt::format("%r = stablehlo.{} %a0, %a1 : {}", op, c.type(0)), c.type(0));
  });
}

} // namespace

TEST_CASE("bits") {
  for (const char *op : {"and", "or", "xor"})
    integers(op, 50);
  for (const char *op : {"shift_left", "shift_right_logical", "shift_right_arithmetic"})
    integers(op, 250);
  for (const char *op : {"not", "popcnt", "count_leading_zeros"})
    checkLowerings(op, 100, [&](Draw &draw) {
      LoweringCase c;
      c.add(draw.pick(kIntegers), draw.shape(0, 3));
      if (draw.chance(20))
        c.params[0].unknown.assign(c.params[0].shape.size(), true);
      return c.body(fmt::format("%r = stablehlo.{} %a0 : {}", op, c.type(0)), c.type(0));
    });
}

TEST_CASE("division of integers") {
  integers("divide", 400);
  integers("remainder", 400);
}

TEST_CASE("random bits") {
  checkLowerings("rng_bit_generator", 60, [](Draw &draw) {
    LoweringCase c;
    std::string algorithm = draw.pick(std::vector<std::string>{"THREE_FRY", "PHILOX", "DEFAULT"});
    int64_t size = algorithm == "THREE_FRY" || draw.chance(50) ? 2 : 3;
    DType t = draw.pick(kIntegers);
    Shape shape;
    for (size_t d = draw.below(4); d > 0; --d)
      shape.push_back(int64_t(draw.between(1, 4)));
    c.add(DType::U64, {size});
    std::string state = c.type(0), bits = mlirType(t, shape);
    bool first = draw.chance(30);
    return c.body(fmt::format("%s, %b = \"stablehlo.rng_bit_generator\"(%a0) {{rng_algorithm = "
                              "#stablehlo<rng_algorithm {}>}} : ({}) -> ({}, {})\n"
                              "%r = stablehlo.reshape %{} : ({}) -> {}",
                              algorithm, state, state, bits, first ? "s" : "b", first ? state : bits,
                              first ? state : bits),
                  first ? state : bits);
  });
}
