#include "rw/support/failure.h"

#include <doctest/doctest.h>

#include <memory>

using namespace rw;

namespace {

Result<int> half(int n) {
  if (n % 2)
    return failure("{} is odd", n);
  return n / 2;
}

/// Hands on why there is no value, as a Result of something else.
Result<std::unique_ptr<int>> quarter(int n) {
  Result<int> h = half(n);
  if (!h)
    return h.failure();
  if (Result<int> q = half(*h); !q)
    return failure("half of {}: {}", n, q.error());
  else
    return std::make_unique<int>(*q);
}

Result<void> mustBeEven(int n) {
  if (Result<int> h = half(n); !h)
    return h.failure();
  return {};
}

} // namespace

TEST_CASE("a result is a value or the reason why there is none") {
  Result<int> four = half(8);
  REQUIRE(four);
  CHECK(*four == 4);
  Result<int> none = half(7);
  REQUIRE_FALSE(none);
  CHECK(none.error() == "7 is odd");
  none = half(6); // assigned anew it forgets the reason
  REQUIRE(none);
  CHECK(*none == 3);
}

TEST_CASE("reasons are handed on, and values that can only be moved are moved out") {
  Result<std::unique_ptr<int>> made = quarter(12);
  REQUIRE(made);
  std::unique_ptr<int> owned = *std::move(made);
  CHECK(*owned == 3);
  CHECK(quarter(3).error() == "3 is odd");
  CHECK(quarter(2).error() == "half of 2: 1 is odd");
}

TEST_CASE("a result of nothing is done, or says why not") {
  CHECK(mustBeEven(2));
  Result<void> odd = mustBeEven(5);
  REQUIRE_FALSE(odd);
  CHECK(odd.error() == "5 is odd");
  CHECK(Result<void>());
}

TEST_CASE("values convert as they do elsewhere") {
  auto text = [](bool there) -> Result<std::string> {
    if (!there)
      return Failure{"nothing is there"};
    return "text";
  };
  CHECK(text(true)->size() == 4);
  CHECK(text(false).error() == "nothing is there");
  auto maybe = []() -> Result<std::optional<int>> { return std::nullopt; };
  REQUIRE(maybe()); // a value: none
  CHECK_FALSE(maybe()->has_value());
}
