#include "rw/ir/expr_helpers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace rw;

namespace {
struct ValuesFixture {
  OpRegistry ops;
  Context ctx{ops};
  template <class T> AttrId dense(DType t, std::vector<T> values) {
    return ctx.denseAttr(ctx.tensorType(t, {Dim(int64_t(values.size()))}), std::as_bytes(std::span(values)));
  }
};
} // namespace

TEST_CASE_FIXTURE(ValuesFixture, "integer lists of constants: any integer dtype, splats, limits") {
  auto ints = [&](AttrId a) {
    std::optional<Ints> list = intsOfTensor(ctx, a);
    return list ? std::vector<int64_t>(list->begin(), list->end()) : std::vector<int64_t>{-99};
  };
  CHECK(ints(dense<int64_t>(DType::I64, {1, -1})) == std::vector<int64_t>{1, -1});
  CHECK(ints(dense<int32_t>(DType::I32, {7, 7, 7})) == std::vector<int64_t>{7, 7, 7});
  CHECK(ints(dense<uint8_t>(DType::U8, {255})) == std::vector<int64_t>{255});
  CHECK(ints(dense<int8_t>(DType::I8, {-1})) == std::vector<int64_t>{-1});
  CHECK(ints(dense<int64_t>(DType::I64, {})).empty());
  CHECK(!intsOfTensor(ctx, dense<uint64_t>(DType::U64, {UINT64_MAX})));
  CHECK(!intsOfTensor(ctx, dense<float>(DType::F32, {1})));
  CHECK(!intsOfTensor(ctx, AttrId()));
  CHECK(!intsOfTensor(ctx, ctx.intsAttr({1})));
  int8_t one = 1;
  AttrId huge = ctx.splatAttr(ctx.tensorType(DType::I8, {Dim(int64_t(1) << 40)}), std::as_bytes(std::span(&one, 1)));
  CHECK(!intsOfTensor(ctx, huge));
  CHECK(isSplat(ctx, huge, int64_t(1)));
  CHECK(floatsOfTensor(ctx, dense<double>(DType::F64, {0.5, 2}))->size() == 2);
  CHECK(!floatsOfTensor(ctx, dense<int64_t>(DType::I64, {1})));
}

TEST_CASE_FIXTURE(ValuesFixture, "splat tests are exact: signs of zero, NaN, other dtypes, no element") {
  float nan = std::nanf("");
  CHECK(isSplat(ctx, dense<float>(DType::F32, {0, 0}), int64_t(0)));
  CHECK(!isSplat(ctx, dense<float>(DType::F32, {-0.0f}), int64_t(0)));
  CHECK(isSplat(ctx, dense<float>(DType::F32, {-0.0f}), -0.0));
  CHECK(!isSplat(ctx, dense<float>(DType::F32, {-0.0f}), 0.0));
  CHECK(isSplat(ctx, dense<float>(DType::F32, {0.1f}), 0.1));
  CHECK(!isSplat(ctx, dense<double>(DType::F64, {double(0.1f)}), 0.1));
  CHECK(isSplat(ctx, dense<uint16_t>(DType::F16, {0x2e66}), 0.1));
  CHECK(isSplat(ctx, dense<uint16_t>(DType::BF16, {0x3dcd}), 0.1));
  CHECK(!isSplat(ctx, dense<float>(DType::F32, {std::numeric_limits<float>::infinity()}), 1e300));
  CHECK(!isSplat(ctx, dense<float>(DType::F32, {0, nan}), int64_t(0)));
  CHECK(!isSplat(ctx, dense<float>(DType::F32, {0, 1}), int64_t(0)));
  CHECK(isSplat(ctx, dense<float>(DType::F32, {-2, -2}), int64_t(-2)));
  CHECK(isSplat(ctx, dense<uint16_t>(DType::F16, {0x3c00, 0x3c00}), int64_t(1)));
  CHECK(isSplat(ctx, dense<uint16_t>(DType::BF16, {0x3f80}), 1.0));
  CHECK(isSplat(ctx, dense<int64_t>(DType::I64, {3, 3}), int64_t(3)));
  CHECK(isSplat(ctx, dense<int64_t>(DType::I64, {3, 3}), 3.0));
  CHECK(!isSplat(ctx, dense<uint8_t>(DType::Bool, {1}), int64_t(1)));
  CHECK(isSplat(ctx, dense<uint8_t>(DType::Bool, {1, 1}), true));
  CHECK(!isSplat(ctx, dense<int8_t>(DType::I8, {1}), true));
  CHECK(!isSplat(ctx, dense<float>(DType::F32, {}), int64_t(0)));
  CHECK(!isSplat(ctx, dense<double>(DType::F64, {std::ldexp(1.0, 63)}), std::numeric_limits<int64_t>::max()));
  CHECK(!isSplat(ctx, AttrId(), int64_t(0)));
}

TEST_CASE_FIXTURE(ValuesFixture, "a constant repeats no int but its first element") {
  const double kGaps = 9007199254740992.0; // from here on doubles leave ints out
  const AttrId constants[] = {dense<float>(DType::F32, {0}),
                              dense<float>(DType::F32, {-0.0f}),
                              dense<float>(DType::F32, {1, 1}),
                              dense<float>(DType::F32, {1, 2}),
                              dense<float>(DType::F32, {0.5f}),
                              dense<float>(DType::F32, {std::nanf("")}),
                              dense<double>(DType::F64, {kGaps}),
                              dense<double>(DType::F64, {-kGaps}),
                              dense<double>(DType::F64, {2 * kGaps}),
                              dense<uint16_t>(DType::F16, {0x3c00}),
                              dense<int64_t>(DType::I64, {INT64_MIN}),
                              dense<int64_t>(DType::I64, {INT64_MAX}),
                              dense<uint64_t>(DType::U64, {UINT64_MAX}),
                              dense<uint8_t>(DType::U8, {1}),
                              dense<uint8_t>(DType::Bool, {1}),
                              dense<float>(DType::F32, {}),
                              dense<int8_t>(DType::I8, {-1, -1}),
                              ctx.intAttr(1),
                              AttrId()};
  int64_t gaps = int64_t(kGaps);
  int repeated = 0;
  for (AttrId constant : constants)
    for (int64_t i : {int64_t(0), int64_t(1), int64_t(2), int64_t(-1), gaps - 1, gaps, gaps + 1, -gaps, 2 * gaps,
                      INT64_MIN, INT64_MAX})
      if (isSplat(ctx, constant, i)) {
        ++repeated;
        CHECK(firstInt(ctx, constant) == i);
      }
  CHECK(repeated == 9);
  CHECK(firstInt(ctx, constants[3]) == 1); // which it does not repeat
  for (AttrId none :
       {constants[1], constants[4], constants[5], constants[8], constants[12], constants[14], constants[15], AttrId()})
    CHECK(!firstInt(ctx, none));
}

TEST_CASE_FIXTURE(ValuesFixture, "equality of types needs proof") {
  TypeId known = ctx.tensorType(DType::F32, {Dim(2), Dim(3)}), open = ctx.tensorType(DType::F32, {Dim(2), Dim()});
  CHECK(equal(ctx, known, known) == true);
  CHECK(!equal(ctx, open, open));
  CHECK(!equal(ctx, known, open));
  CHECK(equal(ctx, known, ctx.tensorType(DType::F16, {Dim(2), Dim(3)})) == false);
  CHECK(!equal(ctx, ctx.unknownType(), ctx.unknownType()));
  CHECK(!equal(ctx, TypeId(), TypeId()));
}

TEST_CASE_FIXTURE(ValuesFixture, "properties of types fail where nothing is known") {
  TypeId open = ctx.unrankedType(DType::F32);
  CHECK(!shapeOf(ctx, open));
  CHECK(!rankOf(ctx, open));
  CHECK(dtypeOf(ctx, open) == DType::F32);
  CHECK(!dtypeOf(ctx, ctx.unknownType()));
  CHECK(!rankOf(ctx, TypeId()));
  CHECK(!sizeOf(ctx, open));
  CHECK(sizeOf(ctx, ctx.tensorType(DType::F32, {Dim(2), Dim(3)})) == Dim(6));
  CHECK(isSingleElement(ctx, ctx.tensorType(DType::F32, std::initializer_list<Dim>{})));
  CHECK(isSingleElement(ctx, ctx.tensorType(DType::F32, {Dim(1), Dim(1)})));
  CHECK(!isSingleElement(ctx, ctx.tensorType(DType::F32, {Dim(1), Dim()})));
  CHECK(!isSingleElement(ctx, open));
  CHECK(!isSingleElement(ctx, ctx.noneType()));
}

TEST_CASE_FIXTURE(ValuesFixture, "attributes as values: each kind, none of another") {
  CHECK(attrAs<int64_t>(ctx, ctx.intAttr(3)) == 3);
  CHECK(!attrAs<int64_t>(ctx, ctx.floatAttr(3)));
  CHECK(!attrAs<int64_t>(ctx, AttrId()));
  CHECK(attrAs<std::span<const int64_t>>(ctx, ctx.intsAttr({1, 2}))->size() == 2);
  CHECK(attrAs<std::span<const Dim>>(ctx, ctx.intsAttr({1, 2}))->size() == 2);
  CHECK((*attrAs<std::span<const Dim>>(ctx, ctx.intsAttr({-1})))[0] == Dim::number(-1)); // an amount
  CHECK(!attrAs<std::span<const Dim>>(ctx, ctx.intsAttr({INT64_MIN})));
  CHECK(attrAs<Dim>(ctx, ctx.intAttr(4)) == Dim(4));
  CHECK(attrAs<Dim>(ctx, ctx.intAttr(-4)) == Dim::number(-4));
  CHECK(!attrAs<Dim>(ctx, ctx.intAttr(INT64_MIN)));
  CHECK(attrAs<std::span<const double>>(ctx, ctx.intsAttr(std::span<const int64_t>()))->empty());
  AttrId bools = makeAttr(ctx, std::span<const bool>(InlineList<bool>{true, false}));
  CHECK(attrAs<InlineList<bool>>(ctx, bools)->size() == 2);
  CHECK(!attrAs<InlineList<std::string_view>>(ctx, bools));
  CHECK(makeAttr(ctx, int64_t(1)) != makeAttr(ctx, true));
  CHECK(tensorAttr(ctx, ctx.intAttr(1)) == AttrId());
}

TEST_CASE("what is computed has one NaN, in an attribute, a list and a tensor") {
  OpRegistry ops;
  Context ctx(ops);
  const double nan = std::numeric_limits<double>::quiet_NaN(), other = std::copysign(nan, -1.0);
  CHECK(makeAttr(ctx, nan) == makeAttr(ctx, other));
  const double list[] = {nan, 1.0}, others[] = {other, 1.0};
  CHECK(makeAttr(ctx, std::span<const double>(list)) == makeAttr(ctx, std::span<const double>(others)));
  const TypeId type = ctx.tensorType(DType::F32, {Dim(2)});
  CHECK(tensorOf(ctx, std::span<const double>(list), type) == tensorOf(ctx, std::span<const double>(others), type));
  // What stands in a program stays.
  CHECK(ctx.floatAttr(nan) != ctx.floatAttr(other));
}

TEST_CASE_FIXTURE(ValuesFixture, "ranges are limited") {
  CHECK(range(0, 3)->size() == 3);
  CHECK(range(3, 0)->empty());
  CHECK(!range(0, int64_t(1) << 40));
  CHECK(!range(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()));
}

TEST_CASE_FIXTURE(ValuesFixture, "sizes are never below 0, whatever the symbols stand for") {
  DimTable &d = ctx.dims();
  Dim b = d.symbol(ctx.intern("B")), c = d.symbol(ctx.intern("C")), zero(0), three(3);
  Dim product = d.mul(b, c), more = d.add(product, three);
  CHECK(lessOrEqual(ctx, zero, b) == true);
  CHECK(less(ctx, b, zero) == false);
  CHECK(less(ctx, zero, b) == std::nullopt); // B may be 0
  CHECK(lessOrEqual(ctx, b, three) == std::nullopt);
  CHECK(lessOrEqual(ctx, b, c) == std::nullopt);
  CHECK(less(ctx, product, more) == true);
  CHECK(lessOrEqual(ctx, three, more) == true);
  CHECK(less(ctx, more, three) == false);
  CHECK(lessOrEqual(ctx, b, d.add(d.mul(b, Dim(2)), c)) == true);
  CHECK(less(ctx, Dim::number(-4), b) == true);
  CHECK(lessOrEqual(ctx, d.sub(b, three), b) == true);
  CHECK(lessOrEqual(ctx, zero, d.sub(b, three)) == std::nullopt);
  CHECK(lessOrEqual(ctx, zero, Dim::unknown()) == std::nullopt);
  CHECK(equal(ctx, more, zero) == false);
  CHECK(equal(ctx, b, zero) == std::nullopt);
  CHECK(greatest(ctx, product, more) == more);
  CHECK(least(ctx, d.add(b, three), Dim(2)) == Dim(2));
  // Of which only one direction can be proved: that B is at most 0 can be neither proved nor refuted.
  CHECK(least(ctx, b, zero) == zero);
  CHECK(least(ctx, zero, b) == zero);
  CHECK(greatest(ctx, b, zero) == b);
  CHECK(greatest(ctx, zero, b) == b);
  CHECK(least(ctx, b, c) == std::nullopt);
  CHECK(greatest(ctx, c, b) == std::nullopt);
}
