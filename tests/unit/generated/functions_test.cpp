// Functions of g.rw, compiled: what expressions evaluate to, and when they fail.
#include "g.rw.h"
#include "odd_names.rw.h"

#include "rw/passes/pass.h"

#include <doctest/doctest.h>

#include <limits>

using namespace rw;
namespace g = test::generated::g;

namespace {
constexpr int64_t kMax = std::numeric_limits<int64_t>::max(), kMin = std::numeric_limits<int64_t>::min();

struct Fixture {
  OpRegistry ops;
  Context ctx{ops};
  Dim symbol(std::string_view name) { return ctx.dims().symbol(ctx.intern(name)); }
};
using List = std::vector<int64_t>;
List list(const std::optional<Ints> &ints) {
  REQUIRE(ints);
  return List(ints->begin(), ints->end());
}
} // namespace

TEST_CASE_FIXTURE(Fixture, "ints: overflow and division by zero fail, division rounds down") {
  CHECK(g::add_ints(ctx, 2, 3) == 5);
  CHECK(!g::add_ints(ctx, kMax, 1));
  CHECK(!g::add_ints(ctx, kMin, -1));
  CHECK(g::add_ints(ctx, kMin, 1) == kMin + 1);
  CHECK(g::multiply(ctx, -4, 5) == -20);
  CHECK(!g::multiply(ctx, kMin, -1));
  CHECK(!g::multiply(ctx, kMax, 2));
  struct {
    int64_t a, b, quotient, remainder;
  } cases[] = {{7, 2, 3, 1}, {-7, 2, -4, 1}, {7, -2, -4, -1}, {-7, -2, 3, -1}, {6, 3, 2, 0}, {-6, 3, -2, 0}};
  for (auto c : cases) {
    CHECK(g::quotient(ctx, c.a, c.b) == c.quotient);
    CHECK(g::remainder(ctx, c.a, c.b) == c.remainder);
  }
  CHECK(!g::quotient(ctx, 1, 0));
  CHECK(!g::remainder(ctx, 1, 0));
  CHECK(!g::quotient(ctx, kMin, -1));
  CHECK(g::remainder(ctx, kMin, -1) == 0);
  CHECK(g::negate(ctx, 5) == -5);
  CHECK(!g::negate(ctx, kMin));
}

TEST_CASE_FIXTURE(Fixture, "lists: indexes and slices outside fail") {
  List l{10, 20, 30};
  CHECK(g::at(ctx, l, 0) == 10);
  CHECK(g::at(ctx, l, 2) == 30);
  CHECK(!g::at(ctx, l, 3));
  CHECK(!g::at(ctx, l, -1));
  CHECK(!g::at(ctx, List{}, 0));
  CHECK(list(g::part(ctx, l, 1, 3)) == List{20, 30});
  CHECK(list(g::front(ctx, l, 2)) == List{10, 20, 30, 10, 20, 30});
  CHECK(!g::front(ctx, l, 4));
  CHECK(list(g::part(ctx, l, 3, 3)).empty());
  CHECK(!g::part(ctx, l, 2, 1));
  CHECK(!g::part(ctx, l, 0, 4));
  CHECK(!g::part(ctx, l, -1, 2));
}

TEST_CASE_FIXTURE(Fixture, "only what decides is evaluated") {
  CHECK(g::lazy_and(ctx, List{}) == false); // list[0] would fail
  CHECK(g::lazy_and(ctx, List{1}) == true);
  CHECK(g::lazy_and(ctx, List{2}) == false);
  CHECK(g::lazy_or(ctx, List{}) == true);
  CHECK(g::lazy_or(ctx, List{2}) == false);
  CHECK(g::chosen(ctx, List{}) == -1);
  CHECK(g::chosen(ctx, List{4, 5}) == 4);
}

TEST_CASE_FIXTURE(Fixture, "comprehensions, quantifiers, let") {
  CHECK(list(g::joined(ctx, List{1}, List{2, 3})) == List{1, 7, 2, 3});
  CHECK(g::all_positive(ctx, List{}) == true);
  CHECK(g::all_positive(ctx, List{1, 2}) == true);
  CHECK(g::all_positive(ctx, List{1, 0}) == false);
  CHECK(g::some_pair(ctx, List{}, List{1}) == false);
  CHECK(g::some_pair(ctx, List{1, 2}, List{3, 2, 9}) == true);
  CHECK(g::some_pair(ctx, List{1, 2}, List{3, 4}) == false);
  CHECK(list(g::filtered(ctx, List{3, -1, 0, 2})) == List{6, 4});
  CHECK(!g::filtered(ctx, List{kMax}));
  CHECK(list(g::orders(ctx, List{30, 10, 20, 10})) == List{1, 3, 2, 0, 10, 10, 20, 30, 10, 20, 10, 30});
  CHECK(g::with_let(ctx, 3) == 13);
  CHECK(g::consecutive(ctx, List{}) == true);
  CHECK(g::consecutive(ctx, List{4, 5, 6}) == true);
  CHECK(g::consecutive(ctx, List{4, 6}) == false);
  CHECK(!g::consecutive(ctx, List{kMax, 0}));
  CHECK(g::place(ctx, List{5, 6, 6}, 6) == 1);
  CHECK(!g::place(ctx, List{5}, 6));
  CHECK(g::in_list(ctx, List{5, 6, 6}, 5) == true);
  CHECK(g::in_list(ctx, List{5, 6, 6}, 6) == false);
  CHECK(g::same_lists(ctx, List{1, 2}, List{1, 2}) == true);
  CHECK(g::same_lists(ctx, List{1, 2}, List{1}) == false);
  CHECK(g::total(ctx, List{}) == 0);
  CHECK(!g::total(ctx, List{kMax, 1}));
  CHECK(list(g::extremes(ctx, List{3, -7, 5})) == List{-7, 5, 7, 1, 2});
  CHECK(!g::extremes(ctx, List{}));
  CHECK(!g::extremes(ctx, List{kMin})); // its absolute value
  CHECK(g::perms(ctx, List{2, 0, 1}, 3) == true);
  CHECK(g::perms(ctx, List{0, 1, 2}, 3) == false);
  CHECK(g::perms(ctx, List{2, 0, 2}, 3) == false);
  CHECK(g::perms(ctx, List{2, 0, 3}, 3) == false);
  CHECK(g::perms(ctx, List{}, -1) == false);
  CHECK(list(g::compose(ctx, List{1, 2, 0}, List{2, 0, 1})) == List{0, 1, 2});
  CHECK(!g::compose(ctx, List{1, 0}, List{0, 2}));
}

TEST_CASE_FIXTURE(Fixture, "dims: true or false only where it holds whatever the symbols are") {
  Dim b = symbol("B"), c = symbol("C"), unknown, one(1), five(5);
  Dim b1 = ctx.dims().add(b, one);
  using D = std::vector<Dim>;
  CHECK(g::same_dims(ctx, D{b, five}, D{b, five}) == true);
  CHECK(g::same_dims(ctx, D{b}, D{b1}) == false);
  CHECK(!g::same_dims(ctx, D{b}, D{c}));
  CHECK(!g::same_dims(ctx, D{unknown}, D{unknown}));
  CHECK(g::same_dims(ctx, D{unknown, one}, D{unknown, five}) == false);
  CHECK(g::same_dims(ctx, D{unknown}, D{}) == false);
  CHECK(g::dim_less(ctx, b, b1) == true);
  CHECK(g::dim_less(ctx, b1, b) == false);
  CHECK(g::dim_less(ctx, one, five) == true);
  CHECK(!g::dim_less(ctx, b, five));
  CHECK(g::dim_quotient(ctx, five, Dim(2)) == Dim(2));
  CHECK(!g::dim_quotient(ctx, five, Dim(0)));
  CHECK(g::to_dim(ctx, 0) == Dim(0));
  CHECK(g::to_dim(ctx, -1) == Dim::number(-1)); // an amount, neither unknown nor, by its bits, an expression
  CHECK(g::to_dim(ctx, -2) == Dim::number(-2));
  CHECK(!g::to_dim(ctx, INT64_MIN));
  CHECK(g::dim_less(ctx, Dim::number(-2), Dim::number(-1)) == true);
  CHECK(g::dim_less(ctx, Dim::number(-2), Dim(0)) == true);
  CHECK(g::same_dims(ctx, D{Dim::number(-2)}, D{Dim(2)}) == false);
  CHECK(g::dim_less(ctx, Dim::number(-2), b) == true); // no size is below 0

  auto shape = [&](D x, D y) { return g::shapes(ctx, x, y); };
  CHECK(*shape({b, one}, {Dim(3)}) == Dims{b, Dim(3)});
  CHECK(*shape({}, {five}) == Dims{five});
  CHECK(*shape({unknown}, {five}) == Dims{five});
  CHECK(*shape({b}, {five}) == Dims{five});
  CHECK(*shape({b}, {c}) == Dims{unknown});
  CHECK(*shape({unknown}, {one}) == Dims{unknown});
  CHECK(!shape({Dim(2)}, {five}));
}

TEST_CASE_FIXTURE(Fixture, "dtypes") {
  CHECK(g::kind(ctx, DType::F32) == 32);
  CHECK(g::kind(ctx, DType::BF16) == 16);
  CHECK(g::kind(ctx, DType::I64) == -64);
  CHECK(g::kind(ctx, DType::I4) == -4);
  CHECK(g::kind(ctx, DType::Bool) == 0);
}

TEST_CASE_FIXTURE(Fixture, "names that C++ has other uses for") {
  namespace odd = test::generated::odd_names;
  CHECK(odd::range_(ctx, 1, List{5, 6}) == 3);
  CHECK(odd::strings(ctx, std::vector<std::string_view>{"b", "x"}) == false);
  CHECK(!odd::nested(ctx, std::vector<Ints>{}).has_value() == false);
}
