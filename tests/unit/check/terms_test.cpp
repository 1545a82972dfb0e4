// Terms have one spelling for what is the same: sums, lists, maps over lists, what was told to be the same.
#include "frontend/check/terms.h"

#include <doctest/doctest.h>
#include <random>

using namespace rw::sema;

namespace {
struct TermsFixture {
  Terms t;
  Term var(int64_t i) { return t.make({Head::Variable, i}); }
};
} // namespace

TEST_CASE_FIXTURE(TermsFixture, "sums are collected, whatever their order") {
  Term n = var(0), m = var(1);
  CHECK(t.areSame(t.sum(n, m), t.sum(m, n)));
  CHECK(t.areSame(t.difference(t.sum(n, m), m), n));
  CHECK(t.areSame(t.sum(t.number(2), t.number(3)), t.number(5)));
  CHECK(t.areSame(t.difference(n, n), t.number(0)));
  CHECK_FALSE(t.areSame(t.sum(n, n), n));
  CHECK_FALSE(t.areSame(t.product(n, m), t.sum(n, m)));
  CHECK(t.areSame(t.product(n, m), t.product(m, n)));
}

TEST_CASE_FIXTURE(TermsFixture, "labels tell terms apart: the head, which one it is, and the arguments") {
  CHECK_FALSE(t.areSame(var(0), var(1)));
  CHECK_FALSE(t.areSame(t.make({Head::Dim, 0}, {var(0)}), t.make({Head::Attr, 0}, {var(0)})));
  CHECK_FALSE(t.areSame(t.make({Head::Dim, 0}, {var(0)}), t.make({Head::Dim, 1}, {var(0)})));
  CHECK_FALSE(t.areSame(t.make({Head::Dim, 0}, {var(0)}), t.make({Head::Dim, 0}, {var(1)})));
  CHECK_FALSE(t.areSame(t.unknown(), t.unknown()));
  CHECK_FALSE(t.areSame(t.number(INT64_MIN), t.number(INT64_MAX)));
}

TEST_CASE_FIXTURE(TermsFixture,
                  "a map over a list known by its elements is a list; an index into a map is its body there") {
  Term x = t.placeholder(), n = var(0);
  Term list = t.list({n, t.number(4)});
  CHECK(t.areSame(t.map(list, t.sum(x, t.number(1)), x), t.list({t.sum(n, t.number(1)), t.number(5)})));
  Term source = var(1), y = t.placeholder(), z = t.placeholder();
  Term plusOne = t.map(source, t.sum(y, t.number(1)), y);
  CHECK(t.areSame(t.index(plusOne, t.number(3)), t.sum(t.index(source, t.number(3)), t.number(1))));
  CHECK(t.areSame(plusOne, t.map(source, t.sum(z, t.number(1)), z))); // whatever the variable is called
  CHECK(t.areSame(t.length(plusOne), t.length(source)));
  CHECK(t.areSame(t.map(source, z, z), source));
}

TEST_CASE_FIXTURE(TermsFixture, "maps within maps keep their variables apart") {
  Term a = var(0), b = var(1), x = t.placeholder(), y = t.placeholder();
  Term inner = t.map(b, t.sum(x, y), y);                          // [x + y for y in b]
  Term outer = t.map(a, inner, x);                                // [[x + y for y in b] for x in a]
  Term swapped = t.map(a, t.map(b, t.sum(t.sum(y, y), x), y), x); // x + 2y is not x + y
  CHECK_FALSE(t.areSame(outer, swapped));
  Term at = t.index(t.index(outer, t.number(1)), t.number(2));
  CHECK(t.areSame(at, t.sum(t.index(a, t.number(1)), t.index(b, t.number(2)))));
}

TEST_CASE_FIXTURE(TermsFixture, "a variable in what was told to be the same is still replaced") {
  Term v = var(0), x = t.placeholder(), of = t.make({Head::Size}, {x}), whole = t.make({Head::Dim, 0}, {v});
  Term held = t.make({Head::Dim, 1}, {whole}); // nothing of x stands in it when it is made
  t.same(whole, of);
  Term mapped = t.map(var(1), held, x);
  Term at = t.index(mapped, t.number(0));
  CHECK(t.areSame(at, t.make({Head::Dim, 1}, {t.make({Head::Size}, {t.index(var(1), t.number(0))})})));
}

TEST_CASE_FIXTURE(TermsFixture, "lists told to be the same have the same elements") {
  Term n = var(0), m = var(1);
  t.same(t.list({n, t.number(2)}), t.list({t.number(7), m}));
  CHECK(t.areSame(n, t.number(7)));
  CHECK(t.areSame(m, t.number(2)));
}

TEST_CASE_FIXTURE(TermsFixture, "broadcast knows neither order nor repetition") {
  Term a = var(0), b = var(1), c = var(2);
  CHECK(t.areSame(t.broadcast(a, t.broadcast(b, c)), t.broadcast(t.broadcast(c, a), t.broadcast(b, a))));
  CHECK(t.areSame(t.broadcast(a, t.list({})), a));
}

TEST_CASE_FIXTURE(TermsFixture, "random sums equal each other where their values do") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    t.clear();
    int64_t values[4];
    for (int64_t &value : values)
      value = int64_t(random() % 1000003);
    // Each is a sum of variables with factors; two are the same if the factors are.
    int64_t factors[2][4] = {};
    Term sums[2] = {t.number(0), t.number(0)};
    for (int s = 0; s < 2; ++s)
      for (int i = 0; i < 4; ++i) {
        int which = int(random() % 3);
        bool plus = random() % 2;
        factors[s][which] += plus ? 1 : -1;
        sums[s] = plus ? t.sum(sums[s], var(which)) : t.difference(sums[s], var(which));
      }
    CHECK(t.areSame(sums[0], sums[1]) == std::equal(factors[0], factors[0] + 4, factors[1]));
  }
}

TEST_CASE_FIXTURE(TermsFixture, "what takes too much is unknown, in bounded time") {
  Term list = t.list({var(0), var(1)});
  for (int i = 0; i < 40; ++i) // 2^40 elements
    list = t.concat(list, list);
  CHECK_FALSE(t.areSame(list, list));
  t.clear();
  CHECK(t.areSame(var(0), var(0)));
}
